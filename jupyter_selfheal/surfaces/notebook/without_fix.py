"""What the cells below a healed one do without its fix: which of them it heals too is seen, not inferred."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.model import Case, Cell, Edit, Insert, Replace, Run, RunCells, Sandbox, Trial, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.source.rerun import is_harmless
from jupyter_selfheal.surfaces.notebook.lost_state import LostState
from jupyter_selfheal.surfaces.notebook.records import Without

SECONDS = 3.0
"""How long all of this may take in one notebook; of cells that were not come to nothing is said."""
LEAST_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class _Planned:
    """A cell that may be run below, and whether it reads what the fix makes."""

    cell: Cell
    names: src.Names
    depends: bool

    @property
    def made(self) -> frozenset[str]:
        return self.names.binds | self.names.changes


class RunsWithout:
    """Runs the cells below without a fix, all of it within :data:`SECONDS` for one notebook. Nothing of what they do is kept."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._left = seconds

    def look(self, state: TrialKernel | None, case: Case, edits: Sequence[Edit], lost: LostState) -> Without:
        """What the cells below do from ``state``, which the failing cell left behind as it was given."""
        planned, unknown = _plan_cells(case, edits, lost)
        dependent = {p.cell.id for p in planned if p.depends}
        if not dependent or state is None or self._left < LEAST_SECONDS:
            return Without(unknown=(*dependent, *unknown))
        runs = tuple(Run(p.cell.source, p.cell.id, go_on=True, timeout=self._left) for p in planned)
        try:
            trial, _ = state.run(
                TrialRequest(
                    runs, timeout=self._left, sandbox=Sandbox(), is_brief=True, is_last=True, stop_after=self._left
                )
            )
        except KernelError:
            return Without(unknown=(*dependent, *unknown))
        self._left -= trial.seconds
        return _read_trial(trial, dependent, unknown)


def _read_trial(trial: Trial, dependent: Collection[str], unknown: Iterable[str]) -> Without:
    ended = {s.cell_id: s.status for s in trial.steps if s.cell_id in dependent and not trial.blocked}
    failed = tuple(c for c, status in ended.items() if status == "error")
    ran = {c for c, status in ended.items() if status == "ok"}
    return Without(failed, (*unknown, *(c for c in dependent if c not in failed and c not in ran)))


def _plan_cells(case: Case, edits: Sequence[Edit], lost: LostState) -> tuple[list[_Planned], list[str]]:
    """The cells below to run, and the ids of those of which nothing can be said: they read what the fix makes, and may not be run unasked,
    or read what such a cell makes. A cell that the fix itself changes is neither."""
    edited = {e.cell_id for e in edits if isinstance(e, Replace)}
    reading, unseen = set(_list_made(case, edits, lost)), set[str]()
    planned: list[_Planned] = []
    unknown: list[str] = []
    for cell in case.notebook.list_code_after(case.failure.cell_id):
        names = src.find_names(cell.source)
        made = (names.binds | names.changes) - names.imports
        used = names.uses | names.changes
        depends = not reading.isdisjoint(used)
        if not unseen.isdisjoint(used) or not is_harmless(cell, may_fit=True):
            unseen |= made
            unknown += [cell.id] if depends else []
        else:
            unseen -= names.binds
            planned.append(_Planned(cell, names, depends and cell.id not in edited))
        reading = reading | made if depends else reading - names.binds
    return list(_keep_needed(planned)), unknown


def _keep_needed(planned: Sequence[_Planned]) -> Iterator[_Planned]:
    """Those that depend on the fix, and what of the others they read."""
    needed = set[str]()
    kept = set[str]()
    for one in reversed(planned):
        if one.depends or not needed.isdisjoint(one.made):
            kept.add(one.cell.id)
            needed |= one.names.uses | one.names.changes
    return (p for p in planned if p.cell.id in kept)


def _list_made(case: Case, edits: Sequence[Edit], lost: LostState) -> Iterator[str]:
    """The names that the failing cell did not come to, and those that the cells make which the fix changes, or runs again."""
    yield from lost.names | lost.assigned | lost.mutated | lost.unfitted | lost.filled
    again = {cell_id for e in edits if isinstance(e, RunCells) for cell_id in e.cell_ids}
    above = case.notebook.list_code_before(case.failure.cell_id)
    changed = {e.cell_id: e.source for e in edits if isinstance(e, Replace)}
    sources = [changed.get(c.id, c.source) for c in above if c.id in again or c.id in changed]
    for source in (*sources, *(e.source for e in edits if isinstance(e, Insert))):
        names = src.find_names(source)
        yield from (names.binds | names.changes) - names.imports
