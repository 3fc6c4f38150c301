"""A guess that puts another label in the place of one that is not there is offered, unless it is nearly the same name."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability, Patch
from jupyter_selfheal.scoring.comparison import Comparison, Match
from jupyter_selfheal.scoring.evidence import Evidence, Part
from jupyter_selfheal.scoring.other_labels import find_other_label
from jupyter_selfheal.scoring.verdict import build_verdict
from tests.scoring_cases import case_of, patch_of

SAME = Comparison(Match.SAME, 1.0, 8, "[20, 40]", "[20, 40]", 2)


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        ("d.groupby('area')['n'].sum()", "d.groupby('n')['n'].sum()", "area"),
        ("d['n'] * d['area']", "d['n'] * d['n']", "area"),
        ("d.plot.bar(x='area', y='n')", "d.plot.bar(y='n')", "area"),
        ("d[['area', 'n']].shape", "d[['n', 'n']].shape", "area"),
        ("d['area'].sum()", "total", "area"),
        ("area.groupby('area')['n'].sum()", "area.groupby('n')['n'].sum()", "area"),
        ("d.groupby('g')['y'].mean().loc['c']", "d.groupby('g')['y'].mean().loc['b']", "c"),
        ("np.mean(d['w'][d['h'] == 'a'])", "np.mean(d['w'])", "h"),
    ],
)
def test_a_label_that_is_not_there_and_gives_way_to_another_is_named(old: str, new: str, label: str) -> None:
    case = case_of([old], ename="KeyError", evalue=f"'{label}'")
    assert find_other_label(case, patch_of(case, new)) == label


@pytest.mark.parametrize(
    ("old", "new", "evalue"),
    [
        ("d['regoin'].sum()", "d['region'].sum()", "'regoin'"),
        ("d['temperature'].max()", "d['temp'].max()", "'temperature'"),
        ("d['cust'].max()", "d['customer_id'].max()", "'cust'"),
        ("d['area'].sum()", "d[area].sum()", "'area'"),
        ("d['area'].sum()", "d.area.sum()", "'area'"),
        ("d['area'].sum()", "d = load()\nd['area'].sum()", "'area'"),
        ("d['area'].sum() / d['n']", "d['area'].sum() / d['m']", "'area'"),
        ("d['A'].sum()", "d['a'].sum()", "'A'"),
        ("f('a', d['x'])", "f(d['x'])", "a text of a letter"),
        ("', '.join(xs)", "str(xs)", "sequence item 0: expected str instance, int found"),
    ],
    ids=[
        "misspelt",
        "shortened",
        "longer",
        "a variable",
        "an attribute",
        "mended above",
        "another text",
        "another case",
        "a word of a sentence",
        "no label",
    ],
)
def test_a_slip_of_the_label_and_other_changes_are_not(old: str, new: str, evalue: str) -> None:
    case = case_of([old], ename="KeyError", evalue=evalue)
    assert not find_other_label(case, patch_of(case, new))


def test_what_an_assert_says_names_no_label() -> None:
    case = case_of(["assert f('area') == 'area'"], ename="AssertionError", evalue="area")
    assert not find_other_label(case, patch_of(case, "assert f('n') == 'n'"))


@pytest.mark.parametrize(
    ("found", "applied"),
    [
        (Evidence(True, output=SAME, other_label="area"), False),
        (Evidence(True, own_asserts=1, other_label="area"), False),
        (Evidence(True, own_asserts=2, other_label="area"), True),
        (Evidence(True, output=SAME), True),
        (Evidence(True, user=(Part("expected value", True),), other_label="area"), True),
    ],
)
def test_an_output_does_not_prove_a_guess_at_another_label(found: Evidence, applied: bool) -> None:
    verdict = build_verdict(Patch((), "change it", healer="search"), found)
    assert (verdict.score >= 7) is applied
    safe = Patch((), "change it", healer="rules", applicability=Applicability.SAFE, why="it was renamed")
    assert build_verdict(safe, found).score >= 7


def test_a_model_that_knows_what_a_name_means_is_not_asked_again() -> None:
    found = Evidence(True, output=SAME, other_label="cost")
    told = "There is no `'cost'`"
    reasons = {h: build_verdict(Patch((), "change it", healer=h), found).reasons for h in ("search", "language_model")}
    assert any(told in text for text in reasons["search"])
    assert not any(told in text for text in reasons["language_model"])


@pytest.mark.parametrize(
    ("new", "keyword"),
    [
        ("d = norm(loc=0)", "sd"),
        ("d = norm()", "sd"),
        ("d = norm(loc=0, scale=1)", ""),
        ("d = norm(0, width)", ""),
        ("d = other(loc=0)", ""),
    ],
)
def test_an_argument_that_is_not_known_and_is_only_left_out_is_named(new: str, keyword: str) -> None:
    evalue = "_parse_args() got an unexpected keyword argument 'sd'"
    case = case_of(["d = norm(loc=0, sd=1)"], ename="TypeError", evalue=evalue)
    assert find_other_label(case, patch_of(case, new)) == keyword
    other = case_of(["d = norm(loc=0, sd=1)"], ename="TypeError", evalue="_parse_args() got multiple values for 'sd'")
    assert not find_other_label(other, patch_of(other, new))
