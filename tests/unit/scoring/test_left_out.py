from __future__ import annotations

import pytest

from jupyter_selfheal.scoring.left_out import find_left_out_call
from tests.scoring_cases import case_of, patch_of


@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        ("StandardScaler().transform(X).shape", "X.shape", True),
        ("a.merge(b, on='id')['m'].sum()", "b['m'].sum()", True),
        ("StandardScaler().transform(X).shape", "StandardScaler().fit_transform(X).shape", False),
        ("math.sqrt(b)", "np.sqrt(b)", False),
        ("total(x)", "total(y)", False),
        ("a.merge(b, on='id')", "a + b", False),
    ],
)
def test_a_call_that_failed_and_has_nothing_in_its_place_is_left_out(old: str, new: str, *, gone: bool) -> None:
    case = case_of([old], failing=0, ename="ValueError")
    assert bool(find_left_out_call(case, patch_of(case, new))) is gone


@pytest.mark.parametrize(("ename", "evalue"), [("AssertionError", ""), ("TypeError", "'int' object is not callable")])
def test_a_call_that_is_one_too_many_may_go(ename: str, evalue: str) -> None:
    case = case_of(["len(x)()"], failing=0, ename=ename, evalue=evalue)
    assert not find_left_out_call(case, patch_of(case, "len(x)"))
