"""Heads of loops and functions that hold what cannot stand there; the same slip found by a rule and by the search."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax.best_first import find_readings
from tests.unit.healers.syntax.readings import run


@pytest.mark.parametrize(
    ("source", "old", "new", "known"),
    [
        ("i = 0\nfor i < 3:\n    i += 1\nprint(i)\n", "for i", "while i", ()),
        ("def root(25):\n    return n * n\nprint(root(5))\n", "25", "n", ()),
        ("input('Who? ') = name\nprint(name)\n", "input('Who? ') = name", "name = input('Who? ')", ("input",)),
    ],
)
def test_first_reading(source: str, old: str, new: str, known: tuple[str, ...]) -> None:
    assert find_readings(source, frozenset(known))[0].source == source.replace(old, new, 1)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def five(25):\n    return 5\nprint(five(5))\n", "stands where the parameter"),
        ("marks = [1]\nmarks(0) = total\n", "the name belongs before the `=`"),
    ],
    ids=["the body reads no name", "an item of a list is set"],
)
def test_what_is_no_such_slip(source: str, words: str) -> None:
    assert not any(words in w for w in find_readings(source)[0].words)


def test_which_of_several_parameters_a_value_stands_for_is_a_guess() -> None:
    readings = find_readings("def gap(3, 4):\n    return b - a\nprint(gap(2, 5))\n")
    told = {r.source.split("\n")[0]: r.guessed for r in readings}
    assert (told["def gap(b, a):"], told["def gap(a, b):"]) == (True, True)


def test_a_comma_that_a_rule_finds_is_the_same_slip_again() -> None:
    source = "xs = [3, 1]\nprint('now' xs)\nxs.sort()\nprint('then' xs)\n"
    best = find_readings(source)[0]
    assert (best.source, best.words) == (source.replace("' xs", "', xs"), ("`,` is missing",) * 2)


@pytest.mark.parametrize(
    ("line", "stdout", "is_changed"),
    [
        ('total += "10"', "15\n", True),
        ('total = total + "2"', "7\n", True),
        ('total = str(total) + "2"', "52\n", False),
    ],
)
def test_text_of_digits_that_is_reckoned_with(line: str, stdout: str, is_changed: bool) -> None:
    source = f"total = 5\n{line}\nprint(total)\n"
    found = run([source], stdout)["passing"][0]["text"]
    assert found == (source.replace('"', "") if is_changed else source)
