"""What cannot be meant as it stands: what is made of it, that several such places are mended at once and gone on from, and what is left alone."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.empty_answers import describe_empty_answer
from jupyter_selfheal.inside.search.propose_mutations import list_changes, rank_changes
from jupyter_selfheal.inside.search.scope import DICT, ITEMS, NUMBER, TEXT, Hints, Scope
from tests.unit.healers.search.searching import find

ACCOUNT = "class A:\n    def __init__(self, owner):\n        owner = owner\n        self.n = 0\n    def add(self, k):\n        self.n + k\n        return self.n\n"
QUEUE = """class Queue:
    def __init__(self):
        self.items = []
    def push(self, x):
        self.items.append(x)
    def pop(self):
        if self.is_empty:
            return None
        return self.items.pop()
    def is_empty(self):
        return self.items == 0
"""
CHAIN = """class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = None
def reverse(node):
    prev = None
    while node:
        nxt = node.next
        node.next = prev
        node = nxt
        prev = node
    return prev
"""
BUBBLES = """def bubble_sort(xs):
    n = len(xs)
    for i in range(n):
        for j in range(n - i):
            if xs[j] < xs[j + 1]:
                xs[j] = xs[j + 1]
                xs[j + 1] = xs[j]
    return xs
"""
FLAT = """def flatten(items):
    out = []
    for item in items:
        if isinstance(item, list):
            out.append(flatten(item))
        else:
            out.append(item)
        return out
