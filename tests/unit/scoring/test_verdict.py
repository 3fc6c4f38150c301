from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jupyter_selfheal.model import Agreement, Applicability, Patch
from jupyter_selfheal.scoring.comparison import Comparison, Match
from jupyter_selfheal.scoring.evidence import ENDS, SKIPS, CellBelow, Count, Evidence, Part
from jupyter_selfheal.scoring.verdict import Opinion, build_verdict

UNSAFE = Patch((), "change it", healer="search")
SAFE = Patch((), "import it", applicability=Applicability.SAFE, why="the name is an alias of nothing else")
MET = (Part("expected value", True),)
SAME = Comparison(Match.SAME, 1.0, 8, "a", "a")
STALE = Comparison(Match.VALUE, 0.9, 8, "a 1", "a 2")
OTHER = Comparison(Match.VALUE, 0.1, 8, "a b c", "x y z")


def score(patch: Patch = UNSAFE, opinion: Opinion | None = None, **evidence: Any) -> float:
    return build_verdict(patch, Evidence(**{"ran": True, **evidence}), opinion).score


@pytest.mark.parametrize("progress", [0, 1, 2, 3])
def test_what_does_not_run_scores_by_how_far_it_came_and_at_most_3(progress: int) -> None:
    found = build_verdict(SAFE, Evidence(False, progress, "KeyError: 'a'"))
    assert found.score == progress
    assert not found.plausible
    assert "KeyError" in found.reasons[0]
    assert "KeyError" in found.feedback


def test_what_the_sandbox_blocked_is_inconclusive_not_failed() -> None:
    found = build_verdict(SAFE, Evidence(False, 2, "OSError: x", inconclusive="the sandbox blocked network: connect"))
    assert found.inconclusive
    assert found.score <= 3
    assert not found.plausible


def test_what_hides_the_failure_is_not_offered_because_the_time_limit_ended_it() -> None:
    cut = Evidence(False, 3, "TimeoutError: x", inconclusive="it was cut", cut_after=9.0)
    rule = replace(SAFE, healer="rules")
    assert build_verdict(rule, cut).plausible
    assert not build_verdict(rule, replace(cut, tampering=("swallows the error",))).plausible
    assert not build_verdict(rule, replace(cut, remarks=("skips a round",))).plausible


def test_a_missed_expectation_is_at_most_3_and_says_what_differed() -> None:
    found = build_verdict(SAFE, Evidence(True, user=(Part("expected value", False, "expected 6, got 5"),), output=SAME))
    assert found.score <= 3
    assert not found.plausible
    assert not found.oracle_met
    assert "expected 6, got 5" in found.feedback


def test_a_nearer_miss_scores_higher() -> None:
    miss = Part("check", False, "no")
    assert score(user=(miss, *MET)) > score(user=(miss, miss))


def test_without_an_oracle_a_safe_rule_gets_7_and_everything_else_5() -> None:
    assert score(SAFE) == 7.0
    assert score(UNSAFE) == 5.0


def test_what_is_said_of_rounds_left_out_does_not_go_by_the_order_of_a_set() -> None:
    given = Evidence(ran=True, output=SAME, remarks=(ENDS, SKIPS))
    found = build_verdict(replace(UNSAFE, weight=0.2), given)
    assert any(f"It {SKIPS}, where an item failed" in reason for reason in found.reasons)
    assert not any(f"It {ENDS}, where" in reason for reason in found.reasons)


MODELS = replace(UNSAFE, healer="language_model")


@pytest.mark.parametrize(
    ("patch", "given", "counted"),
    [(MODELS, 10, 8), (MODELS, 6.5, 6.5), (MODELS, 0, 4), (UNSAFE, 10, 6.5), (UNSAFE, 0, 4)],
)
def test_the_judge_places_it_within_4_and_8_and_makes_no_free_patch_good_enough(
    patch: Patch, given: float, counted: float
) -> None:
    found = build_verdict(patch, Evidence(True), Opinion(given, "off by one", 40))
    assert found.score == counted
    assert found.confidence == 40
    assert "off by one" in found.feedback
    assert any(f"The judge gives it {given:.1f} (40 % sure): off by one" in r for r in found.reasons)


