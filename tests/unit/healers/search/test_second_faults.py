"""What is held back because a fault may be left beside the one that was mended, where no check comes to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from jupyter_selfheal.inside.search.added_statements import adds_statement
from jupyter_selfheal.inside.search.broken_laws import describe_broken_law, describe_unfinished
from jupyter_selfheal.inside.search.described_bounds import list_told_bounds, list_told_numbers
from jupyter_selfheal.inside.search.program import read_program
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.second_faults import is_weak, list_own_steps
from jupyter_selfheal.inside.search.wrapped_places import find_wrapped_place
from tests.unit.healers.search.searching import find

ONCE = "def once(xs):\n    kept = []\n    for n, x in enumerate(xs):\n        if {}:\n            kept.append(x)\n    return kept\n"
DOUBLES = [([2, 2, 1],), ([3, 3],), ([4, 5, 5],), ([7],), ([1, 1, 6, 6],)]
BY_COST = (
    "def by_cost(goods):\n    return sorted(goods, key=lambda good: good[1] if len(goods) > {} else 0, reverse=True)\n"
)
COSTS = [
    ([("tea", 3), ("jam", 5), ("nut", 9)],),
    ([("ink", 1), ("pen", 7), ("cap", 2)],),
    ([("oil", 2), ("rye", 4), ("fig", 8), ("yam", 1)],),
]
EACH = "def each(xs, more):\n    return xs + more{}\n"
BOTH = [([1, 3], [2]), ([], [4]), ([5], []), ([6, 7], [8])]
LETTERS = "def letters(words):\n    return ''.join(words)\n"
SPELT = [(["a", "b"],), (["c"],), (["x", "y", "z"],), (["q", "r", "s", "t"],)]
STREAK = "def streak(days):\n    best, now = {}, 0\n    for day in days:\n        now = now + 1 if day > 0 else 0\n        best = max(best, now)\n    return best\n"
STREAKS = [([1, 2, 0, 3],), ([4, 4, 4],), ([5],), ([0, 1],)]
ROOMS = "def rooms(plan):\n    return {} + sum(row.count(1) for row in plan)\n"
PLANS = [([[1, 0], [0, 1]],), ([[1, 0], [0, 0]],), ([[0, 0]],)]
LARGEST = "def largest(xs, count):\n    return sorted(xs)[::-1][:count]\n"
PLACE = "def place(new, row):\n    if new > row[-1]:\n        return len(row)\n    return {}\n"
PLACES = [(42, [1, 5, 10]), (7, [1, 5]), (0, [1, 4]), (1, [2, 3, 9])]
SPELL = "def spell(text):\n    return ' '.join(sorted({}))\n"
WORDS = [("the oak",), ("b a",), ("two ends",)]
ASKED = [([3, 1, 2], 2), ([5, 6], 1), ([9, 8, 7, 1], 3), ([4, 2], 2)]


def build_runner(text: str) -> Runner:
    return Runner(
        read_program({"units": [{"text": text, "role": "define", "mutable": True}]}), {"__name__": "__main__"}
    )


@pytest.mark.parametrize(
    ("text", "function", "checked", "words"),
    [
        (ONCE.format("not n or x != xs[n - 1]"), "once", DOUBLES, "has an item twice"),
        (ONCE.format("x not in kept"), "once", DOUBLES, ""),
        (ONCE.format("not n or x != xs[n - 1]"), "once", DOUBLES[:2], ""),
        (ONCE.format("True"), "once", [([1],), ([4, 3],), ([5, 9],), ([],)], ""),
        (BY_COST.format(2), "by_cost", COSTS, "is not in falling order by `[1]`"),
        (BY_COST.format(0), "by_cost", COSTS, ""),
        (EACH.format("[:1]"), "each", [*BOTH, ([2, 2, 2], [5])], "has not each item of what it is given (argument 2)"),
        (EACH.format(""), "each", [*BOTH, ([2, 2, 2], [5])], ""),
        (LETTERS, "letters", SPELT, ""),
        (LARGEST, "largest", ASKED, ""),
        (SPELL.format("text.split()"), "spell", WORDS, ""),
        (
            "def shift(text):\n    return ''.join(chr(ord(c) + 1) for c in text)\n",
            "shift",
            [("oak",), ("a",), ("ends",)],
            "",
        ),
        (SPELL.format("{*text.replace(' ', '')}"), "spell", WORDS, "has not the same items as what it is given"),
        (PLACE.format("0"), "place", PLACES, "is not its place in order"),
        (PLACE.format("sum(item < new for item in row)"), "place", PLACES, ""),
        (PLACE.format("sum(item <= new for item in row)"), "place", PLACES, ""),
        (PLACE.format("-1"), "place", PLACES, ""),
        (STREAK.format(1), "streak", STREAKS, "`streak([])` gives 1 with it, which is no number up to the length"),
        (STREAK.format(0), "streak", STREAKS, ""),
        (STREAK.format(1), "streak", [*STREAKS, ([],)], ""),
        (STREAK.format(1), "streak", [(days, 0) for (days,) in STREAKS], ""),
        (ROOMS.format(0), "rooms", PLANS, ""),
    ],
)
def test_a_law_of_all_checked_calls_that_another_call_breaks_is_a_doubt(
    text: str, function: str, checked: Sequence[tuple[Any, ...]], words: str
) -> None:
    doubt = describe_broken_law(build_runner(text), {}, function, checked, checked)
    assert words in doubt if words else not doubt


PAID = "def all_paid(bills):\n    for bill in bills:\n        if bill == 0:\n            return {}\n{}"
BILLS = [([1, 1],), ([0, 1],), ([0],), ([1],)]


@pytest.mark.parametrize(
    ("text", "checked", "is_doubted"),
    [
        (PAID.format("False", "        return True\n"), BILLS, True),
        (PAID.format("False", "    return True\n"), BILLS, False),
        (PAID.format("None", "        return True\n"), BILLS, False),
        (PAID.format("False", "        return True\n"), [*BILLS, ([],)], False),
        ("def say(bills):\n    print(bills)\n", BILLS, False),
        ("def find(bills):\n    for bill in bills:\n        if bill < 9:\n            return bill\n", BILLS, False),
    ],
)
def test_what_comes_to_its_end_where_each_check_expects_something_is_a_doubt(
    text: str, checked: Sequence[tuple[Any, ...]], is_doubted: bool
) -> None:
    function = text[4 : text.index("(")]
    assert bool(describe_unfinished(build_runner(text), {}, function, text, checked, checked)) is is_doubted


CLIMBS = """def count_climbs(heights):
    at = 1
    found = 0
    while at < len(heights):
        if heights[at] > heights[at - 1]:
            found += 1
    return found
