"""Words in ``print`` that happen to be Python, questions that are not called, items in brackets of another kind, and near misses of each."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.healers.syntax.doubts import count_doubts
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.method_changes import list_uncalled_questions
from jupyter_selfheal.inside.search.value_changes import list_value_changes
from tests.unit.healers.syntax.readings import run


def _list_changed(source: str) -> set[str]:
    return {splice(source, c.edits) for c in list_value_changes(source, "done\n", frozenset())}


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("a, b = 4, 9\nprint(a is less)\nprint(b is more)\n", 'a, b = 4, 9\nprint(a, "is less")\nprint(b, "is more")\n'),
        ("n = 4\nprint(n not in list_of_primes)\n", 'n = 4\nprint(n, "not in list_of_primes")\n'),
        ("print(not found)\n", 'print("not found")\n'),
        ("s = input()\nfor i in range(len(s)):\n    print(s(i))\n", "s = input()\nfor i in range(len(s)):\n    print(s[i])\n"),
        ("ages = {'Eva': 4}\nprint(ages('Eva'))\n", "ages = {'Eva': 4}\nprint(ages['Eva'])\n"),
    ],
)  # fmt: skip
def test_a_slip_that_runs_into_an_error_is_mended(source: str, meant: str) -> None:
    assert meant in _list_changed(source)


@pytest.mark.parametrize(
    "source",
    [
        "a = b = 4\nprint(a is b)\n",  # the name is there
        "found = 0\nprint(not found)\n",
        "a = 4\nprint(a == more)\n",  # no word of prose
        "def s(i):\n    return i\n\n\nprint(s(3))\n",  # a function
        "s = make()\nprint(s(3))\n",  # may be one
        "s = [1, 2]\nprint(s(0, 1))\n",
    ],
)
def test_what_may_be_meant_as_it_stands_is_left(source: str) -> None:
    words = {c.words for c in list_value_changes(source, "done\n", frozenset())}
    assert not any("the quotes around" in w or "another kind" in w for w in words)


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("if a.isdigit and b.isdigit:\n    pass\n", "if a.isdigit() and b.isdigit():\n    pass\n"),
        ("while not s.isalpha:\n    pass\n", "while not s.isalpha():\n    pass\n"),
    ],
)
def test_questions_are_called_wherever_they_are_asked(source: str, meant: str) -> None:
    (change,) = list_uncalled_questions(source)
    assert splice(source, change.edits) == meant


@pytest.mark.parametrize(
    "source",
    ["if a.isdigit():\n    pass\n", "if a.ready:\n    pass\n", "kinds = filter(str.isdigit, a)\n", "f = a.isupper\n"],
)
def test_what_is_no_question_of_a_text_is_not_called(source: str) -> None:
    assert list_uncalled_questions(source) == []


def test_a_reading_that_passes_with_a_question_that_is_not_called_calls_it() -> None:
    text = "a, b = '3', '4'\nif a.isdigit and b.isdigit:\n    print(int(a) + int(b))\nelse:\n    print(a + b)\n"
    (found,) = run([text], "7\n")["passing"]
    assert found["text"] == text.replace("isdigit", "isdigit()")
    assert found["rival"]


@pytest.mark.parametrize("text", ["print(Total=3)\n", "if n := 2:\n    print(n)\n"])
def test_what_nobody_writes_is_doubted(text: str) -> None:
    assert count_doubts(text, frozenset({"n"})) > 1


@pytest.mark.parametrize(
    "text",
    ["print(3, sep='', end='')\n", "print(3, **kinds)\n", "while line := f.readline():\n    print(line)\n", "if (n := len(s)) > 2:\n    print(n)\n"],
)  # fmt: skip
def test_what_is_written_so_is_not_doubted(text: str) -> None:
    assert count_doubts(text, frozenset({"n", "f", "s", "kinds", "line"})) == 0


def test_words_and_a_colon_in_print_are_a_text_before_an_argument_that_print_does_not_take() -> None:
    printed = [r.source.splitlines()[1] for r in find_readings("total = 3\nprint(Total: total)\n")]
    assert printed.index('print("Total:", total)') < printed.index("print(Total= total)")