def test_a_met_oracle_lies_within_8_and_10_and_the_users_word_is_worth_most() -> None:
    assert 9 <= score(user=MET) <= 10
    assert 8 <= score(deciding=Count(2, 2)) <= 9.5
    assert 8 <= score(output=SAME) <= 9.5
    assert 8 <= score(below=(CellBelow("b", True, output=SAME),)) <= 9.5
    assert score(user=MET) > score(doctests=Count(1, 1)) > score(deciding=Count(1, 1)) > score(output=SAME)
    assert score(user=MET, output=SAME, deciding=Count(3, 3)) > score(user=MET)
    assert (
        score(user=(*MET, Part("check", True), Part("printed text", True)), doctests=Count(9, 9), own_asserts=9) <= 10
    )


@pytest.mark.parametrize(
    "evidence",
    [
        {"doctests": Count(2, 1, "Expected 4")},
        {"deciding": Count(2, 1, "`assert x`")},
        {"below": (CellBelow("b", True, missed="expected 3, got 4"),)},
        {"user": (Part("check", False, "no"),)},
        {"user": (Part("check", False, ""),)},
    ],
)
def test_nothing_that_an_oracle_contradicts_is_plausible(evidence: dict[str, Any]) -> None:
    found = build_verdict(SAFE, Evidence(True, output=SAME, own_asserts=1, **evidence), Opinion(9))
    assert not found.plausible
    assert found.score <= 3


def test_what_a_cell_below_is_expected_to_print_lowers_a_safe_fix_and_holds_a_guess() -> None:
    held, below = (
        {"deciding": Count(2, 2)},
        (CellBelow("b", True, misprinted="expected to print '2.0', printed '3.0'"),),
    )
    whole, fix = (build_verdict(SAFE, Evidence(True, **held, below=b)) for b in ((CellBelow("b", True),), below))  # type: ignore[arg-type]
    guess = build_verdict(UNSAFE, Evidence(True, **held, below=below))  # type: ignore[arg-type]
    assert (whole.score - fix.score, fix.plausible, guess.score) == (pytest.approx(1.0), True, 6)
    assert sum("expected to print '2.0', printed '3.0'" in r for r in fix.reasons) == 1
    assert not any("expected to print" in r for r in whole.reasons)


def test_tampering_caps_whatever_the_oracle_says() -> None:
    found = build_verdict(UNSAFE, Evidence(True, user=MET, tampering=("hard-codes the expected value 6",)))
    assert found.score == 3
    assert not found.plausible
    assert not found.oracle_met
    assert found.tampering
    assert "hard-codes" in found.reasons[0]


def test_another_stored_output_lowers_the_score_and_is_shown_side_by_side() -> None:
    assert score(output=OTHER) < score(output=STALE) < score()
    assert score(user=MET, output=OTHER) < score(user=MET)
    found = build_verdict(UNSAFE, Evidence(True, output=OTHER))
    assert found.plausible
    assert any("'a b c'" in r and "'x y z'" in r for r in found.reasons)


def test_a_slightly_stale_output_does_not_sink_a_safe_rule_a_foreign_one_does() -> None:
    assert score(SAFE, output=STALE) == 7.0
    assert score(SAFE, output=OTHER) < 7.0


def test_other_numbers_than_the_stored_ones_sink_a_safe_rule_but_where_they_were_drawn() -> None:
    numbers = Comparison(Match.VALUE, 0.0, 2, "0.1244 0.0186", "0.1275 0.0198", worded=True)
    assert score(SAFE, output=numbers, drawn=True) == 7.0
    moved = Comparison(Match.VALUE, 0.0, 4, "age id 24 0", "id age 0 27")
    assert score(SAFE, output=moved, drawn=True) == 7.0
    assert score(SAFE, output=numbers) < 7.0
    assert score(SAFE, output=OTHER, drawn=True) < 7.0
    assert score(UNSAFE, output=numbers, drawn=True) < 5.0


NUMBER = Comparison(Match.VALUE, 0.0, 1, "30", "20", worded=True)
FRESH, STALE_NOTEBOOK, UNKNOWN = Agreement(3, 3), Agreement(4, 2), Agreement()


