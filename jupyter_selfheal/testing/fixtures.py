"""Notebooks as a rule's fixtures: made of sources, patched and compared."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.model import Cell, Insert, Move, Notebook, Patch, Replace, RunCells

NOT_RUN = "not-run"
"""Tag of a cell that is in the notebook and was not run."""


def notebook_of(cells: Sequence[str | Cell], folder: Path | str = "") -> Notebook:
    """A notebook of code cells ``c1``, ``c2`` …; a source that begins with ``# not run`` is tagged so."""
    found = []
    for n, cell in enumerate(cells, 1):
        if isinstance(cell, str):
            cell = Cell(f"c{n}", cell, tags=(NOT_RUN,) if cell.startswith("# not run") else ())
        found.append(cell)
    return Notebook(tuple(found), folder=str(folder))


def patched(notebook: Notebook, patch: Patch) -> Notebook:
    """The notebook after the source edits of a patch (RunCells: the cells have run; Install changes nothing)."""
    cells = list(notebook.cells)
    for edit in patch.edits:
        at = {c.id: n for n, c in enumerate(cells)}
        if isinstance(edit, Replace):
            if cells[at[edit.cell_id]].source != edit.old:
                raise AssertionError(f"the patch expects another source in cell {edit.cell_id}")
            cells[at[edit.cell_id]] = replace(cells[at[edit.cell_id]], source=edit.source)
        elif isinstance(edit, Insert):
            cells.insert(at[edit.before], Cell(edit.cell_id, edit.source))
        elif isinstance(edit, Move):
            moved = cells.pop(at[edit.cell_id])
            before = next(n for n, c in enumerate(cells) if c.id == edit.before)
            cells.insert(before, replace(moved, tags=tuple(t for t in moved.tags if t != NOT_RUN)))
        elif isinstance(edit, RunCells):
            cells = [
                replace(c, tags=tuple(t for t in c.tags if t != NOT_RUN)) if c.id in edit.cell_ids else c for c in cells
            ]
    return replace(notebook, cells=tuple(cells))


def difference(wanted: Sequence[str], given: Notebook) -> str:
    """A unified diff of the cells that were wanted and those of a notebook."""
    before, after = ("\n# %%\n".join(cells).splitlines() for cells in (wanted, [c.source for c in given.cells]))
    return "\n".join(difflib.unified_diff(before, after, "as written", "after the patch", lineterm=""))
