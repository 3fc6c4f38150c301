"""One number is met by some combination of a few others; and a loop that is emptied asks nothing."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.exact_divisions import note_division
from jupyter_selfheal.inside.search.idle_loops import change_rounds
from jupyter_selfheal.inside.search.oracle_strength import find_shift
from jupyter_selfheal.inside.search.other_operands import describe_other_operands
from jupyter_selfheal.inside.search.shallow_changes import describe_shallow_change
from tests.unit.healers.search.searching import find

PRIME = "def is_prime(n):\n    for i in range(2, n):\n        if n % i == 0:\n            return False\n    return True"


@pytest.mark.parametrize(
    ("old", "new", "is_doubted"),
    [
        ("y = price - percent", "y = price - percent - percent", True),
        ("y = price - percent", "y = price - percent * price", True),
        ("y = w * h", "y = w * h - w", True),
        ("y = sum(xs) / len(xs)", "y = len(xs)", True),
        ("def f(a, b):\n    return a - b", "def f(a, b):\n    a -= b\n    return a - b", True),
        ("y = w + h", "y = w * h", False),
        ("y = w * h", "y = w * h * depth", False),
        ("y = days + 1", "y = days", False),
        ("y = sum(range(n))", "y = sum(range(n + 1))", False),
        ("y = sum(xs) / len(marks)", "y = sum(xs) / len(xs)", False),
        ("for x in xs:\n    s = 0", "for x in xs:\n    s = 0\n    s += x", False),
    ],
)
def test_an_operand_more_or_less_is_doubted(old: str, new: str, is_doubted: bool) -> None:
    assert bool(describe_other_operands(old, new)) is is_doubted


@pytest.mark.parametrize(
    ("old", "new", "checks", "is_doubted"),
    [
        ("perm = READ and WRITE", "perm = READ and WRITE + 1", 1, True),
        ("total = price * count", "total = price * count - 1", 1, True),
        ("total = price * count", "total = price * count - 1", 2, False),
        ("last = xs[len(xs)]", "last = xs[len(xs) - 1]", 1, False),
        ("total = sum(range(n))", "total = sum(range(n + 1))", 1, False),
        ("head = xs[:n]", "head = xs[:n + 1]", 1, False),
        ("ok = n < size", "ok = n < size + 1", 1, False),
        ("perm = READ and WRITE", "perm = READ | WRITE", 1, False),
    ],
)
def test_a_number_that_is_added_for_a_single_check_is_doubted(
    old: str, new: str, checks: int, is_doubted: bool
) -> None:
    assert bool(describe_other_operands(old, new, checks)) is is_doubted


def test_one_number_does_not_ask_for_another_combination() -> None:
    """The percentage was meant, and the assert is wrong: neither is what subtracting twice, or taking the length, says."""
    for program, check in (
        ("def discount(price, percent):\n    return price - percent", "assert discount(200, 10) == 180"),
        ("def mean(xs):\n    return sum(xs) / len(xs)", "assert mean([2, 4, 6]) == 3"),
    ):
        assert all(p["rival"] for p in find(program, check)["patches"])


def test_another_operator_is_still_sure() -> None:
    assert find("def area(w, h):\n    return w + h", "assert area(3, 5) == 15")["patches"][0]["rival"] == ""


def test_a_loop_that_has_no_round_any_more_is_doubted() -> None:
    patches = find(PRIME, "assert is_prime(7)\nassert not is_prime(1)")["patches"]
    emptied = [p["rival"] for p in patches if "range(n, 2)" in p["texts"]["0"]]
    assert emptied == ["`range(n, 2)` has no round wherever there were some before"]


def test_what_a_loop_goes_through_is_told_where_nothing_else_differs() -> None:
    old, new = "for i in range(n):\n    f(i)", "for i in range(1, n):\n    f(i)"
    changed = change_rounds(old, new)
    assert changed is not None
    assert changed[1] == "range(1, n)"
    assert change_rounds(old, old) is None
    assert change_rounds(old, "for i in range(next(it)):\n    f(i)") is None
    assert change_rounds(old, "for i in xs:\n    f(i)") is None


@pytest.mark.parametrize(
    ("old", "new", "division"),
    [
        ("q = month // 3 + 1", "q = month // 3", "month // 3"),
        ("q = month // 3 + 1", "q = (month - 1) // 3 + 1", "(month - 1) // 3"),
        ("y = xs[len(xs) // 2]", "y = sorted(xs)[len(xs) // 2]", ""),
        ("y = a / 2", "y = a / 3", ""),
        ("y = a * b % x", "y = a * b / x", "a * b / x"),
        ("y = f - 32 * 5 / 9", "y = (f - 32) * 5 / 9", ""),
        ("y = xs[n // 2]", "if n % 2 == 0:\n    y = xs[n // 2 - 1]\nelse:\n    y = xs[n // 2]", ""),
    ],
)
def test_the_division_of_what_is_reckoned_otherwise_is_noted(old: str, new: str, division: str) -> None:
    noted = note_division(old, new)
    assert (noted[1] if noted else "") == division


@pytest.mark.slow
def test_a_division_without_a_rest_does_not_tell_which_way_it_rounds() -> None:
    program = "def group(n):\n    return n % 3"
    (first, *_) = find(program, "assert group(3) == 1\nassert group(12) == 4")["patches"]
    assert first["rival"] == "`n // 3` leaves no rest in any check, and none tells which way it is to round"
    seconds = "def minutes(t):\n    return t / 60"
    checks = "assert minutes(130) == 2\nassert minutes(59) == 0\nassert minutes(60) == 1"
    assert find(seconds, checks)["patches"][0]["rival"] == ""


def test_a_new_division_without_a_rest_does_not_tell_whether_a_whole_number_is_meant() -> None:
    program = "def lcm(a, b):\n    x, y = a, b\n    while y:\n        x, y = y, x % y\n    return a * b % x"
    patches = find(program, "assert lcm(4, 6) == 12\nassert lcm(3, 5) == 15\nassert lcm(7, 7) == 7")["patches"]
    assert {p["words"] for p in patches} == {"`%` should be `//`", "`%` should be `/`"}
    assert [p["rival"][-36:] for p in patches if "//" not in p["words"]] == [
        "tells whether a whole number is meant"[-36:]
    ]
    assert all(p["rival"] for p in patches)


@pytest.mark.parametrize(
    "more", ["assert mean([1, 2]) == 1.5", "assert mean([2.0, 4.0]) == 3", "assert mean([1, 5]) == 3.0"]
)
def test_a_division_with_a_rest_or_of_no_whole_numbers_tells(more: str) -> None:
    program = "def mean(xs):\n    return sum(xs) * len(xs)"
    patches = find(program, f"assert mean([1, 2, 3]) == 2\nassert mean([4, 8]) == 6\n{more}")["patches"]
    assert next(p for p in patches if p["words"] == "`*` should be `/`")["rival"] != (
        "`sum(xs) / len(xs)` leaves no rest in any check, and none tells whether a whole number is meant"
    )


def test_how_many_items_a_slice_gives_is_one_number() -> None:
    """``[1, 2, 3, 4]`` of five has four items, but ``[:-1]`` is what one number says, and the check may be wrong."""
    patches = find("def f(xs):\n    return xs[:3]", "assert f([1, 2, 3, 4, 5]) == [1, 2, 3, 4]")["patches"]
    assert all(p["rival"] for p in patches)
    stepped = find("def f(xs):\n    return xs[::1]", "assert f([1, 2, 3, 4, 5]) == [1, 3, 5]")["patches"]
    assert stepped[0]["rival"] == ""


def test_an_object_stays_equal_to_itself() -> None:
    compared = "class F:\n    def __init__(self, n, d):\n        self.n, self.d = n, d\n    def __eq__(self, o):\n        return {}"
    program = compared.format("self.n == o.n and self.d == o.d")
    patches = find(program, "assert F(1, 2) == F(2, 4)\nassert F(1, 2) != F(1, 3)")["patches"]
    assert all(p["rival"] for p in patches)
    mended = compared.format("self.n == o.n and self.d != o.d"), compared.format("self.n == o.n and self.d == o.d")
    assert describe_shallow_change(*mended, 2) == ""
    joined = [compared.format(f"self.n == o.n {word} self.d != o.d") for word in ("and", "or")]
    assert ["not equal to itself" in describe_shallow_change(program, new, 2) for new in joined] == [True, False]


def test_two_objects_are_compared_in_the_same_way() -> None:
    compared = "class C:\n    def __lt__(self, other):\n        return {}"
    old = compared.format("self.rank < other.rank")
    assert "otherwise than the other" in describe_shallow_change(
        old, compared.format("self.rank.lower() < other.rank"), 1
    )
    both = compared.format("self.order.index(self.rank) < self.order.index(other.rank)")
    assert describe_shallow_change(old, both, 1) == ""
    assert describe_shallow_change(old, compared.format("self.rank <= other.rank"), 1) == ""


@pytest.mark.slow
def test_two_checks_do_not_tell_a_shift_from_a_rival_that_is_none() -> None:
    program = "def digit_sum(n):\n    s = 0\n    while n > 10:\n        s += n % 10\n        n //= 10\n    return s"
    patches = find(program, "assert digit_sum(123) == 6\nassert digit_sum(10) == 1")["patches"]
    shifted = [p["rival"] for p in patches if "s = 1" in p["texts"]["0"]]
    assert shifted == ["every result is +1 of what it was, and two checks decide"]
    counted = "class Node:\n    def __init__(self, nxt=None):\n        self.nxt = nxt\n\ndef count(node):\n    n = 0\n    while node.nxt:\n        n += 1\n        node = node.nxt\n    return n"
    assert find_shift(["1", "2", "3", "4"], ["0", "1", "2", "3"]) == 1
    assert find_shift(["1", "2", "3", "5"], ["0", "1", "2", "3"]) == 0
    assert find(counted, "assert count(Node(Node())) == 2\nassert count(Node()) == 1")["patches"][0]["rival"] == ""
