"""A condition that is a loop: ``if k in range(n)`` where nothing else gives ``k`` a value, and near misses; great numbers stay as they are."""

from __future__ import annotations

import pytest

from tests.unit.healers.search.searching import list_texts

SUM = """\
def count(i, upper):
    total = 0
    if i:
        for k in range(i):
            total += k
    else:
        if k in range(i, upper):
            total += k
    return total
"""


def test_a_condition_on_what_no_loop_gives_is_a_loop() -> None:
    (text,) = list_texts(SUM, "should be `for`")
    assert "        for k in range(i, upper):\n            total += k" in text
    (text,) = list_texts(SUM.replace("        for k in range(i):\n", "        for j in range(i):\n"), "should be `for`")
    assert "for k in range(i, upper)" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def count(i, upper)", "def count(i, upper, k)"),
        ("    total = 0\n", "    total = k = 0\n"),
        ("            total += k\n    return", "            total += 1\n    return"),
        ("    return total", "        else:\n            total = 0\n    return total"),
        ("if k in range", "if k not in range"),
    ],
)
def test_what_has_a_value_or_is_only_asked_for_stays_a_condition(old: str, new: str) -> None:
    assert old in SUM
    assert list_texts(SUM.replace(old, new), "should be `for`") == []


def test_a_great_number_is_no_other_operator() -> None:
    text = "def f(n):\n    return n ** 3 % (10 ** 9 + 7)\n"
    made = list_texts(text, "`**` should be")
    assert made
    assert all("10 ** 9" in t for t in made)
    assert any("10 + 2" in t for t in list_texts("def f(n):\n    return 10 ** 2\n", "`**` should be"))
