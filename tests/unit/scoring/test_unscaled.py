"""Asserts that hold however a text is read as a number prove no way to read it."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.model import Applicability, Patch
from jupyter_selfheal.scoring.comparison import Comparison, Match
from jupyter_selfheal.scoring.evidence import Evidence
from jupyter_selfheal.scoring.unscaled import DOUBT, explain_unscaled
from jupyter_selfheal.scoring.verdict import build_verdict
from tests.scoring_cases import case_of, patch_of

OLD, NEW = "xs = [int(s) for s in sizes]", "xs = [int(s[:-1]) for s in sizes]"


def explain(check: str, evalue: str = "invalid literal for int() with base 10: '10k'") -> str:
    case = case_of([OLD], ename="ValueError", evalue=evalue)
    return explain_unscaled(case, patch_of(case, NEW, healer="rules"), ast.parse(check).body)


@pytest.mark.parametrize(
    "check",
    ["assert len(xs) == 3", "assert all(x > 0 for x in xs)", "assert f('45%') < f('50%')", "assert xs[0] > xs[1]"],
)
def test_a_size_and_an_order_name_no_number(check: str) -> None:
    assert explain(check) == DOUBT
    assert not explain(check, "name 'xs' is not defined")


@pytest.mark.parametrize(
    "check",
    [
        "assert sum(xs) == 17000",
        "assert f('45%') == 0.45",
        "assert xs[0] > 1000",
        "assert abs(f('45%') - 0.45) < 1e-9",
        "assert xs == [10000, 2000]",
        "for s, want in CASES:\n    assert f(s) == want",
        "np.testing.assert_allclose(xs, wanted)",
        "np.testing.assert_allclose(xs, [10, 2])",
        "assert len(xs) == 3\nassert max(xs) == 10000",
    ],
)
def test_a_number_that_comes_of_it_says_which_is_meant(check: str) -> None:
    assert not explain(check)


def test_a_safe_fix_and_other_errors_are_not_asked() -> None:
    case = case_of([OLD], ename="ValueError", evalue="invalid literal for int() with base 10: '1,000'")
    checks = ast.parse("assert len(xs) == 3").body
    assert not explain_unscaled(case, patch_of(case, NEW, healer="rules", applicability=Applicability.SAFE), checks)
    assert not explain_unscaled(case, patch_of(case, NEW, healer="rules"), [])


@pytest.mark.parametrize(
    ("found", "applied"),
    [
        (Evidence(True, own_asserts=1), True),
        (Evidence(True, own_asserts=1, unscaled=DOUBT), False),
        (Evidence(True, own_asserts=1, unscaled=DOUBT, output=Comparison(Match.SAME, 1.0, 1, "17000", "17000", 1)), True),
    ],
)  # fmt: skip
def test_what_names_no_number_proves_no_way_to_read_one(found: Evidence, applied: bool) -> None:
    rule = Patch((), "change it", healer="rules", applicability=Applicability.UNSAFE, why="it may be")
    assert (build_verdict(rule, found).score >= 7) is applied
