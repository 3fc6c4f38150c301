"""Writing a healed notebook: only what healing changed differs from the file that was read."""

from __future__ import annotations

import copy
import errno
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import JSON, Cell, Notebook, Output
from jupyter_selfheal.surfaces.notebook import heal_lines, text_formats
from jupyter_selfheal.surfaces.notebook.read import Document, Form


@dataclass(frozen=True, slots=True)
class Result:
    """New outputs of a cell and its execution count."""

    outputs: tuple[Output, ...]
    count: int | None
    """None where it was not run."""


def build_healed_json(
    document: Document, cells: Sequence[Cell], results: Mapping[str, Result], moved: frozenset[str] = frozenset()
) -> dict[str, JSON]:
    """The JSON of the healed notebook: ``cells`` in their new order, with new ``results`` for those that have one.

    Cells that the file does not have are marked ``selfheal.inserted``; ``moved`` ones ``selfheal.origin``: their place
    among the non-empty code cells of the file that was read.
    """
    originals = dict(zip((c.id for c in document.notebook.cells), document.raw["cells"], strict=True))
    given = {c.id: c.source for c in document.notebook.cells}
    ordinals = document.number_code_cells()
    has_ids = (document.raw["nbformat"], document.raw.get("nbformat_minor", 0)) >= (4, 5)
    raw_cells: list[JSON] = []
    for cell in cells:
        original = originals.get(cell.id)
        raw = _build_cell(cell, with_id=has_ids) if original is None else copy.deepcopy(original)
        if original is not None and cell.source != given[cell.id]:
            line = document.lines.get(cell.id)
            raw["source"] = _to_same_form(
                raw["source"], heal_lines.restore_line(cell.source, line) if line else cell.source
            )
        if cell.id in moved and cell.id in ordinals:
            open_own_metadata(raw)["origin"] = ordinals[cell.id]
        if cell.id in results:
            _put_outputs(raw, results[cell.id])
        raw_cells.append(raw)
    return {**document.raw, "cells": raw_cells}


def _build_cell(cell: Cell, with_id: bool) -> dict[str, JSON]:
    raw: dict[str, JSON] = {"cell_type": "code", "execution_count": None}
    if with_id:
        raw["id"] = cell.id
    return {
        **raw,
        "metadata": {"selfheal": {"inserted": True}},
        "outputs": [],
        "source": cell.source.splitlines(keepends=True),
    }


def open_own_metadata(raw: dict[str, JSON]) -> dict[str, JSON]:
    """What a cell's metadata hold of ours, to be changed in place; begun anew where something else than a table stands there."""
    if not isinstance(raw.get("metadata"), dict):
        raw["metadata"] = {}
    if not isinstance(raw["metadata"].get("selfheal"), dict):
        raw["metadata"]["selfheal"] = {}
    ours: dict[str, JSON] = raw["metadata"]["selfheal"]
    return ours


def _to_same_form(old: JSON, text: str) -> JSON:
    return text.splitlines(keepends=True) if isinstance(old, list) else text


def _put_outputs(raw: dict[str, JSON], result: Result) -> None:
    """Give a cell its new outputs, in the order of keys that its file has: sorted, where Jupyter saved it."""
    outputs = [_output_to_json(o, result.count) for o in result.outputs]
    raw["outputs"] = [_sort_keys(o) for o in outputs] if list(raw) == sorted(raw) else outputs
    raw["execution_count"] = result.count


def _sort_keys(value: JSON) -> JSON:
    """The same with the keys of every object in order, as Jupyter writes a file."""
    if isinstance(value, dict):
        return {key: _sort_keys(value[key]) for key in sorted(value)}
    return [_sort_keys(item) for item in value] if isinstance(value, list) else value


def _output_to_json(output: Output, count: int | None) -> dict[str, JSON]:
    raw = output.to_nbformat(count)
    if "text" in raw:
        raw["text"] = raw["text"].splitlines(keepends=True)
    if "data" in raw:
        raw["data"] = {
            mime: value.splitlines(keepends=True) if isinstance(value, str) and _SPLIT_INTO_LINES.match(mime) else value
            for mime, value in raw["data"].items()
        }
    return raw


_SPLIT_INTO_LINES = re.compile(r"text/|(application/javascript|image/svg\+xml)$")
"""The types of what nbformat stores as a list of lines, also where there is one line only."""


