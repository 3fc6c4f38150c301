"""What is written as in another language, and two values that touch: what is read, and what is left as it stands."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax import parser
from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.healers.syntax.touching_values import list_completions


@pytest.fixture(autouse=True)
def _search_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """The likeliest readings come first: the product's whole budget would only take longer."""
    monkeypatch.setattr(parser, "COMPILES", 300)


READ = {
    "a word of the language as a name": ("class = 3\nprint(class + 1)", "class_ = 3\nprint(class_ + 1)"),
    "as a loop's name": ("for from in 'ab':\n    print(from)", "for from_ in 'ab':\n    print(from_)"),
    "as a parameter": ("def pay(base, raise):\n    return base + raise", "def pay(base, raise_):\n    return base + raise_"),
    "a choice": ("x = 2\ny = x > 1 ? 'many' : 'one'", "x = 2\ny = 'many' if x > 1 else 'one'"),
    "a choice in a call": ("x = 2\nprint(x, x > 1 ? 'b' : 'a')", "x = 2\nprint(x, 'b' if x > 1 else 'a')"),
    "a choice of cases": (
        "switch (d):\n    case 1:\n        print('Mo')\n        break\n    default:\n        print('?')",
        "match d:\n    case 1:\n        print('Mo')\n    case _:\n        print('?')",
    ),
    "a choice of cases that have names": (
        "switch day:\n    case MON:\n        print('Mo')\n    case 2:\n        print('Tu')\n    default:\n        print('?')",
        "match day:\n    case _ if day == MON:\n        print('Mo')\n    case 2:\n        print('Tu')\n    case _:\n        print('?')",
    ),
    "a word of Python times a number": ("lambda = 5\nprint(lambda * 2)", "lambda_ = 5\nprint(lambda_ * 2)"),
    "a declaration that sets": (
        "t = 0\ndef add(k):\n    global t += k",
        "t = 0\ndef add(k):\n    global t\n    t += k",
    ),
    "an argument with a colon": ("xs = [2]\nxs.sort(reverse: True)", "xs = [2]\nxs.sort(reverse= True)"),
    "pairs without braces": ("t.replace('Ulm': 'U', 'Bonn': 'B')", "t.replace({'Ulm': 'U', 'Bonn': 'B'})"),
    "several values of a name": ("t.sort_values(by='town', 'year')", "t.sort_values(by=['town', 'year'])"),
    "an argument behind a named one": ("area(h=4, 1)", "area(1, h=4)"),
    "a lambda without its colon": ("xs = [2]\nxs.sort(key=lambda x -x)", "xs = [2]\nxs.sort(key=lambda x: -x)"),
    "a definition without brackets": ("def hello:\n    print('hi')", "def hello():\n    print('hi')"),
    "a definition without any": ("def cube x:\n    return x ** 3", "def cube(x):\n    return x ** 3"),
    "rows without a comma": ("t = [[1, 2]\n [3, 4]", "t = [[1, 2],\n [3, 4]]"),
    "brackets that touch": ("a = 2\nif a:\nprint((a + 1)(a - 1))", "a = 2\nif a:\n    print((a + 1)*(a - 1))"),
    "code in a comment": (
        "def has(xs):\n    for x in xs:\n        if x:\n            /*return True*/\n    return False",
        "def has(xs):\n    for x in xs:\n        if x:\n            return True\n    return False",
    ),
    "code behind two strokes": ("n = 3\n//n += 1\nprint(n)", "n = 3\nn += 1\nprint(n)"),
    "a remark in a comment": ("n = 3\n/* the sum of all */\nprint(n)", "n = 3\n# the sum of all\nprint(n)"),
    "return and its value": ("def f(x)\n    returnTrue", "def f(x):\n    return True"),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_what_another_language_writes_so_is_read(case: str) -> None:
    broken, meant = READ[case]
    assert meant in [r.source for r in find_readings(broken)[:4]]


@pytest.mark.parametrize(
    "source",
    [
        "t = [[1, 2], [3, 4]][0]",  # an item of a list
        "t = [1, 2][i]",
        "f(2)(3)\n(lambda x: x)(3)",  # a function that gives one
        "print(a), print(b)",
        "print(a, end='') or b",
        "def f(xs):\n    returned = xs\n    returned",  # a name of its own
        "returnvalue",  # outside of a function
        "print(xs)[0]",
        "print(a, sep='')",
        "print(*xs, sep='')",
    ],
)
def test_what_stands_so_is_left(source: str) -> None:
    assert list_completions(source, frozenset("abixs")) == []


@pytest.mark.parametrize(
    ("source", "never"),
    [
        ("class Shop\n    x = 1", "class_"),  # the head of a block
        ("from math import pi sqrt", "from_"),
        ("def f(a)\n    return a.b = 3", "return_"),
        ("d = f({a: 1)", "a= 1"),  # a key
        ("g(lambda a: 1", "a= 1"),
        ("t.loc('a': 'b', 3", "{"),  # not all are pairs
        ("open('a' 'b'", "{"),
        ("print(end='', total", "["),  # a name, which may be what is printed
        ("round(ndigits=2, 'a'", "[2"),  # of another kind
        ("def f(a: int, b: int\n    return a", "= int"),  # a type
        ("while True:\n    switch = on off\n    break", "match"),  # a name
        ("x = 5\nif x > 3:\n    break\nprint(x)", '"break"'),  # a word that is a line
    ],
)
def test_a_word_that_is_none_of_these_is_left(source: str, never: str) -> None:
    assert not [r.source for r in find_readings(source)[:8] if never in r.source]
