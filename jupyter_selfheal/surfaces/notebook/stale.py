"""Which stored outputs are no oracle: those of cells that read what an unhealed cell above never made, or left as it was."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Cell, Notebook
from jupyter_selfheal.surfaces.notebook.failures import LostState


def mark_stale(notebook: Notebook, lost: Mapping[str, LostState]) -> Notebook:
    """The notebook with :attr:`Cell.stale` set on each cell that depends on a name which an unhealed cell lost.

    ``lost``: by cell id, what the unhealed ones did not come to. A name that is lost is often still bound, to what it was
    before; what is computed of that is another thing than what the author saw. Cells are read in order, a name that is bound
    anew of nothing stale is good again. What was imported is not changed by a call of what it holds (``datetime.strptime(…)``).
    """
    lost_names: set[str] = set()
    imported: set[str] = set()
    cells = []
    for cell in notebook.cells:
        if cell.kind == "code":
            names = src.find_names(cell.source)
            stale = not lost_names.isdisjoint(_find_read_names(cell))
            imported |= names.imports
            changed = (names.binds | names.changes) - imported
            lost_names = lost_names | changed if stale else lost_names - names.binds
            if cell.id in lost:
                left = lost[cell.id]
                lost_names |= left.names | (left.changed - imported) | (left.changed & left.assigned)
            cell = replace(cell, stale=stale)
        cells.append(cell)
    return replace(notebook, cells=tuple(cells))


def clear_marks(notebook: Notebook) -> Notebook:
    """The notebook without these marks, as it is written."""
    return replace(notebook, cells=tuple(replace(c, stale=False) if c.stale else c for c in notebook.cells))


def _find_read_names(cell: Cell) -> frozenset[str]:
    """Names that a cell reads; all of its words where it does not parse (Python 2, say)."""
    if src.parse(cell.source) is None:
        return frozenset(re.findall(r"[A-Za-z_]\w*", cell.source))
    used = src.find_names(cell.source)
    return used.uses | used.changes
