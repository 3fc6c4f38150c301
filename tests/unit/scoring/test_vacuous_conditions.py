from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.scoring.vacuous_conditions import (
    find_disarmed_asserts,
    find_filled_displays,
    find_vacuous_conditions,
)

OLD = 'if "@" in text and n > m:\n    pass\nnan = x != x\n'


@pytest.mark.parametrize(
    "new",
    [
        OLD.replace('"@"', '""'),
        OLD.replace("n > m", "n > n"),
        OLD.replace("n > m", "n == n"),
        OLD.replace("n > m", "(n > m or True)"),
        OLD.replace("n > m", "n > m and 0"),
        OLD + "first = 1 if True else y.sort()[0]\n",
        OLD + "if False:\n    y.sort()\n",
        OLD.replace("n > m", "not (n or 1)"),
        OLD + "good = n > m or True\n",
        OLD + "kept = [x for x in xs if x > 2 or 'all']\n",
        OLD + "assert n > m or 1\n",
    ],
)
def test_a_condition_that_asks_nothing_any_more_is_named(new: str) -> None:
    assert list(find_vacuous_conditions([ast.parse(OLD)], [ast.parse(new)]))


@pytest.mark.parametrize(
    "new",
    [
        OLD,
        OLD.replace('"@"', '"."'),
        OLD.replace("n > m", "n >= m"),
        OLD.replace("n > m", "(n > m or m)"),
        OLD.replace("n > m", "y != y"),
        OLD.replace("n > m", "next(it) == next(it)"),
        OLD + "total += weight * int(times or 1)\n",
        OLD + "label = text or '?'\n",
        OLD + "print([x or 0 for x in xs])\n",
    ],
)
def test_conditions_that_ask_something_are_not(new: str) -> None:
    assert not list(find_vacuous_conditions([ast.parse(OLD)], [ast.parse(new)]))


def test_a_constant_under_the_name_of_another_language_asked_nothing_before() -> None:
    old, new = ast.parse("while true:\n    step()\n"), ast.parse("while True:\n    step()\n")
    assert not list(find_vacuous_conditions([old], [new]))
    assert not list(find_vacuous_conditions([ast.parse("if true:\n    f()\n")], [ast.parse("if True:\n    f()\n")]))
    assert list(find_vacuous_conditions([ast.parse("if ready:\n    f()\n")], [ast.parse("if True:\n    f()\n")]))


@pytest.mark.parametrize(
    ("before", "after", "asks_nothing"),
    [
        ("assert total(2) == 30.0\n(", "assert[ total(2) == 30.0]", True),
        ("if x > 3:\n    f(", "if {x > 3}:\n    f()", True),
        ("f(\nassert (x == 3, 'no')", "f()\nassert (x == 3, 'no')", False),  # it stood there
        ("assert names\n(", "assert [*names]", False),
        ("assert f(x == [1]", "assert f(x) == [1]", False),
    ],
)
def test_a_list_that_is_asked_whether_it_holds_asks_nothing(before: str, after: str, asks_nothing: bool) -> None:
    assert bool(list(find_filled_displays([before], [after]))) is asks_nothing


@pytest.mark.parametrize(
    ("before", "after", "is_disarmed"),
    [
        ("print((1)\nassert total(10, 2) == 30.0", "print((1))\nassert total(10, 2 == 30.0)", True),
        ("(\nassert x == 3", "assert not x == 3", True),
        ("(\nassert x == 3", "assert x != 3", True),
        ("print((1)\nassert total(10, 2) == 30.0", "print((1))\nassert total(10, 2) == 30.0", False),
        ("(\nassert x == 3", "assert (x == 3)", False),
        ("assert f(x = 3", "assert f(x) == 3", False),  # it was not whole
        ('"""\nassert x == 3\n"""\n(', '"""\nassert x == 3\n"""\nassert f(1)', False),  # it stands in a text
        ("assert x == 3", "assert f(x == 3)", False),  # where the cell parses its asserts are told by their trees
    ],
)
def test_a_comparison_that_becomes_part_of_a_call_is_no_assert_of_it(
    before: str, after: str, is_disarmed: bool
) -> None:
    assert bool(list(find_disarmed_asserts([before], [after]))) is is_disarmed
