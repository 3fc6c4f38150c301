"""A number that was told apart is given up for another one, which no check asks about."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.told_apart import find_given_up, find_named_number
from tests.unit.healers.search.searching import find

JUDGE = """\
def judge(name):
    if len(name) == 6 and int(name[3:]) < 350 and int(name[3:]) != 316:
        return "open"
    return "closed"
"""
CHECKS = "\n".join(
    f"assert judge('ABC{n:03d}') == {said!r}"
    for n, said in (
        (0, "closed"),
        (1, "open"),
        (2, "open"),
        (99, "open"),
        (348, "open"),
        (350, "closed"),
        (400, "closed"),
        (999, "closed"),
    )
)


def test_a_number_that_no_check_has_is_not_exchanged_for_another_one() -> None:
    old, new = "x = n != 316", "x = n != 0"
    assert find_given_up(old, new, ["assert judge(1) == 2"]) == "316"
    assert find_given_up('x = word == "stop"', 'x = word == "q"', ["assert f('q')"]) == "'stop'"


@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        ("x = n != 316", "x = n != 0", "assert judge(316) == 2"),  # a check speaks of it
        ("x = n == 13", "x = n == 12", "assert f(12)"),  # a slip
        ("x = n == 1600", "x = n == 160", "assert f(12)"),
        ("x = n == 1", "x = n == 400", "assert f(400)"),  # it tells nothing apart
        ("x = n < 316", "x = n < 0", "assert f(12)"),  # a bound
        ("x = n + 316", "x = n + 5", "assert f(12)"),
        ("x = n == 316", "x = n == 316 or n == 0", "assert f(12)"),
        ("x = word == 'Stop'", "x = word == 'stop'", "assert f('go')"),
    ],
)
def test_what_a_check_has_and_slips_are_exchanged(old: str, new: str, check: str) -> None:
    assert not find_given_up(old, new, [check])


def test_a_patch_that_loses_a_case_is_offered() -> None:
    found = find(JUDGE, CHECKS, 1.0)["patches"]
    lost = [p for p in found if "316" not in "".join(p["texts"].values())]
    assert all(p["rival"] for p in lost)
    assert lost


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("RATE = 0.19", "RATE = 1.19", "RATE"),
        ("LIMIT: int = 3  # items", "LIMIT: int = 2  # items", "LIMIT"),
        ("rate = 0.19", "rate = 1.19", ""),
        ("RATE = 0.19", "RATE = 0.19 + 1", ""),
        ("RATE = base / 5", "RATE = base / 4", ""),
        ("X = 3", "X = 4", ""),
    ],
)
def test_a_number_that_is_named_once_for_all_is_no_other(old: str, new: str, name: str) -> None:
    assert find_named_number(old, new) == name
