"""The cells between a changed function and the failing cell: which of those that call it may be run again for a patch.

What such a cell made was made by the old function. Left as it is, a right patch is told that the same failure comes up again.
Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jupyter_selfheal.model import Case, Cell, Patch, RunCells
from jupyter_selfheal.source.callers import list_run_cells
from jupyter_selfheal.source.rerun import can_run_again, list_iterators, map_modules


@dataclass(frozen=True, slots=True)
class Rerun:
    """What may be run again for a patch, by the text of the cells above the failing one."""

    named: frozenset[str]
    """Cells that the patch itself runs again."""
    modules: Mapping[str, str]
    iterators: frozenset[str]
    ran: frozenset[str]

    @classmethod
    def from_case(cls, case: Case, patch: Patch) -> Rerun:
        above = case.notebook.list_code_before(case.failure.cell_id)
        named = frozenset(i for e in patch.edits if isinstance(e, RunCells) for i in e.cell_ids)
        return cls(named, map_modules(above), list_iterators(above), list_run_cells(above))

    def may_run(self, cell: Cell) -> bool:
        """Whether a cell in between may be run once more, and the patch does not do so itself. One that failed when it ran, as a lesson's
        cell is meant to, would fail again and end the trial."""
        return cell.id not in self.named and cell.id in self.ran and not cell.failed and self._can_run(cell)

    def can_repeat(self, code: str) -> bool:
        """Whether a part of an edited cell may be run once more."""
        return self._can_run(Cell("", code))

    def _can_run(self, cell: Cell) -> bool:
        return can_run_again(cell, self.modules, self.iterators)
