from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest

from jupyter_selfheal.model import (
    Applicability,
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
    Reason,
    Replace,
    Start,
    Trial,
    Verdict,
)
from jupyter_selfheal.scoring.met_by_luck import ON_A_GUESS
from jupyter_selfheal.surfaces.card import CONTINUES
from jupyter_selfheal.surfaces.dialogue import Dialogue
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover, TerminalApprover
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.table import format_reports
from jupyter_selfheal.surfaces.words import format_money

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

    return TerminalApprover(NOTEBOOK, Dialogue(ask, said, colours=False, is_review=True)), said


def decided(shown: Proposal, *answers: str) -> tuple[Decision, str]:
    approver, said = person(*answers)
    return approver.decide(shown), said.getvalue()


def test_a_person_sees_the_change_its_risk_and_its_evidence() -> None:
    decision, said = decided(proposal(), "w", "y")
    assert decision == Decision(Choice.APPROVE, PATCH.id)
    assert "-rows = load(path)" in said
    assert "Could go wrong: read() keeps the header" in said
    assert "+ it runs" in said


@pytest.mark.parametrize(
    ("answers", "choice", "text"),
    [(("n", "no header"), Choice.REJECT, "no header"), (("q",), Choice.STOP, ""), (("",), Choice.STOP, "")],
)
def test_a_person_may_refuse(answers: tuple[str, ...], choice: Choice, text: str) -> None:
    decision, _ = decided(proposal(), *answers)
    assert (decision.choice, decision.text) == (choice, text)


@pytest.mark.parametrize(("answer", "value"), [("b", "2"), ("2", "2"), ("= 7", "7")])
def test_where_patches_disagree_one_value_is_asked_for(answer: str, value: str) -> None:
    question = Question("for `[3, 1, 2]`, should it be 1 or 2?", {"1": (PATCH.id,), "2": ("other",)})
    decision, said = decided(proposal(questions=(question,)), answer)
    assert (decision.choice, decision.text) == (Choice.ANSWER, value)
    assert "for `[3, 1, 2]`, should it be 1 or 2?\na) 1  b) 2" in said


def test_the_same_fix_is_shown_again_once_an_answer_has_changed_its_score() -> None:
    approver, said = person("y", "y", "y")
    answered = replace(
        proposal().candidates[0], verdict=Verdict(PATCH.id, 9.0, True, reasons=("It gives what you said",))
    )
    for shown in (proposal(), proposal(), replace(proposal(), candidates=(answered,))):
        approver.decide(shown)
    assert said.getvalue().count("-rows = load(path)") == 2
    assert said.getvalue().count("It gives what you said") == 1


@pytest.mark.parametrize(("answer", "choice"), [("y", Choice.CONSENT), ("n", Choice.REJECT), ("", Choice.REJECT)])
def test_a_fix_that_adds_a_capability_is_shown_and_asked_about_before_it_is_tried(answer: str, choice: Choice) -> None:
    decision, said = decided(proposal(needs_consent=("subprocess",), proven_from=()), answer)
    assert (decision.choice, decision.patch_id) == (choice, PATCH.id)
    assert "+rows = read(path)" in said
    assert "add subprocess" in said


@pytest.mark.parametrize(
    ("answer", "choice"),
    [("a", Choice.APPROVE), ("accept", Choice.APPROVE), ("y", Choice.APPROVE), ("x", Choice.STOP), ("q", Choice.STOP)],
)
def test_the_keys_of_the_review_in_jupyterlab_do_the_same_here(answer: str, choice: Choice) -> None:
    assert decided(proposal(), answer)[0].choice is choice


def test_j_and_k_go_through_the_fixes_that_were_found_for_the_cell() -> None:
    other = Patch((Replace("a", "rows = load(path)", "rows = open(path)"),), "Open it")
    first = proposal().candidates[0]
    both = replace(proposal(), candidates=(first, replace(first, patch=other, verdict=Verdict(other.id, 5.0, True))))
    decision, said = decided(both, "j", "j", "a")
    assert decision == Decision(Choice.APPROVE, other.id)
    assert said.count("+rows = open(path)") == 1
    assert "[j] next [k] previous" in said
    assert decided(both, "j", "k", "a")[0].patch_id == PATCH.id
    only = decided(proposal(), "j", "k", "a")[1]
    assert "[j]" not in only
    assert only.count("This is the only fix that was found for the cell.") == 2


