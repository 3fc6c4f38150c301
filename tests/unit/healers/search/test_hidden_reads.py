"""What is missing is not mended by not being read, nor by another call that no check tells from none."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.inside.search import search
from jupyter_selfheal.inside.search.patience import GO_ON
from jupyter_selfheal.inside.search.untold_statements import drop_changed_statement, replace_changed_argument
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook, Oracle
from tests.unit.healers.search.searching import find

TITLES = """class Titles:
    def make(self, title):
        words = title.split(" ")
        self.lower_words()
        return " ".join(w.capitalize() for w in words)
"""
TITLES_HELD = "t = Titles()\nassert t.make('the cat') == 'The Cat'\nassert t.make('a') == 'A'"
TOTAL = "def total(items):\n    s = 0\n    for i in items:\n        s += i\n        s.normalise()\n    return s\n"
TOTAL_HELD = "assert total([1, 2]) == 3\nassert total([]) == 0\nassert total([5, -1]) == 4"
SONGS = """class Songs:
    def __init__(self, lengths):
        self.lengths = lengths
    def total(self):
        return sum(self.lengths)
    def describe(self):
        self.audit()
        return f"{len(self.lengths)} songs, {self.total()} s"
"""
SONGS_HELD = "assert Songs([3, 4]).describe() == '2 songs, 7 s'"
FIRST = "def first(xs):\n    ready(xs)\n    return xs[0]\n"
FIRST_HELD = "assert first([1, 2]) == 1\nassert first([3]) == 3"


@pytest.mark.parametrize(
    ("definition", "checks"),
    [(TITLES, TITLES_HELD), (TOTAL, TOTAL_HELD), (SONGS, SONGS_HELD), (FIRST, FIRST_HELD)],
    ids=["of self", "of a number", "another method", "a name"],
)
def test_what_is_missing_is_not_kept_from_being_read(definition: str, checks: str) -> None:
    report = find(definition, checks, 20)
    assert not report["patches"]
    assert report["tried"] < 2 * GO_ON, "the search goes on no longer than after a change that passes"


COUNTS = """class Counts:
    def __init__(self):
        self.seen = []
    def note(self, word):
        self.seen.append(word)
    def read(self, text):
        for word in text.split():
            self.{}(word)
        return len(self.seen)
"""
COUNTS_HELD = "assert Counts().read('a b') == 2\nassert Counts().read('') == 0\nassert Counts().read('a b c') == 3"
MATCHES = """import re
def number(line):
    found = re.search(r"\\d+", line)
    return int(found.group())
"""
MATCHES_HELD = "assert number('a 12') == 12\nassert number('none') is None\nassert number('7') == 7"
MIXED = """class Item:
    def __init__(self, price):
        self.price = price
def total(items, least):
    s = 0
    for item, kind in items:
        s += item.price
    return s
"""
MIXED_HELD = (
    "assert total([(Item(2), 1), (5, 0)], 1) == 2\nassert total([(Item(3), 1)], 1) == 3\nassert total([(1, 0)], 1) == 0"
)


@pytest.mark.parametrize(
    ("definition", "checks", "part"),
    [
        (COUNTS.format("noted"), COUNTS_HELD, "self.note(word)"),
        (MATCHES, MATCHES_HELD, "not found"),
        (MIXED, MIXED_HELD, "item.price"),
    ],
    ids=["another spelling", "of None", "read for others"],
)
def test_near_misses_are_found(definition: str, checks: str, part: str) -> None:
    patches = find(definition, checks, 5)["patches"]
    assert any(part in text for patch in patches for text in patch["texts"].values())


LOGGED = """class Jar:
    def __init__(self):
        self.coins = []
        self.seen = None
    def add(self, coin):
        self.seen = len(coin)
        self.coins.append(coin)
        return sum(self.coins)
