"""A size that is the same whatever a patch changes proves no patch; one that hangs on the change does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.model import Applicability, Cell, Output, Patch
from jupyter_selfheal.scoring.asserts import list_asserts
from jupyter_selfheal.scoring.comparison import Comparison, Match
from jupyter_selfheal.scoring.evidence import Evidence
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.scoring.size_alone import asks_size_alone, shows_size_alone
from jupyter_selfheal.scoring.stored import StoredOutput
from jupyter_selfheal.scoring.verdict import build_verdict
from tests.scoring_cases import case_of, patch_of, try_patch


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("len([int(s) for s in xs])", "len([int(s.removesuffix('k')) for s in xs])"),
        ("n = [int(s) for s in xs]\nlen(n)", "n = [int(s.rstrip('k')) for s in xs]\nlen(n)"),
        ("len(list(map(int, xs)))", "len(list(map(lambda s: int(s[:-1]), xs)))"),
        ("d[['day', 'tux']].shape", "d[['day', 'sum']].shape"),
        ("d['tux'].shape[0]", "d['sum'].shape[0]"),
        ("d['all'] = d['n'] * d['tux']\nd['all'].count()", "d['all'] = d['n'] * d['n']\nd['all'].count()"),
        ("d['n'].astype(float).shape", "d['n'].str.replace(',', '').astype(float).shape"),
        ("len(pd.to_datetime(d['t'], format='%d'))", "import re\nlen(pd.to_datetime(d['t'], format='%m'))"),
    ],
)
def test_what_the_size_does_not_hang_on_is_not_proven_by_it(old: str, new: str) -> None:
    case = case_of([old], ename="ValueError")
    assert shows_size_alone(case, patch_of(case, new, healer="rules"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("d[d['Day'] == 'Mon'].shape", "d[d['day'] == 'Mon'].shape"),
        ("len([s for s in xs if int(s)])", "len([s for s in xs if int(s[:-1])])"),
        ("np.zeros(3, 4).shape", "np.zeros((3, 4)).shape"),
        ("len([0] * '3')", "len([0] * 3)"),
        ("d = d.drop('x')\nd.shape", "d = d.drop('x', axis=1)\nd.shape"),
        ("for x in ys:\n    xs.append(int(x))\nlen(xs)", "for x in ys:\n    xs.append(x)\nlen(xs)"),
        ("sum(int(s) for s in xs)", "sum(int(s[:-1]) for s in xs)"),
        ("d.groupby('Day').size().shape", "d.groupby('day').size().shape"),
        ("n = [int(s) for s in xs]\nn", "n = [int(s[:-1]) for s in xs]\nn"),
        ("np.hstack([a, b]).shape", "np.vstack([a, b]).shape"),
    ],
)
def test_a_size_that_hangs_on_the_change_says_something_of_it(old: str, new: str) -> None:
    case = case_of([old], ename="ValueError")
    assert not shows_size_alone(case, patch_of(case, new, healer="rules"))


@pytest.mark.parametrize(("healer", "alone"), [("search", True), ("rules", False)])
@pytest.mark.parametrize(
    "new", ["np.hstack([m, m]).shape", "np.vstack([m, total]).shape", "np.hstack([m]).shape", "m = m.T\nm.shape"]
)
def test_a_guess_is_not_proven_by_a_size(new: str, healer: str, alone: bool) -> None:
    case = case_of(["np.hstack([m, total]).shape"], ename="ValueError")
    assert shows_size_alone(case, patch_of(case, new, healer=healer)) is alone


def test_a_guess_may_be_proven_by_more_than_a_size() -> None:
    case = case_of(["np.hstack([m, total]).sum()"], ename="ValueError")
    assert not shows_size_alone(case, patch_of(case, "np.vstack([m, total]).sum()", healer="search"))


LINES = Comparison(Match.SAME, 1.0, 2, "(2, 4)", "(2, 4)", 2)


@pytest.mark.parametrize(("computed", "applied"), [(2, True), (0, False)])
def test_a_fix_that_such_a_size_alone_speaks_for_is_offered(computed: int, applied: bool) -> None:
    found = Evidence(True, output=replace(LINES, computed=computed))
    rule = Patch((), "change it", healer="rules", applicability=Applicability.UNSAFE, why="it may be")
    assert (build_verdict(rule, found).score >= 7) is applied
    assert build_verdict(replace(rule, applicability=Applicability.SAFE), found).score >= 7


@pytest.mark.parametrize(("new", "tells"), [("len([int(s[:-1]) for s in xs])", False), ("len([s for s in xs])", False), ("len(xs[:2])", True)])  # fmt: skip
def test_the_stored_output_is_held_to_what_its_size_says(new: str, tells: bool) -> None:
    old = "len([int(s) for s in xs])"
    cell = Cell("c1", old, outputs=(Output("execute_result", data={"text/plain": "2"}),))
    case = case_of(["xs = ['10k', '20k']", cell], 1, ename="ValueError", evalue="invalid literal for int()")
    patch = patch_of(case, new, healer="rules")
    seen = StoredOutput().add_evidence(Evidence(True), case, patch, try_patch(case, patch))
    assert seen.output.same
    assert seen.output.tells is tells


@pytest.mark.parametrize(
    ("old", "new", "alone"),
    [
        ("n = [int(s) for s in xs]", "n = [int(s[:-1]) for s in xs]", True),
        ("d['n'] = d['m'].astype(int)", "d['n'] = d['m'].str[1:].astype(int)", True),
        ("n = [s for s in xs if int(s)]", "n = [s for s in xs if int(s[:-1])]", False),
        ("n = pd.read_csv(name)", "n = pd.read_csv(name, sep=';')", False),
        ("n = [int(s) for s in xs]", "n = []\nfor s in xs:\n    n.append(int(s))", False),
    ],
)
def test_a_size_that_a_cell_below_shows_is_judged_alike(old: str, new: str, alone: bool) -> None:
    case = case_of([old], ename="ValueError")
    assert shows_size_alone(case, patch_of(case, new, healer="rules"), "len(n)") is alone
    assert not shows_size_alone(case, patch_of(case, new, healer="rules"), "max(n)")


@pytest.mark.parametrize(
    ("old", "new", "check", "alone"),
    [
        ("n = s['t'].rolling('24').mean()", "n = s['t'].rolling(24).mean()", "assert len(n) == len(s)", True),
        ("n = d['tux']", "n = d['sum']", "assert n.shape == (3,)", True),
        ("d['n'] = d['m'].astype(int)", "d['n'] = d['m'].str[1:].astype(int)", "assert 3 == d['n'].count()", True),
        ("n = s['t'].rolling('24').mean()", "n = s['t'].rolling(24).mean()", "assert n.iloc[-1] == 3.5", False),
        ("n = s['t'].rolling('24').mean()", "n = s['t'].rolling(24).mean()", "assert n.isna().sum() == 23", False),
        ("n = s[s['Day'] == 'Mon']", "n = s[s['day'] == 'Mon']", "assert len(n) == 4", False),
        ("n = m.reshape(5, 5)", "n = m.reshape(4, 6)", "assert n.shape == (4, 6)", False),
        ("n = d['tux']", "n = d['sum']", "assert len(n) == 3 and n.max() == 7", False),
    ],
)
def test_an_assert_of_a_size_proves_no_guess_that_it_does_not_hang_on(
    old: str, new: str, check: str, alone: bool
) -> None:
    case = case_of([old, check], ename="ValueError")
    patch = replace(patch_of(case, new, healer="rules"), applicability=Applicability.UNSAFE)
    (node,) = list_asserts(check)
    assert asks_size_alone(case, patch, node) is alone
    assert not asks_size_alone(case, replace(patch, applicability=Applicability.SAFE), node)


@pytest.mark.parametrize(
    ("check", "below", "is_proven"),
    [
        ("assert len(n) == len(xs)", "n[0]", False),
        ("assert n == [10, 20]", "n[0]", True),
        ("print(n)", "assert len(n) == 2", False),
        ("m = n[:1]", "assert m == [10]", True),
    ],
)
def test_such_asserts_are_told_apart_wherever_they_stand(check: str, below: str, is_proven: bool) -> None:
    cells = ["xs = ['10k', '20k']", "n = [int(s) for s in xs]", check, below]
    case = case_of(cells, 1, ename="ValueError", evalue="invalid literal for int()")
    guess = patch_of(case, "n = [int(s[:-1]) for s in xs]", healer="rules", applicability=Applicability.UNSAFE)
    tried = [(guess, try_patch(case, guess))]
    (verdict,) = EvidenceScorer().judge(case, try_patch(case), tried, ()).verdicts
    assert (verdict.score >= 7) is is_proven
