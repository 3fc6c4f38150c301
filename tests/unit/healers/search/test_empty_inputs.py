"""What few checks leave out is called with nothing in it: a fault that shows there is a fault that is left."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from jupyter_selfheal.inside.search.empty_inputs import describe_new_failure, list_empty_inputs
from jupyter_selfheal.inside.search.program import compile_unit, read_program
from jupyter_selfheal.inside.search.run_candidate import Runner
from tests.unit.healers.search.searching import find

LAST = """\
def spread(xs):
    out = []
    low = min(xs, default=0)
    for x in xs:
        step = x + low
        out.append(step)
    {}
"""
CHECKS = "assert spread([1, 5, 3]) == [0, 4, 2]\nassert spread([2, 2, 7]) == [0, 0, 5]\n"


def rival(definition: str, checks: str) -> str:
    patches = find(definition, checks)["patches"]
    assert patches
    return str(patches[0]["rival"])


def test_a_variable_that_only_a_loop_binds_is_a_fault_that_is_left() -> None:
    assert rival(LAST.format("return out if step > low or True else []"), CHECKS) == (
        "`spread([])` raises UnboundLocalError with it"
    )
    assert rival(LAST.format("return out"), CHECKS) == ""


def test_a_check_of_what_is_empty_settles_it() -> None:
    checks = CHECKS + "assert spread([]) == []\n"
    assert rival(LAST.format("return out"), checks) == ""


def test_a_list_of_a_list_is_not_meant_to_raise_for_an_empty_one() -> None:
    definition = (
        "def run(xs):\n    out = [xs[0]]\n    for x in xs[1:]:\n        out.append(out[-1] - x)\n    return out\n"
    )
    checks = "assert run([1, 2, 3]) == [1, 3, 6]\nassert run([5, 0, 2]) == [5, 5, 7]\n"
    assert rival(definition, checks) == "`run([])` raises IndexError with it"


def test_a_number_of_a_list_may_raise_for_an_empty_one() -> None:
    definition = "def spread(xs):\n    low = high = xs[0]\n    for x in xs:\n        low = min(low, x)\n        high = max(high, x)\n    return high + low\n"
    assert rival(definition, "assert spread([1, 5, 3]) == 4\nassert spread([2, 2, 7]) == 5\n") == ""


class Unclear:
    """As an array of several numbers is."""

    def __bool__(self) -> bool:
        raise ValueError("The truth value of an array is ambiguous")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unclear)

    __hash__ = None  # type: ignore[assignment]


class Point(NamedTuple):
    x: int
    y: int


@pytest.mark.parametrize(
    ("calls", "empty"),
    [
        ([([1], 2)], [([], 2)]),
        ([([1], {"a": 1})], [([], {"a": 1}), ([1], {})]),
        ([([1],), ([],)], []),
        ([("a", 1)], []),
        ([(Unclear(), [1])], [(Unclear(), [])]),
        ([([1],), (Unclear(),)], [([],)]),
        ([(Point(1, 2), 3)], []),
        ([], []),
    ],
)
def test_one_collection_at_a_time_is_emptied(calls: list[tuple[object, ...]], empty: list[tuple[object, ...]]) -> None:
    assert [i.arguments for i in list_empty_inputs({"f": calls}, ["f", "g"])] == empty


UNTOLD = """\
def order(xs):
    if xs == ():
        return xs
    done = []
    rest = list(xs)
    while rest:
        least = rest[0]
        for x in rest:
            if x < least:
                least = x
        rest.remove(least)
        done.append(least)
    return done.clear()
"""


def test_a_patch_that_leads_past_most_of_its_function_is_only_offered() -> None:
    first = find(UNTOLD, "assert order([1, 2]) == [1, 2]\nassert order([0, 5, 7]) == [0, 5, 7]\n")["patches"][0]
    assert first["words"] == "`==` should be `!=`"
    assert first["rival"] == "most of `order` is run by no check"


FIRST = "def first_above(xs, x):\n    if xs[-1] <= x:\n        return len(xs)\n    for i in range(len(xs)):\n        if xs[i] > x:\n            return i\n"


@pytest.mark.parametrize(
    ("more", "is_told"),
    [("", True), ("assert first_above([4, 6, 9], 5) == 1\nassert first_above([4], 9) == 1\n", False)],
)
def test_what_changes_for_an_empty_list_alone_needs_more_checks_of_others(more: str, is_told: bool) -> None:
    found = find(FIRST, f"assert first_above([], 3) == 0\nassert first_above([1, 3, 8], 3) == 2\n{more}")["patches"]
    assert ("only what an empty collection gives" in found[0]["rival"]) == is_told
    assert is_told or not found[0]["rival"]


MORSE = """\
def worth(coins):
    values = {"c": 1, "n": 5, "d": 10}
    total = 0
    for i in range(len(coins)):
        total += values[coins[i]] * (1 if i % 2 else 2)
    return total
"""


@pytest.mark.parametrize(
    ("old", "new", "is_doubted"),
    [
        ("    return total", "    return total + values[coins[-1]]", True),
        ("    return total", "    return total + values[coins[-1]] if coins else 0", False),
        ("2)", "3)", False),
    ],
)
def test_what_raises_for_an_empty_text_and_gave_a_value_before_is_doubted(old: str, new: str, is_doubted: bool) -> None:
    program = read_program(
        {
            "units": [
                {"text": MORSE, "role": "define", "mutable": True},
                {"text": "assert worth('c') == 2", "role": "check"},
            ]
        }
    )
    space: dict[str, object] = {"__name__": "__main__"}
    exec(MORSE, space)
    codes = {0: compile_unit(program, 0, MORSE.replace(old, new))}
    doubt = describe_new_failure(Runner(program, space), codes, {"worth": [("cc",), ("n",)]}, "worth")
    assert bool(doubt) == is_doubted
    assert not is_doubted or doubt == "`worth('')` raises IndexError with it, and gave 0 before"


SEATS = """\
def seat(names, rooms):
    table = {{}}
    i = 0
    while {}:
        table[names[i]] = rooms[i] + 0
        i += 1
    return table
"""
SEATED = (
    "assert seat(['ann'], [1]) == {'ann': 2}\nassert seat(['ann', 'bob'], [1, 4]) == {'ann': 2, 'bob': 5}\n"
    "assert seat(['ann'], [3, 5]) == {'ann': 4}\nassert seat([], []) == {}\nassert seat(['cy', 'di'], [7, 8]) == {'cy': 8, 'di': 9}\n"
)


@pytest.mark.slow
def test_of_two_lists_the_other_may_be_longer_where_a_check_has_one_that_is() -> None:
    assert rival(SEATS.format("i < len(names)"), SEATED) == "`seat(['ann', 'bob'], [1])` raises IndexError with it"
    assert rival(SEATS.format("i < len(names) and i < len(rooms)"), SEATED) == ""
    even = SEATED.replace("[3, 5]", "[3]")
    assert rival(SEATS.format("i < len(names)"), even) == ""
