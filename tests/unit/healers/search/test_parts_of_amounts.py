"""Amounts that are taken apart, and what is to be remembered as the best so far: what is tried, and what is left alone."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search import laws
from tests.unit.healers.search.searching import list_texts

PAY = "def pay(hours, rate):\n    if hours <= 40:\n        return hours * rate\n    return 40 * rate + hours * rate * 1.5\n"
TRIP = (
    "def split(minutes):\n    days = minutes // 1440\n    hours = minutes // 60\n    return days, hours, minutes % 60\n"
)
NEAR = """\
def nearest(stops, at):
    found, least = None, 999
    for stop in stops:
        away = abs(stop - at)
        if away < least:
            found = stop
    return found
"""


@pytest.mark.parametrize(
    ("source", "words", "meant"),
    [
        (PAY, "`hours` should be `hours - 40`", "40 * rate + (hours - 40) * rate"),
        (TRIP, "has the larger units in it", "hours = (minutes % 1440 // 60)"),
        (TRIP, "has the larger units in it", "hours = (minutes // 60 % 24)"),
        (NEAR, "never changes", "            found = stop\n            least = away\n"),
        ("def f(price, pct):\n    return price - pct\n", "in percent", "return (price * (1 - pct / 100))"),
        ("def f(price, tax):\n    return price + tax\n", "is a part of", "return (price * (1 + tax))"),
        ("def f(p, r, n):\n    return p * (1 + r) ** n\n", "in percent", "p * ((1 + r / 100)) ** n"),
    ],
)
def test_what_is_missing_is_tried(source: str, words: str, meant: str) -> None:
    assert any(meant in text for text in list_texts(source, words))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (PAY.replace("hours <= 40", "hours"), "`hours` should be `hours - 40`"),  # nothing is compared with 40
        (TRIP.replace("minutes // 1440", "minutes"), "has the larger units"),  # there are none
        (NEAR.replace("found = stop", "least = away"), "never changes"),  # it does
        (NEAR.replace("away < least", "away < 9"), "`9 = away`"),
        ("def f(price, cost):\n    return price - cost\n", "in percent"),
        ("def f(pct):\n    return 2 + pct\n", "in percent"),
        ("def f(pct, price):\n    return pct - price\n", "in percent"),
    ],
)
def test_what_is_not_missing_is_not_put_in(source: str, words: str) -> None:
    assert list_texts(source, words) == []


@pytest.mark.parametrize(
    ("checked", "given", "result", "is_broken"),
    [
        # an item and its place may be equal
        (
            [(([4, 2, 3, 2],), [2, 1]), (([5, 0, 3, 0],), [0, 1]), (([7, 9, 8, 8, 7],), [7, 0])],
            ([6, 7, 2, 7],),
            [2, 2],
            False,
        ),
        # each item once
        ([(([4, 2, 2],), [4, 2]), (([5, 0, 0],), [5, 0]), (([8, 8, 7],), [8, 7])], ([6, 6, 7],), [6, 6], True),
        # equal parts of a point are in no order
        ([(([(0, 0)],), (0, 0)), (([(5, 5)],), (5, 5)), (([(9, 1)],), (9, 1))], ([(1, 9)],), (1, 9), False),
        # one of two lists, whichever it is, says nothing of the other one
        (
            [(([7], [1, 1]), [7]), (([2, 3], [4, 4]), [4, 4]), (([5], [6, 6]), [6, 6]), (([], [8, 8]), [])],
            ([1], [2, 2]),
            [1],
            False,
        ),
    ],
)
def test_laws_speak_of_what_a_result_is_made_of(checked, given, result, is_broken) -> None:  # type: ignore[no-untyped-def]
    held = laws.list_laws(checked)
    assert any(law.holds(given, result) is False for law in held) == is_broken