@pytest.mark.parametrize("where", ["output", "below"])
@pytest.mark.parametrize(
    ("agreement", "applied"),
    [(FRESH, False), (Agreement(6, 5), False), (UNKNOWN, False), (Agreement(1, 1), False), (STALE_NOTEBOOK, True)],
)
def test_another_value_costs_a_safe_rule_its_7_but_where_stored_outputs_are_stale(
    where: str, agreement: Agreement, applied: bool
) -> None:
    seen = {"output": NUMBER} if where == "output" else {"below": (CellBelow("b", True, output=NUMBER),)}
    assert (score(SAFE, agreement=agreement, **seen) >= 7) is applied
    assert score(SAFE, agreement=agreement, **seen) > 3, "it is offered"


@pytest.mark.parametrize("agreement", [FRESH, UNKNOWN, STALE_NOTEBOOK])
def test_another_form_costs_nothing(agreement: Agreement) -> None:
    form = Comparison(Match.FORM, 1.0, 4, "{1, 2}", "{2, 1}")
    assert score(SAFE, output=form, agreement=agreement) == score(SAFE)
    assert score(UNSAFE, own_asserts=1, output=form, agreement=agreement) == score(UNSAFE, own_asserts=1)
    assert score(SAFE, output=form) == 7.0, "nor does it prove anything"
    reasons = build_verdict(SAFE, Evidence(True, output=form)).reasons
    assert "Its output differs from the one stored in the notebook in form only." in reasons


def test_most_of_a_long_output_being_as_stored_spares_a_safe_rule_only_where_nothing_is_known() -> None:
    assert score(SAFE, output=STALE, agreement=UNKNOWN) == 7.0
    assert score(SAFE, output=STALE, agreement=FRESH) < 7.0


def test_another_value_of_the_notebooks_own_code_is_not_laid_to_a_library() -> None:
    assert score(SAFE, output=STALE, own_work=True) < 7.0
    assert score(SAFE, output=STALE, own_work=True, agreement=STALE_NOTEBOOK) == 7.0
    assert score(SAFE, output=STALE, own_work=True, agreement=Agreement(1, 0)) < 7.0, "one cell is no measure"
    assert score(SAFE, output=STALE, agreement=Agreement(1, 0)) == 7.0
    assert score(SAFE, own_work=True) == 7.0
    added = Comparison(Match.VALUE, 0.67, 1, "30", "size:\n30")
    assert score(SAFE, output=added, own_work=True) == 7.0, "a print more contradicts nothing"


def test_so_is_one_of_a_cell_below() -> None:
    def below(output: Comparison, *, own: bool = True) -> dict[str, object]:
        return {"below": (CellBelow("b", True, output=output, own_work=own),)}

    added = Comparison(Match.VALUE, 0.67, 1, "30", "size:\n30")
    assert score(SAFE, **below(STALE)) < 7.0
    assert score(SAFE, **below(STALE), agreement=STALE_NOTEBOOK) >= 7.0
    assert score(SAFE, **below(STALE, own=False)) >= 7.0, "a library's release may have changed it"
    assert score(SAFE, **below(added)) >= 7.0, "a print more contradicts nothing"


def test_a_collection_of_what_stands_in_the_cell_proves_a_reasoned_fix_and_no_guess() -> None:
    built = Comparison(Match.SAME, 1.0, 7, "[[0, 5, 0]]", "[[0, 5, 0]]", computed=0, built=True)
    rule = replace(UNSAFE, healer="rules")
    assert score(rule, output=built) >= 8.0
    assert score(rule, output=replace(built, built=False)) < 7.0
    assert score(UNSAFE, output=built) < 7.0
    assert score(replace(UNSAFE, healer="language_model"), output=built) < 7.0


def test_asserts_that_hold_do_not_outweigh_another_value_in_a_notebook_that_is_not_stale() -> None:
    met = {"own_asserts": 3, "deciding": Count(9, 9), "doctests": Count(9, 9)}
    assert score(output=NUMBER, agreement=FRESH, **met) < 7
    assert score(output=NUMBER, agreement=STALE_NOTEBOOK, **met) >= 7
    assert score(output=NUMBER, agreement=FRESH, user=MET) >= 8, "the user's own word does"


def test_outputs_that_come_again_do_not_outweigh_one_that_does_not() -> None:
    wrong = CellBelow("b", True, output=NUMBER)
    assert score(output=SAME, below=(wrong,)) < 7
    assert score(output=SAME, below=(wrong,), agreement=STALE_NOTEBOOK) >= 7
    assert score(SAFE, below=(CellBelow("c", True, output=SAME), wrong)) < 7


