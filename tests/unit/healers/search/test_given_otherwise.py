"""A function is not changed where another call of it would do as well."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.given_otherwise import find_given_otherwise
from jupyter_selfheal.inside.search.program import CELL, DEFINE, Unit

FUNCTION = "def measure(points):\n    return sum(points)\n"
CHANGED = FUNCTION.replace("sum(points)", "sum(points[0])")
UNITS = (Unit(FUNCTION, DEFINE, True), Unit("total = measure(rows) + 1", CELL, True))


def test_another_argument_of_the_call_does_as_well() -> None:
    assert find_given_otherwise(UNITS, {0: CHANGED}, [{0: CHANGED}, {1: "total = measure(rows[0]) + 1"}]) == "measure"


@pytest.mark.parametrize(
    ("texts", "others"),
    [
        ({0: CHANGED}, [{0: CHANGED}]),
        ({0: CHANGED}, [{1: "total = measure(rows) + 2"}]),
        ({0: CHANGED}, [{1: "total = sum(rows) + 1"}]),
        ({0: CHANGED}, [{0: CHANGED, 1: "total = measure(rows[0]) + 1"}]),
        ({1: "total = measure(rows[0]) + 1"}, [{0: CHANGED}]),
    ],
)
def test_nothing_is_said_where_no_other_call_does(texts: dict[int, str], others: list[dict[int, str]]) -> None:
    assert not find_given_otherwise(UNITS, texts, others)
