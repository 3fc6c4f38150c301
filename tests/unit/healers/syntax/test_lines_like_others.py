"""Lines that a cell lacks and its other lines are the pattern of, texts that stand without their quotes, and texts that come out side by side."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax.several_faults import list_readings
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.align_texts import find_text_edits, mark_texts
from jupyter_selfheal.inside.search.missing_lines import list_missing_lines
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.search.uneven_texts import find_uneven_texts
from tests.unit.healers.syntax.readings import run


@pytest.mark.parametrize(
    ("broken", "meant"),
    [
        ("n = 3\nprint({} x {} = {}.format(n, 2, n * 2))\n", 'n = 3\nprint("{} x {} = {}".format(n, 2, n * 2))\n'),
        ("n = 3\nprint({} x {}.format(n, n)\nprint(n)\n", 'n = 3\nprint("{} x {}".format(n, n))\nprint(n)\n'),
        ("n = 3\nprint Sorry, {n} is odd!\n", 'n = 3\nprint(f"Sorry, {n} is odd!")\n'),
        ("n = 3\nprint(Sorry, {n:.2f} is odd!)\n", 'n = 3\nprint(f"Sorry, {n:.2f} is odd!")\n'),
    ],
)
def test_a_text_with_places_for_values_gets_its_quotes(broken: str, meant: str) -> None:
    readings = list_readings(broken)
    assert readings[0].source == meant or readings[1].source == meant


@pytest.mark.parametrize(
    "broken",
    ["a = b = 1\nprint({a} {b})\n", "d = {}\nprint(d{'a'})\n", "a = 1\nprint({a: 2, 3)\n", "a = 1\nprint(len {a})\n"],
    ids=["two sets", "a key", "a dictionary", "what a function is given"],
)
def test_values_in_braces_are_no_text(broken: str) -> None:
    assert not any('f"' in reading.source for reading in list_readings(broken))


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ('print("Total" t, int("3")\nprint(t)\n', 'print("Total", t, int("3"))\nprint(t)\n'),
        ("a = b = 1\nx = max(a b, abs(a)\nprint(x)\n", "a = b = 1\nx = max(a, b, abs(a))\nprint(x)\n"),
    ],
)
def test_a_slip_within_brackets_that_nothing_closes(source: str, meant: str) -> None:
    assert meant in [reading.source for reading in list_readings(source)[:4]]


def _align(source: str, expected: str, **values: str) -> str | None:
    """The source with its texts as they are expected; None where more than texts differs."""
    marked = mark_texts(source)
    assert marked is not None
    asked: list[str] = []
    printed: list[str] = []

    def show(*texts: object, sep: str = " ", end: str = "\n") -> None:
        printed.append(sep.join(map(str, texts)) + end)

    exec(marked.source, {"print": show, "input": lambda text="": (printed.append(text), asked.append(text), "7")[2]})
    edits = find_text_edits(marked.parts, "".join(printed), expected)
    return splice(source, edits.edits) if edits else None


def test_the_slip_in_one_of_two_questions_in_a_line_is_found() -> None:
    source = 'a = input("First numbr: ")\nb = input("Second number: ")\nprint("You gave", a, b)\n'
    said = "First number: Second number: You gave 7 7\n"
    assert _align(source, said) == source.replace("numbr", "number")


@pytest.mark.parametrize(
    "expected",
    [
        "First number: Second number: You gave 7 8\n",
        "First number: 3 Second number: You gave 7 7\n",
        "Tell me anything: Second number: You gave 7 7\n",
    ],
    ids=["another value", "a digit of its own", "other words"],
)
def test_what_is_no_slip_of_a_text_beside_another_is_left(expected: str) -> None:
    source = 'a = input("First number: ")\nb = input("Second number: ")\nprint("You gave", a, b)\n'
    aligned = _align(source, expected)
    assert aligned is None or "3" not in aligned
    assert aligned is None or "8" not in aligned


def test_a_call_within_a_text_does_not_become_what_it_gives() -> None:
    source = 'a = 2\nprint("First:", a)\nprint("Next:", a)\nprint("Is even:, is_even(a)")\n'
    assert _align(source, "First: 2\nNext: 2\nIs even: True\n") is None


def _list_sources(source: str, expected: str = "") -> list[str]:
    return [splice(source, c.edits) for c in list_missing_lines(Source(source), expected, frozenset({"input"}))]


SINES = "from math import cos, sin\na = float(input())\nprint('Sine', s)\nc = cos(a)\nprint('Cosine', c)\n"


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        (SINES, SINES.replace("print('Sine'", "s = sin(a)\nprint('Sine'")),
        ("a1 = int(input())\nprint(a1 + a2)\n", "a1 = int(input())\na2 = int(input())\nprint(a1 + a2)\n"),
        (
            "w1, w2 = input(), input()\nn1 = len(w1)\nif n1 > n2:\n    print(w1)\n",
            "w1, w2 = input(), input()\nn1 = len(w1)\nn2 = len(w2)\nif n1 > n2:\n    print(w1)\n",
        ),
    ],
)
def test_a_name_that_is_set_nowhere_is_set_as_its_sibling_is(source: str, meant: str) -> None:
    assert meant in _list_sources(source)


@pytest.mark.parametrize(
    "source",
    [
        SINES.replace("cos, sin", "cos"),
        "a1 = 3\nprint(a1 + a2)\n",
        "n1 = len(w1)\nprint(n1, n2)\n",
        "a = int(input())\nprint(a + b)\n",
    ],
    ids=["nothing is left to call", "a plain value", "no twin of what is read", "no sibling"],
)
def test_a_name_without_a_sibling_that_tells_it_is_left(source: str) -> None:
    assert _list_sources(source) == []


def test_a_line_is_printed_above_the_one_that_is_expected_behind_it_by_a_method_that_nothing_calls() -> None:
    shape = "class C:\n    def area(self):\n        return 3\n    def edge(self):\n        return 4\n"
    source = shape + "c = C()\nprint('Edge of it:', c.edge())\n"
    found = run([source], "Area of it: 3\nEdge of it: 4\n")["passing"]
    assert found[0]["text"] == shape + "c = C()\nprint('Area of it:', c.area())\nprint('Edge of it:', c.edge())\n"
    assert found[0]["rival"], "another line may be missing: it is offered"


@pytest.mark.parametrize(
    "expected",
    ["Area of it: 5\nEdge of it: 4\n", "Edge of it: 4\n", "Edge of it: 4\nDone\n"],
    ids=["another value", "no line is missing", "a line without a value"],
)
def test_no_line_is_printed_that_holds_no_value_of_the_cell(expected: str) -> None:
    shape = "class C:\n    def area(self):\n        return 3\n    def edge(self):\n        return 4\n"
    reply = run([shape + "c = C()\nprint('Edge of it:', c.edge())\n"], expected)
    assert not any("area()" in found["text"] for found in reply["passing"])


def test_a_text_that_ends_as_a_sentence_of_another_kind_is_left() -> None:
    source = "if a:\n    print('it is divisible by both.')\nelse:\n    print('it is NOT divisible by both!')\n"
    assert find_uneven_texts(source, "it is NOT divisible by both!") == []
