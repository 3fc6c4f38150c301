"""Notebooks as a rule's fixtures: made of sources, patched and compared."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.model import Cell, Move, Notebook, Patch, RunCells

NOT_RUN = "not-run"
"""Tag of a cell that is in the notebook and was not run."""


def build_notebook(cells: Sequence[str | Cell], folder: Path | str = "") -> Notebook:
    """A notebook of code cells ``c1``, ``c2`` …; a source that begins with ``# not run`` is tagged so."""
    numbered = []
    for n, cell in enumerate(cells, 1):
        if isinstance(cell, str):
            cell = Cell(f"c{n}", cell, tags=(NOT_RUN,) if cell.startswith("# not run") else ())
        numbered.append(cell)
    return Notebook(tuple(numbered), folder=str(folder))


def apply_and_run(notebook: Notebook, patch: Patch) -> Notebook:
    """The notebook after a patch: cells that it runs or moves have run."""
    ran = {
        c
        for e in patch.edits
        for c in (e.cell_ids if isinstance(e, RunCells) else (e.cell_id,) if isinstance(e, Move) else ())
    }
    cells = (
        replace(c, tags=tuple(t for t in c.tags if t != NOT_RUN)) if c.id in ran else c
        for c in notebook.apply(patch).cells
    )
    return replace(notebook, cells=tuple(cells))


def format_difference(wanted: Sequence[str], given: Notebook) -> str:
    """A unified diff of the cells that were wanted and those of a notebook."""
    before, after = ("\n# %%\n".join(cells).splitlines() for cells in (wanted, [c.source for c in given.cells]))
    return "\n".join(difflib.unified_diff(before, after, "as written", "after the patch", lineterm=""))