def test_where_the_cell_draws_or_fits_other_numbers_say_nothing_in_any_notebook() -> None:
    assert score(SAFE, output=NUMBER, drawn=True, agreement=FRESH) == 7.0
    assert score(SAFE, output=OTHER, drawn=True, agreement=FRESH) < 7.0


@pytest.mark.parametrize(
    ("stored", "got", "score_of_rule"),
    [
        ("905 Freq: 4M, dtype: int64", "992 Freq: 4ME, dtype: int64", 7.0),
        ("905 Freq: A-DEC, dtype: int64", "992 Freq: YE-DEC, dtype: int64", 7.0),
        ("905 Freq: T, dtype: int64", "992 Freq: min, dtype: int64", 7.0),
        ("905 Freq: M, dtype: int64", "992 Freq: MS, dtype: int64", 4.0),
        ("905 Freq: M, dtype: int64", "992 Freq: 2ME, dtype: object", 4.0),
        ("905 Freq: M, dtype: int64", "992 Freq: QE-DEC, dtype: int64", 4.0),
    ],
)
def test_of_drawn_numbers_a_frequency_in_the_words_of_a_newer_pandas_is_the_same(
    stored: str, got: str, score_of_rule: float
) -> None:
    output = Comparison(Match.VALUE, 0.9, 3, stored, got)
    assert score(SAFE, output=output, drawn=True, agreement=FRESH) == score_of_rule


def test_a_difference_says_how_far_the_notebook_can_be_relied_on() -> None:
    found = build_verdict(SAFE, Evidence(True, output=NUMBER, agreement=FRESH))
    assert "stored '30', now '20'" in " ".join(found.reasons)
    assert "3 of 3 healthy cells compared still give what is stored for them." in found.reasons
    assert "the stored output was '30', the new one is '20'" in found.feedback


def test_cells_below_that_run_are_evidence_and_one_that_only_this_patch_breaks_counts_against() -> None:
    runs = CellBelow("b", True)
    assert score(below=(runs,)) > score()
    assert score(below=(CellBelow("b", False, "KeyError: 'x'"),)) == score()
    assert score(SAFE, below=(CellBelow("b", False, "KeyError: 'x'", runs_otherwise=True),)) < score(SAFE)


def test_a_remark_lowers_the_score_of_a_safe_rule_too() -> None:
    assert score(SAFE, remarks=('adds errors="coerce"',)) < score(SAFE)


def test_an_assert_below_on_other_definitions_lowers_but_does_not_contradict() -> None:
    found = build_verdict(UNSAFE, Evidence(True, others=Count(1, 0, "`assert f(x)`")))
    assert found.plausible
    assert found.score < 5


def test_asserts_in_cells_below_that_run_are_an_oracle_and_a_failing_one_lowers_all_but_a_safe_rule() -> None:
    held, failed = CellBelow("b", True, asserts=1), CellBelow("b", False, "AssertionError: 5", asserts=1)
    assert 8 <= score(below=(held,)) <= 9.5
    assert "asserts below" in build_verdict(UNSAFE, Evidence(True, below=(held,))).proofs
    assert score(below=(failed,)) < score()
    assert score(SAFE, below=(failed,)) == 7.0


def test_constant_output_proves_a_rule_but_not_a_guess() -> None:
    constant = Comparison(Match.SAME, 1.0, 8, "a", "a", computed=0)
    assert score(SAFE, output=constant) >= 8
    assert score(UNSAFE, output=constant) < 7
    assert score(UNSAFE, output=SAME) >= 8


@pytest.mark.parametrize(
    ("weight", "values", "expected"), [(0.22, 2, 6.0), (0.5, 2, 9.2), (0.22, 6, 9.2), (0.22, 0, 9.2)]
)
def test_one_or_two_printed_values_alone_prove_no_unusual_guess(weight: float, values: int, expected: float) -> None:
    printed = (Part("printed text", True),)
    assert score(replace(UNSAFE, weight=weight), user=printed, printed_alone=values) == expected
    by_rule = replace(UNSAFE, healer="rules", weight=weight)
    assert score(by_rule, user=printed, printed_alone=values) == 9.2


def test_a_fix_whose_thread_still_ran_is_offered_and_says_so() -> None:
    found = build_verdict(SAFE, Evidence(True, threads_left=True))
    assert found.score == 6.0
    assert found.plausible
    assert "whether it fails later was not seen" in found.reasons[-1]


