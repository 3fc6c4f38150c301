"""Where a cell's line stands in the notebook's file, so that a pull request or an editor can point at it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from jupyter_selfheal.model import Cell
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record


class FilePlaces:
    """Lines in the files of notebooks; each file is read once."""

    def __init__(self) -> None:
        self._starts: dict[str, dict[str, list[int]]] = {}

    def find_line(self, report: NotebookReport, record: Record) -> int:
        """The line (from 1) in the notebook's file of the line on which the cell fails; 1 where it cannot be told."""
        if report.path not in self._starts:
            locate = _locate_cells if report.path.endswith(".ipynb") else _locate_cells_in_text
            self._starts[report.path] = dict(locate(Path(report.path), report.given.cells))
        lines = self._starts[report.path].get(record.cell.id) or [1]
        failing = max((f.line for f in record.own_failure), default=1) or 1
        return lines[min(failing, len(lines)) - 1]


def _locate_cells_in_text(path: Path, cells: Sequence[Cell]) -> Iterable[tuple[str, list[int]]]:
    """Each code cell's id with the lines of a text notebook that hold its source; not of one that stands there otherwise."""
    try:
        lines = [line.rstrip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return
    after = 0
    for cell in cells:
        wanted = [line.rstrip() for line in cell.source.splitlines()]
        at = next((n for n in range(after, len(lines)) if wanted and lines[n : n + len(wanted)] == wanted), -1)
        if at >= 0:
            after = at + len(wanted)
            yield cell.id, list(range(at + 1, after + 1))


def _locate_cells(path: Path, cells: Sequence[Cell]) -> Iterable[tuple[str, list[int]]]:
    """Each cell's id with the lines in the file of its source's lines."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    # inside a JSON string a quotation mark has a backslash before it: these are keys; a cell holds one of that name
    sources = [m.end() for m in re.finditer(r'(?<!\\)"source":\s*', text)]
    if len(sources) != len(cells):
        return
    decoder = json.JSONDecoder()
    for cell, at in zip(cells, sources, strict=True):
        _, end = decoder.raw_decode(text, at)
        strings = [m.start() for m in re.finditer(r'"(?:[^"\\]|\\.)*"', text[at:end])]
        yield cell.id, [text.count("\n", 0, at + start) + 1 for start in strings]
