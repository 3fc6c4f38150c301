"""What few checks do not come to: an index that leaves the list, a name that nothing defines, the first or the last of two."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.empty_inputs import asks_for_empty, looks_up
from jupyter_selfheal.inside.search.first_or_last import list_kept
from jupyter_selfheal.inside.search.near_failures import find_unknown_name, list_near_inputs
from tests.unit.healers.search.test_several_edits import find

PLACE = """\
def place(x, xs):
    for i in range(len(xs)):
        if xs[i] < x:
            continue
        elif xs[{}] < x:
            return len(xs)
        else:
            return i
    return len(xs) - 1
"""
ABOVE = "assert place(42, [-5, 1, 3, 7]) == 4\nassert place(40, (1, 5)) == 2\n"


def rival(definition: str, checks: str) -> str:
    patches = find(definition, checks)["patches"]
    assert patches
    return str(patches[0]["rival"])


def test_an_index_that_leaves_a_list_like_the_checked_ones_is_a_fault_that_is_left() -> None:
    assert rival(PLACE.format("len(xs)"), ABOVE).endswith("raises IndexError with it")
    assert "IndexError" not in rival(PLACE.format("-1"), ABOVE)


CALLS = {
    "the length is free": ([(2, [1, 4, 6]), (1, [3, 5])], True),
    "always two": ([([1, 2],), ([4, 3],)], False),
    "rows": ([([[1], [2]],), ([[3]],)], False),
    "texts": ([("12:30",), ("1:2",)], False),
    "two lists": ([([1, 2], [3]), ([3], [4, 5])], False),
}


@pytest.mark.parametrize(("calls", "has_some"), CALLS.values(), ids=CALLS)
def test_only_a_list_of_any_length_is_varied(calls: list[tuple[object, ...]], has_some: bool) -> None:
    inputs = list_near_inputs(calls, calls, "f")
    assert bool(inputs) == has_some
    for number, items in (i.arguments for i in inputs):
        assert 0 <= abs(number) < len(items)  # it may be a place in the list


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("def f(xs):\n    if xs:\n        return 1\n    return limt\n", "limt"),
        ("def f(xs):\n    if xs:\n        return limit\n    return len(xs)\n", ""),
        ("def f(xs):\n    def g(y):\n        return y + len(xs)\n    return [g(x) for x in xs]\n", ""),
        ("def f(xs):\n    import math\n    return math.pi\n", ""),
        ("def f(xs):\n    return f(xs[1:]) if xs else __name__\n", ""),
        ("class A:\n    size = 3\n    def f(self):\n        return self.size\n", ""),
    ],
)
def test_a_name_that_nothing_defines(text: str, name: str) -> None:
    assert find_unknown_name(text, {"limit", "f"}) == name


def test_a_name_of_the_cell_or_of_the_session_is_known() -> None:
    text = "RATE = 3\ndef f(xs):\n    if not xs:\n        return {}\n    return sum(xs) - RATE\n"
    checks = "assert f([1, 2]) == 6\nassert f([2, 2]) == 7\n"
    assert rival(text.format("RATE"), checks) == ""
    assert rival(text.format("RTAE"), checks) == "`RTAE` is defined nowhere"


def test_a_function_that_asks_whether_its_list_is_empty_means_such_a_list() -> None:
    text = "def high(xs):\n    best = xs[0]\n    for x in xs:\n        if x < best:\n            best = x\n    return best\n"
    checks = "assert high((1, 4, 2)) == 4\nassert high((7, 5)) == 7\n"
    assert rival(text, checks) == ""
    asked = text.replace("    best = xs[0]\n", "    if xs == []:\n        return 0\n    best = xs[0]\n")
    assert rival(asked, checks) == "`high(())` raises IndexError with it"


@pytest.mark.parametrize(("text", "asks"), [
    ("if xs == []:", True), ("if not xs:", True), ("if x or not xs:", True), ("if len(xs) == 0:", True), ("while len(xs) < 1:", True),
    ("if x == 0:", False), ("if not xs[0]:", False), ("if not seen(x):", False), ("if len(xs) == 1:", False), ("if len(xs) < 10:", False),
])  # fmt: skip
def test_what_asks_for_an_empty_list(text: str, asks: bool) -> None:
    assert asks_for_empty(text) == asks


@pytest.mark.parametrize(("calls", "is_so"), [
    ([(42, [1, 5]), (3, [7])], True), ([("tea", {"tea": 1})], True), ([([1, 5], 1), ([7, 8, 9], 3)], False), ([([1, 5],), ([7],)], False),
    ([([1], [2])], False), ([([3], len)], False), ([(1, 2)], False), ([], False),
])  # fmt: skip
def test_what_is_looked_for_in_a_collection(calls: list[tuple[object, ...]], is_so: bool) -> None:
    assert looks_up(calls) == is_so


def test_of_an_empty_list_the_answer_is_that_it_is_not_there() -> None:
    text = (
        "def place(x, xs):\n    if x >= xs[-1]:\n        return len(xs)\n    return [y >= x for y in xs].index(True)\n"
    )
    checks = "assert place(9, [1, 5, 9]) == 2\nassert place(42, [1, 5, 7]) == 3\nassert place(0, [3, 8]) == 0\n"
    assert rival(text, checks) == "`place(9, [])` raises IndexError with it"
    assert rival(text, checks + "assert place(4, []) == 0\n") != "`place(9, [])` raises IndexError with it"


FOUND = "def find(xs):\n    found = -1\n    for {}:\n        if {}:\n            {}\n    return found\n"


def test_the_first_may_be_meant_where_the_last_is_kept() -> None:
    wrong = FOUND.format("x in xs", "x % 2 == 1", "found = x")
    checks = "assert find([1, 4, 7]) == 4\nassert find([1, 3]) == -1\n"
    words = "`found` is of the last with `x % 2 != 1`, and no check has two to tell whether the first is meant"
    assert rival(wrong, checks) == words
    assert rival(wrong, checks.replace("[1, 4, 7]) == 4", "[2, 4, 7]) == 4")) == ""


@pytest.mark.parametrize(("loop", "asked", "body"), [
    ("x in xs", "x > found", "found = x"),  # the greatest so far
    ("x in xs", "x > 3", "found = True"),  # the same each time
    ("x in xs", "x > 3", "found = x\n            break"),
    ("x in xs", "x > 3", "found += x"),
    ("name, x in xs", "name == 'Bo'", "found = x"),  # there mostly is one
    ("i in range(len(xs))", "xs[i] == 3", "found = i"),
    ("row in xs", "row[0] == 3", "found = row"),
])  # fmt: skip
def test_nothing_is_asked_of_what_is_no_choice_of_two(loop: str, asked: str, body: str) -> None:
    assert list_kept(FOUND.format(loop, asked, body)) == []
