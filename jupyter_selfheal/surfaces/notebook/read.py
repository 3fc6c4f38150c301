"""Reading an .ipynb: what the loop needs of it, and everything that must be written back as it was."""

from __future__ import annotations

import codecs
import datetime
import itertools
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import JSON, Cell, Notebook, Oracle, Output
from jupyter_selfheal.surfaces.notebook import heal_lines, text_formats, upgrade

ORACLE_KEYS = frozenset(
    {"expect", "stdout", "check", "spec", "skip", "expensive", "inserted", "origin", "healed", "test"}
)
"""Keys that ``metadata.selfheal`` of a cell may have."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a file was formatted, so that it can be written the same way. ``indent`` is a number of spaces or a tab."""

    indent: str = " "
    ascii_only: bool = False
    bom: bool = False
    newline: str = "\n"
    ends_with_newline: bool = True


@dataclass(frozen=True, slots=True)
class Document:
    """A notebook file: ``raw`` is its JSON, ``notebook`` the model's view.

    The cells of ``notebook`` are those of ``raw`` in the same order; their ids are made up where the file has none. In the
    model's view the ``%%heal`` lines of ``lines`` (by cell id) are comments. ``text`` is what a notebook that is written as text holds, empty
    for JSON. ``notes`` say what was odd about the file and
    what was done about it. ``upgraded_from`` is the old format of a file that ``raw`` is the upgraded form of, else 0.
    """

    path: Path
    raw: Mapping[str, JSON]
    form: Form
    notebook: Notebook
    kernelspec: str = "python3"
    notes: tuple[str, ...] = ()
    lines: Mapping[str, heal_lines.HealLine] = field(default_factory=dict)
    upgraded_from: int = 0
    text: str = ""

    def list_raw_cells(self) -> dict[str, Mapping[str, JSON]]:
        """The cells as they stand in the file, by id."""
        return dict(zip((c.id for c in self.notebook.cells), self.raw["cells"], strict=True))

    def find_test_command(self, cell_id: str) -> str:
        """``%%heal --test`` of a cell, or ``selfheal.test`` of its metadata or else of the notebook's: the command whose tests a changed file must pass."""
        if cell_id in self.lines and self.lines[cell_id].test:
            return self.lines[cell_id].test
        cell = self.list_raw_cells().get(cell_id, {})
        for metadata in (cell.get("metadata"), self.raw.get("metadata")):
            command = _to_mapping(_to_mapping(metadata).get("selfheal")).get("test")
            if isinstance(command, str) and command.strip():
                return command
        return ""

    def number_code_cells(self) -> dict[str, int]:
        """Cell id → position among the non-empty code cells of the file."""
        code = [c.id for c in self.notebook.cells if c.kind == "code" and c.source.strip()]
        return {cell_id: n for n, cell_id in enumerate(code)}


def read(path: Path) -> Document:
    """The notebook at ``path``. Raises :class:`NotebookError` in one line for whatever is not a Python notebook."""
    text = _read_text(path)
    if path.suffix in text_formats.SUFFIXES:
        return read_text_notebook(path, text)
    if not text.strip("\ufeff \t\r\n"):
        raise NotebookError(f"{path}: an empty file, not a notebook: restore it from a copy, or delete it")
    try:
        raw = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise NotebookError(
            f"{path}: {_explain_text(text) or f'not valid JSON ({error}): cut off or damaged; restore it from a copy'}"
        ) from error
    if not isinstance(raw, dict) or "nbformat" not in raw or not ({"cells", "worksheets"} & raw.keys()):
        raise NotebookError(f"{path}: not a Jupyter notebook (it is JSON, but has no nbformat and cells)")
    version = raw["nbformat"]
    if version not in upgrade.OLD:
        return build_document(path, raw, _find_form(text))
    raw, notes = upgrade.upgrade_notebook(path, text.removeprefix("\ufeff"), version)
    document = build_document(path, raw, _find_form(text))
    return replace(document, notes=(*notes, *document.notes), upgraded_from=version)


def _explain_text(text: str) -> str:
    """What git has put in the place of a notebook, and what to do; empty where it is something else."""
    if text.startswith("version https://git-lfs.github.com/spec/"):
        return "a pointer of Git LFS, not the notebook itself: `git lfs pull` brings it"
    if all(f"\n{mark}" in f"\n{text}" for mark in ("<<<<<<< ", "=======", ">>>>>>> ")):
        return "a merge that git could not finish (it holds lines of <<<<<<< and >>>>>>>): resolve it first"
    return ""


