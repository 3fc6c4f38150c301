"""Slips that are mended in all their places at once, several slips of meaning behind one of syntax, and near misses of each."""

from __future__ import annotations

import re

import pytest

from jupyter_selfheal.healers.syntax import parser
from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.healers.syntax.propose import _put_furthest
from jupyter_selfheal.healers.syntax.readings import Reading
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.beginner_changes import list_beginner_changes
from jupyter_selfheal.inside.search.repeated_slips import list_repeated_slips
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.search.uneven_texts import find_uneven_cases
from tests.unit.healers.syntax.readings import run


def _list_sources(source: str, known: frozenset[str] = frozenset()) -> list[str]:
    return [splice(source, c.edits) for c in list_repeated_slips(Source(source), known)]


MENDED = {
    "reads": ("a = input()\nb = input()\nprint(a - b)", "a = int(input())\nb = int(input())\nprint(a - b)"),
    "reads beside a text": (
        "a = input()\nb = input()\nname = input()\nprint(a - b, name.title())",
        "a = int(input())\nb = int(input())\nname = input()\nprint(a - b, name.title())",
    ),
    "roofs": ("a = b = 2\nc = (a ^ 2 + b ^ 2) ^ 0.5", "a = b = 2\nc = (a ** 2 + b ** 2) ** 0.5"),
    "choices": ("m = 4\nif m == 4 or 6 or 9:\n    pass", "m = 4\nif m == 4 or m == 6 or m == 9:\n    pass"),
    "choices of letters": ("c = 'a'\nif c == a or e:\n    pass", "c = 'a'\nif c == \"a\" or c == \"e\":\n    pass"),
    "values of functions": (
        "def f(n):\n    if n == 0:\n        return 1\n    n * f(n - 1)",
        "def f(n):\n    if n == 0:\n        return 1\n    return n * f(n - 1)",
    ),
    "a function that prints": ("def f(n):\n    print(n * 2)\nx = f(3)", "def f(n):\n    return n * 2\nx = f(3)"),
    "quotients": ("h = s / 60\nn /= 10\nprint(h / n)", "h = s // 60\nn //= 10\nprint(h / n)"),
    "quotients that are places": ("print(xs[n/2] + xs[n/2 - 1])", "print(xs[n//2] + xs[n//2 - 1])"),
    "names by their case": (
        "total = 1\ndef is_even(n): return n\nprint(Total, isEven(2))",
        "total = 1\ndef is_even(n): return n\nprint(total, is_even(2))",
    ),
    "values of a format": ('print("%d of %d" % a, b)', 'print("%d of %d" % (a, b))'),
    "a quotient in a format": ('print("%.2f" % a / 3)', 'print("%.2f" % (a / 3))'),
    "counting on": ("n = 0\nn =+ 1\nn + 1", "n = 0\nn += 1\nn += 1"),
    "a number that is gone through": ("n = int(input())\nfor i in n:\n    pass", "n = int(input())\nfor i in range(n):\n    pass"),
    "a text that is read and gone through": (
        "n = input()\nfor i in n:\n    pass",
        "n = int(input())\nfor i in range(n):\n    pass",
    ),
    "texts and numbers": ('print("Sum: " + a + b)\nprint("Less: " + a - b)', 'print("Sum: ", a + b)\nprint("Less: ", a - b)'),
}  # fmt: skip


@pytest.mark.parametrize(("source", "meant"), MENDED.values(), ids=MENDED)
def test_a_slip_is_mended_in_all_its_places(source: str, meant: str) -> None:
    assert meant in _list_sources(source)


@pytest.mark.parametrize(
    "source",
    [
        "a = int(input())\nb = float(input())\nprint(a - b)",  # numbers already
        "name = input()\nprint(name.title())",  # a text
        "if m == 4 or m == 6:\n    pass",
        "if m == 4 or ready:\n    ready = 1",  # a variable that may be true by itself
        'def f(n):\n    """Doubles."""\n    return n * 2',
        "n //= 10\nprint(n / 2)",
        "Total = total = 1\nprint(Total, total)",
        "t = 0\nfor i in range(3):\n    t += i",
        'print("%d of %d" % (a, b))',
        'print("%.2f" % a)',
        "n = -1\nm = +1",
        "xs = [1, 2]\nfor x in xs:\n    pass",
        'print("Sum: ", a + b)',
    ],
    ids=range(13),
)
def test_what_is_right_is_left(source: str) -> None:
    assert _list_sources(source) == []


