"""What the parts beside a place tell is proposed, and near misses in which nothing of it is."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.mutations import parts_beside
from jupyter_selfheal.inside.search.scope import Scope
from tests.unit.healers.search.searching import find


def list_made(source: str) -> list[str]:
    s = Scope(source)
    return [splice(source, c.edits) for node in s.order for propose in parts_beside.OPERATORS for c in propose(s, node)]


PLACE = "def f(xs):\n    best = 0\n    for i in range(len(xs)):\n        if xs[i] > {asked}:\n            best = {kept}\n    return best\n"
POWER = "def power(b, e):\n    if e == 0:\n        return {ends}\n    return {step}\n"


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("a == b or b == c", "(a == b or b == c or a == c)"),
        ("a != b and c != a", "(a != b and c != a and b != c)"),
        (PLACE.format(asked="best", kept="i"), PLACE.format(asked="(xs[best])", kept="i")),
        (POWER.format(ends="b", step="b * power(b, e - 1)"), POWER.format(ends="1", step="b * power(b, e - 1)")),
        (POWER.format(ends="b", step="power(b, e - 1) + b"), POWER.format(ends="0", step="power(b, e - 1) + b")),
        ("d = (a[0] - b[0]) ** 2 + (a[1] - b[0]) ** 2", "d = (a[0] - b[0]) ** 2 + (a[1] - (b[1])) ** 2"),
    ],
    ids=["a pair", "a pair that differs", "an item", "a product", "a sum", "a place"],
)
def test_what_the_parts_beside_tell_is_proposed(source: str, meant: str) -> None:
    assert list_made(source) == [meant]


@pytest.mark.parametrize(
    "source",
    [
        "a == b or c == d",
        "a == b or b == c or a == c",
        "a == b or b != c",
        "a < b and b < c",
        "a == b or b == 0",
        PLACE.format(asked="xs[best]", kept="i"),
        PLACE.format(asked="best", kept="xs[i]"),
        PLACE.format(asked="i", kept="i"),
        POWER.format(ends="1", step="b * power(b, e - 1)"),
        POWER.format(ends="b", step="power(b, e - 1)"),
        POWER.format(ends="b", step="b * power(b, e - 1) + power(b, 0)"),
        POWER.format(ends="b", step="b * other(b, e - 1)"),
        "def f(b):\n    return b\n",
        "d = (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2",
        "d = a[1] - b[0]",
        "d = (a[0] - b[1]) ** 2 + (a[1] - b[0]) ** 2",
        "d = a[0] * b[0] + a[1] * c[0]",
    ],
)
def test_what_is_whole_or_says_nothing_is_left(source: str) -> None:
    assert list_made(source) == []


def test_a_power_ends_with_one_and_with_nothing_that_only_happens_to_be_one() -> None:
    found = find(POWER.format(ends="b", step="b * power(b, e - 1)"), "assert power(2, 3) == 8\nassert power(5, 0) == 1")
    best = found["patches"][0]
    assert "return 1" in best["texts"]["0"]
    assert "min(1, b)" not in best["texts"]["0"]


def test_what_comes_up_most_is_found_by_its_count() -> None:
    define = "def mode(xs):\n    counts = {}\n    for x in xs:\n        counts[x] = counts.get(x, 0) + 1\n    return max(counts)\n"
    found = find(define, "assert mode([1, 1, 2]) == 1\nassert mode([5, 3, 3]) == 3")
    assert "max(counts, key=counts.get)" in found["patches"][0]["texts"]["0"]
    smallest = [patch["rival"] for patch in found["patches"] if "min(counts)" in patch["texts"]["0"]]
    assert all(smallest), "the smallest key meets both checks by chance"
