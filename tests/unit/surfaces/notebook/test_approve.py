from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from jupyter_selfheal.model import (
    Candidate,
    Cell,
    Choice,
    Cost,
    Decision,
    Diagnosis,
    Ending,
    Failure,
    Isolation,
    Notebook,
    Patch,
    Proposal,
    Question,
    Replace,
    Start,
    Trial,
    Verdict,
)
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover, TerminalApprover
from jupyter_selfheal.surfaces.notebook.table import money

NOTEBOOK = Notebook((Cell("a", "rows = load(path)"),))
PATCH = Patch((Replace("a", "rows = load(path)", "rows = read(path)"),), "Read it", risk="read() keeps the header")


def proposal(**more: object) -> Proposal:
    trial = Trial(PATCH.id, (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("forked"))
    candidate = Candidate(PATCH, trial, Verdict(PATCH.id, 8.0, True, reasons=("it runs",)))
    found = {"proven_from": (Start.BEFORE_CELL,), **more}
    return Proposal(Failure("a", "rows = load(path)", ename="NameError"), Diagnosis(""), (candidate,), **found)  # type: ignore[arg-type]


def person(*answers: str) -> tuple[TerminalApprover, io.StringIO]:
    said, left = io.StringIO(), iter(answers)

    def ask(question: str) -> str:
        said.write(question)
        return next(left)

    return TerminalApprover(NOTEBOOK, said, ask, colours=False), said


def decided(shown: Proposal, *answers: str) -> tuple[Decision, str]:
    approver, said = person(*answers)
    return approver.decide(shown), said.getvalue()


def test_a_person_sees_the_change_its_risk_and_its_evidence() -> None:
    decision, said = decided(proposal(), "w", "y")
    assert decision == Decision(Choice.APPROVE, PATCH.id)
    assert "-rows = load(path)" in said
    assert "Risk: read() keeps the header" in said
    assert "+ it runs" in said


@pytest.mark.parametrize(
    ("answers", "choice", "text"),
    [(("n", "no header"), Choice.REJECT, "no header"), (("q",), Choice.STOP, ""), (("",), Choice.STOP, "")],
)
def test_a_person_may_refuse(answers: tuple[str, ...], choice: Choice, text: str) -> None:
    decision, _ = decided(proposal(), *answers)
    assert (decision.choice, decision.text) == (choice, text)


def test_where_patches_disagree_one_value_is_asked_for() -> None:
    question = Question("for `[3, 1, 2]`, should it be 1 or 2?", {"1": (PATCH.id,), "2": ("other",)})
    decision, said = decided(proposal(questions=(question,)), "a", "2")
    assert decision == Decision(Choice.ANSWER, text="2")
    assert "for `[3, 1, 2]`, should it be 1 or 2? (1 or 2)" in said


@pytest.mark.parametrize(("answer", "choice"), [("y", Choice.CLEAR), ("n", Choice.REJECT), ("", Choice.REJECT)])
def test_a_fix_that_adds_a_capability_is_shown_and_asked_about_before_it_is_tried(answer: str, choice: Choice) -> None:
    decision, said = decided(proposal(needs_clearance=("subprocess",), proven_from=()), answer)
    assert (decision.choice, decision.patch_id) == (choice, PATCH.id)
    assert "+rows = read(path)" in said
    assert "add subprocess" in said


@pytest.mark.parametrize("policy", ["all", "safe", "none"])
def test_a_policy_passes_over_what_adds_a_capability_so_that_the_next_healer_is_asked(policy: str) -> None:
    decision = PolicyApprover(policy, 7.0).decide(proposal(needs_clearance=("subprocess",), proven_from=()))
    assert decision.choice is Choice.REJECT
    assert "adds subprocess" in decision.text


def policy_of(policy: str) -> Callable[[Proposal], Choice]:
    return lambda shown: PolicyApprover(policy, 7.0).decide(shown).choice


def test_policies_apply_what_they_say() -> None:
    assert policy_of("all")(proposal()) is Choice.APPROVE
    assert policy_of("safe")(proposal()) is Choice.STOP, "the patch is unsafe"
    assert policy_of("none")(proposal()) is Choice.STOP
    assert policy_of("all")(proposal(proven_from=())) is Choice.STOP, "nothing was proven"


@pytest.mark.parametrize(
    ("cost", "text"),
    [(Cost(), "$0"), (Cost(usd=0.0041), "$0.0041"), (Cost(usd=1.2), "$1.20"), (Cost(usd=1, unknown=True), "?")],
)
def test_small_costs_are_not_rounded_away(cost: Cost, text: str) -> None:
    assert money(cost) == text
