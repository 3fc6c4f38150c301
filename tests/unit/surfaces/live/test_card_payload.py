"""What the card is told of a proposal."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal import messages as m
from jupyter_selfheal import wire
from jupyter_selfheal.model import (
    Candidate,
    Case,
    Cell,
    Diagnosis,
    Ending,
    Failure,
    Isolation,
    Notebook,
    Output,
    Patch,
    Proposal,
    Reason,
    Replace,
    Role,
    Start,
    StepResult,
    Trial,
    Verdict,
)
from jupyter_selfheal.surfaces.live.live_heal import LiveHeal, build_new_card
from jupyter_selfheal.surfaces.live.widget_payload import build_payload
from jupyter_selfheal.surfaces.words import format_card

SOURCE = "calls.append(1)\nprint(len(calls), nme)"
PATCH = Patch((Replace("c", SOURCE, SOURCE.replace("nme", "name")),), "Change `nme` to `name`")
ERROR = Output("error", ename="NameError", evalue="name 'nme' is not defined")


def trial(printed: str, start: Start) -> Trial:
    step = StepResult("ok", Role.CELL.value, "c", outputs=(Output("stream", text=printed),))
    return Trial(PATCH.id, (step,), Ending.FINISHED, start, Isolation("fake"))


def candidate_of(resumed: str, *outputs: Output) -> dict[str, Any]:
    """The candidate's part of a card whose fix prints 2 from before the cell."""
    failure = Failure("c", SOURCE, ename=ERROR.ename, evalue=ERROR.evalue, line=2, statement=1, outputs=outputs)
    notebook = Notebook((Cell("c", SOURCE),))
    candidate = Candidate(PATCH, trial("2\n", Start.BEFORE_CELL), Verdict(PATCH.id, 7.0, True))
    starts = (Start.BEFORE_CELL, Start.AFTER_FAILURE)
    proposal = Proposal(failure, Diagnosis(""), (candidate,), starts, (trial(resumed, Start.AFTER_FAILURE),))
    card = build_new_card("r", Case(failure, notebook), phase="proposed", proposal=(proposal,), resumable=(PATCH.id,))
    payload: Any = build_payload(card, notebook)
    found: dict[str, Any] = payload["candidates"][0]
    return found


@pytest.mark.parametrize(("resumed", "is_shown"), [("3\n", True), ("2\n", False)])
def test_what_resuming_shows_is_shown_where_it_is_something_else(resumed: str, is_shown: bool) -> None:
    assert (candidate_of(resumed)["resume_output"] is not None) is is_shown


@pytest.mark.parametrize("outputs", [(), (ERROR,), (Output("stream", text="begun\n"), ERROR)])
def test_the_error_stands_once_before(outputs: tuple[Output, ...]) -> None:
    before = candidate_of("2\n", *outputs)["old_output"]
    assert [o["traceback_text"] for o in before if o["output_type"] == "error"] == [
        "NameError: name 'nme' is not defined"
    ]
    assert len(before) == max(1, len(outputs))


@pytest.mark.parametrize(
    ("reason", "labels"),
    [
        (Reason.OVER_BUDGET, ["Continue", "Raise the budget", "Stop"]),
        (Reason.EXHAUSTED, ["Continue", "Give a hint", "Stop"]),
        (Reason.REJECTED, ["Continue", "Give a hint", "Stop"]),
        (Reason.INFRASTRUCTURE, ["Continue", "Stop"]),
    ],
)
def test_a_paused_card_offers_only_what_helps(reason: Reason, labels: list[str]) -> None:
    case = Case(Failure("c", SOURCE, ename="NameError"), Notebook((Cell("c", SOURCE),)))
    heal = LiveHeal("r", case, build_new_card("r", case), SimpleNamespace(update=lambda heal, before: None))  # type: ignore[arg-type]
    heal.fold_message(wire.loads(wire.dumps(m.Paused("r", "it waits", reason))))
    payload: Any = build_payload(heal.card, case.notebook)
    assert [button["label"] for button in payload["buttons"]] == labels
    told = format_card(heal.card, case.notebook)
    assert ("`%heal budget USD`" in told, "`%heal retry" in told) == (
        labels[1] == "Raise the budget",
        labels[1] == "Give a hint",
    )
