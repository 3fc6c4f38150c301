"""Paired notebooks: one notebook in several files, as jupytext's ``formats`` name them. What is healed in one is healed in the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import JSON, Notebook
from jupyter_selfheal.surfaces.notebook import originals, write
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.read import Document, join_lines, read
from jupyter_selfheal.surfaces.notebook.text_formats import SUFFIXES


def list_pairs(document: Document) -> list[Path]:
    """The other files of a paired notebook that are there; none where it is not paired, or jupytext is missing."""
    formats = _find_formats(document.raw)
    if not formats:
        return []
    try:
        from jupytext.paired_paths import paired_paths

        named = paired_paths(str(document.path), formats[0], formats)
    except (
        Exception
    ):  # no jupytext, or formats that do not fit the file's own name: then there is nothing to keep in step
        try:
            named = _find_paths(document.path, formats)
        except Exception:
            return []
    paths = (Path(path) for path, _ in named)
    return [p for p in paths if p != document.path and p.exists() and p.suffix in (".ipynb", *SUFFIXES)]


def _find_paths(path: Path, formats: Sequence[Mapping[str, Any]]) -> list[tuple[str, Any]]:
    from jupytext.paired_paths import find_base_path_and_format, full_path

    base, _ = find_base_path_and_format(str(path), formats)
    return [(full_path(base, form), form) for form in formats]


def _find_formats(raw: Mapping[str, JSON]) -> list[Any]:
    """jupytext's ``formats`` in their long form."""
    metadata = raw.get("metadata")
    own = metadata.get("jupytext") if isinstance(metadata, dict) else None
    formats = own.get("formats") if isinstance(own, dict) else None
    if not formats:
        return []
    try:
        from jupytext.formats import long_form_multiple_formats

        return list(long_form_multiple_formats(formats))
    except Exception:  # no jupytext, or formats that it does not know
        return []


def update_pairs(
    document: Document, healed: Notebook, outputs: Mapping[str, CellRun], suffixes: Sequence[str]
) -> Iterator[str]:
    """Write what was healed into the pairs of these kinds; a sentence for each, also for one that was left alone.

    A pair that did not hold the same code is out of step, and nobody knows which is right: it is not touched.
    """
    for path in list_pairs(document):
        if path.suffix in suffixes:
            try:
                yield _update_pair(document, healed, outputs, path)
            except NotebookError as error:
                yield f"its pair was left as it is: {error}"


def give_back_pairs(healed: Document, reverted: Notebook, whole: bool) -> Iterator[str]:
    """Take back in the pairs of a notebook what was taken back in it, by the notebook before and after; a sentence for each.

    Where all was taken back (``whole``), and a pair is as healing left it on this machine, it gets every byte back.
    """
    for path in list_pairs(healed):
        try:
            original = originals.find_original(path.read_bytes()) if whole else None
            if original is not None:
                write.write_atomically(path, original.decode("latin-1"), "latin-1")
                yield f"its pair {path}: as it was before, byte by byte"
            else:
                yield _update_pair(healed, reverted, None, path)
        except (NotebookError, OSError) as error:
            yield f"its pair was left as it is: {error}"


def _update_pair(document: Document, healed: Notebook, outputs: Mapping[str, CellRun] | None, path: Path) -> str:
    """Without ``outputs`` something is taken back, and those of its cells are cleared."""
    held = path.read_bytes()
    pair = read(path)
    ours = [c for c in document.notebook.cells if c.kind == "code"]
    theirs = [c for c in pair.notebook.cells if c.kind == "code"]
    if [_normalize_source(c.source) for c in ours] != [_normalize_source(c.source) for c in theirs]:
        return f"its pair {path} is out of step, and was left as it is"
    if [c.id for c in healed.cells] != [c.id for c in document.notebook.cells]:
        return f"its pair {path} was left as it is: a fix adds or moves a cell"
    new = {their.id: healed.cell(our.id) for our, their in zip(ours, theirs, strict=True)}
    cells = tuple(replace(c, source=new[c.id].source) if c.id in new else c for c in pair.notebook.cells)
    after = replace(pair.notebook, cells=cells)
    if pair.text:
        text = write.format_text(pair, after)
    else:
        changed = {c.id for c in after.cells if c.source != pair.notebook.cell(c.id).source}
        if outputs is None:
            results = {cell_id: write.Result((), None) for cell_id in changed}
        else:
            results = {
                their: write.Result(outputs[our.id].result.outputs, outputs[our.id].count)
                for their, our in new.items()
                if their in changed and our.id in outputs
            }
        text = write.format_notebook(write.build_healed_json(pair, cells, results), pair.form)
    if outputs is not None:
        originals.keep_original(held, write.encode_text(text))
    write.write_atomically(path, text)
    return f"its pair {path} was {'healed' if outputs is not None else 'taken back'} with it"


def _normalize_source(source: JSON) -> str:
    return join_lines(source).strip()
