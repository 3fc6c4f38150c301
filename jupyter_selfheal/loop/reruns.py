"""The cells between a changed function and the failing cell: which of those that call it may be run again for a patch.

What such a cell made was made by the old function. Left as it is, a right patch is told that the same failure comes up again.
Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from jupyter_selfheal.loop.limits import normalise_message
from jupyter_selfheal.model import Case, Cell, Patch, Role, Run, RunCells, Step, Trial
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


def build_rerun(cell: Cell) -> Run:
    """The step that runs a cell in between once more. One that failed before may fail so again: what it had done by then is made anew too."""
    return Run(cell.source, cell.id, Role.SETUP, go_on=bool(cell.failed_with), failed_with=cell.failed_with)


def describe_failing(ename: str, evalue: str) -> str:
    """How a cell failed, the same for the same failure of another run."""
    return f"{ename}: {normalise_message(evalue)}"


def excuse_failed_again(steps: Sequence[Step], trial: Trial) -> Trial:
    """The trial with what failed as it did before told from what a patch broke."""
    expected = {n: step.failed_with for n, step in enumerate(steps) if isinstance(step, Run) and step.failed_with}
    results = tuple(
        replace(result, role=Role.FAILED_AGAIN.value)
        if result.errors and expected.get(n) == describe_failing(result.errors[-1].ename, result.errors[-1].evalue)
        else result
        for n, result in enumerate(trial.steps)
    )
    return replace(trial, steps=results) if expected else trial