"""
LETTERS = "def letters(s):\n    return [c.lower for c in s if c.isalpha()]\n"
COUNTS = Hints(
    {
        "xs": frozenset({ITEMS}),
        "n": frozenset({NUMBER}),
        "k": frozenset({NUMBER, ITEMS}),
        "d": frozenset({DICT}),
        "t": frozenset({TEXT}),
    }
)


def list_senseless(text: str, hints: Hints | None = None) -> list[str]:
    """The texts that are made of what is senseless in one, each by itself."""
    return [splice(text, c.edits) for c in list_changes(Scope(text, hints)) if c.kind == "senseless"]


MENDED = [
    (
        "class A:\n    def ok(self):\n        return 1\n    def f(self, n):\n        if n and not self.ok:\n            return 1\n",
        "(self.ok())",
    ),
    (
        "class A:\n    def ok(self):\n        return 1\n    def f(self, n):\n        while n or self.ok:\n            n = 0\n",
        "(self.ok())",
    ),
    ("class A:\n    def set(self, n):\n        self.n = 0\n", "self.n = n"),
    (QUEUE, "if (self.is_empty()):"),
    (QUEUE, "return (len(self.items)) == 0"),
    (CHAIN, "self.next = next"),
    (CHAIN, "        prev = node\n        node = nxt\n"),
    (BUBBLES, "xs[j], xs[j + 1] = xs[j + 1], xs[j]"),
    (FLAT, "            out.append(item)\n    return out\n"),
    (LETTERS, "(c.lower()) for c"),
    ("def strong(p):\n    return any(c.isdigit for c in p)\n", "any((c.isdigit()) for c in p)"),
    ("def f(xs):\n    if xs != 0:\n        return 1\n", "if (len(xs)) != 0:"),
    ("def f(n):\n    total = 0\n    total =+ n\n    return total\n", "total += n"),
    ("def f(c):\n    return c == 'a' or 'b'\n", "c in ('a', 'b')"),
    ("def f(d, xs, k):\n    return d / xs[k]\n", "(d[k]) / xs[k]"),
    ("def f(d, xs):\n    for k in xs:\n        d[k] = d.get(k, 0)\n", "d[k] = d.get(k, 0) + 1"),
    ("def f():\n    x = 0\n    x = +1\n    return x\n", "    x += 1\n"),
    (
        "class A:\n    def size(self):\n        return 1\n    def f(self, n):\n        return n + self.size\n",
        "n + (self.size())",
    ),
    ("class A:\n    def __init__(self, w, h):\n        self.w = w\n        self.h = w\n", "self.h = h"),
    ("def f(text):\n    text.replace('a', 'b')\n    return text\n", "text = text.replace('a', 'b')"),
    ("def f(n):\n    return [[0] * n] * n\n", "[[0] * n for _ in range(n)]"),
]


@pytest.mark.parametrize(("text", "wanted"), MENDED)
def test_what_is_made(text: str, wanted: str) -> None:
    made = list_senseless(text, COUNTS)
    assert any(wanted in new for new in made), made


LEFT = [
    "class A:\n    def get(self):\n        return 1\n    def f(self, key):\n        self.key = key or self.get\n",
    "class A:\n    def __init__(self):\n        self.isdigit = True\n    def f(self):\n        if self.isdigit:\n            return 1\n",
    "class A:\n    def __init__(self, options):\n        self.options = {**DEFAULTS}\n",
    "class A:\n    def reset(self, count=None):\n        self.count = 0\n",
    "def f(t):\n    return t == 3\n",
    "def f(d, xs, k):\n    return d[k] / k, xs[k] / xs\n",
    "def f(d, k):\n    return d | k, d == d[k]\n",
    "def f(d, k):\n    d[k] = d.get(k, 0)\n    return d\n",
    "def f(d, xs):\n    for k in xs:\n        d[k] = d.get(k, [])\n        d[k] = d.get(0, 0)\n",
    "def f():\n    x = -1\n    return x\n",
    "class A:\n    def size(self):\n        return 1\n    def f(self, n):\n        return n + self.length, call(self.size)\n",
    "class A:\n    def __init__(self, w, h):\n        self.h = w\n        self.all = h\n",
    "def f(n):\n    return n == 0\n",
    "def f(k):\n    return k == 0\n",
    "class A:\n    def __init__(self):\n        self.items = []\n        self.items = 0\n    def f(self):\n        return self.items == 0\n",
    "class A:\n    def __init__(self, next):\n        self.next = None\n        self.after = next\n",
    "class A:\n    def __init__(self, next):\n        self.other = None\n",
    "class A:\n    def __init__(self, n):\n        self.n = make()\n",
    "def f(xs):\n    out = []\n    for x in xs:\n        if not x:\n            continue\n        out.append(x)\n        return out\n",
    "def f(xs):\n    for x in xs:\n        out = [x]\n        return out\n",
    "def f(xs):\n    out = []\n    for x in xs:\n        out.append(x)\n        return out\n    return None\n",
    "def f(xs):\n    for x in xs:\n        first = x\n        second = first\n    return second\n",
    "def f(xs):\n    a = b = 0\n    for x in xs:\n        b = a\n        a = x\n    return b\n",
    "def f(xs):\n    a = b = 0\n    a = xs[0]\n    b = a\n    return b\n",
    "def f(words):\n    return sorted(words, key=str.lower), list(map(str.upper, words))\n",
    "class A:\n    def put(self, v):\n        v.lower = 1\n    def all(self, vs):\n        return [v.lower for v in vs]\n",
    "def f(p):\n    return any(map(str.isdigit, p))\n",
    "class A:\n    def put(self, v):\n        v.isdigit = True\n    def any(self, vs):\n        return any(v.isdigit for v in vs)\n",
    "def f(xs, i, j):\n    kept = xs[i]\n    xs[i] = xs[j]\n    xs[j] = kept\n",
]


@pytest.mark.parametrize("text", LEFT)
def test_what_is_left(text: str) -> None:
    assert list_senseless(text, COUNTS) == []


def test_all_of_it_is_mended_at_once() -> None:
    ranked = rank_changes(Scope(ACCOUNT), dict.fromkeys(range(1, 9), 1.0))
    both = [c for _, c in ranked if c.kind == "senseless" and len(c.edits) == 2]
    assert [c.words for c in both] == ["`owner = owner` does nothing; the result of `self.n + k` is dropped"]
    assert "self.owner = owner" in splice(ACCOUNT, both[0].edits)
    assert "self.n += k" in splice(ACCOUNT, both[0].edits)


def test_of_three_places_each_two_are_mended_too() -> None:
    text = "def f(xs, n):\n    n == 1\n    n + 2\n    n * 3\n    return n\n"
    united = [
        c
        for _, c in rank_changes(Scope(text), dict.fromkeys(range(1, 7), 1.0))
        if len(c.edits) > 1 and c.kind == "senseless"
    ]
    assert sorted(len(c.edits) for c in united) == [2, 2, 2, 3]


FOUND = [
    (QUEUE, "q = Queue(); q.push(1); q.push(2)\nassert q.pop() == 1\nassert not q.is_empty()\nassert q.pop() == 2\nassert q.pop() is None", "self.items.pop(0)"),
    (BUBBLES, "assert bubble_sort([3, 1, 2]) == [1, 2, 3]\nassert bubble_sort([]) == []\nassert bubble_sort([2, 1, 2, 0]) == [0, 1, 2, 2]", "range(n - i - 1)"),
    (FLAT, "assert flatten([1, [2, [3]]]) == [1, 2, 3]\nassert flatten([]) == []\nassert flatten([[], [4]]) == [4]", "out.extend(flatten(item))"),
]  # fmt: skip


@pytest.mark.parametrize(("definition", "checks", "wanted"), FOUND)
def test_what_else_is_wrong_is_found_on_top_of_it(definition: str, checks: str, wanted: str) -> None:
    patches = find(definition, checks, 60)["patches"]
    assert patches
    assert wanted in "".join(patches[0]["texts"].values())


CART = """class Cart:
    def __init__(self, discount=0):
        self.items = []
        self.discount = 0
    def add(self, price, count):
        self.items.append((price, count))
    def total(self):
        return sum(price + count for price, count in self.items) * (1 - self.discount)
