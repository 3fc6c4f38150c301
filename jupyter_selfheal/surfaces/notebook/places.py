"""Where a cell's line stands in the notebook's file, so that a pull request or an editor can point at it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record


class FilePlaces:
    """Lines in the files of notebooks; each file is read once."""

    def __init__(self) -> None:
        self._starts: dict[str, dict[str, list[int]]] = {}

    def find_line(self, report: NotebookReport, record: Record) -> int:
        """The line (from 1) in the notebook's file of the line on which the cell fails; 1 where it cannot be told."""
        if report.path not in self._starts:
            self._starts[report.path] = dict(_locate_cells(Path(report.path), [c.id for c in report.given.cells]))
        lines = self._starts[report.path].get(record.cell.id) or [1]
        failing = max(record.failure[0].line, 1) if record.failure else 1
        return lines[min(failing, len(lines)) - 1]


def _locate_cells(path: Path, cell_ids: list[str]) -> Iterable[tuple[str, list[int]]]:
    """Each cell's id with the lines in the file of its source's lines."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    # inside a JSON string a quotation mark has a backslash before it: these are keys; a cell holds one of that name
    sources = [m.end() for m in re.finditer(r'(?<!\\)"source":\s*', text)]
    if len(sources) != len(cell_ids):
        return
    decoder = json.JSONDecoder()
    for cell_id, at in zip(cell_ids, sources, strict=True):
        _, end = decoder.raw_decode(text, at)
        strings = [m.start() for m in re.finditer(r'"(?:[^"\\]|\\.)*"', text[at:end])]
        yield cell_id, [text.count("\n", 0, at + start) + 1 for start in strings]
