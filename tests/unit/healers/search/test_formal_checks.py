"""Checks that ask for a form alone are told from those that tell a value."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.formal_checks import find_form_alone, find_formal_check
from jupyter_selfheal.inside.search.program import Program, Unit


@pytest.mark.parametrize(
    "checks",
    [
        ["assert len(rows) == 3"],
        ["assert grid.shape == (2, 3)"],
        ["assert grid.shape[0] == 2 and grid.ndim == 2"],
        ["assert isinstance(peaks, list)"],
        ["assert res.success"],
        ["assert line is not None"],
        ["assert 'discount' in prices"],
        ["assert total > 0", "assert label in ('high', 'low')"],
        ["assert not rows.isna().any()"],
        ["assert all(v > 0 for v in rates)"],
        ["assert (wages['tax'] > 0).all()"],
        ["assert before < after"],
        ["assert type(x) is int", "print(x)"],
        ["assert per_store.sum() == shop['sales'].sum()"],
        ["assert abs(weekly.sum() - use['kwh'].sum()) < 1e-6"],
        ["assert sum(parts) == sum(whole)"],
        ["assert train['store'].nunique() == 4"],
        ["assert len(set(winners)) == 5"],
    ],
)
def test_a_form_alone_is_told(checks: list[str]) -> None:
    assert find_form_alone(checks)


@pytest.mark.parametrize(
    "checks",
    [
        [],
        ["print(total)"],
        ["assert total == 55"],
        ["assert len(rows) == 3", "assert rows[0] == 'a'"],
        ["assert len(split('a b')) == 2"],
        ["assert abs(root - 2) < 1e-6"],
        ["assert np.allclose(A @ x, b)"],
        ["assert 3.14 < area < 3.15"],
        ["assert all(v == 1 for v in values)"],
        ["assert is_sorted(xs)"],
        ["assert len(rows) > 0", "np.testing.assert_allclose(rows, [1])"],
        ["assert per_store.sum() == 2180"],
        ["assert per_store.sum() == shop['sales'].max()"],
        ["assert sum(split(xs)) == sum(xs)"],
        ["assert abs(weekly.sum() - 33) < 1e-6"],
        ["assert len(set(draw(6))) == 5"],
        ["assert set(winners) == {1, 2}"],
    ],
)
def test_a_value_is_told(checks: list[str]) -> None:
    assert find_form_alone(checks) == ""


def test_only_after_an_exception_and_where_nothing_else_was_said() -> None:
    units = (Unit("x = f()", "cell", True, "c"), Unit("assert x > 0", "check"))
    assert find_formal_check(Program(units, error="ValueError")) == "x > 0"
    assert find_formal_check(Program(units)) == ""
    assert find_formal_check(Program(units, expect="3", error="ValueError")) == ""
    assert find_formal_check(Program(units, stdout="3", error="ValueError")) == ""
