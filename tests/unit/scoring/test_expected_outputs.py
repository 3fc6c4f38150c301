"""``--outputs expect``: the stored output of a cell is the user's word on it."""

from __future__ import annotations

from dataclasses import replace

from jupyter_selfheal.model import Case, Cell, FailureKind, Oracle, Output
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from tests.scoring_cases import case_of, patch_of, try_patch

SIX = (Output("execute_result", data={"text/plain": "6"}),)
WRONG = "def total(xs):\n    return sum(xs) - 1"


def expecting(source: str = "total([1, 2, 3])", **more: object) -> Case:
    cell = replace(Cell("c1", source, outputs=SIX, oracle=Oracle(as_stored=True)), **more)  # type: ignore[arg-type]
    return case_of([WRONG, cell], failing=1, kind=FailureKind.MISSED, oracle=cell.oracle)


def judged(case: Case, new: str) -> tuple[float, tuple[str, ...], bool]:
    scorer = EvidenceScorer()
    patch = patch_of(case, new, "c0")
    verdict = scorer.judge(case, try_patch(case), [(patch, try_patch(case, patch))], ()).verdicts[0]
    return verdict.score, verdict.proofs, verdict.plausible


def test_a_cell_that_gives_another_value_misses_its_oracle() -> None:
    case = expecting()
    assert EvidenceScorer().find_missed_expectation(case, try_patch(case)) == "stored '6', now '5'"


def test_a_patch_that_gives_what_is_stored_is_proven_by_the_users_word_and_one_that_misses_it_refuted() -> None:
    score, proofs, plausible = judged(expecting(), WRONG.replace(" - 1", ""))
    assert score >= 9
    assert "stored output" in proofs
    assert plausible
    score, _, plausible = judged(expecting(), WRONG.replace("- 1", "- 2"))
    assert score <= 3
    assert not plausible


def test_another_form_meets_it() -> None:
    case = expecting("float(total([1, 2, 4]))")
    assert EvidenceScorer().find_missed_expectation(case, try_patch(case)) is None


def test_what_is_stale_or_marked_is_not_asked() -> None:
    for case in (expecting(stale=True), expecting("# NBVAL_IGNORE_OUTPUT\ntotal([1, 2, 3])")):
        assert EvidenceScorer().find_missed_expectation(case, try_patch(case)) is None


def test_without_it_a_stored_output_is_no_expectation() -> None:
    case = expecting(oracle=Oracle())
    assert EvidenceScorer().find_missed_expectation(case, try_patch(case)) is None