"""


def test_one_failing_check_is_met_with_what_is_senseless_mended_beside_another_change() -> None:
    checks = "cart = Cart(0.5)\ncart.add(2, 3)\ncart.add(4, 5)\nassert cart.total() == 13\nassert Cart().total() == 0"
    patches = find(CART, checks, 60)["patches"]
    text = "".join(patches[0]["texts"].values())
    assert "self.discount = discount" in text
    assert "price * count" in text


BALANCE = """def balance(text):
    pairs = {"(": ")", "[": "]"}
    stack = []
    for ch in text:
        if ch in pairs:
            stack.append(ch)
        elif ch in pairs.values():
            if stack and pairs[stack.pop()] == ch:
                return False
    return True
"""


def test_an_answer_for_what_is_empty_alone_is_doubted() -> None:
    checks = "\n".join(
        f"assert balance({t!r}) == {v}"
        for t, v in (("([])", True), ("(]", False), ("(", False), (")", False), ("", True))
    )
    patches = find(BALANCE, checks, 60)["patches"]
    empty = [p for p in patches if "return not text" in "".join(p["texts"].values())]
    assert empty
    assert all("only tells an empty input apart" in p["rival"] for p in empty)


ANSWERED = "def f(xs):\n    for x in xs:\n        if x:\n            return False\n    return True\n"
MEANT = [
    ANSWERED.replace("return True", "return not x"),
    ANSWERED.replace("for x in xs:\n", "while xs:\n        x = xs.pop()\n").replace("return True", "return not xs"),
    ANSWERED.replace("return True", "return False"),
]


def test_what_else_is_answered_is_not() -> None:
    assert describe_empty_answer(ANSWERED, ANSWERED.replace("return True", "return not xs"))
    assert describe_empty_answer(ANSWERED, ANSWERED.replace("return True", "return len(xs) == 0"))
    assert [describe_empty_answer(ANSWERED, text) for text in MEANT] == ["", "", ""]


def test_an_object_itself_is_no_condition() -> None:
    text = "class A:\n    def f(self, n):\n        if n > 2:\n            return n\n"
    made = [c for c in list_changes(Scope(text)) if "lacks" in c.words and "n > 2" in c.words]
    assert made
    assert not any("`self`" in c.words or "`not self`" in c.words for c in made)


def test_two_bests_that_begin_together_begin_with_the_first_item() -> None:
    text = "def span(xs):\n    lo = hi = 0\n    for x in xs:\n        if x < lo:\n            lo = x\n        elif x > hi:\n            hi = x\n    return lo, hi\n"
    patches = find(text, "assert span([3, 1, 2]) == (1, 3)\nassert span([-5, -2]) == (-5, -2)", 60)["patches"]
    assert "lo = hi = xs[0]" in patches[0]["texts"]["0"]


SQUARE = """class Box:
    def __init__(self, w, h):
        self.w = w
        self.h = w
    def is_square(self):
        return self.w != self.h
"""


def test_a_change_that_leaves_what_cannot_be_meant_is_doubted_beside_one_that_does_not() -> None:
    patches = find(SQUARE, "assert not Box(2, 3).is_square()\nassert Box(2, 2).is_square()", 60)["patches"]
    texts = ["".join(p["texts"].values()) for p in patches]
    left = [p for p, text in zip(patches, texts, strict=True) if "self.h = w" in text]
    assert "self.h = h" in texts[1]
    assert left
    assert all(p["rival"] for p in left)


def test_many_places_are_mended_at_once_and_none_twice() -> None:
    lines = "".join(f"    n == {k}\n" for k in range(300))
    text = f"def f(n):\n{lines}    return n\n"
    united = [
        c
        for _, c in rank_changes(Scope(text), dict.fromkeys(range(1, 303), 1.0))
        if len(c.edits) > 1 and c.kind == "senseless"
    ]
    assert [len(c.edits) for c in united] == [300]
    assert "==" not in splice(text, united[0].edits)
