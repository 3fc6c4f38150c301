"""Checks that only bound a value tell of no change that it is the one that is meant."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.bounds_alone import find_bounds_alone
from tests.unit.healers.search.searching import find


@pytest.mark.parametrize(
    ("checks", "bound"),
    [
        (["assert 0 < share < 1"], "0 < share < 1"),
        (["assert total > 0 and total <= 10"], "total > 0 and total <= 10"),
        (["print(total)", "assert total >= 0"], "total >= 0"),
        (["assert 0 < share < 1", "assert share == 0.5"], ""),
        (["assert abs(share - 0.5) < 1e-9"], ""),
        (["assert np.linalg.norm(a - b) < 0.1"], ""),
        (["assert total > 0 or total is None"], ""),
        (["assert before < after"], ""),
        (["assert share"], ""),
        (["x = 1"], ""),
        ([], ""),
        (["assert -1 < change", "assert total > -5"], "-1 < change"),
        (["assert error < 1e-6"], ""),
        (["assert (x - 3) ** 2 < 1e-9"], ""),
        (["assert share > 0.0001"], "share > 0.0001"),
        (["assert 3.14 < area(1) < 3.15"], ""),
        (["assert area(1) > 3.14", "assert area(1) < 3.15"], ""),
        (["assert area(1) > 3.14 and 3.15 >= area(1)"], ""),
        (["assert -3.15 <= low <= -3.14"], ""),
        (["assert low > 3.14", "assert high < 3.15"], "low > 3.14"),
        (["assert share > 0", "np.testing.assert_allclose(share, [0.5])"], ""),
        (["def test(self):\n    assert total > 0\n    self.assertEqual(total, 3)"], ""),
    ],
)
def test_bounds_are_told_from_values(checks: list[str], bound: str) -> None:
    assert find_bounds_alone(checks) == bound


def test_a_bound_alone_does_not_decide() -> None:
    total = "def total(xs):\n    s = 0\n    for x in xs:\n        s -= x\n    return s"
    assert find(total, "assert total([1, 2]) > 0")["patches"][0]["rival"]
    beside = "from unittest import TestCase\nassert total([1, 2]) > 0\nTestCase().assertEqual(total([4, 5]), 9)"
    assert find(total, beside)["patches"][0]["rival"] == ""
    assert find(total, "assert total([1, 2]) == 3\nassert total([4]) == 4")["patches"][0]["rival"] == ""