"""
CLIMBED = """assert count_climbs([1, 2, 1]) == 1
assert count_climbs([3, 1, 2]) == 1
assert count_climbs([5, 4]) == 0
assert count_climbs([2]) == 0
assert count_climbs([7, 9]) == 1
assert count_climbs([1, 2, 3]) == 2
"""


@pytest.mark.parametrize(
    ("checks", "doubt"),
    [
        (CLIMBED, "`>=` for `>` passes the same checks, and `count_climbs([7, 7, 9])` gives 2 with it, not 1"),
        (CLIMBED + "assert count_climbs([4, 4, 6]) == 1\n", ""),
    ],
)
def test_what_is_put_in_is_held_back_where_a_likely_slip_beside_it_passes_the_same_checks(
    checks: str, doubt: str
) -> None:
    best = find(CLIMBS, checks)["patches"][0]
    assert ("`at += 1` is missing" in best["words"], best["rival"]) == (True, doubt)


WARM = """def count_warm(days, least):
    found = 0
    for day in days:
        if day > least:
            found += 2
    return found
"""
FEW_WARM = """assert count_warm([5, 9], 7) == 1
assert count_warm([8, 9, 1], 4) == 2
assert count_warm([], 3) == 0
assert count_warm([2], 6) == 0
assert count_warm([9, 9, 9], 5) == 3
"""


@pytest.mark.parametrize(
    ("more", "is_held"),
    [
        ("", True),
        ("assert count_warm([4, 6], 4) == 1\n", False),
        (
            "assert count_warm([1, 2, 8], 3) == 1\nassert count_warm([7], 1) == 1\nassert count_warm([6, 2], 5) == 1\n",
            False,
        ),
    ],
    ids=["few checks, none at the boundary", "one at the boundary", "many checks"],
)
def test_one_edit_that_few_checks_decide_about_is_held_back_where_a_likely_slip_beside_it_passes(
    more: str, is_held: bool
) -> None:
    best = find(WARM, FEW_WARM + more)["patches"][0]
    assert best["words"].startswith("`2` should be `1`")
    assert bool(best["rival"]) is is_held, best["rival"]
    assert not is_held or "`>=` for `>` passes the same checks" in best["rival"]


TOLD = """def is_free(age, student):
    {}
    return age < 5 and student