def test_all_that_are_safe_are_accepted_with_one_key_and_the_others_asked_about() -> None:
    unsafe = proposal()
    first = unsafe.candidates[0]
    safe = replace(unsafe, candidates=(replace(first, patch=replace(PATCH, applicability=Applicability.SAFE)),))
    approver, said = person("s", "x", "s", "a")
    assert approver.decide(safe).choice is Choice.APPROVE
    asked = said.getvalue().count("Accept?")
    assert approver.decide(safe).choice is Choice.APPROVE
    assert said.getvalue().count("Accept?") == asked == 1
    assert said.getvalue().endswith("Accepted: it is safe.\n")
    assert approver.decide(unsafe).choice is Choice.STOP
    assert approver.decide(unsafe).choice is Choice.APPROVE, (
        "`s` says nothing of one that is not safe: it is asked again"
    )


def test_what_is_not_understood_is_answered_with_the_keys_and_asked_again() -> None:
    decision, said = decided(proposal(), "?", "perhaps", "yes")
    assert decision.choice is Choice.APPROVE
    assert (
        said.count("Accept? [a]ccept [x] leave out [s] accept all that are safe [n]o [e]dit [t]ry again [w]hy [?]") == 3
    )
    assert said.count("\n  e  change the fix; your version is tested before it is applied\n") == 2
    assert max(len(line) for line in said.splitlines() if line.startswith("  ")) < 80


def test_a_proposal_takes_over_the_line_in_which_the_progress_stands() -> None:
    said = io.StringIO("chart.ipynb ███ 2/6, healing KeyError")
    said.seek(0, io.SEEK_END)
    TerminalApprover(NOTEBOOK, Dialogue(lambda _: "a", said, colours=True, is_review=True)).decide(proposal())
    assert "healing KeyError\r\x1b[KSelf-heal: " in said.getvalue()


@pytest.mark.parametrize(
    ("answers", "choice", "text"),
    [(("t use the median",), Choice.RETRY, "use the median"), (("n", "no header"), Choice.REJECT, "no header"),
     (("n too long",), Choice.REJECT, "too long")],
)  # fmt: skip
def test_words_may_follow_a_key(answers: tuple[str, ...], choice: Choice, text: str) -> None:
    decision, _ = decided(proposal(), *answers)
    assert (decision.choice, decision.text) == (choice, text)


@pytest.mark.parametrize(
    ("reason", "answers", "choice", "text"),
    [(Reason.OVER_BUDGET, ("c",), Choice.CONTINUE, ""), (Reason.OVER_BUDGET, ("b 0.5",), Choice.RAISE_BUDGET, "0.5"),
     (Reason.OVER_BUDGET, ("b", "0.5"), Choice.RAISE_BUDGET, "0.5"), (Reason.EXHAUSTED, ("h", "use the median"), Choice.RETRY, "use the median"),
     (Reason.REJECTED, ("h the mean",), Choice.RETRY, "the mean"), (Reason.INFRASTRUCTURE, ("c",), Choice.CONTINUE, ""),
     (Reason.OVER_BUDGET, ("",), Choice.STOP, "the limit"), (Reason.OVER_BUDGET, ("q",), Choice.STOP, "the limit")],
)  # fmt: skip
def test_a_pause_is_answered_with_the_same_keys(
    reason: Reason, answers: tuple[str, ...], choice: Choice, text: str
) -> None:
    approver, said = person(*answers)
    decision = approver.decide_after_pause("the limit", reason, None, Cost())
    assert (decision.choice, decision.text) == (choice, text)
    assert "Paused: the limit (spent $0)" in said.getvalue()


@pytest.mark.parametrize(
    ("reason", "useless"),
    [(Reason.INFRASTRUCTURE, "b 0.5"), (Reason.INFRASTRUCTURE, "h use the median"), (Reason.EXHAUSTED, "b 0.5"),
     (Reason.REJECTED, "b 0.5"), (Reason.OVER_BUDGET, "h use the median")],
)  # fmt: skip
def test_a_pause_offers_only_what_helps(reason: Reason, useless: str) -> None:
    approver, said = person(useless, "c")
    assert approver.decide_after_pause("the limit", reason, None, Cost()).choice is Choice.CONTINUE
    assert f"c  {CONTINUES[reason]}" in said.getvalue()


def test_where_nobody_answers_nothing_is_applied() -> None:
    def nobody(_question: str) -> str:
        raise EOFError

    for ask in (nobody, lambda _question: (_ for _ in ()).throw(RuntimeError("no stdin"))):
        approver = TerminalApprover(NOTEBOOK, Dialogue(ask, io.StringIO(), colours=False))
        decision = approver.decide(proposal())
        assert (decision.choice, decision.by) == (Choice.STOP, "nobody"), "no user left it as it is"
        assert "nobody answered" in decision.text
        paused = approver.decide_after_pause("the budget", Reason.OVER_BUDGET, None, Cost())
        assert (paused.choice, paused.by, paused.text) == (Choice.STOP, "nobody", "the budget")


