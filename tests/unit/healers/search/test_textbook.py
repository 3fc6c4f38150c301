"""What textbook programs leave out, and near misses in which nothing of it is proposed."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.mutations import textbook
from jupyter_selfheal.inside.search.scope import Hints, Scope
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook

MERGE = """def merge(a, b):
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] < b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
"""


def list_texts(source: str, hints: Hints | None = None) -> list[str]:
    """What the operators make of a source."""
    s = Scope(source, hints)
    return [splice(source, c.edits) for node in s.order for propose in textbook.OPERATORS for c in propose(s, node)]


MEANT = {
    "the rest of both": (
        MERGE + "    return out\n",
        MERGE + "    out.extend(a[i:])\n    out.extend(b[j:])\n    return out\n",
    ),
    "the rest of one": (
        MERGE + "    out += a[i:]\n    return out\n",
        MERGE + "    out.extend(b[j:])\n    out += a[i:]\n    return out\n",
    ),
    "two in the middle": (
        "def f(xs):\n    s = sorted(xs)\n    return s[len(s) // 2]\n",
        "def f(xs):\n    s = sorted(xs)\n    if len(s) % 2 == 0:\n        return (s[len(s) // 2 - 1] + s[len(s) // 2]) / 2\n    return s[len(s) // 2]\n",
    ),
    "two in the middle by name": (
        "def f(s):\n    n = len(s)\n    mid = n // 2\n    return s[mid]\n",
        "def f(s):\n    n = len(s)\n    mid = n // 2\n    if n % 2 == 0:\n        return (s[mid - 1] + s[mid]) / 2\n    return s[mid]\n",
    ),
    "the greatest again": (
        "while k:\n    out.append(max(xs))\n    k -= 1\n",
        "while k:\n    out.append(max(xs))\n    xs.remove(max(xs))\n    k -= 1\n",
    ),
    "one place up": ("(s[m] + s[m + 1]) / 2", "(s[m - 1] + s[m]) / 2"),
    "one place down": ("(s[m - 1] + s[m]) / 2", "(s[m] + s[m + 1]) / 2"),
    "ranges of loops": (
        "for i in range(r):\n    row = []\n    for j in range(c):\n        row.append(m[j][i])\n",
        "for i in range(c):\n    row = []\n    for j in range(r):\n        row.append(m[j][i])\n",
    ),
    "loops of a comprehension": (
        "[[m[i][j] for j in range(c)] for i in range(r)]",
        "[[m[i][j] for i in range(r)] for j in range(c)]",
    ),
    "letters of both kinds": (
        "if c.isalpha():\n    out += chr(ord(c) + k)\n",
        "if c.isalpha():\n    out += chr((ord(c) - ord('A' if c.isupper() else 'a') + k) % 26 + ord('A' if c.isupper() else 'a'))\n",
    ),
    "small letters": (
        "chr(ord(c) - k) if c.islower() else c",
        "chr((ord(c) - ord('a') - k) % 26 + ord('a')) if c.islower() else c",
    ),
    "what was taken away before a wrap": ("chr((ord(c) - 97 + k) % 26)", "chr((ord(c) - 97 + k) % 26 + 97)"),
    "the first of a range before a wrap": ("h = (t - first + k) % n\n", "h = (t - first + k) % n + first\n"),
    "a list for each key": (
        "for w in words:\n    d[len(w)] = [w]\n",
        "for w in words:\n    d.setdefault(len(w), []).append(w)\n",
    ),
    "the first becomes the second": (
        "for x in xs:\n    if x > a:\n        a = x\n    elif x > b:\n        b = x\n",
        "for x in xs:\n    if x > a:\n        b = a\n        a = x\n    elif x > b:\n        b = x\n",
    ),
    "words turned round": ("' '.join(t[::-1].split())", "' '.join(t.split()[::-1])"),
    "parts of a stripped line": ("line.split(',').strip()", "line.strip().split(',')"),
    "a list of the class": (
        "class S:\n    xs = []\n    def push(self, x):\n        self.xs.append(x)\n",
        "class S:\n    def __init__(self):\n        self.xs = []\n    def push(self, x):\n        self.xs.append(x)\n",
    ),
    "a dictionary of the class": (
        "class S:\n    d = {}\n    def __init__(self, n):\n        self.n = n\n    def put(self, k):\n        self.d[k] = 1\n",
        "class S:\n    def __init__(self, n):\n        self.d = {}\n        self.n = n\n    def put(self, k):\n        self.d[k] = 1\n",
    ),
    "a list of the class below a docstring": (
        'class S:\n    xs = []  # kept\n    def __init__(self):\n        """All."""\n        self.n = 0\n    def push(self, x):\n        self.xs.append(x)\n',
        'class S:\n    def __init__(self):\n        """All."""\n        self.xs = []\n        self.n = 0\n    def push(self, x):\n        self.xs.append(x)\n',
    ),
    "a list of a class that begins by itself": (
        "class S(B):\n    xs = []\n    def __init__(self):\n        super().__init__()\n    def push(self, xs):\n        self.xs.extend(xs)\n",
        "class S(B):\n    def __init__(self):\n        self.xs = []\n        super().__init__()\n    def push(self, xs):\n        self.xs.extend(xs)\n",
    ),
    "one place down at what is called": ("d[f(x)] - d[f(x) + 1]", "d[f(x) - 1] - d[f(x)]"),
    "letters by a difference": (
        "if c.islower():\n    out += chr(ord(c) - (a - b))\n",
        "if c.islower():\n    out += chr((ord(c) - ord('a') - (a - b)) % 26 + ord('a'))\n",
    ),
    "small letters of the others": (
        "if c.isupper():\n    out += c\nelif c.islower():\n    out += chr(ord(c) + k)\n",
        "if c.isupper():\n    out += c\nelif c.islower():\n    out += chr((ord(c) - ord('a') + k) % 26 + ord('a'))\n",
    ),
    "digit by digit": (
        "while n > 0:\n    t += n % 10\n    n = n / 10\n",
        "while n > 0:\n    t += n % 10\n    n = n // 10\n",
    ),
    "digit by digit, in place": (
        "while n > 0:\n    t += n % 10\n    n /= 10\n",
        "while n > 0:\n    t += n % 10\n    n //= 10\n",
    ),
}


@pytest.mark.parametrize(("source", "meant"), MEANT.values(), ids=MEANT)
def test_what_was_left_out_is_proposed(source: str, meant: str) -> None:
    assert meant in list_texts(source)


NEAR_MISSES = {
    "the greatest once": "out.append(max(xs))\n",
    "the greatest is taken out": "while k:\n    out.append(max(xs))\n    xs.remove(max(xs))\n",
    "the greatest of rows": "for row in rows:\n    out.append(max(row, key=len))\n",
    "it is only shown": "while k:\n    print(max(xs))\n",
    "both rests are there": MERGE + "    out.extend(a[i:])\n    return out + b[j:]\n",
    "loops for the rest": MERGE + "    while i < len(a):\n        out.append(a[i])\n        i += 1\n    return out\n",
    "another condition": "while i < len(a) or j < len(b):\n    out.append(a[i])\n",
    "nothing is filled": "while i < len(a) and j < len(b):\n    i += 1\n    j += 1\n",
    "the count is asked": "def f(s):\n    n = len(s)\n    if n % 2:\n        return s[n // 2]\n    return None\n",
    "a third": "def f(s):\n    return s[len(s) // 3]\n",
    "no half": "def f(s, k):\n    return s[k]\n",
    "two lists": "a[m] + b[m + 1]",
    "two places off": "a[m] + a[m + 2]",
    "the inner loop hangs on the outer": "for row in m:\n    for x in row:\n        print(x)\n",
    "the same range": "for i in range(n):\n    for j in range(n):\n        print(i, j)\n",
    "one loop": "[x for x in xs]",
    "nothing asked": "chr(ord(c) + 1)",
    "another character asked": "chr(ord(c) + k) if d.islower() else c",
    "digits": "chr(ord(c) + k) if c.isdigit() else c",
    "a way back": "chr((ord(c) - 97 + k) % 26 + 97) if c.islower() else c",
    "it is handed down": "for x in xs:\n    if x > a:\n        b = a\n        a = x\n    elif x > b:\n        b = x\n",
    "the least and the greatest of others": "for x in xs:\n    if x > a:\n        a = x\n    elif y > b:\n        b = y\n",
    "one record": "for x in xs:\n    if x > a:\n        a = x\n",
    "one link": "t.split()",
    "the same link twice": "t[::-1][::-1]",
    "an item": "t.split()[0]",
    "a list of its own": "class S:\n    xs = []\n    def __init__(self):\n        self.xs = []\n    def push(self, x):\n        self.xs.append(x)\n",
    "a list that is read": "class S:\n    xs = []\n    def last(self):\n        return self.xs[-1]\n",
    "a list of all by the class's name": "class S:\n    xs = []\n    def push(self, x):\n        S.xs.append(x)\n",
    "a list of a class with a base": "class S(B):\n    xs = []\n    def push(self, x):\n        self.xs.append(x)\n",
    "a list of a class whose beginning is made": "@dataclass\nclass S:\n    xs = []\n    def push(self, x):\n        self.xs.append(x)\n",
    "a list that a method of the class counts": "class S:\n    xs = []\n    def push(self, x):\n        self.xs.append(x)\n    @classmethod\n    def total(cls):\n        return len(cls.xs)\n",
    "a list that is asked of the type": "class S:\n    xs = []\n    def push(self, x):\n        self.xs.append(x)\n        return len(type(self).xs)\n",
    "a list with another name": "class S:\n    xs = []\n    ys = xs\n    def push(self, x):\n        self.xs.append(x)\n",
    "a list that is a default": "class S:\n    xs = []\n    def push(self, x, to=xs):\n        self.xs.append(x)\n",
    "two lists at once": "class S:\n    xs = ys = []\n    def push(self, x):\n        self.xs.append(x)\n",
    "a list that shares its line": "class S:\n    xs = []; n = 0\n    def push(self, x):\n        self.xs.append(x)\n",
    "the length of nothing": "while i < len() and j < len(b):\n    out.append(b[j])\n    j += 1\n",
    "a result of no function": "return xs[n // 2]\n",
    "a sum in brackets": "(first + last).upper().split()",
    "no capital letter": "if c.isupper():\n    out += c\nelse:\n    out += chr(ord(c) + k)\n",
    "no small letter": "c if c.islower() else chr(ord(c) + k)",
    "one key": "for w in words:\n    d['all'] = [w]\n",
    "no loop": "d[k] = [w]",
    "a key that is begun": "for w in words:\n    if w not in d:\n        d[w] = [w]\n",
    "halves": "while n > 1:\n    n = n / 2\n",
    "a place of a ring": "xs[(i - 1) % n]",
    "an even distance": "if (a - b) % 2 == 0:\n    pass\n",
    "a rest that something is added to": "(t - 5 + k) % 7 + 1",
    "nothing was taken away": "(ord(c) + k) % 26",
    "another digit": "while n > 0:\n    t += n % 10\n    n = n / 2\n",
}


@pytest.mark.parametrize("source", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_what_is_complete_is_left_alone(source: str) -> None:
    assert list_texts(source) == []


SHARED = "class S:\n    xs = []\n    def push(self, x):\n        self.xs.append(x)\n"


@pytest.mark.parametrize(
    ("elsewhere", "is_shared"),
    [
        ("print(S.xs)", True),
        ("class T(S):\n    pass", True),
        ("getattr(S, 'xs')", True),
        ("S().xs", False),
        ("t.xs", False),
        ("class T:\n    xs = 3\nT.n", False),
    ],
)
def test_what_another_cell_reads_of_the_class_or_makes_of_it_stays_shared(elsewhere: str, is_shared: bool) -> None:
    check = "s = S()\nassert s.push(1) is None"
    notebook = Notebook((Cell("d", SHARED), Cell("t", check), Cell("e", elsewhere)))
    plan = build_plan(Case(Failure("t", check, FailureKind.RAISED, "AssertionError"), notebook))
    assert plan is not None
    known = {name: frozenset(map(str, plan.hints[name])) for name in ("of_classes", "extended")}  # type: ignore[arg-type]
    assert bool(list_texts(SHARED, Hints(**known))) is not is_shared