def read_text_notebook(path: Path, text: str) -> Document:
    """A notebook whose file holds this text (``.md``, ``.py``, ``.qmd``). Raises :class:`NotebookError` as :func:`read` does."""
    return replace(build_document(path, text_formats.parse_text(path, text)), text=text)


def build_document(path: Path, raw: dict[str, JSON], form: Form | None = None) -> Document:
    """A notebook that is at hand as JSON. Raises :class:`NotebookError` as :func:`read` does."""
    _check_version(path, raw)
    language = _find_language(raw)
    if not language.lower().startswith(("python", "ipython")):
        raise NotebookError(f"{path}: a notebook in {language}; only Python notebooks can be healed")
    cells, odd = _parse_cells(path, raw["cells"])
    cells, lines, notes = _take_heal_lines(cells)
    notebook = Notebook(cells, path=str(path), folder=str(path.resolve().parent), python=_find_release(raw))
    return Document(path, raw, form or Form(), notebook, _find_kernelspec(raw), (*odd, *notes), lines)


def _read_text(path: Path) -> str:
    try:
        read = path.read_bytes()
        return read.decode("utf-8")
    except FileNotFoundError as error:
        why = "a link that leads to no file: mend it, or remove it" if path.is_symlink() else "no such file"
        raise NotebookError(f"{path}: {why}") from error
    except IsADirectoryError as error:
        raise NotebookError(f"{path}: a folder without a notebook that is to be looked at") from error
    except UnicodeDecodeError as error:
        is_text = read.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" not in read
        why = (
            "save it as UTF-8"
            if is_text
            else "it is binary; restore the notebook from a copy, or give the file its own ending"
        )
        raise NotebookError(f"{path}: not a notebook (not UTF-8 text at byte {error.start}): {why}") from error
    except OSError as error:
        remedy = ": it is a link; mend it, or remove it" if path.is_symlink() else ""
        raise NotebookError(f"{path}: cannot be read ({error.strerror}){remedy}") from error


def _check_version(path: Path, raw: Mapping[str, JSON]) -> None:
    version = raw["nbformat"]
    if version == 4 and isinstance(raw.get("cells"), list):
        return
    if version == 4:
        raise NotebookError(f"{path}: not a Jupyter notebook (its cells are no list)")
    raise NotebookError(
        f"{path}: notebook format {version!r} is not known; 1 to 4 are: save it in format 4, or update jupyter-selfheal"
    )


def _find_language(raw: Mapping[str, JSON]) -> str:
    metadata = _to_mapping(raw.get("metadata"))
    info, spec = _to_mapping(metadata.get("language_info")), _to_mapping(metadata.get("kernelspec"))
    return str(info.get("name") or spec.get("language") or "python")


def _find_release(raw: Mapping[str, JSON]) -> str:
    """The Python that the file was last saved under, ``3.6.5``; empty where it does not say."""
    version = _to_mapping(_to_mapping(raw.get("metadata")).get("language_info")).get("version")
    return version if isinstance(version, str) else ""


def _find_kernelspec(raw: Mapping[str, JSON]) -> str:
    return str(_to_mapping(_to_mapping(raw.get("metadata")).get("kernelspec")).get("name") or "python3")


def _parse_cells(path: Path, raw_cells: Sequence[JSON]) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    cells: list[Cell] = []
    notes: list[str] = []
    seen: set[str] = set()
    for number, raw in enumerate(raw_cells):
        if not isinstance(raw, dict) or not isinstance(raw.get("cell_type"), str):
            raise NotebookError(f"{path}: cell {number + 1} is not a cell (it has no cell_type)")
        cell_id = str(raw.get("id") or "")
        if cell_id in seen:
            notes.append(f"two cells have the id {cell_id}: the second is told apart by its place")
        if not cell_id or cell_id in seen:
            cell_id = f"cell-{number}"
            while cell_id in seen:
                cell_id += "-"
        seen.add(cell_id)
        cell, odd = _parse_cell(cell_id, raw)
        cells.append(cell)
        notes += [f"cell {number + 1}: {text}" for text in odd]
    return tuple(cells), tuple(notes)


