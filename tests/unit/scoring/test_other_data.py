"""A guess that reads other columns than those whose values are at fault is offered."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability, Patch
from jupyter_selfheal.scoring.comparison import Comparison, Match
from jupyter_selfheal.scoring.evidence import Evidence, Part
from jupyter_selfheal.scoring.other_data import find_other_data
from jupyter_selfheal.scoring.verdict import build_verdict
from tests.scoring_cases import case_of, patch_of

FIT = "m.fit(d[['age', 'fare']], d['y'])"
SAME = Comparison(Match.SAME, 1.0, 8, "a", "a")


@pytest.mark.parametrize(
    ("new", "column"),
    [
        ("m.fit(d[['y', 'fare']], d['y'])", "'age'"),
        ("m.fit(d[['fare']], d['y'])", "'age'"),
        ("m.fit(d[['age', 'fare']].fillna(0), d['y'])", ""),
        ("d['age'] = d['age'].fillna(0)\n" + FIT, ""),
        ("m.fit(d[['age', 'fare', 'sex']], d['y'])", ""),
        ("m.fit(d[['age', 'fare']], d['y'], how='y')", ""),
    ],
)
def test_a_column_with_values_at_fault_that_is_no_longer_read_is_named(new: str, column: str) -> None:
    case = case_of([FIT], ename="ValueError", evalue="Input X contains NaN.")
    assert find_other_data(case, patch_of(case, new)) == column


def test_a_message_that_is_not_about_values_says_nothing_of_columns() -> None:
    case = case_of([FIT], ename="KeyError", evalue="\"['age'] not in index\"")
    assert not find_other_data(case, patch_of(case, FIT.replace("age", "ages")))


@pytest.mark.parametrize(
    ("found", "applied"),
    [
        (Evidence(True, output=SAME, other_data="'age'"), False),
        (Evidence(True, output=SAME), True),
        (Evidence(True, user=(Part("expected value", True),), other_data="'age'"), True),
    ],
)
def test_an_output_does_not_prove_a_guess_that_reads_other_data(found: Evidence, applied: bool) -> None:
    verdict = build_verdict(Patch((), "change it", healer="search"), found)
    assert (verdict.score >= 7) is applied
    safe = Patch((), "change it", healer="rules", applicability=Applicability.SAFE, why="it is the one column")
    assert build_verdict(safe, found).score >= 7
