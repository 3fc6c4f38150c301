"""How many checks come to what a patch changes, and what no check tells of a function that it changes: an unset variable, a loose `in`."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.candidates import Maker
from jupyter_selfheal.inside.search.localise_faults import trace_program
from jupyter_selfheal.inside.search.loose_membership import add_called, describe_loose_membership
from jupyter_selfheal.inside.search.near_failures import describe_unbound
from jupyter_selfheal.inside.search.program import compile_unit, read_program
from jupyter_selfheal.inside.search.reaching_checks import count_reaching
from jupyter_selfheal.inside.search.run_candidate import Runner
from tests.unit.healers.search.searching import find

STEPS = 100_000
FARES = """\
LEAST = 1

def fare(age, zones):
    if age < 6:
        return 0
    cost = zones * 2
    return cost

def group(ages, zones):
    total = 0
    for age in ages:
        total += fare(age, zones)
    return total
"""
FARE_CHECKS = """\
assert fare(5, 2) == 0
assert fare(9, 3) == 6
assert fare(30, 1) == 2
assert group([], 3) == 0
assert group([4, 3], 2) == 0
assert group([4, 30], 2) == 4
"""


def build_runner(text: str, checks: str) -> Runner:
    units = [
        *({"text": part, "role": "define", "mutable": True} for part in text.split("\n\n")),
        *({"text": line, "role": "check"} for line in checks.splitlines()),
    ]
    return Runner(read_program({"units": units}), {"__name__": "__main__"})


@pytest.mark.parametrize(
    ("unit", "old", "new", "count"),
    [
        (1, "return 0", "return 1", 3),
        (1, "zones * 2", "zones * 3", 3),
        (1, "    return cost", "    cost += 1\n    return cost", 3),
        (1, "    if age < 6:\n        return 0\n", "", 5),
        (1, "age < 6", "age <= 6", 5),
        (2, "total += fare", "total -= fare", 2),
        (2, "total = 0", "total = 1", 3),
        (1, "def fare(age, zones):", "def fare(age, zones=1):", 6),
        (0, "1", "2", 6),
        (1, "# ", "", 6),
    ],
)
def test_a_check_counts_that_comes_to_what_is_changed_with_the_patch_or_without_it(
    unit: int, old: str, new: str, count: int
) -> None:
    runner = build_runner(FARES, FARE_CHECKS)
    units = runner.program.units
    text = units[unit].text.replace(old, new)
    codes = {unit: compile_unit(runner.program, unit, text)}
    sight = trace_program(runner, STEPS)
    assert count_reaching(runner, sight, units, {unit: text}, codes) == count


ORDERS = """\
def is_single(code, orders):
    found = 0
    for order in orders:
        if {} order[1]:
            found += 1
    return found == 1

def list_own(name, orders):
    return [order for order in orders if order[0] == name]

def has_single(name, orders):
    for order in list_own(name, orders):
        if is_single(order[1], orders):
            return {}
    return False
