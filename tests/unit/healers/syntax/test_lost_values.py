"""Values that are lost, never begun or no numbers yet, and near misses of each; letters and words of the language in a line that prints."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.lost_values import list_lost_values
from jupyter_selfheal.inside.search.source_text import Source


def _list_sources(source: str, expected: str = "") -> list[str]:
    return [splice(source, c.edits) for c in list_lost_values(Source(source), expected, frozenset())]


MENDED = {
    "nothing that is kept": ("xs = [2, 1]\nxs = xs.sort()", "xs = [2, 1]\nxs.sort()"),
    "a place that is not there": (
        "xs = []\nfor i in range(3):\n    xs[i] = input()", "xs = []\nfor i in range(3):\n    xs.append(input())",
    ),
    "a number that is used up": (
        "while n > 0:\n    n = n // 10\nprint(r == n)", "given_n = n\nwhile n > 0:\n    n = n // 10\nprint(r == given_n)",
    ),
    "a sum of each row": (
        "for r in rows:\n    for x in r:\n        s = s + x\n    print(s)",
        "for r in rows:\n    s = 0\n    for x in r:\n        s = s + x\n    print(s)",
    ),
    "a list that is never begun": (
        "for r in rows:\n    for x in r:\n        if x not in seen:\n            seen.append(x)",
        "seen = []\nfor r in rows:\n    for x in r:\n        if x not in seen:\n            seen.append(x)",
    ),
    "a dictionary of a function": (
        "def f(t):\n    for c in t:\n        d[c] = 1\n    return d", "def f(t):\n    d = {}\n    for c in t:\n        d[c] = 1\n    return d",
    ),
    "letters of a text": (
        "w = input()\nc = w[0]\nw[0] = w[-1]\nw[-1] = c", "w = input()\nc = w[0]\nw = w[-1] + w[1:]\nw = w[:-1] + c",
    ),
    "a letter in a place": ("w = input()\nw[k] = 'x'", "w = input()\nw = w[:k] + 'x' + w[k + 1:]"),
    "a text in a function": (
        "def f(t):\n    for c in t:\n        out = c + out\n    return out",
        'def f(t):\n    out = ""\n    for c in t:\n        out = c + out\n    return out',
    ),
    "a sum": ("for i in range(3):\n    t += i", "t = 0\nfor i in range(3):\n    t += i"),
    "a product": ("import math\nfor i in range(3):\n    t *= i", "import math\nt = 1\nfor i in range(3):\n    t *= i"),
    "two sums": (
        "for x in xs:\n    t += x['a']\n    out = out + '-'", "t = 0\nout = \"\"\nfor x in xs:\n    t += x['a']\n    out = out + '-'",
    ),
    "parts of a line": ("a, m = input().split()\nt = m + 5", "a, m = input().split()\nt = int(m) + 5"),
    "digits of a text": ("n = input()\nfor c in n:\n    s += c * 2", "n = input()\nfor c in n:\n    s += int(c) * 2"),
    "a text without a place": ("print('Sum:'.format(s))", "print('Sum: {}'.format(s))"),
    "places that are gone through": ("for i in xs:\n    print(xs[i])", "for i in range(len(xs)):\n    print(xs[i])"),
    "a letter before a text": ('b = 3\nprint("and", b"is")', 'b = 3\nprint("and", b, "is")'),
    "a place that people count": (
        "for i in range(3):\n    print('at', i)", "for i in range(3):\n    print('at', i + 1)",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "meant"), MENDED.values(), ids=MENDED)
def test_a_value_is_not_lost(source: str, meant: str) -> None:
    assert meant in _list_sources(source)


def test_the_digits_of_a_place_are_read_from_what_is_expected() -> None:
    assert "print('Sum: {:.2f}'.format(s))" in _list_sources("print('Sum: '.format(s))", "Sum: 3.50")


def test_a_sum_that_is_begun_above_is_left() -> None:
    assert list_lost_values(Source("for i in range(3):\n    t += i"), "", frozenset({"t"})) == []


def test_what_is_right_is_left() -> None:
    sources = [
        "ys = sorted(xs)\nxs.sort()",
        "tree = node.remove()",  # another variable, and no list
        "xs = {}\nfor i in range(3):\n    xs[i] = input()",
        "while n > 0:\n    n = n // 10\n    print(n)",
        "s = 0\nfor x in xs:\n    s = s + x",
        "def f(s):\n    for x in s:\n        s += x",  # a parameter
        "a, m = map(int, input().split())\nt = m + 5",
        "half = n / 2\nprint(xs[n//2])",
        "print('Sum: {}'.format(s))",
        "for x in xs:\n    print(x)",
        "seen = set()\nfor x in xs:\n    seen.add(x)",
        "def f(seen):\n    seen.append(1)",
        "w = list(input())\nw[0] = 'x'",
        "w = input()\nw[-2] = 'x'",
        'print("and", b"is")',
    ]
    assert [_list_sources(s) for s in sources] == [[]] * len(sources)


READINGS = {
    "a letter of a variable": ('a, b = 2, 3\nprint(a"^"b"="a)\n', 'print(a, "^", b, "=", a)'),
    "a word of the language": ('n = 2\nprint("Double of", n, is n * 2)\n', 'print("Double of", n, "is", n * 2)'),
    "a sign of division": ("n = 2\nh = (n * 5)\\100\n", "h = (n * 5)/100"),
}


@pytest.mark.parametrize(("source", "meant"), READINGS.values(), ids=READINGS)
def test_a_line_that_prints_is_read(source: str, meant: str) -> None:
    assert meant in [r.source.splitlines()[1] for r in find_readings(source)[:3]]
