"""Parts of a line that are left out, and near misses of each; IPython's own lines, which no reading touches."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.inside.positions import LineTable, splice
from jupyter_selfheal.inside.search.align_texts import find_text_edits, mark_texts
from jupyter_selfheal.inside.search.deepen_readings import Deepener
from jupyter_selfheal.inside.search.explore_reading import Node
from jupyter_selfheal.inside.search.left_out_parts import list_left_out
from jupyter_selfheal.inside.search.name_changes import list_name_changes
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.search.value_changes import list_value_changes


def _list_sources(source: str, expected: str = "") -> list[str]:
    return [splice(source, c.edits) for c in list_left_out(Source(source), expected, frozenset())]


MENDED = {
    "a question": ('a = "Name? "\nprint(a)', "", 'a = input("Name? ")\nprint(a)'),
    "a number that is asked for": ('n = int("Number: ")\nprint(n)', "", 'n = int(input("Number: "))\nprint(n)'),
    "a number by what is done": ('n = "Number: "\nprint(n * 2 - 1)', "", 'n = int(input("Number: "))\nprint(n * 2 - 1)'),
    "a value in a text": ('total = 3\nprint(f"Total = total")', "Total = 3", 'total = 3\nprint(f"Total = {total}")'),
    "two values in a text": ('f = 1\nc = 2\nprint("F f is c")', "F 1 is 2", 'f = 1\nc = 2\nprint(f"F {f} is {c}")'),
    "the last word of its name": (
        'side = 3\nprint(f"side = side")', "side = 3", 'side = 3\nprint(f"side = {side}")',
    ),
    "a word that is set": ("vowels = aeiou\nprint(vowels)", "", 'vowels = "aeiou"\nprint(vowels)'),
    "a word that is handed over": ("def f(n):\n    print(n)\nf(Bob)", "", 'def f(n):\n    print(n)\nf("Bob")'),
    "the length of a text": ("a = input()\nif a > 4:\n    print(a)", "", "a = input()\nif len(a) > 4:\n    print(a)"),
    "a sign of another kind": ("t : 9\nprint(t)", "", "t = 9\nprint(t)"),
    "a list in quotes": ('xs = "1, 2, 3"\nprint(xs)', "", "xs = [1, 2, 3]\nprint(xs)"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "expected", "meant"), MENDED.values(), ids=MENDED)
def test_what_is_left_out_is_put_in(source: str, expected: str, meant: str) -> None:
    assert meant in _list_sources(source, expected)


@pytest.mark.parametrize(
    "source",
    [
        'a = "Name? "', 'a = "Name"\nprint(a)', 'a = "?"\nprint(a)', 'total = 3\nprint(f"Total = {total}")', 'name = "Bob"\nprint("It\'s name\'s")',
        "try:\n    print()\nexcept ValueError as e:\n    str(e)", "match 1:\n    case [a, *b] | {\"c\": a, **b}:\n        str(a, b)", 'n = 3\nprint(f"{n} {n + n} and {n:>{n}}")',
        "x: int\nprint(x)", 'x: "Node"\nprint(x)', "n = 3\nif n > 4:\n    print(n)", "y = 3\nx = y", "f = str\nprint(f(3))", 'xs = "1, two"\nprint(xs)',
    ],
)  # fmt: skip
def test_what_is_whole_is_left_alone(source: str) -> None:
    assert _list_sources(source, "It's name's") == []


@pytest.mark.parametrize(
    ("expected", "kind"),
    [("Hello Bob", "name"), ("aeiou Bob", "name"), ("on", "guess"), ("", "guess"), ("Bobby", "guess")],
)
def test_a_quoted_word_is_only_sure_where_it_is_expected(expected: str, kind: str) -> None:
    """``flag = debug`` and ``if flag:`` print the same with any text."""
    word = "vowels = aeiou\ngreet(Bob)" if "aeiou" in expected else "greet(Bob)"
    changes = list_left_out(Source(word), expected, frozenset({"greet"}))
    assert [c.kind for c in changes] == [kind]


def test_several_names_that_nothing_binds_are_mended_together() -> None:
    source = "counts = {}\nfor char in t:\n    count[Char] = 1"
    changes = list_name_changes(ast.parse(source), LineTable(source), frozenset({"t"}))
    assert "counts = {}\nfor char in t:\n    counts[char] = 1" in [splice(source, c.edits) for c in changes]


@pytest.mark.parametrize(
    "handler",
    ["try:\n    f()\nexcept ValueError as eror:\n    f(eror)", "match f():\n    case [eror]:\n        f(eror)"],
)
def test_what_a_handler_or_a_pattern_binds_is_no_slip(handler: str) -> None:
    source = f"error = 1\n{handler}"
    changes = list_name_changes(ast.parse(source), LineTable(source), frozenset({"f"}))
    assert [c for c in changes if "`eror` is" in c.words] == []


def test_a_text_of_digits_is_counted_to() -> None:
    source = 'for i in range("5"):\n    print(i)'
    assert source.replace('"', "") in [splice(source, c.edits) for c in list_value_changes(source, "", frozenset())]


def test_no_text_takes_over_what_another_one_is_emptied_of() -> None:
    source = 'n = input("Your number: ")\nprint("That is not one.")\n'
    marked = mark_texts(source)
    assert marked is not None
    first, second = (f"{chr(0xF0000 + n)}{text}\ue001" for n, text in enumerate(("Your number: ", "That is not one.")))
    printed, end = f"{first}\n{second}", f"{chr(0xF0000 + 2)}\n\ue001"
    assert find_text_edits(marked.parts, printed + end, "Your number: That is not one.\n\n") is None


def test_no_change_leaves_nothing_to_read() -> None:
    deepener = Deepener(_Untouched(), set())  # type: ignore[arg-type]  # nothing is run
    deepener.reads = True
    assert deepener._try(Node("x = str(str())\nprint('Otto')\n", 1.0, ()), -1.0) is None


class _Untouched:
    met: frozenset[str] = frozenset()

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)


@pytest.mark.parametrize("line", ["%timeit x", "!ls -l", "x?", "?x", "await f()", "%%bash\nls -l |", "files = !ls"])
def test_lines_of_ipython_stay(line: str) -> None:
    assert find_readings(line) == ()
    if not line.startswith("%%"):
        assert line in find_readings(f"{line}\nprint('a'\n")[0].source.split("\n")


def test_a_colon_behind_a_call_is_too_much() -> None:
    texts = [r.source for r in find_readings("xs.append(3):\n")]
    assert "xs.append(3)\n" in texts
    assert "xs.append(3);\n" not in texts