@pytest.mark.parametrize("end", [EOFError, RuntimeError])
def test_where_nobody_types_the_cell_to_its_end_nothing_of_it_is_taken(end: type[Exception]) -> None:
    answers = iter(["e", "rows = []"])

    def ask(_question: str) -> str:
        for answer in answers:
            return answer
        raise end

    approver = TerminalApprover(NOTEBOOK, Dialogue(ask, io.StringIO(), colours=False))
    assert approver.decide(proposal()).choice is Choice.STOP


@pytest.mark.parametrize("policy", ["all", "safe", "none"])
def test_a_policy_passes_over_what_adds_a_capability_so_that_the_next_healer_is_asked(policy: str) -> None:
    decision = PolicyApprover(policy, 7.0).decide(proposal(needs_consent=("subprocess",), proven_from=()))
    assert decision.choice is Choice.REJECT
    assert "adds subprocess" in decision.text


@pytest.mark.parametrize(
    ("needs", "offline", "is_ruled_out"),
    [(("network",), True, True), (("network",), False, False), (("subprocess",), True, False)],
)
def test_offline_no_permission_is_named_that_cannot_be_given(
    needs: tuple[str, ...], offline: bool, is_ruled_out: bool
) -> None:
    decision = PolicyApprover("all", 7.0, offline=offline).decide(proposal(needs_consent=needs, proven_from=()))
    assert ("--offline rules out" in decision.text) is is_ruled_out
    assert "--approve ask lets you allow it" in decision.text


def policy_of(policy: str) -> Callable[[Proposal], Choice]:
    return lambda shown: PolicyApprover(policy, 7.0).decide(shown).choice


def test_policies_apply_what_they_say() -> None:
    assert policy_of("all")(proposal()) is Choice.APPROVE
    assert policy_of("safe")(proposal()) is Choice.STOP, "the patch is unsafe"
    assert policy_of("none")(proposal()) is Choice.STOP
    assert policy_of("all")(proposal(proven_from=())) is Choice.STOP, "nothing was proven"


def test_a_policy_that_applies_nothing_says_what_another_would_do_with_the_fix() -> None:
    weak = proposal()
    weak = replace(weak, candidates=tuple(replace(c, verdict=replace(c.verdict, score=5.0)) for c in weak.candidates))
    assert PolicyApprover("none", 7.0).decide(proposal()).text == "heal applies it (heal --in-place with --approve all)"
    sure = proposal()
    sure = replace(
        sure,
        candidates=tuple(replace(c, patch=replace(c.patch, applicability=Applicability.SAFE)) for c in sure.candidates),
    )
    assert PolicyApprover("none", 7.0).decide(sure).text == "heal applies it"
    safe = PolicyApprover("safe", 7.0).decide(proposal()).text
    assert safe == "it may change what the code means: heal --approve all applies it"
    assert PolicyApprover("none", 7.0).decide(weak).text == PolicyApprover("all", 7.0).decide(weak).text
    assert "it scores 5, below 7" in PolicyApprover("none", 7.0).decide(weak).text
    chain = replace(weak.candidates[0].patch, guess_before="Pass `n` too")
    met = replace(
        weak.candidates[0].verdict, proofs=("stored output", "runs"), reasons=(f"{ON_A_GUESS} (Pass `n` too).",)
    )
    weak = replace(weak, candidates=(replace(weak.candidates[0], patch=chain, verdict=met),))
    assert "a guess on top of another (Pass `n` too)" in PolicyApprover("all", 7.0).decide(weak).text


@pytest.mark.parametrize("columns", [80, 200])
def test_the_table_says_why_an_offered_fix_was_not_applied(columns: int) -> None:
    shown = proposal()
    record = Record(
        NOTEBOOK.cells[0], 3, Status.PROPOSED, (shown.failure,), candidate=shown.candidates, detail="not applied: why"
    )
    assert "\n  cell 3: not applied: why" in format_reports(
        [NotebookReport("n.ipynb", records=(record,))], columns=columns
    )


@pytest.mark.parametrize(
    ("cost", "text"),
    [(Cost(), "$0"), (Cost(usd=0.0041), "$0.0041"), (Cost(usd=1.2), "$1.20"), (Cost(usd=1, unknown=True), "?")],
)
def test_small_costs_are_not_rounded_away(cost: Cost, text: str) -> None:
    assert format_money(cost, short=True) == text


def test_a_cost_without_a_price_tells_its_tokens() -> None:
    cost = Cost(input_tokens=1000, output_tokens=200, unknown=True)
    assert format_money(cost) == "cost unknown (1,200 tokens)"


