"""What stands in a patched function and can hardly be meant is a doubt, whatever its few checks say; what may be meant is none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.inside.search.untold_parts import probe
from tests.scoring_cases import ask_untold


@pytest.mark.parametrize(
    ("definition", "checks", "said"),
    [
        ("def area(w, h):\n    return w * w", ["assert area(2, 2) == 4"], "the parameter `h` is read nowhere"),
        (
            "def last(xs):\n    end = len(xs) - 1\n    return xs[-1]",
            ["assert last([3, 4]) == 4"],
            "`end` is set and read nowhere",
        ),
        (
            "def count(xs, k):\n    n = 0\n    for x in xs:\n        if x == k:\n            n += 1\n        return n",
            ["assert count([2, 3], 2) == 1", "assert count([5], 2) == 0"],
            "`for x in xs:` has one round",
        ),
        (
            "def sign(n):\n    return -1 if n < 0 else 1\n    return 0",
            ["assert sign(4) == 1", "assert sign(-4) == -1"],
            "nothing comes to `return 0`",
        ),
        (
            "def cells(grid):\n    m, n = len(grid), len(grid)\n    return m * n",
            ["assert cells([[1, 2], [3, 4]]) == 4", "assert cells([[1]]) == 1"],
            "`m, n = (len(grid), len(grid))` takes one length twice",
        ),
        (
            "def dot(a, b):\n    n = len(a)\n    m = len(a)\n    return sum(a[i] * b[i] for i in range(min(m, n)))",
            ["assert dot([1, 2], [3, 4]) == 11", "assert dot([2], [5]) == 10"],
            "`m = len(a)` takes one length twice",
        ),
    ],
)
def test_what_can_hardly_be_meant_is_told(definition: str, checks: list[str], said: str) -> None:
    assert ask_untold(definition, checks) == f"{said}, which can hardly be meant"
    assert not ask_untold(definition, checks, unrun=True), "a safe fix of what ran speaks of its own line alone"


@pytest.mark.parametrize(
    ("definition", "checks"),
    [
        (
            "class A(list):\n    def put(self, item, at):\n        self.append(item)\n        return len(self)",
            ["assert A().put(3, 0) == 1"],
        ),
        (
            "def halve(xs):\n    n = len(xs)\n    left = len(xs)\n    while left > n // 2:\n        left -= 1\n    return left",
            ["assert halve([1, 2, 3, 4]) == 2", "assert halve([5, 6]) == 1"],
        ),
        ("def first(xs):\n    for x in xs:\n        return x", ["assert first([3, 4]) == 3", "assert first([5]) == 5"]),
        (
            "def shown(word):\n    mark = '!'\n    return '{word}{mark}'.format(**locals())",
            ["assert shown('a') == 'a!'"],
        ),
        (
            "def later(xs):\n    for x in xs:\n        if not x:\n            continue\n        y = x\n        return y",
            ["assert later([0, 3]) == 3", "assert later([5]) == 5"],
        ),
        (
            "def skip(xs, _also=None):\n    a, b = xs\n    return b",
            ["assert skip([1, 2]) == 2", "assert skip([5, 0]) == 0"],
        ),
    ],
)
def test_what_may_be_meant_is_not_told(definition: str, checks: list[str]) -> None:
    assert "hardly" not in ask_untold(definition, checks)


LEAP = "def days(year, month):\n    if month == 2:\n        if year % 4 == 0:\n            return 29\n        return 28\n    return 30"


def test_two_conditions_that_no_check_has_both_ways_are_told_and_one_or_a_guard_is_not() -> None:
    both = "`month == 2` and `year % 4 == 0` come out the same way in every check"
    assert ask_untold(LEAP, ["assert days(2024, 2) == 29"]) == both
    assert "come out" not in ask_untold(LEAP, ["assert days(2024, 2) == 29", "assert days(2023, 2) == 28"])
    guards = "def half(n):\n    if not isinstance(n, int):\n        return None\n    if n < 0:\n        raise ValueError(n)\n    return n // 2"
    assert "come out" not in ask_untold(guards, ["assert half(4) == 2", "assert half(9) == 4"])
    by_case = "def shift(c):\n    first = 65 if c.isupper() else 97\n    last = 90 if c.{}() else 122\n    return chr(min(ord(c) + first // first, last))"
    assert "come out" in ask_untold(by_case.format("istitle"), ["assert shift('a') == 'b'", "assert shift('c') == 'd'"])
    assert "come out" not in ask_untold(
        by_case.format("isupper"), ["assert shift('a') == 'b'", "assert shift('c') == 'd'"]
    )


def test_of_many_checks_only_what_can_hardly_be_meant_is_told() -> None:
    units = [
        {"text": LEAP, "role": "define", "mutable": True},
        {"text": "assert days(2024, 2) == 29", "role": "check", "mutable": False},
    ]
    space: dict[str, Any] = {}
    exec(LEAP, space)
    assert probe(SimpleNamespace(user_ns=space), None, {"units": units, "many": True}) == ""
    units[0]["text"] = LEAP.replace("year % 4", "month % 4").replace("return 29", "return 28")
    told = probe(
        SimpleNamespace(user_ns=space),
        None,
        {"units": [units[0], {**units[1], "text": "assert days(2023, 2) == 28"}], "many": True},
    )
    assert told == "the parameter `year` is read nowhere, which can hardly be meant"


def test_what_the_docstring_says_of_a_boundary_is_told_where_the_code_has_it_otherwise() -> None:
    text = 'def below(xs, t):\n    """Whether all are below t."""\n    for x in xs:\n        if x {} t:\n            return False\n    return True'
    checks = ["assert below([1, 2], 9)", "assert not below([1, 20], 5)"]
    assert ask_untold(text.format(">"), checks).startswith(
        "the docstring says `below t`, and `x > t` is not on that side"
    )
    assert "docstring" not in ask_untold(text.format(">="), checks)