"""
FREE = "assert [is_free(4, False), is_free(20, True), is_free(40, False)] == [True, True, False]\n"


@pytest.mark.parametrize(
    ("docstring", "doubt"),
    [
        ('"""Children under five and students pay nothing."""', ""),
        ('"""Students, and who is 5 or older, pay."""', ""),
        ('"""Children up to five and students pay nothing."""', "`<=` for `<` passes the same checks"),
        ('"""Children and students pay nothing."""', "passes the same checks"),
        ('"""Children under six and students pay nothing."""', "passes the same checks"),
    ],
)
def test_a_number_and_a_boundary_that_the_docstring_tells_are_no_slips(docstring: str, doubt: str) -> None:
    best = find(TOLD.format(docstring), FREE)["patches"][0]
    assert best["words"].startswith("`and` should be `or`")
    assert doubt in best["rival"] if doubt else not best["rival"]


@pytest.mark.parametrize(
    ("docstring", "numbers", "bounds"),
    [
        ("Children under six.", {6}, {("<", 6), (">=", 6)}),
        ("No more than 12 items, each longer than -3.", {12, -3}, {(">", 12), ("<=", 12), (">", -3), ("<=", -3)}),
        ("At least 2.5, at most Seven.", {2.5, 7}, {("<", 2.5), (">=", 2.5), (">", 7), ("<=", 7)}),
        ("65 years or older; ten and fewer.", {65, 10}, {("<", 65), (">=", 65), (">", 10), ("<=", 10)}),
        ("Someone of x2, v1.2.3 or 3rd.", set(), set()),
    ],
)
def test_what_a_docstring_tells_of_numbers_is_read(
    docstring: str, numbers: set[float], bounds: set[tuple[str, float]]
) -> None:
    assert (list_told_numbers(docstring), list_told_bounds(docstring)) == (numbers, bounds)


def test_one_more_that_a_patch_adds_itself_is_no_slip_for_two_more() -> None:
    text = "f(n + 1, 1, m - 12, k -1)"
    edits = ((2, 3, "n + 1"), (5, 6, "1"), (8, 9, "m - 12"), (11, 12, "k -1"))
    assert list_own_steps(text, edits) == {6, 23}
    assert list_own_steps(text, ()) == set()


@pytest.mark.parametrize(
    ("checks", "missed", "weak"),
    [(4, 0.1, False), (5, 0.0, True), (7, 0.0, True), (8, 0.1, False), (2, 0.2, True), (12, 0.3, True)],
)
def test_checks_are_weak_by_their_number_and_by_what_they_miss(checks: int, missed: float, weak: bool) -> None:
    assert is_weak(checks, missed) is weak


GUARDED = "def f(xs):\n    if not xs:\n        return 0\n    total = 0\n    for x in xs:\n        total += x\n    return total\n"


@pytest.mark.parametrize(
    ("new", "is_added"),
    [
        (GUARDED, True),
        (GUARDED.replace("    if not xs:\n        return 0\n", "").replace("+= x\n", "+= x\n        last = x\n"), True),
        (GUARDED.replace("    if not xs:\n        return 0\n", "").replace("= 0", "= 1"), False),
        (GUARDED.replace("    if not xs:\n        return 0\n", "").replace("    return", "        return"), False),
    ],
)
def test_a_statement_that_was_not_there_is_one_more(new: str, is_added: bool) -> None:
    old = "def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total\n"
    assert adds_statement(old, new) is is_added


TURNS = "def f(xs, ys):\n    for i in {}:\n        if {}:\n            print(i)\n"


@pytest.mark.parametrize(
    ("loop", "old", "new", "place"),
    [
        ("range(len(xs))", "xs[i] == ys[i]", "xs[i - 1] == ys[i]", "xs[i - 1]"),
        ("range(0, len(xs))", "xs[i] == ys[i]", "xs[i] == ys[i - 1]", "ys[i - 1]"),
        ("range(1, len(xs))", "xs[i] == ys[i]", "xs[i - 1] == ys[i]", ""),
        ("range(len(xs))", "xs[i] == ys[i]", "i > 0 and xs[i - 1] == ys[i]", ""),
        ("range(len(xs))", "xs[i - 1] != ys[i]", "xs[i - 1] == ys[i]", ""),
        ("xs", "ys[i] == 0", "ys[i - 1] == 0", ""),
    ],
)
def test_an_index_that_is_moved_back_in_a_loop_from_0_is_the_last_one_first(
    loop: str, old: str, new: str, place: str
) -> None:
    assert find_wrapped_place(TURNS.format(loop, old), TURNS.format(loop, new)) == place
