"""A place that is asked for by its value, and items that are kept once, where no check has one twice."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.place_of_value import (
    describe_dropped_twice,
    describe_place_of_value,
    replace_places,
)
from jupyter_selfheal.inside.search.program import Program, Unit, compile_unit
from jupyter_selfheal.inside.search.run_candidate import Runner


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("days.index(days[-1]) + 1", "(len(days) - 1) + 1"),
        ("days.index(days[len(days) - 1])", "(len(days) - 1)"),
        ("list(days).index(max(days))", "(len(days) - 1)"),
        ("days[i] == days[-1]", "(i == len(days) - 1)"),
        ("days.index(days[0])", ""),
        ("days.index(max(hours))", ""),
        ("days.index(max(days, key=abs))", ""),
        ("days[0] == days[-1]", ""),
        ("days.index(day)", ""),
    ],
)
def test_the_last_place_is_put_where_it_is_asked_for_by_the_last_value(asked: str, place: str) -> None:
    text = "def last(days, hours, day, i):\n    return {}\n"
    assert replace_places(text.format(asked))[0] == (text.format(place) if place else "")


@pytest.mark.parametrize(
    ("end", "told"), [("days.index(days[-1])", True), ("len(days) - days[::-1].index(days[-1]) - 1", False)]
)
def test_a_call_with_an_item_twice_tells(end: str, told: bool) -> None:
    text = f"def last(days):\n    return {end}\n"
    runner = Runner(Program((Unit(text, "define", True), Unit("assert last([1, 2]) == 1", "check"))), {})
    other = compile_unit(runner.program, 0, "def last(days):\n    return len(days) - 1\n")
    said = describe_place_of_value(runner, {}, {0: other}, "last", [([1, 2],)])
    assert said == ("`last([1, 2, 2])` gives 1 with it, not 2" if told else "")


@pytest.mark.parametrize(
    ("new", "checked", "is_told"),
    [
        ("list(dict.fromkeys(xs))", [([1, 2],)], True),
        ("sorted(set(xs))", [([1, 2],), ([],)], True),
        ("list(dict.fromkeys(xs))", [([1, 1],)], False),
        ("list(xs)", [([1, 2],)], False),
        ("list(dict.fromkeys(range(n)))", [(3,)], False),
    ],
)
def test_what_keeps_each_item_once_is_doubted_where_no_check_has_one_twice(
    new: str, checked: list[tuple[object, ...]], is_told: bool
) -> None:
    assert bool(describe_dropped_twice("xs", new, checked)) == is_told