def check_target(document: Document, target: Path) -> None:
    """Refuse, before anything runs, a place that a text notebook cannot be written to."""
    if not document.text or target.suffix == ".ipynb":
        return
    if target.suffix == text_formats.READ_ONLY:
        raise NotebookError(
            f"{document.path}: Quarto documents are only read: check it, or name a notebook (-o OUT.ipynb)"
        )
    if target.suffix != document.path.suffix:
        raise NotebookError(f"{target}: the name must end in {document.path.suffix} or .ipynb, as the notebook's does")


def format_text(document: Document, healed: Notebook) -> str:
    """The text of the file with what healing changed in its cells; every other byte as it was.

    Raises :class:`NotebookError` for a fix that adds or moves a cell, and where the text would not be read back as meant.
    """
    given = document.notebook.cells
    if [c.id for c in healed.cells] != [c.id for c in given]:
        raise NotebookError(
            f"{document.path}: a fix adds or moves a cell, which is not written into text: take the notebook (-o OUT.ipynb)"
        )
    changed = {}
    for number, (old, new) in enumerate(zip(given, healed.cells, strict=True)):
        if new.source != old.source:
            line = document.lines.get(new.id)
            changed[number] = heal_lines.restore_line(new.source, line) if line else new.source
    return text_formats.splice_cells(document.path, document.text, document.raw, changed)


def format_notebook(raw: Mapping[str, JSON], form: Form) -> str:
    """The text of a notebook in the form of the file that it was read from."""
    text = json.dumps(
        raw,
        ensure_ascii=form.ascii_only,
        indent=form.indent or None,
        separators=(",", ": ") if form.indent else (", ", ": "),
    )
    ended = text + ("\n" if form.ends_with_newline else "")
    return ("\ufeff" if form.bom else "") + ended.replace("\n", form.newline)  # within a text JSON writes it `\\n`


def encode_text(text: str, encoding: str = "utf-8") -> bytes:
    """What a file of this text holds. Half a surrogate, which UTF-8 has not (a cut-off emoji), is written as JSON writes it: ``\\ud83d``.

    Raises ``UnicodeEncodeError`` for what another encoding has not.
    """
    return text.encode(encoding, "backslashreplace" if encoding == "utf-8" else "strict")


def write_atomically(path: Path, text: str, encoding: str = "utf-8", *, option: str = "-o") -> None:
    """Write a file so that at any moment it holds either all of the old text or all of the new one.

    Raises :class:`NotebookError`, in one line, where the folder or the disk does not allow it; ``option`` names another place, empty where
    there is none.
    """
    target = path.resolve()
    held = encode_text(text, encoding)
    temporary = ""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
        with open(descriptor, "wb") as file:
            file.write(held)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_read_umask())
        os.replace(temporary, target)
    except OSError as error:
        raise NotebookError(f"{path}: cannot be written ({error.strerror}): {_list_ways_out(error, option)}") from error
    finally:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)


def copy_aside(path: Path) -> Path:
    """Copy a file of an old format next to itself, as ``NAME.v3.ipynb``: nothing else could give it back. The copy's path.

    An earlier copy is never overwritten; one that holds the same is taken for this one. Raises :class:`NotebookError`.
    """
    held = path.read_bytes()
    version = json.loads(held)["nbformat"]
    number = 1
    while True:
        copied = path.with_name(f"{path.stem}.v{version}{f'-{number}' if number > 1 else ''}{path.suffix}")
        is_ours = False
        try:
            with copied.open("xb") as file:
                is_ours = True
                file.write(held)
            shutil.copystat(path, copied)
        except FileExistsError:
            if copied.read_bytes() != held:
                number += 1
                continue
        except OSError as error:
            if is_ours:
                copied.unlink(missing_ok=True)
            raise NotebookError(f"{copied}: cannot be written ({error.strerror}): choose a place with -o") from error
        return copied


def check_writable(path: Path, *, option: str = "-o") -> None:
    """Find out before an hour of healing, not after it, that ``path`` cannot be written."""
    if path.is_dir():
        raise NotebookError(f"{path}: a folder; name the file, or use --output-dir")
    folder = path.resolve().parent
    existing = next(p for p in (folder, *folder.parents) if p.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        raise NotebookError(f"{path}: cannot be written ({error.strerror}): {_list_ways_out(error, option)}") from error
    check_unprotected(path, option=option)


def check_unprotected(path: Path, *, option: str = "-o") -> None:
    """Refuse a file that is write-protected: a rename would replace it all the same, where its folder may be written."""
    if path.exists() and (not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK)):
        raise NotebookError(f"{path}: write-protected: make it writable, or choose another place with {option}")


def _list_ways_out(error: OSError, option: str) -> str:
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    ways = ["make room there"] * is_full + [f"choose another place with {option}"] * bool(option)
    return ", or ".join(ways) or "make it writable"


def _read_umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
