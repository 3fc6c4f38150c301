"""Changes that meet a check and are not what is meant: what the check asks about is lost, or the caller may be at fault."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal.inside.search.lost_names import (
    find_counted_name,
    find_doubled_name,
    find_dropped_name,
    find_exchanged_call,
    find_left_unread,
    find_lost_name,
    find_lost_recursion,
    find_unread_items,
)
from jupyter_selfheal.inside.search.program import Unit
from tests.unit.healers.search.searching import find

BMI = "def bmi(weight_kg, height_m):\n    return weight_kg / height_m ** 2"
SWAPPED = "def bmi(weight_kg, height_m):\n    return height_m / weight_kg ** 2"


def make_units(*texts: str) -> list[Unit]:
    return [Unit(t, "check" if t.startswith("assert") else "cell") for t in texts]


def test_what_a_function_or_its_caller_may_have_mixed_up_is_only_offered() -> None:
    reply: dict[str, Any] = find(BMI, "b = bmi(1.80, 81)\nassert 18 < b < 30")
    assert all(p["rival"] for p in reply["patches"])
    assert reply["patches"][0]["rival"] == "the arguments of `bmi(1.8, 81)` may be in the wrong order"


def test_a_check_that_calls_by_itself_says_the_order() -> None:
    reply = find("def power(a, b):\n    return b ** a", "assert power(2, 3) == 8\nassert power(3, 2) == 9")
    assert reply["patches"][0]["rival"] == ""


@pytest.mark.parametrize(
    ("call", "other", "found"),
    [
        ("b = bmi(1.8, 81)", "b = bmi(81, 1.8)", "bmi(1.8, 81)"),
        ("b = bmi(weight_kg, height_m)", "b = bmi(height_m, weight_kg)", ""),
        ("b = bmi(1.8, 81)", "b = bmi(1.8, 82)", ""),
        ("b = body(1.8, 81)", "b = body(81, 1.8)", ""),
    ],
)
def test_a_call_is_doubted_where_only_the_order_of_its_arguments_differs(call: str, other: str, found: str) -> None:
    assert find_exchanged_call({0: SWAPPED}, make_units(BMI, call), [{0: SWAPPED}, {1: other}]) == found


@pytest.mark.parametrize(
    ("new", "lost"),
    [
        ("full = customers.merge(customers)", "orders"),
        ("full = orders.merge(customers, how='left')", ""),
        ("full = orders.copy()", ""),  # the check says nothing of customers
    ],
)
def test_what_the_check_asks_about_is_still_read(new: str, lost: str) -> None:
    units = make_units("full = orders.merge(customers)", "assert len(full) == len(orders)")
    assert find_lost_name({0: new}, units) == lost


@pytest.mark.parametrize(
    ("old", "new", "doubled"),
    [
        ("full = orders.merge(customers)", "full = orders.merge(orders)", "orders"),
        ("d = a - b", "d = b - b", "b"),
        ("same = a < b", "same = a < a", "a"),
        ("s = a * a - b", "s = a * a - c", ""),
        ("d = a - b", "d = b - a", ""),
        ("def f(a, b):\n    return a * b", "def f(a, b):\n    return a * a", ""),
        (
            "def f(t):\n    return max(g(t['l']), g(t['r']))",
            "def f(t):\n    return max(g(t['l']), g(t['l']))",
            "g(t['l'])",
        ),
        ("def f(t):\n    return t.a or t.b", "def f(t):\n    return t.a or t.a", "t.a"),
        ("def f(t):\n    return t[0] - t[1]", "def f(t):\n    return t[1] - t[1]", "t[1]"),
        (
            "def f(p, q):\n    return (p.x - q.x) * (p.x - q.y)",
            "def f(p, q):\n    return (p.x - q.x) * (p.x - q.x)",
            "",
        ),
        ("def f(t):\n    return t.x * t.y", "def f(t):\n    return t.x * t.x", ""),
        ("def f(t):\n    return g(t.a, t.a) + 1", "def f(t):\n    return g(t.a, t.a) + 2", ""),
    ],
)
def test_a_statement_that_combines_a_name_with_itself_is_doubted(old: str, new: str, doubled: str) -> None:
    assert find_doubled_name({0: new}, make_units(old)) == doubled


@pytest.mark.parametrize(
    ("new", "dropped"),
    [
        ("full = orders", "customers"),
        ("full = orders.merge(people)", ""),
        ("full = orders.merge(customers, how='left')", ""),
    ],
)
def test_a_statement_that_only_reads_less_is_doubted(new: str, dropped: str) -> None:
    assert find_dropped_name({0: new}, make_units("full = orders.merge(customers)")) == dropped


@pytest.mark.parametrize(
    ("check", "counted"),
    [
        ("assert len(full) == len(orders)", "full"),
        ("assert len(full) == len(orders) and full[0] == 1", ""),
        ("assert orders == 3", ""),
        ("assert full.isnull().sum() == 1 and full.shape == (2, 3)", "full"),
        ("assert np.isnan(full).any()", "full"),
        ("assert full.isnull().sum() == 1 and full.sum() == 3", ""),
        ("assert len(set(full)) == 5", "full"),
        ("assert len(full['city'].unique()) == 2 and len(sorted(full)) == 5", ""),
        ("assert len(list(full.dropna().keys())) == 2", "full"),
        ("assert set(full) == {1, 2}", ""),
        ("assert len(set(map(str, full))) == 2", ""),
        ("assert len(full.unique(3)) == 2", ""),
    ],
)
def test_what_is_asked_for_its_length_alone_is_doubted(check: str, counted: str) -> None:
    units = make_units("full = orders.merge(customers)", check)
    assert find_counted_name({0: "full = sorted(orders)"}, units) == counted


@pytest.mark.parametrize(
    ("old", "new", "unread"),
    [
        (
            "for line in ['1', 'x']:\n    total += int(line)",
            "for line in range(len(['1', 'x'])):\n    total += int(line)",
            "['1', 'x']",
        ),
        ("def f(xs):\n    return sum(x for x in xs)", "def f(xs):\n    return sum(x for x in range(len(xs)))", "xs"),
        ("for i in xs:\n    print(xs[i])", "for i in range(len(xs)):\n    print(xs[i])", ""),
        ("n = 0\nfor x in xs:\n    n += 1", "n = len(xs)", "xs"),
        ("for i in range(len(xs)):\n    print(i)", "for i in range(len(xs) - 1):\n    print(i)", ""),
        ("for x in xs:\n    print(x)", "for i, x in enumerate(xs):\n    print(i / len(xs))", ""),
    ],
)
def test_a_loop_that_only_counts_what_it_went_through_is_doubted(old: str, new: str, unread: str) -> None:
    assert find_unread_items({0: new}, make_units(old)) == unread


def test_a_stored_sum_is_not_met_by_counting_the_items() -> None:
    total = "def total(lines):\n    s = 0\n    for line in lines:\n        s += int(line)\n    return s"
    reply = find(total, "assert total(['1', '2', 'x', '3']) == 6")
    counts = [p for p in reply["patches"] if "range(len(" in str(p["texts"])]
    assert counts
    assert all(p["rival"] for p in counts)


PLACE = "class Race:\n    def place(self, name):\n        mine = self.times[name]\n        {}\n"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (PLACE.format("pass"), PLACE.format("return len(name)"), "mine"),
        (PLACE.format("pass"), PLACE.format("return mine"), ""),
        (PLACE.format("pass"), PLACE.format("return sum(t <= mine for t in self.times)"), ""),
        (PLACE.format("return 1"), PLACE.format("return len(name)"), ""),
        (PLACE.replace("mine", "_").format("pass"), PLACE.replace("mine", "_").format("return len(name)"), ""),
        ("def f(a):\n    b = a + 1", "def f(a):\n    b = a + 1\n    return a", "b"),
        ("def f(a):\n    x, y = a", "def f(a):\n    x, y = a\n    return y", ""),
    ],
)
def test_what_is_returned_is_made_of_what_was_worked_out(old: str, new: str, found: str) -> None:
    assert find_left_unread({0: new}, make_units(old)) == found


NESTED = "def total(items):\n    return sum({} if isinstance(i, list) else i for i in items)\n"


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        (NESTED.format("total(i[0])"), NESTED.format("sum(i)"), "total"),
        (NESTED.format("total(i[0])"), NESTED.format("total(i)"), ""),
        (NESTED.format("sum(i)"), NESTED.format("len(i)"), ""),
        (
            "class A:\n    def f(self, n):\n        return self.f(n)\n",
            "class A:\n    def f(self, n):\n        return n\n",
            "f",
        ),
        (
            "class A:\n    def f(self, n):\n        return self.g(n)\n",
            "class A:\n    def f(self, n):\n        return n\n",
            "",
        ),
    ],
)
def test_a_function_that_no_longer_calls_itself_is_doubted(old: str, new: str, lost: str) -> None:
    assert find_lost_recursion({0: new}, make_units(old)) == lost
