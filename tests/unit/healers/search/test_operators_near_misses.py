"""For each operator a text that it changes, and three beside it that it leaves as they are."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.scope import ITEMS, Hints
from tests.unit.healers.search.searching import list_texts

FLAG = "def f(xs):\n    for x in xs:\n        if x < 0:\n            {yes}\n        else:\n            {no}\n    return found\n"
GROUP = "def f(text):\n    count = 0\n    out = []\n    for c in text:\n        count += 1\n        if c == ';':\n            out.append(count)\n{}    return out\n"
LAST = "def f(xs):\n    last = 0\n    for x in xs:\n        if {asked}:\n            print(x)\n        {ends}\n"
CASES = "def f(n):\n    if n > 90:\n        mark = 'A'\n{second}    {word} n > 50:\n        mark = 'B'\n    {third}\n        mark = 'C'\n    return mark\n"
STAYS = "def f(text):\n    out = ''\n    for {item} in text:\n        if c == 'a':\n            out += 'b'\n{rest}    return out\n"
WITHIN = "def f(amounts, prices):\n    total = 0\n    for n in {first}:\n{between}        for p in {second}:\n            total += n * p\n    return total\n"
NEW = "def f(words):\n    for {item} in {whole}:\n        {last}\n    return words\n"
WINDOW = "def f(xs, k):\n    return [sum(xs[{low}:{high}]) for i in range({stop})]\n"
ONCE = "def f(xs):\n    for x in xs:\n        if x < 0:\n            break\n        {}\n"
COUNTED = "def f(n):\n    digits = 0\n    {head}:\n        digits += 1\n        {last}\n    return digits\n"
ENTRY = "def f(pairs):\n    groups = {{}}\n    for k, v in pairs:\n        if k in groups:\n            groups[k].{fill}(v)\n        else:\n            {begins}\n    return groups\n"

MOVES = "def f(n):\n    a, b = 0, 1\n    for _ in range(n):\n        {}\n    return a\n"
PLACES = "def f(prices, names):\n    for {item} in {whole}:\n        print(prices[{index}])\n"
COUNTS = "def f(a, b):\n    for {item} in {whole}:\n        if x {sign} b:\n            return False\n    return True\n"
ORDER = "def f(pairs):\n    return {}\n"
SEEN = Hints(kinds={"prices": frozenset({ITEMS})}, calls={"f": [([("a", 2), ("b", 1)],)]})
"""What running told of the programs below: prices are a list, and the checks give records."""

OPERATORS = [
    (
        "only the last round decides",
        FLAG.format(yes="found = True", no="found = False"),
        FLAG.format(yes="found = True", no="other = False"),
        FLAG.format(yes="found = x > 3", no="found = x < 3"),
        "def f(x):\n    if x < 0:\n        found = True\n    else:\n        found = False\n    return found\n",
    ),
    (
        "begins anew here",
        GROUP.format(""),
        GROUP.format("            count = 0\n"),
        GROUP.format("").replace("    count = 0\n", "").replace("f(text)", "f(text, count)"),
        GROUP.format("").replace("        count += 1\n", ""),
    ),
    (
        "never changes",
        LAST.format(asked="x > last", ends="print(1)"),
        LAST.format(asked="x > last", ends="last = x"),
        LAST.format(asked="x > 3", ends="print(last)"),
        LAST.format(asked="x > last", ends="return x"),
    ),
    (
        "after the loop, for the last of them",
        GROUP.format(""),
        GROUP.format("    out.append(count)\n"),
        "def f(text):\n    out = []\n    for c in text:\n        out.append(c)\n    return out\n",
        "def f(text):\n    out = []\n    for c in text:\n        if c == ';':\n            print(out)\n    return out\n",
    ),
    (
        "the cases exclude each other",
        CASES.format(second="", word="if", third="if n <= 50:"),
        CASES.format(second="", word="elif", third="else:"),
        CASES.format(second="    n += 1\n", word="if", third="else:"),
        CASES.format(second="", word="if", third="else:"),
    ),
    (
        "`else: out += c`",
        STAYS.format(item="c", rest=""),
        STAYS.format(item="c", rest="        else:\n            out += c\n"),
        STAYS.format(item="at, c", rest=""),
        "def f(c):\n    out = ''\n    if c == 'a':\n        out += 'b'\n    return out\n",
    ),
    (
        "alone asks nothing",
        "def f(x):\n    return x == 'a' or 'b'\n",
        "def f(x):\n    return x == 'a' or x == 'b'\n",
        "def f(x, y):\n    return x == 'a' or y\n",
        "def f(x):\n    return x < 3 or 5\n",
    ),
    (
        "go side by side",
        WITHIN.format(first="amounts", between="", second="prices"),
        WITHIN.format(first="amounts", between="", second="amounts"),
        WITHIN.format(first="amounts", between="        total += 1\n", second="prices"),
        WITHIN.format(first="amounts", between="", second="range(len(prices))"),
    ),
    (
        "goes beyond the last place",
        "def f(xs, i, by):\n    return xs[i + by]\n",
        "def f(xs, i):\n    return xs[i + 1]\n",
        "def f(xs, i, by):\n    return xs[i * by]\n",
        "def f(xs, i, by):\n    return xs[i:by]\n",
    ),
    (
        "changes no item of",
        NEW.format(item="word", whole="words", last="word = word.upper()"),
        NEW.format(item="word", whole="words", last="last = word.upper()"),
        NEW.format(item="word", whole="range(len(words))", last="word = word + 1"),
        NEW.format(item="at, word", whole="words", last="word = word.upper()"),
    ),
    (
        "goes past the last whole window",
        WINDOW.format(low="i", high="i + k", stop="len(xs)"),
        WINDOW.format(low="i", high="i + k", stop="len(xs) - k + 1"),
        WINDOW.format(low="0", high="i + k", stop="len(xs)"),
        WINDOW.format(low="i", high="k", stop="len(xs)"),
    ),
    (
        "not once where no turn has broken the loop off",
        ONCE.format("print('none')"),
        ONCE.format("total += x"),
        ONCE.format("continue"),
        "def f(xs):\n    for x in xs:\n        print(x)\n",
    ),
    (
        "is missing in the loop",
        COUNTED.format(head="while n > 0", last="print(n)"),
        COUNTED.format(head="for n in range(3)", last="print(n)"),
        COUNTED.format(head="while True", last="print(n)"),
        COUNTED.format(head="while n > 0", last="return n"),
    ),
    (
        "is added to, and begins as",
        ENTRY.format(fill="append", begins="groups[k] = v"),
        ENTRY.format(fill="append", begins="groups[k] = [v]"),
        ENTRY.format(fill="count", begins="groups[k] = v"),
        ENTRY.format(fill="append", begins="other[k] = v"),
    ),
    (
        "turns in the other direction",
        "def f(xs):\n    xs.append(xs.pop(0))\n    return xs\n",
        "def f(xs, ys):\n    xs.append(ys.pop(0))\n    return xs\n",
        "def f(xs):\n    xs.append(xs.pop(1))\n    return xs\n",
        "def f(xs):\n    xs.append(xs.pop())\n    return xs\n",
    ),
    (
        "changes the list in place",
        "def f(xs):\n    ys = xs.sort()\n    return ys\n",
        "def f(xs):\n    xs.sort()\n    return xs\n",
        "def f(xs):\n    ys = sorted(xs)\n    return ys\n",
        "def f(xs):\n    ys = xs.pop()\n    return ys\n",
    ),
    (
        "is not handed on",
        MOVES.format("b = a + b"),
        MOVES.format("a, b = b, a + b"),
        MOVES.format("b = b + 2"),
        MOVES.format("b = a + n"),
    ),
    (
        "is an item of `names`, not its place",
        PLACES.format(item="name", whole="names", index="name"),
        PLACES.format(item="name", whole="range(len(names))", index="name"),
        PLACES.format(item="at, name", whole="enumerate(names)", index="at"),
        PLACES.format(item="name", whole="names", index="name").replace("prices[", "stock["),
    ),
    (
        "places are wanted, not items",
        "def f(xs):\n    for i in xs:\n        if i > 3:\n            return i\n",
        "def f(xs):\n    for i in range(len(xs)):\n        if i > 3:\n            return i\n",
        "def f(xs):\n    for i in xs:\n        if i > 3:\n            print('more')\n",
        "def f(xs):\n    for i in xs:\n        return i\n",
    ),
    (
        "asks once, not how often",
        COUNTS.format(item="x", whole="a", sign="not in"),
        COUNTS.format(item="x", whole="b", sign="not in"),
        COUNTS.format(item="y", whole="a", sign="not in"),
        COUNTS.format(item="x", whole="a", sign="!="),
    ),
    (
        "lacks `key=",
        ORDER.format("sorted(pairs)"),
        ORDER.format("sorted(pairs, key=len)"),
        ORDER.format("sum(pairs)"),
        ORDER.format("list(pairs)"),
    ),
]


@pytest.mark.parametrize(("words", "changed", "near"), [(row[0], row[1], row[2:]) for row in OPERATORS])
def test_an_operator_changes_what_it_is_for_and_nothing_beside_it(
    words: str, changed: str, near: tuple[str, ...]
) -> None:
    assert list_texts(changed, words, SEEN)
    assert len(near) == 3
    assert [text for text in near if list_texts(text, words, SEEN)] == []