def _take_heal_lines(
    cells: Sequence[Cell],
) -> tuple[tuple[Cell, ...], dict[str, heal_lines.HealLine], tuple[str, ...]]:
    """The cells with what their ``%%heal`` lines expect, those lines by cell id, and what is wrong with others."""
    lines: dict[str, heal_lines.HealLine] = {}
    changed, notes = [], []
    known: Collection[str] = frozenset().union(*(src.find_names(c.source).binds for c in cells if c.kind == "code"))
    counted = itertools.count(1)
    for cell in cells:
        if cell.kind == "code" and cell.source.strip():
            number = next(counted)
            source, line, wrong = heal_lines.take_line(cell.source, known)
            if wrong is not None:
                notes.append(f"cell {number}: {wrong}")
            if line is not None:
                lines[cell.id] = line
                cell = replace(cell, source=source, oracle=heal_lines.merge_oracles(cell.oracle, line.oracle))
        changed.append(cell)
    return tuple(changed), lines, tuple(notes)


def _parse_cell(cell_id: str, raw: Mapping[str, JSON]) -> tuple[Cell, tuple[str, ...]]:
    metadata = _to_mapping(raw.get("metadata"))
    own = _to_mapping(metadata.get("selfheal"))
    oracle, notes = _parse_oracle(own)
    if own != (metadata.get("selfheal") or {}):
        notes = ('selfheal metadata must be a table, as {"expect": "55"}: it is not used',)
    tags = metadata.get("tags")
    return Cell(
        id=cell_id,
        source=join_lines(raw.get("source")),
        kind=str(raw["cell_type"]),
        tags=tuple(str(t) for t in tags) if isinstance(tags, list) else (),
        outputs=tuple(Output.from_nbformat(o) for o in raw.get("outputs") or () if isinstance(o, dict)),
        oracle=oracle,
        skip=own.get("skip") is True,
        expensive=own.get("expensive") is True,
        count=count if isinstance(count := raw.get("execution_count"), int) else None,
        begun=_read_time(metadata, "iopub.execute_input"),
        ended=_read_time(metadata, "shell.execute_reply"),
    ), notes


def _read_time(metadata: Mapping[str, JSON], which: str) -> float:
    """A time that nbclient or JupyterLab has noted of a cell's run, in seconds; 0 where there is none."""
    told = _to_mapping(metadata.get("execution")).get(which)
    try:
        return datetime.datetime.fromisoformat(str(told)).timestamp()
    except ValueError:
        return 0.0


def _parse_oracle(own: Mapping[str, JSON]) -> tuple[Oracle, tuple[str, ...]]:
    notes = [f"selfheal metadata has an unknown key {key!r}" for key in sorted(own.keys() - ORACLE_KEYS)]
    checks = own.get("check", ())
    checks = (checks,) if isinstance(checks, str) else checks
    if not isinstance(checks, list | tuple):
        notes.append("selfheal metadata: check must be a string or a list of strings")
        checks = ()
    expect = own.get("expect", "")
    # a bare JSON number or list is taken for the Python literal that it is
    expect = expect if isinstance(expect, str) else repr(expect)
    if expect and not src.can_compile(f"({expect}\n)"):
        notes.append(f"selfheal metadata: expect is not a Python expression: {expect}")
        expect = ""
    return Oracle(expect, join_lines(own.get("stdout")), tuple(map(str, checks)), str(own.get("spec", ""))), tuple(
        notes
    )


def number_cells(raw_cells: Sequence[JSON]) -> list[int]:
    """A number for each cell as every table counts: code cells that are not empty, from 1; 0 for all others."""
    counted = itertools.count(1)
    return [
        next(counted) if raw.get("cell_type") == "code" and join_lines(raw.get("source")).strip() else 0
        for raw in raw_cells
    ]


def join_lines(text: JSON) -> str:
    """nbformat's multi-line strings are a string or a list of strings."""
    if isinstance(text, list):
        return "".join(str(part) for part in text)
    return text if isinstance(text, str) else ""


def _to_mapping(value: JSON) -> Mapping[str, JSON]:
    return value if isinstance(value, dict) else {}


def _find_form(text: str) -> Form:
    match = re.search(r"\{\r?\n([ \t]+)\"", text)
    return Form(
        indent=match[1] if match else "",
        ascii_only=text.isascii() and re.search(r"\\u[0-9a-f]{4}", text) is not None,
        bom=text.startswith("\ufeff"),
        newline="\r\n" if match and match[0].startswith("{\r") else "\n",
        ends_with_newline=text.endswith("\n"),
    )