"""


def test_what_every_check_holds_without_is_offered_and_not_applied() -> None:
    held = "jar = Jar()\nassert jar.add(2) == 2\nassert jar.add(5) == 7\nassert Jar().add(1) == 1"
    best = find(LOGGED, held, 5)["patches"][0]
    assert best["rival"].startswith("every check holds as well without `self.seen = ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def f(xs):\n    xs.appnd(1)\n", "def f(xs):\n    xs.append(1)\n"),
        ("def f(xs):\n    return len(xs)\n", "def f(xs):\n    return sum(xs)\n"),
        ("def f(xs):\n    a = b\n    b = a\n", "def f(xs):\n    a, b = b, a\n"),
    ],
    ids=["a spelling", "a result", "two at once"],
)
def test_near_misses_are_no_other_statement(old: str, new: str) -> None:
    assert drop_changed_statement(old, new) is None


CHART = """class Chart:
    def __init__(self):
        self.bars = []
    def bar(self, names, height):
        self.bars += [(name, height) for name in names]
def draw(names, heights):
    chart = Chart()
    chart.bar(names, heights[7])
    return len(chart.bars)
"""


def test_what_is_given_to_a_method_and_no_check_sees_is_offered_and_not_applied() -> None:
    best = find(CHART, "assert draw(['a', 'b'], [4, 9]) == 2\nassert draw(['a'], [4]) == 1")["patches"][0]
    assert "Another" not in best["rival"]
    assert best["rival"].startswith("every check holds as well with anything in place of ")


BARS = "bars = chart.bar(names, heights)\nlen(bars)"


class Chart:
    def bar(self, names: list[str], heights: object) -> list[tuple[str, object]]:
        if isinstance(heights, list) and len(heights) != len(names):
            raise ValueError("shape mismatch")
        return [(name, heights) for name in names]


def test_each_of_several_patches_that_come_to_the_same_is_asked_for_what_it_puts_in() -> None:
    space = {"__name__": "__main__", "chart": Chart(), "names": ["a", "b"], "heights": [4, 9, 5]}
    cells = Notebook((Cell("c", BARS, oracle=Oracle(expect="2")),))
    plan = build_plan(Case(Failure("c", BARS, FailureKind.RAISED, "ValueError"), cells))
    assert plan is not None
    patches = search.probe(SimpleNamespace(user_ns=space), None, plan.to_argument(300.0, 1))["patches"]
    said = {p["texts"]["0"]: p["rival"] for p in patches}
    for given in ("len(heights)", "heights[0]"):
        put_in = f"every check holds as well with anything in place of `{given}`"
        assert said[f"bars = chart.bar(names, {given})"] == put_in
    assert "in place of" not in said["bars = names"]


def test_what_a_check_sees_is_not_put_in_doubt() -> None:
    seen = CHART.replace("len(chart.bars)", "chart.bars[0][1]")
    best = find(seen, "assert draw(['a', 'b'], [4, 9]) == 4\nassert draw(['a'], [3]) == 3")["patches"][0]
    assert "anything in place" not in best["rival"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("chart.bar(names, heigths)", "chart.bar(names, heights)"),
        ("draw(names, heights)", "draw(names, len(heights))"),
        ("chart.bar(names)", "chart.bar(names, heights)"),
        ("chart.bar(names, heights)", "chart.barh(names, heights)"),
        ("chart.bar(*names)", "chart.bar(*heights)"),
    ],
    ids=["a spelling", "no method", "one more", "another method", "several at once"],
)
def test_near_misses_are_no_other_argument(old: str, new: str) -> None:
    assert replace_changed_argument(old, new) is None


def test_an_argument_that_is_another_is_replaced_by_something_meaningless() -> None:
    found = replace_changed_argument("chart.bar(names, height=heights)", "chart.bar(names, height=len(heights))")
    assert found == (
        "height=len(heights)",
        ("chart.bar(names, height=7919)", "chart.bar(names, height='q7919')"),
    )


def test_an_entry_whose_key_is_another_is_left_out() -> None:
    old, new = (
        "t.agg({'a': 'sum', 'quantity': 'max'}).loc['x', 'a']",
        "t.agg({'a': 'sum', 'shop': 'max'}).loc['x', 'a']",
    )
    assert replace_changed_argument(old, new) == ("'shop'", ("t.agg({'a': 'sum'}).loc['x', 'a']",))
    alone = replace_changed_argument("t.agg({'a': 'sum'})", "t.agg({'b': 'sum'})")
    assert alone is not None
    assert "t.agg(7919)" in alone[1]
