"""Commas between thousands, sums and quotients that are dropped, texts that keep the letters of the cell, fields that nothing opens, and near misses of each."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.healers.syntax.propose import _count_lost
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.idle_results import list_kept_results
from jupyter_selfheal.inside.search.uneven_texts import find_cases_of_cell
from tests.unit.healers.syntax.readings import run

THOUSANDS = {
    "in all places": ("if s < 50,000:\n    t = (s - 50,000) * 2", "if s < 50000:\n    t = (s - 50000) * 2"),
    "two groups": ("if s < 1,000,000:\n    print(s)", "if s < 1000000:\n    print(s)"),
    "not of a call and a list": (
        "if s < 5,000:\n    print(1,200, [3,400], f(5,600))", "if s < 5000:\n    print(1,200, [3,400], f(5,600))",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "meant"), THOUSANDS.values(), ids=THOUSANDS)
def test_a_comma_between_thousands_goes(source: str, meant: str) -> None:
    assert find_readings(source, frozenset({"s", "f"}))[0].source == meant


@pytest.mark.parametrize(
    "source", ["if x < 3,14:\n    print(x)", "if s < 50, 000:\n    print(s)", "if s < 5,0000:\n    print(s)"]
)
def test_other_commas_are_none_between_thousands(source: str) -> None:
    readings = find_readings(source, frozenset({"s", "x"}))
    assert readings
    assert not any("thousands" in w for r in readings for w in r.words)


def test_no_number_is_lost_with_the_comma_between_its_thousands() -> None:
    old = "if s < 50,000:\n    t = s - 50,000"
    assert _count_lost(old, old.replace(",", "")) == 0
    assert _count_lost(old, old.replace(",", "", 1)) == 1


KEPT = {
    "a quotient of digits": ("n = 12\nd = n % 10\nn / 10", "n = 12\nd = n % 10\nn = n // 10"),
    "a quotient": ("n = 12\nn / 10", "n = 12\nn = n / 10"),
    "a count": ("k = 1\nk + 1", "k = 1\nk = k + 1"),
}


@pytest.mark.parametrize(("source", "meant"), KEPT.values(), ids=KEPT)
def test_what_is_reckoned_and_dropped_is_kept(source: str, meant: str) -> None:
    assert splice(source, list_kept_results(source)[0].edits) == meant


@pytest.mark.parametrize(
    "source", ["k + 1", "k = 1\nprint(k + 1)", "k = 1\n2 + k", "k = [1]\nk[0] + 1", "k = 1\nk == 2"]
)
def test_what_is_not_dropped_or_not_set_is_left(source: str) -> None:
    assert list_kept_results(source) == []


def test_a_loop_that_drops_what_it_is_to_end_by_is_mended_and_doubted() -> None:
    source = "t = 153\ns = 0\nwhile t > 0:\n    s += t % 10\n    t / 10\nprint('sum', s)"
    first = run([source], "sum 9")["passing"][0]
    assert (first["text"], bool(first["rival"])) == (source.replace("t / 10", "t = t // 10"), True)


WRITTEN = {
    "a word of Python": ('print("not leap")', 'print("Not leap")'),
    "one name": ('print("Not_leap")', 'print("Not leap")'),
    "with a blank behind": ('print("not leap ")', 'print("Not leap ")'),
}


@pytest.mark.parametrize(("source", "meant"), WRITTEN.values(), ids=WRITTEN)
def test_a_text_of_the_cells_words_is_written_as_they_are(source: str, meant: str) -> None:
    assert splice(source, find_cases_of_cell("print(Not leap)", source)) == meant


@pytest.mark.parametrize(
    ("given", "source"),
    [
        ("print(Not leap)\nprint(NOT leap)", 'print("not leap")'),  # in two ways
        ("print(Not leap)\nx = 'not leap'", 'print("not leap")'),  # a text of the cell
        ("print(Leap)", 'print("leap")'),  # one word may be a variable
        ("print(Not leaping)", 'print("not leap")'),
        ("print(Not leap)", 'print("Not leap")'),
    ],
)
def test_other_texts_are_left_as_they_are_written(given: str, source: str) -> None:
    assert find_cases_of_cell(given, source) == []


def test_what_is_expected_is_not_rewritten() -> None:
    assert run(['print("not leap")'], "not leap", given="print(Not leap)")["passing"][0]["text"] == 'print("not leap")'


FIELDS = {
    "a sum": ('a, b = 5, 3\nprint(f"{a} * {b} = a * b}")', 'a, b = 5, 3\nprint(f"{a} * {b} = {a * b}")'),
    "the first": ('n = 5\nprint(f"you have n} of {n}")', 'n = 5\nprint(f"you have {n} of {n}")'),
    "with two digits": ('total = 5\nprint(f"Total: total:.2f}")', 'total = 5\nprint(f"Total: {total:.2f}")'),
    "a method": ('word = "a"\nprint(f"In capitals word.upper()}!")', 'word = "a"\nprint(f"In capitals {word.upper()}!")'),
    "one open and one closed": (
        'a, b = 5, 3\nprint(f"{a} + {b} = {a + b")\nprint(f"{a} * {b} = a * b}")',
        'a, b = 5, 3\nprint(f"{a} + {b} = {a + b}")\nprint(f"{a} * {b} = {a * b}")',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "meant"), FIELDS.values(), ids=FIELDS)
def test_a_field_that_nothing_opens_begins_before_what_can_be_reckoned(source: str, meant: str) -> None:
    assert find_readings(source, frozenset())[0].source == meant


@pytest.mark.parametrize("source", ['n = 5\nprint(f"what is that}")', 'n = 5\nprint(f"{n}}")', 'n = 5\nprint(f"{n")'])
def test_a_bracket_behind_unknown_words_opens_no_field(source: str) -> None:
    readings = find_readings(source, frozenset())
    assert not any("`{` is missing" in w for r in readings for w in r.words)
