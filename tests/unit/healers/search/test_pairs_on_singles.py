"""Three slips in one function, and what its loops and names tell of them: programs of our own, and near misses."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.scope import ITEMS, NUMBER, TEXT, Hints
from jupyter_selfheal.inside.search.several_edits import describe_doubt_of_several
from tests.unit.healers.search.searching import find, list_texts

LISTS = Hints(kinds={"row": frozenset({ITEMS}), "new": frozenset({NUMBER}), "other": frozenset({ITEMS})})
TEXTS = Hints(kinds={"line": frozenset({TEXT})})

COLDEST = """\
def read_extremes(days):
    if len(days) == 0:
        return None
    coldest = days[0]
    warmest = days[0]
    for day in days:
        if day > coldest:
            coldest = day
        if day > warmest:
            warmest = day
        return [coldest, warmest]
"""
RUNS = """\
def runs(line):
    i = 0
    while i < len(line):
        n = 0
        while line[i] == line[i + n]:
            n += 1
        i += 1
"""
CHECKS = """\
assert read_extremes([3, 1, 2]) == (1, 3)
assert read_extremes([]) is None
assert read_extremes([5]) == (5, 5)
assert read_extremes([-3, -1]) == (-3, -1)
assert read_extremes([2, 9, 4]) == (2, 9)
assert read_extremes([7, 7]) == (7, 7)
"""


def test_three_slips_of_one_function_are_found_where_two_bring_nothing_by_themselves_and_are_offered() -> None:
    first = find(COLDEST, CHECKS, 20)["patches"][0]
    (text,) = first["texts"].values()
    assert "if day < coldest:" in text
    assert "\n    return tuple([coldest, warmest])" in text
    assert "3 changes together" in first["rival"]


@pytest.mark.parametrize(
    ("source", "words", "meant"),
    [
        ("def put(new, row, k):\n    return row[:k] + new + row[k:]\n", "`[new]`", "row[:k] + [new] + row[k:]"),
        ("def put(new, row):\n    return new + row\n", "`[new]`", "[new] + row"),
        (
            RUNS,
            "lacks `i + n < len(line)`",
            "while (i + n < len(line) and (line[i] == line[i + n])):",
        ),
        (
            RUNS,
            "by what was counted",
            "i += n\n",
        ),
        (
            "def place(new, row):\n    i = 0\n    while new > row[i]:\n        i = i + 1\n    return i\n",
            "lacks `i < len(row)`",
            "while (i < len(row) and (new > row[i])):",
        ),
        (
            "def odd_ones(n):\n    for k in range(n):\n        for d in range(3, k):\n            print(k % d)\n",
            "begins with 3",
            "for k in (range(3, n)):",
        ),
        ("def signs(line):\n    return [c for c in line if c != ' ']\n", "`c.isalnum()`", "if (c.isalnum())"),
        ("def signs(line):\n    for c in line:\n        if c == ' ':\n            continue\n", "isalpha", "if (not c.isalpha()):"),
    ],
)  # fmt: skip
def test_what_the_loops_and_kinds_of_a_function_tell_is_tried(source: str, words: str, meant: str) -> None:
    hints = TEXTS if "line" in source else LISTS
    texts = [text.replace("([new])", "[new]") for text in list_texts(source, words, hints)]
    assert any(meant in text for text in texts)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def put(other, row, k):\n    return other + row[k:]\n", "`[other]`"),  # both are lists
        ("def put(new, rate):\n    return new + rate\n", "`[new]`"),
        ("def runs(line):\n    i = 0\n    n = 1\n    while line[i] == line[i + n]:\n        print(line)\n", "lacks `i + n"),
        (
            "def runs(line):\n    i = n = 0\n    while i + n < len(line) and line[i] == line[i + n]:\n        n += 1\n",
            "lacks `i + n < len(line)`",
        ),
        ("def runs(line):\n    i = 0\n    while i < len(line):\n        n = 0\n        i += 1\n", "by what was counted"),
        ("def even_ones(n):\n    for k in range(n):\n        for d in range(k):\n            print(d)\n", "begins with"),
        ("def even_ones(n, m):\n    for k in range(n):\n        for d in range(2, m):\n            print(d)\n", "begins with"),
        ("def signs(line):\n    return [c for c in line if c != '-']\n", "`c != '-'` should be `c.isalpha()`"),
    ],
)  # fmt: skip
def test_what_they_do_not_tell_is_not_tried(source: str, words: str) -> None:
    assert not list_texts(source, words, TEXTS if "line" in source else LISTS)


SEEK = """\
def seek(shelf, book):
    low = 0
    high = len(shelf)
    while low < high:
        mid = (low + high) // 2
        if shelf[mid] == book:
            return mid
        elif shelf[mid] > book:
            low = mid + 1
        else:
            high = mid - 1
    return -1
"""
SOUGHT = """\
assert seek([1, 3, 5, 7], 5) == 2
assert seek([1, 3, 5, 7], 1) == 0
assert seek([1, 3, 5, 7], 7) == 3
assert seek([1, 3, 5, 7], 4) == -1
assert seek([], 4) == -1
assert seek([2], 2) == 0
assert seek([10, 20, 30, 40, 50, 60], 20) == 1
"""


def test_a_place_at_which_the_item_does_not_stand_holds_a_fix_back() -> None:
    patches = find(SEEK, SOUGHT, 20)["patches"]
    turned = next(p for p in patches if p["words"] == "`>` should be `<`")
    assert "is not where it stands" in turned["rival"]


def test_where_every_place_is_right_nothing_is_held_back() -> None:
    right = SEEK.replace("len(shelf)\n", "len(shelf) - 1\n").replace("low < high", "low <= high")
    first = find(right, SOUGHT, 20)["patches"][0]
    assert first["words"] == "`>` should be `<`"
    assert not first["rival"]


@pytest.mark.parametrize(
    ("before", "after", "is_held"),
    [
        ("def f(x):\n    return x", "def f(x):\n    return x ** 2 + 1", True),
        ("def f(x):\n    return x ** 2", "def f(x):\n    return x ** 3 + 1", False),
        ("def f(x):\n    return x", "def f(x):\n    return x + 1", False),
    ],
)
def test_several_changes_of_which_one_takes_a_power_are_offered(before: str, after: str, is_held: bool) -> None:
    candidate = Candidate({0: after}, "two", 2, 0.5, 0, 8, 2)
    assert bool(describe_doubt_of_several(candidate, 6, 10, before)) is is_held
