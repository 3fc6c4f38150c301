"""Places that are written before they are read, columns that are counted as rows are, and near misses in which nothing is proposed."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.mutations import names, overwritten, variations
from jupyter_selfheal.inside.search.scope import Scope


def list_texts(source: str) -> list[str]:
    s = Scope(source)
    return [splice(source, c.edits) for node in s.order for propose in overwritten.OPERATORS for c in propose(s, node)]


BEST = "for w, v in things:\n    for c in range({}):\n        best[c] = max(best[c], best[c - w] + v)\n"
MEANT = {
    "two names": ("a = b\nb = a % b\n", "a, b = b, a % b\n"),
    "comments between": (
        "if a:\n    a = b  # keep the divisor\n    # the rest is next\n    b = a % b  # done\n",
        "if a:\n    # keep the divisor\n    # the rest is next\n    a, b = b, a % b  # done\n",
    ),
    "comments in parentheses": (
        "x['#'] = (  # the old\n    y['#']\n)\ny['#'] = x['#']\n",
        "# the old\nx['#'], y['#'] = y['#'], x['#']\n",
    ),
    "a pair": ("a = b, c\nb = a\n", "a, b = (b, c), a\n"),
    "a pair that begins in parentheses": ("a = (b), c\nb = a\n", "a, b = ((b), c), a\n"),
    "a pair in parentheses": ("a = (b, c)\nb = a\n", "a, b = (b, c), a\n"),
    "two lines": ("a = (b +\n  c)\nb = a\n", "a, b = (b +\n  c), a\n"),
    "two items": ("xs[i] = xs[j]\nxs[j] = xs[i]\n", "xs[i], xs[j] = xs[j], xs[i]\n"),
    "two attributes": (
        "self.a = self.b\nself.b = self.a + self.b\n",
        "self.a, self.b = self.b, self.a + self.b\n",
    ),
    "links of a list": (
        "while head:\n    head.next = before\n    before = head\n    head = head.next\n",
        "while head:\n    head.next, before, head = before, head, head.next\n",
    ),
    "each thing once": (BEST.format("w, top + 1"), BEST.format("top, w - 1, -1")),
    "each thing once, by a length": (BEST.format("w, len(best)"), BEST.format("len(best) - 1, w - 1, -1")),
    "each coin once": (
        "for w in ws:\n    for c in range(w, n + 1):\n        ways[c] += ways[c - w]\n",
        "for w in ws:\n    for c in range(n, w - 1, -1):\n        ways[c] += ways[c - w]\n",
    ),
    "columns by row": (
        "for j in range(len(t)):\n    for row in t:\n        total += row[j]\n",
        "for j in range(len(t[0])):\n    for row in t:\n        total += row[j]\n",
    ),
    "columns of a comprehension": (
        "[[row[j] for row in t] for j in range(len(t))]",
        "[[row[j] for row in t] for j in range(len(t[0]))]",
    ),
    "columns by index": (
        "for i in range(len(t)):\n    for j in range(len(t)):\n        print(t[i][j])\n",
        "for i in range(len(t)):\n    for j in range(len(t[0])):\n        print(t[i][j])\n",
    ),
}


@pytest.mark.parametrize(("source", "meant"), MEANT.values(), ids=MEANT)
def test_what_was_meant_is_proposed(source: str, meant: str) -> None:
    assert meant in list_texts(source)


@pytest.mark.parametrize(
    "source",
    [
        "a = b\nb = c\n",
        "a = b\nprint(a)\nb = a\n",
        "following = head.next\nhead.next = before\nbefore = head\nhead = following\n",
        "xs[i] = xs[j]\nys[j] = xs[i]\n",
        "kept = a\na = b\nb = kept\n",
        "for c in range(w, n + 1):\n    ways[c] += ways[c - w]\n",
        "for w in ws:\n    for c in range(1, n + 1):\n        total[c] += total[c - 1]\n",
        "for w in ws:\n    for c in range(w, n + 1):\n        new[c] = max(old[c], old[c - w] + v)\n",
        "for w in ws:\n    for c in range(n, w - 1, -1):\n        best[c] = max(best[c], best[c - w] + v)\n",
        "for i in range(len(t)):\n    print(t[i][0])\n",
        "for i in range(len(t)):\n    total += t[i][i]\n",
        "for j in range(len(names)):\n    for row in t:\n        print(names[j], row[j])\n",
        "for j in range(len(t)):\n    for row in others:\n        print(row[j])\n",
        "for j in range(len(t[0])):\n    for row in t:\n        print(row[j])\n",
    ],
    ids=range(14),
)
def test_nothing_is_proposed(source: str) -> None:
    assert list_texts(source) == []


def test_a_misspelt_name_is_hardly_one_that_was_not_bound() -> None:
    def weigh(text: str) -> float:
        s = Scope(text)
        return max(c.prior for node in s.order for c in variations.propose_binding(s, node))

    misspelt, others = (f"def f(scores):\n    return sum(scores) / len({name})\n" for name in ("score", "values"))
    assert weigh(misspelt) < 0.1 < weigh(others)
    assert weigh("def f(n):\n    return m / n\n") > 0.1


@pytest.mark.parametrize(
    ("asked", "decorator", "is_likely"),
    [
        ("self.is_empty", "", True),
        ("not self.is_empty", "", True),
        ("self.is_empty", "@property\n    ", False),
        ("self.items", "", False),
        ("f(self.is_empty)", "", False),
    ],
)
def test_a_method_that_a_condition_asks_is_likely_not_called(asked: str, decorator: str, is_likely: bool) -> None:
    text = f"class S:\n    def pop(self):\n        if {asked}:\n            return 1\n    {decorator}def is_empty(self):\n        return 2\n"
    s = Scope(text)
    found = [
        c.prior for n in s.order for c in names.propose_attributes(s, n) if "not called" in c.words and c.line == 3
    ]
    assert (max(found) > 0.5) is is_likely


def test_a_long_cell_is_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    s = Scope("if a.b:\n    c.d = 1\n    x = 2\n" * 30)
    walked = []
    monkeypatch.setattr(ast, "walk", lambda node, walk=ast.walk: walked.append(node) or walk(node))
    for node in s.order:
        list(names.propose_attributes(s, node))
    assert walked.count(s.tree) <= 2
    seen = []
    monkeypatch.setattr(overwritten, "_list_places", lambda s: seen.append(s) or {})
    for node in s.order:
        list(overwritten.propose_at_once(s, node))
    assert len(seen) == sum(isinstance(n, ast.Assign) for n in s.order)
