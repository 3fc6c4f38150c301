"""Faults that the text of a function tells, and that fail or mislead whenever a run comes to them."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.model import Applicability, Case, Cell, Failure, FailureKind, Notebook, Patch, Replace
from jupyter_selfheal.scoring.left_faults import find_left_fault
from jupyter_selfheal.scoring.plain_faults import PLAIN_FAULTS, find_unknown_attribute


def fault_of(source: str) -> str:
    node = ast.parse(source).body[0]
    if isinstance(node, ast.ClassDef):
        return find_unknown_attribute(node)
    assert isinstance(node, ast.FunctionDef)
    return next(filter(None, (find(node) for find in PLAIN_FAULTS)), "")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def f(x) -> int:\n    if x:\n        return 1\n    elif x is None:\n        y = 2\n", "`f` is to give `int`, and gives nothing at its end"),
        ("def f(xs):\n    best = float('inf')\n    for x in xs:\n        best = max(best, x)\n    return best\n", "`best` begins at infinity, so that `max(best, x)` is that each time"),
        ("def f(xs):\n    best = -math.inf\n    for x in xs:\n        best = min(x, best)\n    return best\n", "`best` begins at -infinity, so that `min(x, best)` is that each time"),
        ("def f(xs):\n    best = 0\n    for x in xs:\n        if x > best:\n            best = x\n    return best\n", "`best` begins at 0, which is no item of `xs` where all are less"),
        ("def f(xs):\n    best = 0\n    for x in xs:\n        if x >= best:\n            best = x\n    return best\n", "`best` begins at 0, which is no item of `xs` where all are less"),
        ("def f(xs):\n    best = 0\n    for x in xs:\n        if not x < best:\n            best = x\n    return best\n", "`best` begins at 0, which is no item of `xs` where all are less"),
        ("def f(xs):\n    best = 0\n    for i in range(len(xs)):\n        best = max(best, xs[i])\n    return best\n", "`best` begins at 0, which is no item of `range(len(xs))` where all are less"),
        ("def f(xs):\n    i = 0\n    while i <= len(xs):\n        if xs[i] > 3:\n            return i\n        i += 1\n", "`i <= len(xs)` goes behind the end of `xs`, of which `xs[i]` is read"),
        ("def f(xs):\n    for i in range(len(xs) + 1):\n        print(xs[i])\n", "`range(len(xs) + 1)` goes behind the end of `xs`, of which `xs[i]` is read"),
        ("def f(r, c, m, n):\n    return 0 <= r < m and 0 < c < n\n", "in `0 <= r < m and 0 < c < n` one bound is open and the one beside it is not"),
        ("def f(r, c, m, n):\n    return r < 0 or r >= m or c < 0 or c > n\n", "in `r < 0 or r >= m or c < 0 or (c > n)` one bound is open and the one beside it is not"),
        ("def f(i, xs):\n    return i < 0 and i >= len(xs)\n", "`i < 0 and i >= len(xs)` comes out the same whatever `i` is"),
        ("def f(c, n):\n    return 0 < (c < n)\n", "`0 < (c < n)` compares what comes of a comparison"),
        ("def f(xs):\n    for i in range(len(xs) - 1, -1):\n        print(i)\n", "`range(len(xs) - 1, -1)` has no number in it"),
        ("def f(xs, seen):\n    for x in xs:\n        seen[x] = []\n        if x not in seen[x]:\n            seen[x].append(x)\n", "`x not in seen[x]` is asked right below `seen[x] = []`"),
        ("def f(xs):\n    sorted(xs)\n    return xs[0]\n", "`sorted(xs)` makes a new value, which is dropped"),
        ("def f(text):\n    text.strip()\n    return text\n", "`text.strip()` makes a new value, which is dropped"),
        ("def f(xs):\n    for x in xs:\n        count += 1\n    return count\n", "`count` is added to, and nothing sets it before"),
        ("class Walk:\n    def __init__(self):\n        self.seen = []\n    def f(self):\n        return self.sen\n", "`self.sen` is set nowhere in `Walk`"),
    ],
)  # fmt: skip
def test_a_fault_is_told_by_the_text_alone(source: str, words: str) -> None:
    assert fault_of(source) == words


@pytest.mark.parametrize(
    "source",
    [
        "def f(x) -> int:\n    if x:\n        return 1\n    else:\n        raise ValueError(x)\n",
        "def f(xs, t) -> int:\n    for x in xs:\n        if x == t:\n            return x\n",
        "def f(x) -> Optional[int]:\n    if x:\n        return 1\n",
        "def f(x) -> int:\n    while True:\n        if x:\n            return 1\n",
        "def f(x) -> int:\n    with open(x) as file:\n        return 1\n",
        "def f(xs):\n    best = float('inf')\n    for x in xs:\n        best = min(best, x)\n    return best\n",
        "def f(xs):\n    best = 0\n    for x in xs:\n        best = max(best, len(x))\n    return best\n",
        "def f(x, xs):\n    seen = []\n    if x in xs:\n        seen = [x]\n    return seen\n",
        "def f(x):\n    seen = []\n    while x not in seen:\n        seen.append(x)\n    return seen\n",
        "def f(xs):\n    best = 0\n    best = xs[0]\n    for x in xs:\n        if x > best:\n            best = x\n    return best\n",
        "def f(xs):\n    i = 0\n    while i <= len(xs):\n        if i < len(xs) and xs[i] > 3:\n            return i\n        i += 1\n",
        "def f(xs):\n    for i in range(len(xs) + 1):\n        print(xs[:i])\n",
        "def f(r, c, m, n):\n    return 0 <= r < m and 0 <= c < n\n",
        "def f(r, c, n):\n    return 0 <= r < n and c > 0\n",
        "def f(a, b, n):\n    return (a < n) == (b < n) or (a < n) < (b < n)\n",
        "def f(n):\n    for i in range(n - 1, -1, -1):\n        print(i)\n",
        "def f(path):\n    os.replace(path, 'b')\n    try:\n        int(path)\n    except ValueError:\n        return 0\n",
        "def f(xs):\n    def add():\n        nonlocal count\n        count += 1\n    count = 0\n    add()\n    return count\n",
        "class Walk(Base):\n    def f(self):\n        return self.seen\n",
        "class Walk:\n    limit: int = 3\n    def f(self):\n        return self.limit\n",
    ],
)  # fmt: skip
def test_nothing_is_said_of_what_may_be_meant(source: str) -> None:
    assert fault_of(source) == ""


BROKEN = "class Sums:\n    def rest(self, xs):\n        for x in xs:\n            total += x\n    def first(self, xs):\n        return xs[1]\n"


@pytest.mark.parametrize(("applicability", "is_said"), [(Applicability.UNSAFE, True), (Applicability.SAFE, False)])
def test_a_method_beside_the_patched_one_is_looked_at_for_a_guess(applicability: Applicability, is_said: bool) -> None:
    healed = BROKEN.replace("xs[1]", "xs[0]")
    case = Case(Failure("a", BROKEN, FailureKind.RAISED, "AssertionError"), Notebook((Cell("a", BROKEN),)))
    patch = Patch((Replace("a", BROKEN, healed),), "Change it", applicability=applicability)
    assert bool(find_left_fault(case, patch)) is is_said
