"""Errors of a reading that are mended one after the other before its output is looked at, best values that nothing begins, and near misses."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal.inside.search.name_changes import list_name_changes
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.search.unbegun_bests import list_unbegun_bests
from tests.unit.healers.syntax.readings import run


class Lines:
    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    def __call__(self, prompt: str = "") -> str:
        print(prompt, end="")
        return self.lines.pop(0)


def _heal(reading: str, stdout: str, *lines: str) -> list[dict[str, Any]]:
    return list(run([reading], stdout, input=Lines(*lines))["passing"])


def test_a_sum_that_is_begun_too_late_to_print_more_is_gone_on_from() -> None:
    count = (
        "n = int(input())\n{}for i in range(n):\n    if i % 2 == 0:\n        c = c + 1\n{}print(n, 'has', c, 'even')\n"
    )
    first = _heal(count.format("", "    "), "6 has 3 even\n", "6")[0]
    assert first["text"] == count.format("c = 0\n", "")
    assert first["rival"], "what was changed for the output alone is offered"


def test_the_second_error_of_a_line_tells_what_the_first_was_to_be() -> None:
    letters = "s = input()\n{}for w in s.split():\n    r = r + w{}.upper()\nprint(r)\n"
    first = _heal(letters.format("", "(0)"), "RAM\n", "random access memory")[0]
    assert first["text"] == letters.format('r = ""\n', "[0]")


@pytest.mark.parametrize(
    ("reading", "stdout"),
    [
        pytest.param("raise ValueError('no such file')\nprint(1)\n", "1\n", id="an error that is meant"),
        pytest.param("print(open('/nowhere/data.txt').read())\n", "12\n", id="a file that is not there"),
        pytest.param("print('Total:', price)\n", "Total: 12\n", id="a value that is nowhere"),
    ],
)
def test_an_error_that_nothing_in_the_cell_mends_stays(reading: str, stdout: str) -> None:
    assert _heal(reading, stdout) == []


LONGEST = "words = input().split()\n{}for w in words:\n    if len(w) > len(best):\n        best = w\nprint(best)\n"


def _begin(text: str, *known: str) -> list[str]:
    return [c.edits[0][2].strip() for c in list_unbegun_bests(Source(text), frozenset(known))]


def test_a_best_value_begins_with_the_first_item_nothing_or_no_text() -> None:
    assert _begin(LONGEST.format("")) == ["best = words[0]", "best = 0", 'best = ""']
    by_place = "for i in range(1, len(xs)):\n    if xs[i] > m:\n        m = xs[i]\n"
    assert _begin(by_place, "xs") == ["m = xs[0]", "m = 0", 'm = ""']
    asked = "while True:\n    x = int(input())\n    if x > m:\n        m = x\n    if x == 0:\n        break\n"
    assert _begin(asked) == ["m = 0", 'm = ""']
    assert _heal(LONGEST.format(""), "programming\n", "I love programming")[0]["text"] == LONGEST.format(
        "best = words[0]\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LONGEST.format('best = ""\n'), id="begun above"),
        pytest.param(
            "for w in words:\n    best = w\n    if best > 'k':\n        print(best)\n", id="set before it is asked"
        ),
        pytest.param("for w in words:\n    if w > 3:\n        best = w\n", id="never asked"),
        pytest.param("for w in words:\n    if w > m:\n        m, n = w, 1\n", id="set with another one"),
        pytest.param(
            "def f(best):\n    for w in best:\n        if w > best:\n            best = w\n", id="a parameter"
        ),
    ],
)
def test_what_is_begun_or_not_asked_is_no_best_value(text: str) -> None:
    assert _begin(text, "words") == []


def _take_items(text: str) -> list[str]:
    source = Source(text)
    changes = list_name_changes(source.tree, source.lines, frozenset())
    return [c.words for c in changes if "brackets" in c.words]


def test_an_item_of_what_is_gone_through_is_taken_by_other_brackets() -> None:
    assert _take_items("s = input().split()\nfor w in s:\n    print(w(0))\n") == [
        "the brackets of `w` are of another kind"
    ]
    assert _take_items("for w in 'a b'.split():\n    print(w(0))\n") == ["the brackets of `w` are of another kind"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("for f in functions:\n    print(f(0))\n", id="functions of elsewhere"),
        pytest.param("for f in make():\n    print(f(0))\n", id="what a function gives"),
        pytest.param(
            "s = 'a b'.split()\nfor w in s:\n    w = str.upper\n    print(w('a'))\n", id="set to another thing"
        ),
    ],
)
def test_what_may_be_a_function_is_called(text: str) -> None:
    assert _take_items(text) == []