"""
ORDER_CHECKS = """\
assert is_single("A", (("ann", "A"), ("bob", "A"))) == False
assert is_single("C", (("ann", "A"), ("bob", "B"))) == False
assert is_single("A", (("ann", "A"), ("ann", "B"))) == True
assert is_single("X7", (("ann", "X7"), ("bob", "X7"))) == False
assert len(list_own("ann", (("ann", "A"), ("bob", "B")))) == 1
assert len(list_own("bob", (("ann", "A"), ("ann", "B")))) == 0
assert len(list_own("ann", (("ann", "A"), ("ann", "B")))) == 2
assert len(list_own("cid", (("ann", "A"), ("cid", "B"), ("cid", "C"), ("cid", "D")))) == 3
assert len(list_own("zoe", (("ann", "A"), ("zoe", "C")))) == 1
assert len(list_own("ann", (("ann", "A"), ("zoe", "C"), ("zoe", "D")))) == 1
assert has_single("ann", (("ann", "A"), ("ann", "B"))) == True
assert has_single("ann", (("ann", "A"), ("bob", "A"))) == False
assert has_single("bob", (("ann", "A"), ("bob", "B"))) == True
assert has_single("dot", (("dot", "AB"), ("eve", "AB"))) == False
assert has_single("bob", (("bob", "AB"), ("bob", "A"), ("bob", "AB"))) == True
"""


def test_fifteen_checks_are_few_where_five_of_them_come_to_what_is_changed() -> None:
    best = find(ORDERS.format("code in", "True"), ORDER_CHECKS)["patches"][0]
    assert "another change that passes the same checks" in best["rival"]
    best = find(ORDERS.format("code ==", "None"), ORDER_CHECKS)["patches"][0]
    assert (best["words"], best["rival"]) == ("`None` should be `True`", "")


def ask_membership(text: str, checks: str) -> str:
    runner = build_runner(text, checks)
    maker = Maker(runner.program, runner.ns, {}, trace_program(runner, STEPS))
    return describe_loose_membership(runner, maker, {0: text}, {})


LATE = "def count_late(name, trips):\n    return sum(1 for trip in trips if name {} {})\n"
IN_TRIP, IN_NAME = LATE.format("in", "trip"), LATE.format("in", "trip[0]")
TRIPS = 'assert count_late("ann", (("ann", "bob"), ("cid", "ann"))) == 1\nassert count_late("zoe", (("ann", "bob"),)) == 0\n'
FOUND = TRIPS.replace('"ann"))) == 1', '"dan"))) == 1')


DIFFER = "def differ(days):\n    return all(x[0] != y[0] for x, y in zip(days, days[1:]))\n"
DAYS = 'assert differ([(3, "May"), (3, "May")]) == False\nassert differ([(1, "May"), (2, "May")]) == True\n'


@pytest.mark.parametrize(
    ("text", "checks", "doubt"),
    [
        (IN_TRIP, FOUND, "`name == trip[0]` for `name in trip` passes the same checks"),
        (IN_NAME, TRIPS, "`name == trip[0]` for `name in trip[0]` passes the same checks"),
        (LATE.format("not in", "trip[0]"), TRIPS.replace("== 0", "== 1"), "`name != trip[0]` for `name not in trip[0]` passes the same checks"),
        (IN_TRIP, FOUND + 'assert count_late("bob", (("ann", "bob"),)) == 1\n', ""),
        (IN_NAME, TRIPS + 'assert count_late("nn", (("ann", "bob"),)) == 1\n', ""),
        (IN_NAME, 'assert count_late("zoe", (("ann", "bob"), ("eve", "ann"))) == 0\n', ""),
        (IN_NAME, 'assert count_late("ann", ((["ann"], 1), (["zoe"], 2))) == 1\n', ""),
        (LATE.format("==", "trip[0]"), TRIPS, ""),
        (DIFFER, DAYS, "`x != y` for `x[0] != y[0]` passes the same checks"),
        (DIFFER, DAYS + 'assert differ([(3, "May"), (3, "July")]) == False\n', ""),
        (DIFFER, 'assert differ([[3, "May"], [3, "May"]]) == False\n', ""),
        (DIFFER.replace("y[0]", "y[1]"), 'assert differ([(3, 4), (5, 3)]) == False\n', ""),
        (LATE.format("in", '("ann", "bob")'), "assert count_late('ann', [1]) == 1\n", ""),
    ],
)  # fmt: skip
def test_a_membership_is_loose_where_an_equality_passes_the_same_checks(text: str, checks: str, doubt: str) -> None:
    assert ask_membership(text, checks) == doubt


def test_what_a_changed_function_calls_is_looked_at_with_it() -> None:
    units = build_runner(FARES, FARE_CHECKS).program.units
    assert list(add_called(units, {2: units[2].text})) == [2, 1]
    assert list(add_called(units, {1: units[1].text})) == [1]


LATEST = """\
def is_late(name, visits):
{}    for visit in visits:
        if visit[0] == name:
            late = visit[1] > 20
    return late
"""
VISITS = [("ann", [("ann", 9), ("bob", 21)]), ("bob", [("bob", 21)]), ("bob", [("cid", 8), ("bob", 3)])]


@pytest.mark.parametrize(
    ("first", "checked", "is_doubted"),
    [("", VISITS, True), ("    late = False\n", VISITS, False), ("", VISITS[1:2], True), ("", [], False)],
)
def test_a_variable_that_nothing_sets_for_a_call_like_the_checked_ones_is_a_doubt(
    first: str, checked: list[tuple[str, list[tuple[str, int]]]], is_doubted: bool
) -> None:
    runner = build_runner(LATEST.format(first), "")
    assert ("UnboundLocalError" in describe_unbound(runner, {}, "is_late", checked, checked)) is is_doubted