@pytest.mark.parametrize("policy", ["all", "safe"])
def test_no_policy_chooses_between_fixes_with_equal_evidence(policy: str) -> None:
    safe = replace(PATCH, applicability=Applicability.SAFE)
    question = Question("What should `f(1)` return?", {"1": (PATCH.id,), "2": ("other",)}, blocks=True)
    shown = proposal(questions=(question,))
    shown = replace(shown, candidates=tuple(replace(c, patch=safe) for c in shown.candidates))
    assert PolicyApprover(policy, 7.0).decide(replace(shown, questions=())).choice is Choice.APPROVE
    decision = PolicyApprover(policy, 7.0).decide(shown)
    assert decision.choice is Choice.STOP
    assert "What should `f(1)` return? 1 or 2" in decision.text
    assert PolicyApprover(policy, 7.0).decide(replace(shown, questions=(replace(question, blocks=False),))).choice is (
        Choice.APPROVE
    )


def test_a_given_answer_chooses_among_the_fixes_that_it_names_as_far_as_the_policy_goes() -> None:
    safe = replace(PATCH, applicability=Applicability.SAFE)
    first = replace(proposal().candidates[0], patch=safe)
    other = replace(first, patch=replace(safe, edits=(Replace("a", safe.edits[0].old, "rows = take(path)"),)))
    question = Question("Which is meant: `a` or `b`?", {"a": (PATCH.id,), "b": (other.patch.id,)}, blocks=True)
    shown = replace(proposal(questions=(question,)), candidates=(first, other))
    cell = shown.failure.cell_id
    chosen = PolicyApprover("all", 7.0, {cell: "b"}).decide(shown)
    assert (chosen.choice, chosen.patch_id) == (Choice.APPROVE, other.patch.id)
    for choices in ({}, {cell: "c"}, {"elsewhere": "b"}):
        stopped = PolicyApprover("all", 7.0, choices).decide(shown)
        assert stopped.choice is Choice.STOP
        assert ("'c', which --answers gives, is none of these" in stopped.text) is (cell in choices)
    guess = replace(
        shown, candidates=(first, replace(other, patch=replace(other.patch, applicability=Applicability.UNSAFE)))
    )
    assert PolicyApprover("safe", 7.0, {cell: "b"}).decide(guess).choice is Choice.STOP
    for proofs, choice in ((("asserts in the cell", "runs"), Choice.APPROVE), (("runs",), Choice.STOP)):
        doubted = replace(other.verdict, score=6.0, proofs=proofs)
        offered = replace(shown, candidates=(replace(first, verdict=doubted), replace(other, verdict=doubted)))
        assert PolicyApprover("all", 7.0, {cell: "b"}).decide(offered).choice is choice


def test_a_doubt_is_named_as_why_nothing_is_applied() -> None:
    doubted = Verdict(
        PATCH.id, 6.0, True, ("asserts below", "runs"), feedback="the 8 in its result stays: compute it from its inputs"
    )
    shown = replace(proposal(), candidates=(replace(proposal().candidates[0], verdict=doubted),))
    text = PolicyApprover("all", 7.0).decide(shown).text
    assert "it scores 6, below 7: the 8 in its result stays" in text
    for proofs, why in (
        (("asserts below", "runs"), "it passes what is checked here, and so might a wrong fix"),
        (("runs",), "it runs, but nothing here confirms the result"),
    ):
        verdict = replace(doubted, feedback="", proofs=proofs)
        unknown = replace(shown, candidates=(replace(shown.candidates[0], verdict=verdict),))
        assert why in PolicyApprover("all", 7.0).decide(unknown).text


def test_a_judges_word_alone_applies_nothing_and_one_that_an_oracle_backs_does() -> None:
    shown = proposal()
    (candidate,) = shown.candidates
    for met, choice in ((False, Choice.STOP), (True, Choice.APPROVE)):
        judged = replace(candidate, verdict=replace(candidate.verdict, proofs=("judge",), oracle_met=met))
        decision = PolicyApprover("all", 7.0).decide(replace(shown, candidates=(judged,)))
        assert decision.choice is choice
        assert met or "only a model's judgement" in decision.text


def test_a_fix_that_something_contradicts_is_refused_with_that_whatever_it_scores() -> None:
    shown = proposal()
    (candidate,) = shown.candidates
    wrong = replace(candidate, verdict=replace(candidate.verdict, plausible=False, feedback="expected 4, got 5"))
    assert "expected 4, got 5" in PolicyApprover("all", 7.0).decide(replace(shown, candidates=(wrong,))).text
