"""The transition table is the code: every pair that it names is accepted, every other is refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.loop import machine, states
from jupyter_selfheal.loop.machine import ANYWHERE, INTERRUPTS, TRANSITIONS, IllegalTransition, format_mermaid, step
from jupyter_selfheal.model import (
    BASELINE,
    Attempt,
    Candidate,
    Case,
    Choice,
    Cost,
    Decision,
    Diagnosis,
    Ending,
    ErrorInfo,
    Failure,
    Isolation,
    Patch,
    Proposal,
    Reason,
    Repeats,
    Replace,
    Start,
    StepResult,
    Trial,
    Verdict,
)
from jupyter_selfheal.ports import Answer

CONFIG = HealConfig()
CASE = Case(Failure("c", "x.nope\ny.nope", ename="AttributeError", evalue="nope", line=1, statement=0))
PATCH = Patch((Replace("c", "x.nope\ny.nope", "x\ny.nope"),), "mend x")
ERROR = StepResult("error", cell_id="c", errors=(ErrorInfo("AttributeError", "nope", line=2, statement=1),))
AGAIN = StepResult("error", cell_id="c", errors=(ErrorInfo("AttributeError", "nope", line=1, statement=0),))


def trial(patch_id: str, *steps: StepResult) -> Trial:
    return Trial(patch_id, steps, Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake"))


BASE = trial(BASELINE.id, AGAIN)
FURTHER = trial(PATCH.id, ERROR)
CANDIDATE = Candidate(PATCH, FURTHER, Verdict(PATCH.id, 8, True))
PROPOSAL = Proposal(CASE.failure, Diagnosis(""), (CANDIDATE,))
DOSSIER = states.Dossier("run", CASE, CASE, healers=("rules",), baselines=(ev.BaselineRan(BASE),))
WAITING = dataclasses.replace(DOSSIER, waiting=((0, PATCH),), archive=(Attempt(PATCH, FURTHER),))

STATES: dict[str, states.State] = {
    "Reported": states.Reported(dataclasses.replace(DOSSIER, baselines=())),
    "Reproduced": states.Reproduced(DOSSIER),
    "Diagnosed": states.Diagnosed(WAITING, Diagnosis("")),
    "Patched": states.Patched(DOSSIER, "rules", (PATCH,)),
    "Consented": states.Consented(WAITING),
    "Trying": states.Trying(WAITING, (PATCH,)),
    "Tried": states.Tried(WAITING, ((PATCH, FURTHER),)),
    "Judged": states.Judged(WAITING),
    "Proposed": states.Proposed(DOSSIER, PROPOSAL),
    "Paused": states.Paused(DOSSIER, "budget", Reason.OVER_BUDGET),
    "Applied": states.Applied(DOSSIER, CANDIDATE, Decision(Choice.APPROVE)),
    "Stopping": states.Stopping(DOSSIER, Reason.CANCELLED),
    "Closed": states.Closed(DOSSIER, Reason.CANCELLED),
}
EVENTS: dict[str, ev.Event] = {
    "Started": ev.Started("run", CASE, CONFIG),
    "BaselineRan": ev.BaselineRan(BASE),
    "CellJudged": ev.CellJudged((8.0,), "it does"),
    "DiagnosisMade": ev.DiagnosisMade(Diagnosis("")),
    "Priced": ev.Priced("rules", Cost(usd=1)),
    "Reserved": ev.Reserved("a", "rules", Cost(usd=1)),
    "Settled": ev.Settled("a", Cost(usd=1)),
    "Answered": ev.Answered("rules", Answer()),
    "HealerFailed": ev.HealerFailed("rules", Reason.SELF_ERROR, "a bug"),
    "CapabilitiesChecked": ev.CapabilitiesChecked(),
    "TrialEnded": ev.TrialEnded(PATCH.id, FURTHER),
    "Scored": ev.Scored((Verdict(PATCH.id, 2, False),), (PATCH.id,)),
    "Derived": ev.Derived(PATCH.id),
    "Repeated": ev.Repeated(PATCH.id, Repeats(5, 5, 5)),
    "ProposalMade": ev.ProposalMade(PROPOSAL),
    "PausedForUserAction": ev.PausedForUserAction("budget", Reason.OVER_BUDGET),
    "Decided": ev.Decided(Decision(Choice.REJECT)),
    "CancelRequested": ev.CancelRequested(),
    "Broke": ev.Broke(Reason.INFRASTRUCTURE, "gone"),
    "Ended": ev.Ended(Reason.EXHAUSTED),
}


def test_every_event_and_state_is_in_the_samples() -> None:
    assert set(EVENTS) == {c.__name__ for c in ev.Event.__args__}  # type: ignore[attr-defined]
    assert set(STATES) == {c.__name__ for c in states.State.__args__}  # type: ignore[attr-defined]
    named = {name for before, _, after in TRANSITIONS for name in (before, after)} - {""}
    assert named == set(STATES)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("state", ["", *STATES])
def test_the_code_accepts_exactly_what_the_table_says(state: str, event: str) -> None:
    everywhere = {c.__name__ for c in (*ANYWHERE, *INTERRUPTS)}
    expected = {after for before, name, after in TRANSITIONS if (before, name) == (state, event)}
    given = STATES.get(state)
    if event in everywhere and state not in ("", "Closed"):
        after, _ = step(given, EVENTS[event], CONFIG)
        interrupts = event in {c.__name__ for c in INTERRUPTS} and state not in ("Applied", "Stopping")
        assert type(after).__name__ == ("Stopping" if interrupts else state)
    elif expected:
        after, _ = step(given, EVENTS[event], CONFIG)
        assert type(after).__name__ in expected
    else:
        with pytest.raises(IllegalTransition, match=event):
            step(given, EVENTS[event], CONFIG)


@pytest.mark.parametrize("name", [n for n in STATES if n != "Closed"])
def test_every_state_but_the_last_knows_one_thing_to_do(name: str) -> None:
    assert len(machine.list_commands(STATES[name], CONFIG)) == 1


def test_an_unsettled_reservation_counts_as_spent_and_a_settled_one_at_its_cost() -> None:
    state, _ = step(STATES["Judged"], ev.Reserved("a", "m", Cost(usd=0.5)), CONFIG)
    assert state.dossier.account.spent.usd == 0.5
    state, _ = step(state, ev.Settled("a", Cost(usd=0.1)), CONFIG)
    assert state.dossier.account.spent.usd == pytest.approx(0.1)


def test_an_approval_survives_a_cancellation_that_comes_too_late() -> None:
    state, _ = step(STATES["Applied"], ev.CancelRequested(), CONFIG)
    state, _ = step(state, ev.Ended(Reason.HEALED), CONFIG)
    assert isinstance(state, states.Closed)
    assert state.applied == (CANDIDATE,)


def test_the_documented_diagram_is_the_machine() -> None:
    page = (Path(__file__).parents[3] / "docs" / "loop.md").read_text()
    drawn = page.split("```mermaid\n")[1].split("```")[0]
    assert drawn == format_mermaid(), "docs/loop.md is out of date: paste the output of `jupyter selfheal graph`"
