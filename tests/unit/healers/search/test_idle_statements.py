"""Statements that do nothing as they stand, and parts that are taken of a value: what is made of them, and what is left alone."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.scope import DICT, TEXT, Hints
from tests.unit.healers.search.searching import find, list_texts

ACCOUNT = "class A:\n    def __init__(self, owner):\n        owner = owner\n        self.n = 0\n    def add(self, k):\n        self.n + k\n        return self.n\n"
CHAIN = "class L:\n    def add(self, v):\n        at = self.head\n        while at.next:\n            at.next\n        at.next = v\n    def count(self):\n        n, at = 0, self.head\n        while at:\n            n += 1\n        return n\n"
DATES = Hints({"a": frozenset({"date"}), "b": frozenset({"date"})})
SAID = Hints(calls={"same": [("never odd or even",)]})
SIGNS = Hints(calls={"same": [("it's",)]})

CHANGED = [
    (ACCOUNT, "`self.n + k` does nothing", "        self.n += k\n"),
    (CHAIN, "the loop never ends", "            n += 1\n            at = at.next\n"),
    ("def f(x):\n    x == 3\n    return x\n", "does nothing", "    x = 3\n"),
    ("def deco(fn):\n    def inner(*a):\n        return fn(*a)\n    return deco\n", "nothing reads `inner`", "    return inner\n"),
    ("def both(f, g):\n    return f(g)\n", "gives `f` a function", "return (lambda x: f(g(x)))"),
    ("def f(m):\n    return m.group(0), m.group(1)\n", "one too small", "return m.group(1), m.group(2)"),
    ("def f(row):\n    return row[1], row[2]\n", "one too large", "return row[0], row[1]"),
    ("def f(a, b):\n    return mean(a - b) ** 2\n", "inside of", "return (mean((a - b) ** 2))"),
    ("def f(d):\n    return mean(d ** 2)\n", "outside of", "return (mean(d) ** 2)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words", "wanted"), CHANGED)
def test_what_is_made(text: str, words: str, wanted: str) -> None:
    made = list_texts(text, words)
    assert any(wanted in new for new in made), made


def test_what_stands_between_the_parts_of_a_path_is_put_in() -> None:
    kinds = Hints({"name": frozenset({TEXT}), "tree": frozenset({DICT})})
    text = "def walk(tree, name):\n    for k in tree:\n        walk(tree[k], name)\n"
    made = list_texts(text, "before the next part", kinds)
    assert any("walk(tree[k], (name + '/'))" in t for t in made)
    assert not any("tree[k] +" in t for t in made)
    assert list_texts(text.replace("walk(tree[k]", "show(tree[k]"), "before the next part", kinds) == []


def test_what_is_made_of_values() -> None:
    assert any("(b - a).days" in t for t in list_texts("def f(a, b):\n    return b - a\n", "is a duration", DATES))
    text = "def same(s):\n    return s.lower() == s.lower()[::-1]\n"
    assert any("s.lower().replace(' ', '')" in t for t in list_texts(text, "keeps the blanks", SAID))
    assert any("''.join(c for c in s.lower() if c.isalnum())" in t for t in list_texts(text, "no letter", SIGNS))


LEFT = [
    ("def f(xs):\n    xs.sort()\n    return xs\n", "does nothing"),
    ("x = 3\nx == 3\n", "does nothing"),
    ("def f(a):\n    a = a\n    return a\n", "does nothing"),
    ("def f(at):\n    while at:\n        at = at.next\n", "never ends"),
    ("def f(n, xs):\n    while n:\n        xs.pop()\n", "never ends"),
    ("def deco(fn):\n    def inner(*a):\n        return fn(*a)\n    return inner\n", "nothing reads"),
    ("def both(f, g):\n    return f(g())\n", "a function, not"),
    ("def both(f):\n    return f(g)\n", "a function, not"),
    ("def f(m):\n    return m.group(0)\n", "one too small"),
    ("def f(row):\n    return row[-1], row[0]\n", "one too"),
    ("def f(a, b):\n    return mean(a, b) ** 2\n", "inside of"),
    ("def f(a):\n    return a ** 2\n", "side of"),
    ("def f(a, k):\n    return mean(a) ** k\n", "inside of"),
    ("def f(a, b):\n    return b - a\n", "is a duration"),
    ("def same(s):\n    return s.lower()\n", "keeps the blanks"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), LEFT)
def test_what_is_left_alone(text: str, words: str) -> None:
    assert list_texts(text, words) == []


def test_two_statements_that_do_nothing_are_mended_together() -> None:
    checks = "a = A('Ann')\nassert a.add(5) == 5\nassert a.add(2) == 7\nassert a.owner == 'Ann'"
    found = find(ACCOUNT, checks)["patches"][0]
    assert "self.owner = owner" in found["texts"]["0"]
    assert "self.n += k" in found["texts"]["0"]
    assert found["rival"] == ""


def test_a_decorator_that_gives_itself_back_loses_no_recursion() -> None:
    text = "def twice(fn):\n    def inner(x):\n        return fn(fn(x))\n    return twice\n"
    found = find(text, "assert twice(lambda x: x + 1)(3) == 5\nassert twice(lambda x: x * 2)(3) == 12")["patches"][0]
    assert "return inner" in found["texts"]["0"]
    assert "calls itself" not in found["rival"]
