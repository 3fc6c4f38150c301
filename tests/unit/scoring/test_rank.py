"""Which of two patches with equal scores goes first, and what a verdict says of itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.model import Applicability, Ending, Isolation, Patch, Replace, Start, Trial, Verdict
from jupyter_selfheal.scoring.evidence import Count, Evidence, Finding, SeenCalls
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.scoring.verdict import Opinion, build_verdict

PLAIN = Patch((Replace("c", "total(rows)", "sum(rows)"),), "sum", healer="search", prior=0.5)


def first_of(*patches: Patch) -> str:
    tried = [(p, Trial(p.id, (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("forked"))) for p in patches]
    order = EvidenceScorer().rank(tried, [Verdict(p.id, 8.0, True) for p in patches])
    return patches[order[0]].title


@pytest.mark.parametrize(
    "better",
    [
        replace(PLAIN, title="safe", applicability=Applicability.SAFE, prior=0.1),
        replace(PLAIN, title="likelier, read at the same glance", edits=(Replace("c", "total(rows)", "sum(rows) + 1"),), prior=0.9),
    ],
)  # fmt: skip
def test_of_equal_scores_the_safer_goes_first_and_of_what_is_read_at_a_glance_the_likelier(better: Patch) -> None:
    assert first_of(PLAIN, better) == first_of(better, PLAIN) == better.title


def test_what_the_search_holds_for_likelier_goes_first_however_long_it_is_and_a_rule_before_both() -> None:
    long = replace(
        PLAIN, title="likelier", edits=(Replace("c", "total(rows)", " + ".join(["sum(rows)"] * 9)),), prior=0.9
    )
    rule = replace(long, title="a rule", healer="rules", prior=0.1)
    assert first_of(PLAIN, long) == first_of(long, PLAIN) == "likelier"
    assert first_of(PLAIN, long, rule) == "a rule"


def test_what_is_free_goes_before_what_a_model_was_paid_for_however_sure_it_is() -> None:
    paid = replace(
        PLAIN, title="paid", healer="language_model", edits=(Replace("c", "total(rows)", "rows"),), prior=1.0
    )
    long = replace(PLAIN, title="free", edits=(Replace("c", "total(rows)", " + ".join(["sum(rows)"] * 9)),), prior=0.1)
    assert first_of(paid, long) == first_of(long, paid) == "free"


CHANGES = SeenCalls(differed=("`f(1)` gives 3, and gave 2",), is_open=True)
"""Calls that nobody complained of give something else."""


@pytest.mark.parametrize(("held", "is_doubted"), [(1, True), (2, True), (3, False)])
def test_two_checks_do_not_outweigh_a_change_that_nobody_complained_of(held: int, is_doubted: bool) -> None:
    asserts = Count(held, held)
    verdict = build_verdict(PLAIN, Evidence(True, deciding=asserts, calls=CHANGES, own_raise=False))
    assert verdict.plausible
    assert any("what nobody complained of" in reason for reason in verdict.reasons) == is_doubted


def test_a_safe_patch_is_not_held_up_by_what_another_one_makes_of_a_cell_above() -> None:
    evidence = Evidence(True, deciding=Count(3, 3), calls=SeenCalls(left="cell 2"))
    told = "Another change makes cell 2 give what is stored for it"
    assert any(told in reason for reason in build_verdict(PLAIN, evidence).reasons)
    safe = replace(PLAIN, applicability=Applicability.SAFE)
    assert not any(told in reason for reason in build_verdict(safe, evidence).reasons)


def test_a_guess_that_meets_one_check_is_less_sure_than_one_that_meets_more() -> None:
    one, three = (build_verdict(PLAIN, Evidence(True, deciding=Count(n, n))).confidence for n in (1, 3))
    assert (one, three) == (80, 95)


def test_a_value_or_two_printed_is_no_proof_of_a_guess_unless_something_else_was_compared_too() -> None:
    printed = Evidence(True, printed_alone=2, findings=(Finding("property tests", 1, 1),))
    doubted = "It prints the one or two values that are expected"
    unusual = replace(PLAIN, weight=0.01)
    assert any(r.startswith(doubted) for r in build_verdict(unusual, printed).reasons)
    more = replace(printed, findings=(Finding("property tests", 3, 3),))
    assert not any(r.startswith(doubted) for r in build_verdict(unusual, more).reasons)


def test_who_said_what_a_cell_is_for_and_has_it_judged_need_not_say_it_again() -> None:
    scarce = Evidence(True, deciding=Count(1, 1), scarce="Hardly more than one value speaks for it.")
    model = replace(PLAIN, healer="language_model")
    asked = build_verdict(model, scarce)
    assert asked.needs_word
    assert scarce.scarce in asked.reasons
    assert not build_verdict(model, replace(scarce, remarks=("it skips",))).needs_word
    assert scarce.scarce in build_verdict(model, scarce, Opinion(9.0)).reasons
    told = build_verdict(model, replace(scarce, specified=True), Opinion(9.0))
    assert scarce.scarce not in told.reasons
    assert told.oracle_met
