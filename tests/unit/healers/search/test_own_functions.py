"""Calls of the program's own functions, names that nothing binds, and what beginners write for an item; each with near misses."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.scope import DICT, ITEMS, NUMBER, Hints, Scope
from tests.unit.healers.search.searching import find

KNOWN = Hints(
    kinds={"rides": frozenset({ITEMS}), "fares": frozenset({DICT}), "n": frozenset({NUMBER})},
    defined=frozenset({"stops", "is_long", "LIMIT", "len"}),
    signatures={"stops": ("rides", "line"), "is_long": ("ride", "rides")},
)


def texts_of(body: str) -> set[str]:
    """What is made of the body of a function of rides, fares, a line and a number, each as its line."""
    source = f"def plan(rides, fares, line, n):\n    {body}\n"
    scope = Scope(source, KNOWN)
    return {splice(source, c.edits).split("\n", 1)[1].strip() for c in list_changes(scope)}


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("return len(stops)", "return len((stops(rides, line)))"),
        ("return len(stops_here)", "return len((stops(rides, line)))"),
        ("return stops(rides)", "return stops(rides, line)"),
        ("return stops()", "return stops(rides, line)"),
        ("return rides(n)", "return rides[n]"),
        ("return fares(line)", "return fares[line]"),
        ("return true", "return True"),
        ("while n < 9:\n        n += n", "while n < 9:\n        n += 1"),
        ("for n in rides:\n        return n", "for item in rides:\n        return n"),
        ("for i, n in enumerate(rides):\n        return i < n", "for i, _ in enumerate(rides):\n        return i < n"),
        ("for ride in rides:\n        return len(name)", "for ride in rides:\n        return len((ride[1]))"),
    ],
)
def test_what_was_meant_is_tried(body: str, meant: str) -> None:
    assert meant in texts_of(body)


HELPER = "def is_even(m):\n        return m % 2 == 0\n    "


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        (f"{HELPER}if n > 0:\n        return 1", "if ((n > 0) and is_even(n)):"),
        (f"{HELPER}if n > line:\n        return 1", "if (is_even(n)):"),
        (f"{HELPER}return n", "return (is_even(n))"),
    ],
)
def test_a_helper_that_nothing_calls_is_called(body: str, meant: str) -> None:
    assert any(meant in text for text in texts_of(body))


@pytest.mark.parametrize(
    "body",
    [
        f"{HELPER}if n > 0:\n        return is_even(n)",  # it is called
        "def join(a, b):\n        return a + b\n    return n",  # it takes two
        f"{HELPER}if line:\n        return 1\n    return all(map(is_even, rides))",
    ],
)
def test_a_helper_that_is_called_or_handed_on_is_not_called_once_more(body: str) -> None:
    assert not any("and is_even(" in text or "return join(n)" in text for text in texts_of(body))


@pytest.mark.parametrize(
    ("body", "not_meant"),
    [
        ("return len(LIMIT)", "stops("),  # it is bound elsewhere
        ("return len(rides)", "stops("),
        ("return stops(rides, line)", "stops(rides, line, "),
        ("return is_long()", "is_long(ride, "),  # there is no `ride`
        ("return n(rides)", "n[rides]"),
        ("return stops(n)", "stops[n]"),
        ("true = n\n    return true", "return True"),
        ("n += n\n    return n", "n += 1\n"),
        ("for ride in rides:\n        return n", "for item in"),
        ("n = rides\n    return n", "item = rides"),
        ("for ride in rides:\n        return len(LIMIT)", "ride[1]"),
    ],
)
def test_what_is_something_else_is_left(body: str, not_meant: str) -> None:
    alike = [text for text in texts_of(body) if text.count("\n") == body.count("\n")]
    assert not [text for text in alike if not_meant in text]


SIBLING = """\
def stops(rides, line):
    return [ride[1] for ride in rides if ride[0] == line]

def is_long(stop, rides):
    return sum(1 for ride in rides if ride[1] == stop) > 1

def has_long(line, rides):
    for stop in stops_here:
        if is_long(stop, rides):
            return True
    return False
"""
CHECKS = """\
assert has_long("a", [("a", 1), ("a", 2), ("b", 2)]) == True
assert has_long("b", [("a", 1), ("a", 2), ("b", 2)]) == True
assert has_long("a", [("a", 1), ("b", 2)]) == False
assert has_long("c", [("a", 1), ("b", 2)]) == False
assert has_long("a", [("a", 3), ("a", 3)]) == True
assert has_long("a", []) == False
"""


def test_a_function_that_nothing_called_yet_fills_a_name_that_nothing_binds() -> None:
    best = find(SIBLING, CHECKS, 20.0)["patches"][0]
    (text,) = best["texts"].values()
    assert "for stop in stops(rides, line):" in text
    assert best["rival"] == ""


WALLET = """class Wallet:
    def __init__(self, coins):
        self.coins = coins
        self.log = []

    def spend(self, price):
        self.coins -= price
        self.log.append(("spend", price))

    def earn(self, pay):
        self.coins += pay
        self.log.append(("spend", pay))
"""


def test_a_text_that_names_the_method_beside_it_is_that_of_its_own() -> None:
    changed = [splice(WALLET, c.edits) for c in list_changes(Scope(WALLET)) if "should be `'earn'`" in c.words]
    assert changed == [WALLET.replace('("spend", pay)', "(('earn'), pay)")]
    assert not [c for c in list_changes(Scope(WALLET.replace('"spend"', '"out"'))) if "should be `'earn'`" in c.words]
    private = WALLET.replace("def earn", "def _earn")
    assert not [c for c in list_changes(Scope(private)) if "should be `'_earn'`" in c.words]


@pytest.mark.parametrize(
    ("line", "is_linked"),
    [
        ("self.top = Plate(size)", True),
        ("self.top = Plate(size, self.top)", False),
        ("self.top = Plate(size, below=None)", False),
        ("self.top = make(size)", False),
        ("self.top = ValueError(size)", False),
        ("self.top = Plate()", False),
    ],
)
def test_what_an_object_takes_the_place_of_may_be_linked_to(line: str, is_linked: bool) -> None:
    text = f"class Pile:\n    def put(self, size):\n        {line}\n"
    changed = [splice(text, c.edits) for c in list_changes(Scope(text)) if "lacks the argument `self.top`" in c.words]
    assert changed == ([text.replace("(size", "(size, self.top")] if is_linked else [])


def test_a_table_that_is_put_in_order_may_be_so_the_other_way_round() -> None:
    text = "def top(df):\n    return df.sort_values('cost').head(2)\n"
    weights = {splice(text, c.edits): c.prior for c in list_changes(Scope(text))}
    assert weights[text.replace("'cost'", "'cost', ascending=False")] == 0.45
    told = text.replace("'cost'", "'cost', ascending=True")
    assert not [c for c in list_changes(Scope(told)) if "lacks `ascending" in c.words]
    total = "def total(xs):\n    return xs.sum()\n"
    spread = {splice(total, c.edits): c.prior for c in list_changes(Scope(total))}
    assert spread[total.replace("sum", "std")] < spread[total.replace("sum", "mean")]