@pytest.mark.parametrize(
    ("division", "first"), [("print(a / b)", "float"), ("print(a * 2.5 - b)", "float"), ("print(a - b)", "int")]
)
def test_what_is_divided_may_have_a_point(division: str, first: str) -> None:
    changes = list_repeated_slips(Source(f"a = input()\nb = input()\n{division}"), frozenset())
    best = max(changes, key=lambda c: c.prior)
    assert [new.partition("(")[0] for _, _, new in best.edits] == [first, first]


def test_lines_that_print_stand_behind_the_loop_together() -> None:
    source = Source("t = 0\nfor i in range(3):\n    t += i\n    print(t)\n    print(t / 3)\n")
    changes = list_beginner_changes(source.tree, source.text, source.lines, "3\n1.0", frozenset())
    assert "t = 0\nfor i in range(3):\n    t += i\nprint(t)\nprint(t / 3)\n" in [
        splice(source.text, c.edits) for c in changes
    ]


CASES = {
    "first letters": (
        "if n:\n    print('odd')\nelse:\n    print('even')", "Odd", "if n:\n    print('Odd')\nelse:\n    print('Even')",
    ),
    "all letters": (
        "if n:\n    print('yes')\nelse:\n    print('no')", "YES", "if n:\n    print('YES')\nelse:\n    print('NO')",
    ),
    "one word of a text": (
        "if n:\n    print('is A prime')\nelse:\n    print('is NOT A prime')", "is a prime", "if n:\n    print('is a prime')\nelse:\n    print('is NOT a prime')",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("before", "expected", "meant"), CASES.values(), ids=CASES)
def test_a_text_is_written_as_its_sibling(before: str, expected: str, meant: str) -> None:
    shown = re.sub(f"'{expected}'", f"'{expected}'", before, flags=re.IGNORECASE)
    assert splice(shown, find_uneven_cases(before, shown, expected)) == meant


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print('odd')\nprint('even')", "print('odd')\nprint('even')"),  # nothing was changed
        ("print('od')\nprint('even')", "print('Odd')\nprint('even')"),  # more than upper and lower case
        ("print('odd')\nprint('Even')", "print('Odd')\nprint('Even')"),  # is written so already
        ("print('oDD')\nprint('NOT odd')", "print('Odd')\nprint('NOT odd')"),  # another word is in capitals
    ],
    ids=range(4),
)
def test_other_texts_are_left_as_they_are_written(before: str, after: str) -> None:
    assert find_uneven_cases(before, after, "Odd") == []


def test_four_slips_of_meaning_are_mended_on_top_of_each_other() -> None:
    source = "n = input()\nfor i in n:\n    print(i)\nprint(N ^ 2)\n"
    first = run([source], "0\n1\n2\n9", input=lambda prompt="": "3")["passing"][0]
    assert first["text"] == "n = int(input())\nfor i in range(n):\n    print(i)\nprint(n ** 2)\n"
    assert first["rival"]  # what is only right by the output is offered


def test_what_came_furthest_is_said_where_nothing_passes() -> None:
    reply = run(["total = 5\nprint('Sum is', Total * Total)\n"], "Sum is 14")
    best = reply["furthest"][0]
    assert (reply["passing"], best["reading"], best["likeness"] > 0.5) == ([], 0, True)


def test_the_search_goes_on_from_what_came_furthest() -> None:
    readings = [Reading("print(a)", 1.0, ("`)` is missing",)), Reading("print((a))", 2.0, ())]
    further = {"reading": 0, "text": "print(int(a))", "cost": 2.0, "words": ["a number"], "likeness": 0.9}
    first, second = _put_furthest(readings, {"furthest": [further]}, readings)
    assert (first.source, first.words, second) == ("print(int(a))", ("`)` is missing", "a number"), readings[0])
    assert _put_furthest(readings, {"furthest": [{**further, "likeness": 0.2}]}, readings) == readings
    assert _put_furthest(readings, {"furthest": []}, readings) == readings


def test_a_condition_is_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "COMPILES", 20)
    first = find_readings("if c == a or e:\n    b()\nelse\n    d()\n")[0]
    assert first.source == "if c == a or e:\n    b()\nelse:\n    d()\n"
