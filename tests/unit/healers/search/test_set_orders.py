"""Guesses that hang on an order or on a number by chance: they are offered, after what is likelier."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal.inside.search.mutations.expressions import propose_divisors
from jupyter_selfheal.inside.search.program import Unit
from jupyter_selfheal.inside.search.scope import Scope
from jupyter_selfheal.inside.search.set_orders import find_set_order
from tests.unit.healers.search.searching import find

UNIQUE = "def unique(xs):\n    out = []\n    for x in xs:\n        out.append(x)\n    return out"


@pytest.mark.parametrize(
    ("old", "new", "ordered"),
    [
        (UNIQUE, UNIQUE.replace("in xs", "in set(xs)"), "set(xs)"),
        ("ys = list(xs)", "ys = list(set(xs))", "set(xs)"),
        ("t = ', '.join(words)", "t = ', '.join(set(words))", "set(words)"),
        ("ys = [f(x) for x in xs]", "ys = [f(x) for x in {*xs}]", "{*xs}"),
        ("ys = list(xs)", "ys = sorted(set(xs))", ""),
        ("n = len(xs)", "n = len(set(xs))", ""),
        ("ys = list(set(xs))", "ys = list(set(xs))[1:]", ""),  # it was so before
        ("for x in xs:\n    total += x", "for x in set(xs):\n    total += x", ""),
        (UNIQUE, UNIQUE.replace("in xs", "in set(xs)").replace("return out", "return sorted(out)"), ""),
    ],
)
def test_a_set_whose_order_a_change_hands_on(old: str, new: str, ordered: str) -> None:
    assert find_set_order({0: new}, [Unit(old, "cell")]) == ordered


def test_a_list_without_repeats_made_of_a_set_is_only_offered() -> None:
    reply = find(UNIQUE, "assert unique([1, 2, 2, 3]) == [1, 2, 3]")
    through_sets = [p for p in reply["patches"] if "set(xs)" in str(p["texts"])]
    assert through_sets
    assert all(p["rival"] for p in through_sets)


def test_a_number_that_the_one_check_names_comes_after_what_is_no_number() -> None:
    count = (
        "def count(s):\n    counts = {}\n    for c in s:\n        if c in counts:\n            counts[c] = 1\n"
        "        else:\n            counts[c] = 1\n    return counts"
    )
    reply = find(count, "assert count('aab') == {'a': 2, 'b': 1}")
    assert "counts[c] += 1" in str(reply["patches"][0]["texts"])


def test_a_sum_is_divided_by_how_many_there_are_sooner_than_by_a_mean_and_one() -> None:
    variance = "def var(xs):\n    m = sum(xs) / len(xs)\n    return sum((x - m) ** 2 for x in xs) / m"
    reply: dict[str, Any] = find(variance, "assert var([1, 2, 3, 6]) == 3.5")
    assert reply["patches"][0]["words"].startswith("`m` should be `len(xs)`")
    assert all(p["rival"] for p in reply["patches"] if "(m + 1)" in str(p["texts"]))


@pytest.mark.parametrize(
    ("divided", "meant"),
    [
        ("sum(xs) / n", ["len(xs"]),
        ("sum(x * x for x in xs) // n", ["len(xs"]),
        ("sum(xs) / len(xs)", []),
        ("sum(x for x in xs if x) / n", []),  # of those that are counted, not of all
        ("sum(f(x) for x in rows()) / n", []),
        ("max(xs) / n", []),
    ],
)
def test_what_a_sum_is_divided_by(divided: str, meant: list[str]) -> None:
    scope = Scope(f"def f(xs, n):\n    return {divided}")
    assert [c.edits[0][2].strip("()") for node in scope.order for c in propose_divisors(scope, node)] == meant
