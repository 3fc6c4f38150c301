"""An agent's patch proven, and our own fixes found, both from the states that are kept; and what may be applied of them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.loop import stability
from jupyter_selfheal.model import Candidate, Case, Cell, Choice, Oracle, Outcome, Patch, Proposal, Reason, Start
from jupyter_selfheal.ports import Starts, TrialKernel
from jupyter_selfheal.surfaces.mcp.asked_notebook import AskedNotebook
from jupyter_selfheal.surfaces.mcp.edits import GivenEdit, build_patch, check_capabilities, choose_cell
from jupyter_selfheal.surfaces.mcp.kept_states import KeptState
from jupyter_selfheal.surfaces.mcp.meter import Meter
from jupyter_selfheal.surfaces.mcp.runs import ToolRun
from jupyter_selfheal.surfaces.mcp.situation import Situation
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover
from jupyter_selfheal.surfaces.notebook.dependencies import Deadline
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings


@dataclass(frozen=True, slots=True)
class Proven:
    """A patch with its evidence. ``refusal`` says why it may not be applied, None where it may."""

    cell: Cell
    situation: Situation
    candidate: Candidate
    proposal: Proposal
    refusal: str | None
    said: Oracle = Oracle()
    """What the agent said that the cell must do; what the notebook says itself is not in it."""


def try_edits(
    notebook: AskedNotebook,
    given: Sequence[GivenEdit],
    said: Oracle,
    cell_id: str,
    run: ToolRun,
    settings: Settings,
) -> Proven:
    """Prove an agent's edits from the state before the cell that they are to heal; several times where that draws on chance.

    Raises :class:`UsageError`.
    """
    from jupyter_selfheal import engine

    config = settings.config

    patch = build_patch(notebook, given)
    cell = choose_cell(notebook, patch, cell_id)
    situation = notebook.examine(cell.id, said)
    _check_above(notebook, patch, cell)
    check_capabilities(situation.case, patch)
    candidate = engine.prove_patch(situation.case, patch, situation.starts, config, situation.observer)
    proposal = Proposal(
        situation.case.failure,
        situation.diagnosis,
        (candidate,),
        proven_from=(Start.BEFORE_CELL,),
        baseline=situation.seen,
    )
    refusal = find_refusal(situation, proposal, config)
    if refusal is None and (chance := find_chance(situation, candidate)):
        measured = (
            _measure_patch(notebook, situation, patch, run, settings) if situation.starts.anew is not None else None
        )
        proposal = measured or proposal
        candidate = proposal.candidates[0]
        refusal = find_refusal(situation, proposal, config) if measured is not None else chance
    return Proven(cell, situation, candidate, proposal, refusal, said)


def _check_above(notebook: AskedNotebook, patch: Patch, cell: Cell) -> None:
    """What stands below the cell does not run in its trial: an edit of it would be called proven and was not."""
    at = notebook.document.notebook.index(cell.id)
    below = [i for i in patch.cells_touched if notebook.document.notebook.index(i) > at]
    if below:
        raise UsageError(
            f"cell {below[0]} stands below cell {cell.id}, which is to be healed, and would not be run: try its edit by itself"
        )


def find_refusal(situation: Situation, proposal: Proposal, config: HealConfig) -> str | None:
    """Why the best candidate may not be applied, by the rules of ``jupyter selfheal heal --approve all``; None where it may."""
    if not situation.failed:
        return "the cell runs as it is: say by expect or checks what it must do and does not, and try again"
    reason = situation.diagnosis.skip_reason
    if reason is not None and reason.is_final:
        return f"the failure is to be left alone ({reason.value}): {situation.diagnosis.advice or situation.diagnosis.cause}"
    decision = PolicyApprover("all", config.accept).decide(proposal)
    if decision.choice is Choice.APPROVE and decision.patch_id == proposal.candidates[0].patch.id:
        return None
    return (
        _explain_verdict(situation.case, proposal.candidates[0]) or decision.text
        if proposal.candidates
        else decision.text
    )


def _explain_verdict(case: Case, candidate: Candidate) -> str:
    """What is wrong with a patch, where its verdict says so; empty where only nothing shows that it is right."""
    verdict, trial = candidate.verdict, candidate.trial
    if not trial.ran:
        return f"it does not run: {verdict.feedback or trial.detail or trial.ending.value}"[:300]
    if verdict.tampering:
        return f"it hides the failure instead of mending it: it {'; it '.join(verdict.tampering)}"
    if not verdict.reasons or (
        verdict.plausible and not (case.oracle.expect or case.oracle.stdout or case.oracle.checks)
    ):
        return ""
    if verdict.plausible:
        return f"it scores {verdict.score:g}, and that is too little: {verdict.reasons[-1]}"
    return verdict.reasons[0]


def find_chance(situation: Situation, candidate: Candidate) -> str | None:
    """Why one run of the patch does not show that it is a cure; None where a second run would give the same."""
    case = situation.case
    sources = (*stability.read_chance(case).sources, *stability.read_chance(case, candidate.patch).sources)
    if not sources:
        return None
    return f"the cell draws on chance ({', '.join(dict.fromkeys(sources))}), and one run proves nothing: seed it in your edit"


def _measure_patch(
    notebook: AskedNotebook, situation: Situation, patch: Patch, run: ToolRun, settings: Settings
) -> Proposal | None:
    """The patch with what several runs of it say, as the loop measures our own; None where it comes to nothing. No model is asked."""
    free = settings.config.with_(healers=("rules",))
    deadline = CancellableDeadline(
        notebook.limits.find_seconds_for_notebook((situation.case.notebook.cell(situation.case.failure.cell_id),)), run
    )
    with Session(replace(settings, approve="none", config=free), given=(patch,)) as session:
        heal = session.build_dependencies(notebook.document).heal
        outcome, _ = heal(situation.case, count_by(situation.starts, run.meter), situation.seen, deadline)
    shown = outcome.proposal[0] if outcome.proposal else None
    return shown if shown is not None and shown.candidates and shown.candidates[0].patch.id == patch.id else None


def propose(
    notebook: AskedNotebook, cell_id: str, said: Oracle, run: ToolRun, settings: Settings
) -> tuple[Situation, Outcome, str]:
    """Let the healers find fixes for a cell, nothing applied; what the heal came to, and its journal. Raises :class:`UsageError`."""
    situation = notebook.examine(cell_id, said)
    if not situation.failed:
        raise UsageError(
            f"cell {cell_id} runs: nothing is to be healed unless expect or checks say what it must do and does not"
        )
    deadline = CancellableDeadline(
        notebook.limits.find_seconds_for_notebook((situation.case.notebook.cell(cell_id),)), run
    )
    with Session(replace(settings, approve="none")) as session:
        heal = session.build_dependencies(notebook.document).heal
        outcome, journal = heal(situation.case, count_by(situation.starts, run.meter), situation.seen, deadline)
    run.meter.cost = run.meter.cost + outcome.cost
    if outcome.reason is Reason.CANCELLED and not run.is_cancelled:
        raise UsageError(
            f"the time limit of {deadline.seconds:g} s was reached: {outcome.detail or 'nothing was found in it'}"
        )
    return situation, outcome, journal


def count_by(starts: Starts, meter: Meter) -> Starts:
    """The same states, what is run from them counted for one call."""

    def count(states: tuple[TrialKernel, ...]) -> tuple[TrialKernel, ...]:
        return tuple(s.count_by(meter) if isinstance(s, KeptState) else s for s in states)

    return replace(starts, before=count(starts.before), after=count(starts.after))


class CancellableDeadline(Deadline):
    """A deadline that is also over once the call is cancelled."""

    def __init__(self, seconds: float, run: ToolRun) -> None:
        super().__init__(seconds)
        self._run = run

    @property
    def is_over(self) -> bool:
        return self._run.is_cancelled or super().is_over

    @contextlib.contextmanager
    def set_when_over(self, event: threading.Event) -> Iterator[None]:
        """See :class:`Deadline`."""
        self._run.on_cancel(event.set)
        with super().set_when_over(event):
            yield
