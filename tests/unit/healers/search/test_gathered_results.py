"""Results that are gathered in a loop or by recursion, and records that are compared by hand."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.scope import DICT, ITEMS, TEXT, Hints, Scope
from tests.unit.healers.search.searching import find, list_texts

GATHERED = [
    (
        "def by_size(boxes):\n    out = {}\n    for b in boxes:\n        out[len(b)] = []\n        out[len(b)].append(b)\n    return out\n",
        "        if len(b) not in out:\n            out[len(b)] = []\n        out[len(b)].append(b)\n",
        "lacks the condition",
    ),
    (
        "def visited(stops):\n    seen = set()\n    for stop in stops:\n        seen.add(stop)\n    return list(seen)\n",
        "    seen = []\n    for stop in stops:\n        if stop not in seen:\n            seen.append(stop)\n",
        "keeps no order",
    ),
    (
        "def late(trains):\n    out = []\n    for t in trains:\n        if t[1] > 5:\n            return [t[0]]\n        else:\n            return []\n",
        "        if t[1] > 5:\n            out.append(t[0])\n    return out\n",
        "is to hold all",
    ),
    (
        "def longest(words):\n    best, out = 0, []\n    for w in words:\n        if len(w) > best:\n            best = len(w)\n            out.append(w)\n    return out\n",
        "            best = len(w)\n            out = [w]\n",
        "no longer the best",
    ),
    ("rows = list(zip(*table))\n", "rows = ([list(item) for item in zip(*table)])\n", "is to be a list"),
    (
        "def streak(xs):\n    top = n = 0\n    for x in xs:\n        if x:\n            n += 1\n        else:\n            if n > top:\n                top = n\n            n = 0\n    return top\n",
        "            n = 0\n    top = max(top, n)\n    return top\n",
        "for the last of them",
    ),
    (
        "def climbs(xs):\n    n = 1\n    for i in range(1, len(xs)):\n        if xs[i] > xs[i - 1]:\n            n += 1\n    return n\n",
        "            n += 1\n        else:\n            n = 1\n",
        "begins anew",
    ),
    (
        "def place(queue, x):\n    for i, y in enumerate(queue):\n        if x < y:\n            queue.insert(i, x)\n            break\n    return queue\n",
        "            break\n    else:\n        queue.append(x)\n",
        "no place was found",
    ),
    (
        "def places(names):\n    out = {}\n    for n, name in enumerate(names):\n        out[name] = n\n    return out\n",
        "        if name not in out:\n            out[name] = n\n",
        "is to stay",
    ),
    ("line.append(guest)\n", "line.insert(0, guest)\n", "wrong end"),
    (
        "def pairs_of(xs, ys):\n    return xs[0] + ys[0] + pairs_of(xs[1:], ys[1:])\n",
        "    return [xs[0]] + [ys[0]] + pairs_of(xs[1:], ys[1:])\n",
        "as a list",
    ),
    (
        "def split(xs):\n    if not xs:\n        return []\n    odd, even = split(xs[1:])\n    return even, odd\n",
        "        return [], []\n",
        "as elsewhere",
    ),
]
RECORDS = [
    (
        "while line[j] == line[i]:\n    j += 1\n",
        "while (j < len(line) and (line[j] == line[i])):\n",
        "lacks `j < len(line)`",
    ),
    (
        "for x in a:\n    if x in b:\n        out.append(x)\n",
        "if ((x in b) and x not in out):\n",
        "lacks `x not in out`",
    ),
    ("for i in range(max(a, b)):\n    print(i)\n", "range((max(len(a), len(b)))):\n", "should be `max(len(a)"),
    (
        "def f(a, b, i):\n    if i < len(a):\n        x = a[i]\n    if i < len(b):\n        y = b[i]\n    else:\n        y = None\n    return x, y\n",
        "        x = a[i]\n    else:\n        x = None\n",
        "as beside it",
    ),
    (
        "def even_out(a, b):\n    while len(a) < len(b):\n        a.append(0)\n    return a, b\n",
        "        a.append(0)\n    while len(b) < len(a):\n        b.append(0)\n",
        "other way round",
    ),
    ("if a[0] > b[0]:\n    best = a\n", "if a[1] > b[1]:\n", "on both sides"),
    ("top = [m for m in marks if m[1] == best]\n", "if m[1] == (best[1])]", "as on the other side"),
    ("if len(a) <= len(b) and a < b:\n    b = a\n", "((len(a), a) < (len(b), b))", "where the first is the same"),
    (
        "def order(xs, i):\n    if xs[i][0] == xs[i + 1][0]:\n        xs[i], xs[i + 1] = xs[i + 1], xs[i]\n",
        "(xs[i][0] == xs[i + 1][0]) and xs[i] > xs[i + 1]",
        "lacks `xs[i] >",
    ),
    ("while xs[j] == x and j < len(xs):\n    j += 1\n", "while (j < len(xs)) and (xs[j] == x):\n", "asked first"),
    (
        "def mix(a, b):\n    out = []\n    for i in range(len(a)):\n        out.append(a[i])\n        out.append(b[i])\n    return out\n",
        "    for i in range(max(len(a), len(b))):\n        if i < len(a):\n            out.append(a[i])\n        if i < len(b):\n            out.append(b[i])\n",
        "may be longer",
    ),
    ("for x in xs:\n    if x[1] > best[1]:\n        best = x[1]\n", "        best = x\n", "as a whole"),
]


@pytest.mark.parametrize(("old", "part", "words"), GATHERED + RECORDS)
def test_a_text_is_among_the_changes(old: str, part: str, words: str) -> None:
    assert any(part in text for text in list_texts(old, words))


def test_what_is_known_of_values_makes_changes() -> None:
    ages = Hints({"ages": frozenset({DICT}), "name": frozenset({TEXT})})
    shown = "def listed(ages):\n    out = []\n    for name in sorted(ages):\n        out.append(name)\n    return out\n"
    assert any("out.append((ages[name]))" in text for text in list_texts(shown, "is a key", ages))
    assert list_texts(shown, "is a key") == []
    spoken = Hints({"text": frozenset({TEXT})}, calls={"f": (("a b",),)})
    counted = "def f(text):\n    n = 0\n    for c in text:\n        n += 1\n    return n\n"
    assert any("text.replace(" in text for text in list_texts(counted, "blanks do not count", spoken))
    lists = Hints({"a": frozenset({ITEMS}), "b": frozenset({ITEMS})})
    assert list_texts("out.append(a)\nout.append(b)\n", "whose items", lists) == ["out.extend(a)\nout.extend(b)\n"]


NEAR_MISSES = [
    ("out = {}\nout['a'] = []\nout['a'].append(1)\n", "lacks the condition `'a' not in"),
    ("seen = set()\nfor x in xs:\n    seen.add(x)\nprint(seen.pop())\n", "keeps no order"),
    (
        "def f(xs):\n    out = []\n    for x in xs:\n        if x:\n            return x\n        out.append(x)\n    return out\n",
        "is to hold all",
    ),
    ("for w in words:\n    if len(w) > 3:\n        out.append(w)\n", "no longer the best"),
    (
        "def f(xs):\n    n = 0\n    for x in xs:\n        if x:\n            n += 1\n        else:\n            n = 0\n    return n\n",
        "begins anew",
    ),
    ("def total(xs):\n    return xs[0] + sum(xs[1:])\n", "as a list"),
    ("def f(xs):\n    if not xs:\n        return []\n    return xs[1:]\n", "as elsewhere"),
    ("if i < 3:\n    x = 1\nif i < 2:\n    y = 2\n", "as beside it"),
    ("while len(a) < len(b):\n    a.append(0)\nwhile len(b) < len(a):\n    b.append(0)\n", "other way round"),
    ("while j < len(xs) and xs[j] == x:\n    j += 1\n", "lacks `j < len(xs)`"),
    ("for x in a:\n    if x not in out:\n        out.append(x)\n", "lacks `x not in out`"),
    ("if a[0] > b[1]:\n    best = a\n", "on both sides"),
    ("if a < b and c == d:\n    b = a\n", "where the first is the same"),
    ("while j < len(xs) and xs[j] == x:\n    j += 1\n", "asked first"),
    ("for x in xs:\n    if x[1] > best[0]:\n        best = x[2]\n", "as a whole"),
]


@pytest.mark.parametrize(("text", "words"), NEAR_MISSES)
def test_what_is_right_or_another_thing_is_left(text: str, words: str) -> None:
    assert list_texts(text, words) == []


def test_a_case_for_empty_input_is_found_behind_an_edit_that_is_right_for_all_else() -> None:
    found = find(
        "def turned(m):\n    out = []\n    for c in range(len(m)):\n        row = []\n        for r in range(len(m[0])):\n            row.append(m[r][c])\n        out.append(row)\n    return out\n",
        "assert turned([[1, 2, 3]]) == [[1], [2], [3]]\nassert turned([[1], [2]]) == [[1, 2]]\nassert turned([]) == []\n"
        "assert turned([[1, 2], [3, 4], [5, 6]]) == [[1, 3, 5], [2, 4, 6]]\n",
        4.0,
    )
    assert "are exchanged" in found["patches"][0]["words"]
    assert "if not m" in found["patches"][0]["words"]
    assert found["patches"][0]["rival"]


def test_a_loop_is_not_ended_by_what_is_given_after_it() -> None:
    old = "def best(xs):\n    top = xs[0]\n    for x in xs:\n        if x > top:\n            top = x\n    return [x for x in xs if x == top]\n"
    given = [c for c in list_changes(Scope(old)) if c.words.startswith("`return [x for") and "missing" in c.words]
    assert given
    assert all(c.prior < 0.1 for c in given)
