"""Texts with places for values, branches that say the same, and readings that are hardly meant."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax.doubts import count_doubts
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.printed_likeness import count_equal_branches
from jupyter_selfheal.inside.search.value_changes import list_value_changes

WORDS = "`,` stands for `%` behind a text with places for values"


@pytest.mark.parametrize(
    ("source", "mended"),
    [
        ('print("%.2f", x)', ['print("%.2f" % x)']),
        ('print("%d of %d", a, b + 1)', ['print("%d of %d" % (a, b + 1))']),
        ('print("%d", x - 1)', ['print("%d" % (x - 1))']),
        ('print("%d", a, b)', []),
        ('print("100 %", x)', []),
        ('print("%d" % a, b)', []),
    ],
)
def test_a_comma_stands_for_the_sign_where_there_are_as_many_values_as_places(source: str, mended: list[str]) -> None:
    changes = list_value_changes(source, "3", frozenset({"x", "a", "b"}))
    assert [splice(source, c.edits) for c in changes if c.words == WORDS] == mended


@pytest.mark.parametrize(
    ("last", "count"), [("print('Leap Year')", 1), ("print('No leap year')", 0), ("print('Leap year', y)", 0)]
)
def test_branches_that_print_the_same_are_counted(last: str, count: int) -> None:
    assert count_equal_branches(f"if y:\n    print('Leap year')\nelse:\n    {last}\n") == count


@pytest.mark.parametrize(
    ("doubted", "plain"),
    [
        ("def f(n):\n    if n:\n        return 0\n        n = 1\n", "def f(n):\n    if n:\n        n = 1\n        return 0\n"),
        ("if y % 4 - 0 or y:\n    y = 1\n", "if y % 4 != 0 or y:\n    y = 1\n"),
    ],
)  # fmt: skip
def test_what_is_never_come_to_and_what_only_reckons_is_hardly_meant(doubted: str, plain: str) -> None:
    known = frozenset({"y"})
    assert count_doubts(doubted, known) > count_doubts(plain, known)
