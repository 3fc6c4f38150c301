"""A root that was mended in a cell above, where the failing cell then fails of something else.

Ten cells may fail of one statement far above that silently does nothing since a library's release. Where the first of them has a second
fault that nobody can heal, the first one is healed all the same: the cells below need it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from jupyter_selfheal.loop import progress, proposals
from jupyter_selfheal.loop.plan import build_trial_steps
from jupyter_selfheal.model import (
    Applicability,
    Attempt,
    Candidate,
    Case,
    Failure,
    FailureKind,
    Outcome,
    Patch,
    Proposal,
    Reason,
    Replace,
    Role,
    Run,
    RunCells,
    Start,
    Verdict,
)
from jupyter_selfheal.scoring.verdict import SAFE_RULE
from jupyter_selfheal.surfaces.notebook import outcomes
from jupyter_selfheal.surfaces.notebook.records import Status

MOVED_ON = "moved on"
"""The proof of a root: the failure that it was found for is gone, and the cell gets as far as another one."""


@dataclass(frozen=True, slots=True)
class HealBehind:
    """The heal of a cell that runs anew behind its mended root: how it ended, its journal, and the root with its cell's number."""

    outcome: Outcome
    run: str
    root: Patch
    number: int

    def repeat(self, *_: object) -> tuple[Outcome, str]:
        """The outcome without what it says was wrong, where that is what the root was, and the name of its journal; asked as a heal is."""
        outcome = self.outcome
        is_of_first = outcome.reason is not Reason.ENVIRONMENT
        return replace(outcome, diagnosis=replace(outcome.diagnosis, cause="")) if is_of_first else outcome, self.run

    def explain(self, why: str, failure: Failure) -> str:
        """Why the cell is not healed, where ``why`` tells of the first failure as well."""
        first = proposals.format_first_fix(self.root, failure)
        said = f"what it failed of first is healed in cell {self.number}"
        return f"{said}{why.removeprefix(first)}" if why.startswith(first) else f"{said}; {why}"


def find_kept_root(case: Case, outcome: Outcome) -> Candidate | None:
    """The safe patch of cells above alone, giving again what a library gave in an older release, with which the cell got furthest; None where none did.

    Where a fix of the cell is shown, it is one that the shown one builds upon.
    """
    shown = outcome.proposal[0].candidates[:1] if outcomes.find_status(outcome) is Status.PROPOSED else ()
    found = []
    for attempt in outcome.attempts:
        behind = _find_failure_behind(case, attempt) if _mends_only_above(case, attempt) else None
        if behind is None or not all(_builds_upon(c.patch, attempt.patch) for c in shown):
            continue
        found.append(((progress.measure_reach(behind), len(attempt.patch.edits)), attempt, behind))
    if not found:
        return None
    _, attempt, behind = max(found, key=lambda f: f[0])
    assert attempt.trial is not None
    return Candidate(attempt.patch, attempt.trial, _build_verdict(attempt.patch, behind))


def find_cell(patch: Patch) -> str:
    """The cell that a root's patch changes, the first where there are several."""
    return next(e.cell_id for e in patch.edits if isinstance(e, Replace))


def list_steps(case: Case, patch: Patch) -> list[Run]:
    """What has to run for the state before the failing cell to be that of the mended notebook."""
    steps = build_trial_steps(case, patch, Start.BEFORE_CELL)
    return [s for s in steps if isinstance(s, Run) and s.role is Role.SETUP]


def build_proposal(outcome: Outcome, root: Candidate) -> Proposal:
    """The root alone, for whoever decides."""
    return Proposal(outcome.failure, outcome.diagnosis, (root,), (root.trial.start,))


def _mends_only_above(case: Case, attempt: Attempt) -> bool:
    patch = attempt.patch
    if not patch.restores or patch.applicability is not Applicability.SAFE or attempt.rejection:
        return False
    if attempt.verdict is not None and attempt.verdict.tampering:
        return False
    changed = [e for e in patch.edits if isinstance(e, Replace)]
    is_plain = all(isinstance(e, Replace | RunCells) for e in patch.edits)
    above = {c.id for c in case.notebook.list_code_before(case.failure.cell_id)}
    return is_plain and bool(changed) and all(e.cell_id in above for e in changed)


def _find_failure_behind(case: Case, attempt: Attempt) -> Failure | None:
    """What the cell fails of with the patch, where that is not what it failed of before, and no nearer; None else, and where it ran."""
    behind = progress.build_case_behind(case, attempt.patch, attempt.trial) if attempt.trial is not None else None
    if behind is None or behind.failure.kind is not FailureKind.RAISED:
        return None
    is_same = progress.build_signature(behind.failure, behind.notebook) == progress.build_signature(
        case.failure, case.notebook
    )
    is_nearer = progress.measure_reach(behind.failure) < progress.measure_reach(case.failure)
    is_own = progress.is_of_its_own_making(case.failure, behind.failure)
    return None if is_same or is_nearer or is_own else behind.failure


def _builds_upon(patch: Patch, root: Patch) -> bool:
    return all(patch.source_of(e.cell_id, "") == e.source for e in root.edits if isinstance(e, Replace))


def _build_verdict(patch: Patch, behind: Failure) -> Verdict:
    said = f"The cell below that failed of it no longer does, and fails of something else now: {behind.headline}"
    return Verdict(patch.id, SAFE_RULE, True, (MOVED_ON,), (said,))
