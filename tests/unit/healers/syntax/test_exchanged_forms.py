"""A number and its text that are taken for one another, and near misses."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.inside.positions import LineTable, splice
from jupyter_selfheal.inside.search.exchanged_forms import list_exchanged_forms
from tests.unit.healers.syntax.readings import run


def _list_sources(source: str) -> list[str]:
    return [splice(source, c.edits) for c in list_exchanged_forms(ast.parse(source), LineTable(source))]


EXCHANGED = {
    "items of the number": ("s = str(n)\nprint(n, n[::-1])", "s = str(n)\nprint(n, s[::-1])"),
    "all of them": ("s = str(n)\nprint(n == n[::-1])", "s = str(n)\nprint(s == s[::-1])"),
    "a loop": ("s = str(n)\nfor c in n:\n    print(c)", "s = str(n)\nfor c in s:\n    print(c)"),
    "how long it is": ("s = str(n)\nprint(len(n))", "s = str(n)\nprint(len(s))"),
    "one for the other": ("s = str(n)\nprint(n[::-1], s + int(n[::-1]))", "s = str(n)\nprint(s[::-1], n + int(s[::-1]))"),
    "a text that is reckoned with": ("n = int(s)\nprint(s % 2, s)", "n = int(s)\nprint(n % 2, s)"),
    "in a function": ("def f(n):\n    s = str(n)\n    return n[0]", "def f(n):\n    s = str(n)\n    return s[0]"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "meant"), EXCHANGED.values(), ids=EXCHANGED)
def test_the_form_that_can_be_taken_so_is_tried(source: str, meant: str) -> None:
    assert meant in _list_sources(source)


@pytest.mark.parametrize(
    "source",
    [
        "s = str(n)\nprint(s[::-1], n % 10)",  # each as it is
        "s = str(n)\nn = [1]\nprint(n[0], n)\nn = 3",  # set anew
        "print(n[::-1])\ns = str(n)",  # above it
        "s = str(n)\nprint(s % 2.5 if 0 else 2 % s)\nn = 1\nn = 2",  # set anew, twice
        "n = float(s)\nprint('%s of ' + s)",  # texts that are joined
        "n = str(n)\nprint(n[0])",  # one name
        "s = str(n, 'utf-8')\nprint(n[0])",  # bytes
    ],
)
def test_each_form_that_is_taken_as_it_is_stays(source: str) -> None:
    assert _list_sources(source) == []


def test_what_the_output_asks_for_is_found_and_offered() -> None:
    source = "n = 43\ns = str(n)\nprint('Reverse:', n[::-1])\nprint('Sum:', s + int(n[::-1]))"
    first = run([source], "Reverse: 34\nSum: 77")["passing"][0]
    assert first["text"] == "n = 43\ns = str(n)\nprint('Reverse:', s[::-1])\nprint('Sum:', n + int(s[::-1]))"
    assert first["rival"]