@pytest.mark.parametrize(
    ("patch", "seen", "applied"),
    [
        (UNSAFE, {"output": SAME, "remarks": ("ends a loop early",)}, False),
        (UNSAFE, {"output": SAME, "remarks": ("skips some rounds of a loop",)}, False),
        (UNSAFE, {"output": SAME}, True),  # nothing is left out
        (
            UNSAFE,
            {"own_asserts": 3, "remarks": ("skips some rounds of a loop",)},
            True,
        ),  # asserts say what comes out
        (
            replace(UNSAFE, healer="rules"),
            {"output": SAME, "remarks": ("skips some rounds of a loop",)},
            True,
        ),  # no guess
    ],
)
def test_a_guess_that_leaves_out_what_failed_is_not_proven_by_an_output(
    patch: Patch, seen: dict[str, Any], applied: bool
) -> None:
    assert (score(patch, **seen) >= 7) is applied


@pytest.mark.parametrize(
    ("stored", "computed", "healer", "applicability", "is_proof"),
    [
        ("0", 1, "search", Applicability.UNSAFE, False),
        ("True", 1, "rules", Applicability.UNSAFE, False),
        ("Stock updated", 0, "rules", Applicability.UNSAFE, False),
        ("0", 1, "rules", Applicability.SAFE, True),
        ("Stock updated", 0, "rules", Applicability.SAFE, True),
        ("17", 1, "search", Applicability.UNSAFE, True),
        ("0 0", 2, "search", Applicability.UNSAFE, True),
        ("Ada", 1, "search", Applicability.UNSAFE, True),
    ],
)
def test_an_output_that_nearly_any_program_gives_proves_no_patch_that_may_be_another(
    stored: str, computed: int, healer: str, applicability: Applicability, is_proof: bool
) -> None:
    """`grid[1][1]` for `grid[2][1]` prints the stored 0 by luck, and a fix prints "Stock updated" whatever it did to the stock."""
    patch = Patch((), "change it", healer=healer, applicability=applicability)
    same = Comparison(Match.SAME, 1.0, 1, stored, stored, computed)
    assert build_verdict(patch, Evidence(True, output=same)).oracle_met is is_proof


ON_A_GUESS = replace(UNSAFE, healer="rules+search", guess_before="Pass `n` too")
ONE_VALUE = Comparison(Match.SAME, 1.0, 1, "['cap']", "['cap']", 1)


@pytest.mark.parametrize(
    ("patch", "seen", "applied"),
    [
        (ON_A_GUESS, {"output": ONE_VALUE}, False),
        (ON_A_GUESS, {"own_asserts": 1}, False),
        (ON_A_GUESS, {"deciding": Count(1, 1)}, False),
        (ON_A_GUESS, {"output": replace(ONE_VALUE, computed=4)}, False),
        # what speaks for both
        (ON_A_GUESS, {"output": replace(ONE_VALUE, computed=5)}, True),
        (ON_A_GUESS, {"own_asserts": 2}, True),
        (ON_A_GUESS, {"output": ONE_VALUE, "own_asserts": 1}, True),
        (ON_A_GUESS, {"user": MET}, True),
        # a guess alone, one on top of a safe fix, and two rules of which each knows a cause
        (UNSAFE, {"output": ONE_VALUE}, True),
        (replace(ON_A_GUESS, guess_before=""), {"output": ONE_VALUE}, True),
        (replace(ON_A_GUESS, healer="rules"), {"output": ONE_VALUE}, True),
    ],
)
def test_a_guess_on_top_of_a_guess_wants_more_than_one_value(patch: Patch, seen: dict[str, Any], applied: bool) -> None:
    """`over(c)` became `over(c, n)`, which failed, and `len(n)` in the function: the stored list came out by luck."""
    verdict = build_verdict(patch, Evidence(True, **seen))
    assert (verdict.score >= 7) is applied
    assert verdict.plausible
    assert applied is not any("on top of another (Pass `n` too)" in reason for reason in verdict.reasons)


def test_two_rules_of_which_the_first_guessed_are_held_to_what_a_guess_is() -> None:
    chain = Patch((), "read it", healer="rules", guess_before="Change `a` to `b`")
    skips = {"output": ONE_VALUE, "remarks": (SKIPS,)}
    assert score(chain, **skips) < 7 <= score(chain, output=ONE_VALUE)
