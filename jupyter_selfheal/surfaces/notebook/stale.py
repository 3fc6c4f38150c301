"""Which stored outputs are no oracle: those of cells that read what an unhealed cell above never made, or left as it was."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Cell, Notebook
from jupyter_selfheal.surfaces.notebook.lost_state import LostState


class StaleCells:
    """Marks the cells that depend on what unhealed ones did not make: once for as long as neither the notebook nor those change.

    ``numbers`` are those of the code cells, by id.
    """

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._cell_ids = {number: cell_id for cell_id, number in numbers.items()}
        self._last: tuple[Notebook, int, Notebook] | None = None

    def mark(self, notebook: Notebook, lost: Sequence[LostState]) -> Notebook:
        """The notebook with these marks (:func:`mark_stale`)."""
        if not lost:
            return notebook
        if self._last is not None and self._last[0] is notebook and self._last[1] == len(lost):
            return self._last[2]
        states = {self._cell_ids[state.number]: state for state in lost if state.number in self._cell_ids}
        marked = mark_stale(notebook, states)
        self._last = notebook, len(lost), marked
        return marked


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
    """Names that a cell reads before it binds them itself; all of its words where it does not parse (Python 2, say)."""
    if src.parse(cell.source) is None:
        return frozenset(re.findall(r"[A-Za-z_]\w*", cell.source))
    return src.find_names(cell.source).uses
