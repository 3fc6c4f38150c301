"""What is looked at only where it is there, letters that do not count, the last place, an item of a list that nothing reads."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.scope import TEXT, Hints, Scope
from tests.unit.healers.search.searching import list_texts

GATHERED = "def f(xs):\n    s = 0\n    for x in xs:\n        if x > 0:\n            s += x\n    return s / len(xs)\n"
TRACE = "def f(m):\n    s = 0\n    for i in range(len(m)):\n        for j in range(len(m)):\n            s += m[i][j]\n    return s\n"
STACK = "def closed(text):\n    open_ = []\n    for c in text:\n        open_.pop()\n    return True\n"
TEXTS = Hints(kinds={"line": frozenset({TEXT})})


@pytest.mark.parametrize(
    ("source", "words", "meant"),
    [
        (
            "def dips(h):\n    for k in range(len(h)):\n        if h[k] > h[k + 1]:\n            print(k)\n",
            "lacks `k + 1 < len(h)`",
            "if (k + 1 < len(h) and (h[k] > h[k + 1])):",
        ),
        (
            "def rises(h):\n    for k in range(len(h)):\n        if h[k] > h[k - 1]:\n            print(k)\n",
            "lacks `k > 0`",
            "if (k > 0 and (h[k] > h[k - 1])):",
        ),
        ("def signs(line):\n    return [c for c in line]\n", "lacks the condition", "for c in line if c.isalpha()]"),
        ("def seek(xs):\n    low, high = 0, len(xs)\n    return xs[high]\n", "- 1`", "low, high = 0, (len(xs) - 1)"),
        (
            "def cost(n):\n    fees = [3, 5, 8]\n    s = 0\n    for k in range(n):\n        s += k\n    return s\n",
            "`fees[k]`",
            "s += (fees[k])",
        ),
        (
            "def ways(xs):\n    if len(xs) < 2:\n        return xs\n    return [[x] + w for x in xs for w in ways(xs[1:])]\n",
            "`xs` should be `[xs]`",
            "return ([xs])",
        ),
        ("def same(xs):\n    return xs == xs[:-1]\n", "should be `xs[::-1]`", "xs == (xs[::-1])"),
        (
            "def area(w, h=None):\n    return w * h\n",
            "is None where it is not given",
            "    if h is None:\n        h = w\n",
        ),
        (
            'def add(x, to=None):\n    """Add."""\n    to.append(x)\n    return to\n',
            "is None where it is not given",
            '"""Add."""\n    if to is None:\n        to = []\n',
        ),
        ("def mean(*xs):\n    return sum(xs) / len(xs)\n", "into another one", "def mean(xs):"),
        (STACK, "may be empty before", "        if not open_:\n            return False\n        open_.pop()\n"),
        (STACK, "asked nowhere", "    return (not open_)\n"),
        (
            "def power(b, e):\n    r = b\n    for _ in range(e):\n        r *= b\n    return r\n",
            "counts once more",
            "    r = 1\n",
        ),
        (GATHERED, "is of some of", "return s / (len([x for x in xs if x > 0]))"),
        (TRACE, "not the diagonal", "    for i in range(len(m)):\n        s += m[i][i]\n    return s\n"),
        (
            "def near(xs, t):\n    best = xs[0]\n    for x in xs:\n        if abs(x - t) < best:\n            best = x\n    return best\n",
            "should be compared as",
            "if abs(x - t) < (abs(best - t)):",
        ),
        (
            "def best(marks):\n    return sorted(marks, key=lambda who: -marks[who])\n",
            "says nothing of equal ones",
            "(-marks[who], who)",
        ),
    ],
)
def test_what_is_missing_is_tried(source: str, words: str, meant: str) -> None:
    texts = list_texts(source, words, TEXTS)
    assert any(meant in text for text in texts)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def dips(h, k):\n    if k + 1 < len(h) and h[k] > h[k + 1]:\n        print(k)\n", "lacks `k + 1 < len(h)`"),
        ("def signs(line):\n    return [c for c in line if c != '-']\n", "lacks the condition"),
        ("def area(w, h=None):\n    return w * h if h is not None else w\n", "is None where it is not given"),
        ("def area(w, h=2):\n    return w * h\n", "is None where it is not given"),
        ("def area(w, h):\n    h = None\n    return w\n", "is None where it is not given"),
        ("def mean(*xs, n=1):\n    return sum(xs) / n\n", "into another one"),
        ("def mean(n, *xs):\n    return sum(xs) / n\n", "into another one"),
        ("def mean(xs):\n    return sum(xs)\n", "into another one"),
        (STACK.replace("open_.pop()", "open_.clear()"), "may be empty before"),
        (STACK.replace("return True", "return 3"), "may be empty before"),
        (GATHERED.replace("s = 0", "s = 0.5"), "counts once more"),
        (GATHERED, "counts once more"),
        ("def f(b):\n    r = b\n    r *= 2\n    return r\n", "counts once more"),
        (GATHERED.replace("if x > 0", "if 1:\n            s += 1\n        if x > 0"), "is of some of"),
        (GATHERED.replace("s / len(xs)", "s / len(ys)"), "is of some of"),
        (GATHERED.replace("s / len(xs)", "t / len(xs)"), "is of some of"),
        (TRACE.replace("for j in range(len(m))", "for j in range(len(m[0]))"), "the diagonal"),
        (TRACE.replace("m[i][j]", "m[j][j]"), "the diagonal"),
        (TRACE.replace("m[i][j]", "m[i][i]"), "the diagonal"),
        (STACK.replace("    for", "    if").replace("in text", "== text"), "may be empty before"),
        (
            "def near(xs):\n    best = xs[0]\n    for x in xs:\n        if x < best:\n            best = x\n",
            "compared as",
        ),
        ("def near(xs):\n    m = 0\n    for x in xs:\n        if abs(x) > m:\n            m = abs(x)\n", "compared as"),
        ("def near(xs):\n    m = 0\n    for x in xs:\n        if len(xs) > m:\n            m = x\n", "compared as"),
        ("def best(marks):\n    return max(marks, key=lambda who: (marks[who], who))\n", "says nothing of equal"),
        ("def same(xs):\n    return xs == xs[:-1]\n", "not `set(xs)`"),  # which asks for another thing
        ("def same(xs):\n    return xs == xs[:2]\n", "`xs[:2]` should be `xs[::-1]`"),
        ("def best(marks):\n    return sorted(marks, key=len)\n", "says nothing of equal"),
        ("def signs(xs):\n    return [c for c in xs]\n", "lacks the condition"),
        (
            "def cost(n):\n    fees = [3, 5]\n    for k in fees:\n        n += k\n    return n\n",
            "`k` should be `fees[k]`",
        ),
    ],
)
def test_what_is_there_is_not_put_in_once_more(source: str, words: str) -> None:
    assert list_texts(source, words, TEXTS) == []


@pytest.mark.parametrize("body", ["[c for c in line if c.isdigit]", "1 if line.isupper else 0", "not line.isspace"])
def test_a_question_of_a_text_that_is_not_called_is_likely_the_fault(body: str) -> None:
    source = f"def ask(line):\n    return {body}\n"
    changes = [c for c in list_changes(Scope(source, TEXTS)) if "is not called" in c.words]
    assert max(c.prior for c in changes) == 0.9


@pytest.mark.parametrize(
    ("known", "is_put"), [("", True), ("total", False), ("total clean", True)], ids=["not known", "unbound", "bound"]
)
def test_what_reads_a_name_that_nothing_binds_gets_no_condition(known: str, is_put: bool) -> None:
    """It would only be kept from running."""
    source = "def total(xs):\n    s = 0\n    clean(xs)\n    for x in xs:\n        s += x\n    return s\n"
    texts = list_texts(source, "`clean(xs)` lacks the condition", Hints(defined=frozenset(known.split())))
    assert bool(texts) is is_put


@pytest.mark.parametrize(
    ("text", "never", "may"),
    [
        ("first = people['name'].str.split()", "if people is None", "if first is None"),
        ("def f(xs, y):\n    return xs[0]", "if not xs", "if xs is not None"),
        ("def f(hits, total):\n    return hits / total", "if not total", "if not hits"),
    ],
)
def test_a_value_is_not_taken_just_where_it_can_only_raise(text: str, never: str, may: str) -> None:
    found = list_texts(text, "lacks `if")
    assert any(may in new for new in found)
    assert not any(never in new for new in found)
