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


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("s.astype(int).tolist()", "s[::2].astype(int).tolist()", "all of `s`"),
        ("to_datetime(d['day'])", "to_datetime(d['day'][:-1], format='mixed')", "all of `d['day']`"),
        ("s.astype(int).tolist()", "s[1:].astype(int).tolist()", ""),
        ("s.astype(int).tolist()", "s.dropna().astype(int).tolist()", ""),
        ("float(share)", "float(share[:-1])", ""),
        ("s[:9].astype(int)", "s[:9].fillna(0).astype(int)", ""),
    ],
    ids=["every other one", "all but the last", "a header", "the gaps", "a sign behind one number", "cut before"],
)
def test_rows_are_not_left_out_until_the_rest_can_be_converted(old: str, new: str, left: str) -> None:
    case = case_of(
        [old], ename="ValueError", evalue="could not convert string to float: 'x'; Cannot convert non-finite values"
    )
    assert find_other_data(case, patch_of(case, new)) == left


@pytest.mark.parametrize(
    ("new", "left"),
    [
        ("d.loc[d.g != 'c', 'v'].iloc[0]", "the rows with `d.g == 'c'`"),
        ("d.loc[d.g == 'C', 'v'].iloc[0]", ""),
        ("d.loc[d.h == 'c', 'v'].iloc[0]", ""),
        ("d.loc[d.g == 'c', 'v'].head(1)", ""),
    ],
    ids=["the opposite", "another text", "another column", "the same rows"],
)
def test_rows_that_are_not_there_are_not_those_of_the_opposite_condition(new: str, left: str) -> None:
    case = case_of(
        ["d.loc[d.g == 'c', 'v'].iloc[0]"], ename="IndexError", evalue="single positional indexer is out-of-bounds"
    )
    assert find_other_data(case, patch_of(case, new)) == left


@pytest.mark.parametrize(
    ("new", "left"),
    [
        ("def minutes(t):\n    return str(t)", "a number from the text"),
        ("def minutes(t):\n    return t", "a number from the text"),
        ("def minutes(t):\n    return float(t)", ""),
        ("def minutes(t):\n    h, m = map(int, t.split(':'))\n    return h * 60 + m", ""),
        ("def minutes(t):\n    return int(t[:-1])", ""),
        ("def read(t):\n    return {'I': 1, 'V': 5}[t]\n\ndef minutes(t):\n    return read(t)", ""),
        ("def read(t):\n    return {'I': 1, 'V': 5}[t]\n\ndef minutes(t):\n    return t", "a number from the text"),
    ],
)
def test_a_text_that_is_no_number_is_not_left_a_text_for_an_order(new: str, left: str) -> None:
    case = case_of(["def minutes(t):\n    return int(t)"], ename="ValueError", evalue="invalid literal for int() with base 10: '1:30'")  # fmt: skip
    assert find_other_data(case, patch_of(case, new)) == left
