"""Branches beside each other, and places and amounts that leave their range: what is made of them, and what is left alone."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.scope import DICT, ITEMS, NUMBER, TEXT, Hints
from tests.unit.healers.search.searching import find, list_texts

CHANGED = [
    (
        "def name(n):\n    if n % 2 == 0:\n        return 'even'\n    elif n % 6 == 0:\n        return 'six'\n    return ''\n",
        "    if n % 6 == 0:\n        return 'six'\n    elif n % 2 == 0:\n        return 'even'\n",
        "never come to",
    ),
    (
        "def size(n):\n    if n > 10:\n        return 'big'\n    if n > 1000:\n        return 'huge'\n    return ''\n",
        "    if n > 1000:\n        return 'huge'\n    if n > 10:\n        return 'big'\n",
        "never come to",
    ),
    (
        "def fare(age, club):\n    if age < 12:\n        return 2\n    elif age < 12 and club:\n        return 1\n    return 4\n",
        "    if age < 12 and club:\n        return 1\n    elif age < 12:\n        return 2\n",
        "never come to",
    ),
    (
        "def listing(stops):\n    line = ''\n    for n, stop in enumerate(stops):\n        if n:\n            line += ' - ' + stop\n        else:\n            line = stop\n    return line\n",
        "            line += stop\n",
        "in the branch beside it",
    ),
    (
        "def by_day(trips):\n    days = {}\n    for day, km in trips:\n        if day in days:\n            days[day] = [km]\n        else:\n            days[day] = [km]\n    return days\n",
        "        if day in days:\n            days[day].append(km)\n        else:\n            days[day] = [km]\n",
        "begun anew",
    ),
    (
        "def tally(votes):\n    out = {}\n    for v in votes:\n        if v not in out:\n            out[v] = 1\n        else:\n            out[v] = 1\n    return out\n",
        "        else:\n            out[v] += 1\n",
        "begun anew",
    ),
    (
        "def turn(cards, n):\n    return cards[n:] + cards[:n]\n",
        "    n %= len(cards)\n    return cards[n:]",
        "more than there are items",
    ),
    (
        "def turn(cards, n):\n    return cards[-n:] + cards[:-n]\n",
        "    n = n % len(cards) if cards else 0\n",
        "more than there are items",
    ),
    (
        "def code(word):\n    return ''.join(chr(ord(c) - ord('a') + 3 + ord('a')) for c in word)\n",
        "chr(((ord(c) - ord('a') + 3) % 26 + ord('a')))",
        "counts from",
    ),
    (
        "def code(c, k):\n    if c.islower():\n        return chr(ord(c) - 97 + k + 97)\n    return chr(ord(c) - 65 + k + 65)\n",
        "chr(((ord(c) - 97 + k) % 26 + 97))\n    return chr(((ord(c) - 65 + k) % 26 + 65))",
        "in 2 places",
    ),
    (
        "def code(c, k):\n    first = 'a' if c.islower() else 'A'\n    base = ord('a') if c.islower() else ord('A')\n    return chr(ord(c) - base + k + base)\n",
        "chr(((ord(c) - base + k) % 26 + base))",
        "counts from",
    ),
    (
        "def code(c, k):\n    return chr((ord(c) - 97 + k) + 97 % 26)\n",
        "chr((ord(c) - 97 + k) % 26 + 97)",
        "wraps something else",
    ),
    (
        "def code(c, k):\n    return chr((ord(c) + k) % 26 + 97)\n",
        "chr((ord(c) - 97 + k) % 26 + 97)",
        "wraps something else",
    ),
    (
        "def code(c, k):\n    return chr(ord(c) - 97 + k % 26 + 97)\n",
        "chr((ord(c) - 97 + k) % 26 + 97)",
        "wraps something else",
    ),
    (
        "def code(c, k):\n    return chr((ord(c) - k) % 26 + ord('a'))\n",
        "chr((ord(c) - ord('a') - k) % 26 + ord('a'))",
        "wraps something else",
    ),
    (
        "def turn(cards, n):\n    return cards[n:] + cards[:n]\n",
        "return cards[-n:] + cards[:-n]",
        "turns the other way",
    ),
    (
        "def turn(cards, n):\n    return cards[-n:] + cards[:-n]\n",
        "return cards[n:] + cards[:n]",
        "turns the other way",
    ),
    (
        "def roots(a, b, d):\n    return (-b + d ** .5) / 2*a, (-b - d ** .5) / 2*a\n",
        "(-b + d ** .5) / (2*a), (-b - d ** .5) / (2*a)",
        "divide by both",
    ),
    (
        "def runs(xs):\n    i, out = 0, []\n    while i < len(xs):\n        j = i\n        while j < len(xs) and xs[j] == xs[i]:\n            j += 1\n        out.append(j)\n        i = j\n    return out\n",
        "out.append((j - i))",
        "how long it is",
    ),
    (
        "import math\ndef prime(n):\n    return all(n % d for d in range(2, math.isqrt(n)))\n",
        "range(2, (math.isqrt(n) + 1))",
        "should be",
    ),
    (
        "def hide(names):\n    return ' '.join(['#' for name in names])\n",
        "[('#' * len(name)) for name in names]",
        "stands for all of",
    ),
    (
        "def initials(names):\n    out = ''\n    for name in names:\n        out += name[0]\n    return out\n",
        "    for name in names:\n        if not name:\n            continue\n        out += name[0]\n",
        "of an empty one",
    ),
    (
        "def dear(prices):\n    return [name for name, price in prices if price > 9]\n",
        "for name, price in (prices.items()) if",
        "goes through the keys only",
    ),
]
KINDS = Hints({"prices": frozenset({DICT})})
LEFT = [
    ("def f(n):\n    if n % 6 == 0:\n        return 1\n    elif n % 2 == 0:\n        return 2\n", "never come to"),
    ("def f(n):\n    if n % 2 == 0:\n        return 1\n    elif n % 3 == 0:\n        return 2\n", "never come to"),
    ("def f(n, m):\n    if n > 1:\n        return 1\n    elif m > 5:\n        return 2\n", "never come to"),
    ("def f(n):\n    if n > 1:\n        n = 1\n    if n > 5:\n        n = 2\n    return n\n", "never come to"),
    ("def f(xs):\n    s = ''\n    for x in xs:\n        if x:\n            s = x\n        else:\n            s = '-'\n    return s\n", "beside it"),
    ("def f(xs):\n    s = n = 0\n    for x in xs:\n        if x:\n            s = x\n        else:\n            n += 1\n    return s\n", "beside it"),
    ("def f(x):\n    s = 0\n    if x:\n        s = 1\n    else:\n        s += 2\n    return s\n", "beside it"),
    ("def f(d, k):\n    if k in d:\n        d[k] = d[k] + 1\n    else:\n        d[k] = 1\n", "begun anew"),
    ("def f(d, e, k):\n    if k in d:\n        e[k] = 2\n    else:\n        e[k] = 1\n", "begun anew"),
    ("def f(d, k):\n    if k not in d:\n        d[k] = 1\n", "begun anew"),
    ("def f(xs, k):\n    k %= len(xs)\n    return xs[k:] + xs[:k]\n", "more than there are"),
    ("def f(xs, ys, k):\n    return xs[k:] + ys[:k]\n", "more than there are"),
    ("def f(xs, k, n):\n    return xs[k:] + xs[:n]\n", "more than there are"),
    ("def f(c):\n    return chr((ord(c) - 97 + 3) % 26 + 97)\n", "counts from"),
    ("def f(c):\n    return chr(ord(c) - 32 + 3 + 32)\n", "counts from"),
    ("def f(c):\n    return chr(ord(c) + 97)\n", "counts from"),
    ("def f(c, k, base):\n    return chr(ord(c) - base + k + base)\n", "counts from"),
    ("def f(c, k):\n    base = 97 if k else 48\n    return chr(ord(c) - base + k + base)\n", "counts from"),
    ("def f(c, k):\n    base = 97\n    base = k\n    return chr(ord(c) - base + k + base)\n", "counts from"),
    ("def f(c):\n    return chr((ord(c) - 97 + 3) % 26 + 97)\n", "wraps something"),
    ("def f(c, k):\n    return chr((ord(c) + k) % 256)\n", "wraps something"),
    ("def f(c, k):\n    return chr((ord(c) + k) % 95 + 32)\n", "wraps something"),
    ("def f(c, k):\n    return chr((k * ord(c)) % 26 + 97)\n", "wraps something"),
    ("def f(c, k):\n    return chr((k - ord(c)) % 26 + 97)\n", "wraps something"),
    ("def f(c, k):\n    return chr(k % 26 + 97)\n", "wraps something"),
    ("def f(c, d):\n    return chr((ord(c) + ord(d)) % 26 + 65)\n", "wraps something"),
    ("def f(c, k):\n    return chr(ord(c) - 97 + k % 13 + 97)\n", "wraps something"),
    ("def f(c, k):\n    return chr((ord(c) - 65 + k) + 97 % 26)\n", "wraps something"),
    ("def f(c, d):\n    return chr(ord(c) - 97 + (ord(d) - 97) % 26 + 97)\n", "wraps something"),
    ("def f(xs, n):\n    return xs[n:] + xs[n + 1:]\n", "the other way"),
    ("def f(xs, n):\n    return xs[n + 1:] + xs[:n + 1]\n", "the other way"),
    ("def f(xs, ys, n):\n    return xs[n:] + ys[:n]\n", "the other way"),
    ("def f(a, b):\n    return a / 2 * b\n", "divide by both"),
    ("def f(a, b):\n    return a / 2 * b, b / 2 * a\n", "divide by both"),
    ("def f(a, b):\n    return a / (2 * b), b / (2 * b)\n", "divide by both"),
    ("def f(xs):\n    j = 0\n    for x in xs:\n        j += 1\n    return j\n", "how long it is"),
    ("def f(i):\n    j = i\n    return j\n", "how long it is"),
    ("def f(xs, i):\n    j = i\n    i = j\n    return xs[j]\n", "how long it is"),
    ("def f(ws):\n    return '-'.join(w for w in ws)\n", "stands for all"),
    ("def f(ws):\n    return ['x' for w in ws]\n", "stands for all"),
    ("def f(w):\n    return w.split(',')\n", "stands for all"),
    ("def f(ws):\n    for w in ws:\n        if w and w[0] == 'a':\n            return w\n", "of an empty one"),
    ("def f(ws):\n    for w in ws:\n        print(w)\n", "of an empty one"),
    ("def f(ws):\n    for w in ws:\n        print(w[1:])\n", "of an empty one"),
    ("def f(pairs):\n    return [a for a, b in pairs]\n", "keys only"),
    ("def f(prices):\n    return [a for a in prices]\n", "keys only"),
    ("def f(prices):\n    return [a for a, b in prices.items()]\n", "keys only"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted", "words"), CHANGED)
def test_what_is_made(text: str, wanted: str, words: str) -> None:
    made = list_texts(text, words, KINDS)
    assert any(wanted in new for new in made), made


def test_what_is_left_alone() -> None:
    kinds = Hints({"prices": frozenset({DICT}), "ws": frozenset({ITEMS}), "w": frozenset({TEXT}), "n": frozenset({NUMBER})})  # fmt: skip
    assert [(text, words) for text, words in LEFT if list_texts(text, words, kinds)] == []


def test_an_order_of_branches_is_found() -> None:
    text = "def kind(n):\n    if n % 2 == 0:\n        return 'two'\n    elif n % 7 == 0:\n        return 'seven'\n    elif n % 14 == 0:\n        return 'both'\n    return str(n)\n"
    checks = "assert kind(14) == 'both'\nassert kind(4) == 'two'\nassert kind(7) == 'seven'\nassert kind(28) == 'both'\nassert kind(3) == '3'\n"
    found = find(text, checks, 20.0)["patches"][0]["texts"]
    assert "if n % 14 == 0:\n        return 'both'\n    elif n % 2 == 0:" in next(iter(found.values()))


def test_a_test_within_a_test_is_no_branch_beside_it() -> None:
    nested = "def sort_of(n):\n    if n > 0:\n        if n % 3 == 0:\n            return 'a'\n        elif n % 15 == 0:\n            return 'b'\n    return 'c'\n"
    assert find(nested, "assert sort_of(15) == 'b'\nassert sort_of(3) == 'a'\nassert sort_of(-1) == 'c'")["patches"]
