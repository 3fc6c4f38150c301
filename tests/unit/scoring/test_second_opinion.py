"""What a judge may decide: a naive one and a contrary one change nothing that is left alone without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from jupyter_selfheal.model import BASELINE, Case, Cell, Cost, Frame, Oracle, Output, Patch, Verdict
from jupyter_selfheal.model.proposal import Proposal
from jupyter_selfheal.model.verdict import Candidate
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.scoring.verdict import Opinion
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover
from tests.scoring_cases import case_of, patch_of, try_patch

NAIVE, CONTRARY = 7.5, 0.0


class Judge:
    """Gives every patch that runs the same score; ``asked`` keeps which."""

    def __init__(self, score: float) -> None:
        self.score, self.asked = score, list[str]()

    def worst_case(self, case: Case, patches: int) -> Cost:
        return Cost()

    def ask_opinions(self, case: Case, baseline: Any, tried: Sequence[Any], history: Any) -> Any:
        self.asked += [patch.title for patch, _ in tried]
        opinions: Mapping[str, Opinion] = {patch.id: Opinion(self.score, "it runs", 90) for patch, _ in tried}
        return opinions, Cost(calls=1), None


def stored(source: str, text: str) -> Cell:
    return Cell("c9", source, outputs=(Output("stream", text=text),))


_raise = case_of(["CONFIRMED = False", "if not CONFIRMED:\n    raise RuntimeError('set CONFIRMED')\nx = 1"], 1, line=2,
                 ename="RuntimeError", frames=(Frame("<cell>", 2, "<module>", "raise RuntimeError", "c1"),))  # fmt: skip
_data = case_of(["mails = ['a@b', 'nobody']\ndef ok(m):\n    return '@' in m", "assert all(ok(m) for m in mails)"], 1,
                ename="AssertionError")  # fmt: skip
_below = case_of(["xs = ['1.5', '2']", "total = sum(xs)", stored("print(total)", "3.5\n")], 1, ename="TypeError")
_plain = case_of(["rows = [1, 2]", "n = rows + 1"], 1, ename="TypeError")
_deep = case_of(["def f(n):\n    return n if n < 1 else f(n - 1)", "d = f(2000)"], 1, ename="RecursionError")
LEFT_ALONE: Mapping[str, tuple[Case, Patch]] = {
    "a deliberate raise": (_raise, patch_of(_raise, "CONFIRMED = True", "c0")),
    "an assert about raw data": (_data, patch_of(_data, "mails = ['a@b', 'nobody']\ndef ok(m):\n    return m", "c0")),
    "a stored output below is missed": (_below, patch_of(_below, "total = int(sum(map(float, xs)))")),
    "nothing shows that it is right": (_plain, patch_of(_plain, "n = len(rows) + 1")),
    "a free healer's unsafe change": (_plain, patch_of(_plain, "n = [r + 1 for r in rows]", healer="rules")),
    "a search's change": (_plain, patch_of(_plain, "n = rows * 1", healer="search")),
    "a band-aid": (_deep, patch_of(_deep, "import sys\nsys.setrecursionlimit(9000)\nd = 2000 * 0")),
}


def judge_alone(case: Case, patch: Patch, score: float | None) -> Verdict:
    scorer = EvidenceScorer(judge=Judge(score) if score is not None else None)
    tried = [(patch, try_patch(case, patch, scorer))]
    return scorer.judge(case, try_patch(case, BASELINE), tried, ()).verdicts[0]


def is_applied(case: Case, patch: Patch, verdict: Verdict) -> bool:
    shown = Candidate(patch, try_patch(case, patch), verdict)
    proposal = Proposal(case.failure, None, (shown,), proven_from=(shown.trial.start,))  # type: ignore[arg-type]
    return PolicyApprover("all", 7.0).decide(proposal).choice.value == "approve"


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_is_left_alone_without_a_model_is_left_alone_with_any_judge(name: str) -> None:
    case, patch = LEFT_ALONE[name]
    for score in (None, NAIVE, CONTRARY):
        verdict = judge_alone(case, patch, score)
        assert not is_applied(case, patch, verdict), (score, verdict)


@pytest.mark.parametrize(
    "name", ["a deliberate raise", "a stored output below is missed", "a free healer's unsafe change"]
)
def test_a_doubt_that_evidence_raised_stays(name: str) -> None:
    case, patch = LEFT_ALONE[name]
    assert judge_alone(case, patch, 10.0).score < 7


def test_a_judge_is_asked_only_where_no_sibling_is_proven() -> None:
    case = case_of(["xs = [1, 2]", "n = nope"], 1, oracle=Oracle(expect="3"))
    right, other = patch_of(case, "n = sum(xs)\nn"), patch_of(case, "n = 3\nn", title="Cheat")
    judge = Judge(NAIVE)
    scorer = EvidenceScorer(judge=judge)
    tried = [(p, try_patch(case, p, scorer)) for p in (right, other)]
    verdicts = scorer.judge(case, try_patch(case, BASELINE), tried, ()).verdicts
    assert verdicts[0].oracle_met
    assert judge.asked == []


def test_a_weak_proof_goes_to_the_judge_who_may_speak_against_it() -> None:
    case = case_of([Cell("c0", "n = nope\nprint(n)", outputs=(Output("stream", text="3\n"),))])
    patch = patch_of(case, "n = 1 + 2\nprint(n)", title="One stored value", healer="search")
    unjudged, naive, contrary = (judge_alone(case, patch, score) for score in (None, NAIVE, CONTRARY))
    assert unjudged.oracle_met
    assert naive.score == unjudged.score
    assert contrary.score <= 6
    assert not contrary.oracle_met
    assert "it runs" in contrary.feedback


def test_words_of_the_users_make_a_judges_word_count() -> None:
    case = case_of(["rows = [1, 2]", "n = rows + 1"], 1, ename="TypeError")
    case = replace(case, oracle=Oracle(spec="one more than the rows"))
    patch = patch_of(case, "n = len(rows) + 1")
    assert is_applied(case, patch, judge_alone(case, patch, 8.0))
    assert not is_applied(case, patch, judge_alone(case, patch, CONTRARY))


@pytest.mark.parametrize(
    ("source", "expect", "hidden"),
    [
        ("results = [0, 0]\nresults[0], results[1] = 5000, 5\nresults", "[5000, 5]", True),
        ("results = [{'km': 5000, 'm': 5}[unit], n]\nresults", "[5000, 5]", True),
        ("results = [n * 1000, n]\nresults", "[5000, 5]", False),
        ("results = [n * factor, n]\nresults", "[5000, 5]", False),
        ("results = [5000, 5]\nresults", "[5000, 5]", True),
    ],
)
def test_a_part_of_the_expected_value_that_only_the_patch_holds_is_hard_coded(
    source: str, expect: str, hidden: bool
) -> None:
    case = case_of(["n, unit, factor = 5, 'km', 1000", "results = nope"], 1, oracle=Oracle(expect=expect))
    verdict = judge_alone(case, patch_of(case, source), None)
    assert bool(verdict.tampering) is hidden


def test_a_part_that_the_notebook_gives_is_not_invented() -> None:
    case = case_of(["limits = {'low': 1500}", "answer = nope"], 1, oracle=Oracle(expect="{'low': 1500, 'n': 2}"))
    patch = patch_of(case, "answer = {'low': 1500, 'n': len(limits) + 1}\nanswer")
    assert judge_alone(case, patch, None).tampering == ()
