"""Items that are taken for places and the other way round, loops side by side, copies, and questions that are chained wrongly."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.scope import Scope
from tests.unit.healers.search.searching import find, list_texts

TEXTS = [
    (
        "def shout(lines):\n    for line in lines:\n        line = line.upper()\n    return lines\n",
        "def shout(lines):\n    lines = [line.upper() for line in lines]\n    return lines\n",
        "changes no item",
    ),
    (
        "def raise_all(pay):\n    for p in pay:\n        p += 1\n    return pay\n",
        "def raise_all(pay):\n    for i, p in enumerate(pay):\n        pay[i] = p + 1\n    return pay\n",
        "changes no item",
    ),
    (
        "def pair(a, b):\n    for x in a:\n        for y in b:\n            print(x, y)\n",
        "def pair(a, b):\n    for x, y in zip(a, b):\n        print(x, y)\n",
        "side by side",
    ),
    (
        "def where(xs, wanted):\n    for i in xs:\n        if i * 2 == wanted:\n            return i\n",
        "def where(xs, wanted):\n    for i in range(len(xs)):\n        if xs[i] * 2 == wanted:\n            return i\n",
        "places are wanted",
    ),
    (
        "def parts(xs, n):\n    out = []\n    for i in range(len(xs)):\n        out.append(xs[i:n])\n    return out\n",
        "def parts(xs, n):\n    out = []\n    for i in range(0, len(xs), n):\n        out.append(xs[i:i + n])\n    return out\n",
        "one part behind the other",
    ),
    (
        "def parts(xs, n):\n    return [xs[i:i + n] for i in range(len(xs))]\n",
        "def parts(xs, n):\n    return [xs[i:i + n] for i in range(0, len(xs), n)]\n",
        "one part behind the other",
    ),
    ("day = days[today + later]\n", "day = days[(today + later) % len(days)]\n", "beyond the last place"),
    ('ok = c == "x" or "y" or "z"\n', 'ok = (c in ("x", "y", "z"))\n', "asks nothing"),
    ("ok = n != 3 and 5\n", "ok = (n not in (3, 5))\n", "asks nothing"),
    (
        "def size(n):\n    if n > 9:\n        word = 'big'\n    if n > 5:\n        word = 'fair'\n    if n > 0:\n        word = 'small'\n    else:\n        word = 'none'\n    return word\n",
        "def size(n):\n    if n > 9:\n        word = 'big'\n    elif n > 5:\n        word = 'fair'\n    elif n > 0:\n        word = 'small'\n    else:\n        word = 'none'\n    return word\n",
        "exclude each other",
    ),
    (
        "def mask(text):\n    out = ''\n    for c in text:\n        if c.isdigit():\n            out += '#'\n    return out\n",
        "def mask(text):\n    out = ''\n    for c in text:\n        if c.isdigit():\n            out += '#'\n        else:\n            out += c\n    return out\n",
        "is missing",
    ),
    (
        "def prefixes(xs):\n    out, part = [], []\n    for x in xs:\n        part.append(x)\n        out.append(part)\n    return out\n",
        "def prefixes(xs):\n    out, part = [], []\n    for x in xs:\n        part.append(x)\n        out.append((list(part)))\n    return out\n",
        "goes on changing",
    ),
]


@pytest.mark.parametrize(("old", "new", "words"), TEXTS)
def test_a_text_is_among_the_changes(old: str, new: str, words: str) -> None:
    assert new in list_texts(old, words)


def test_an_item_in_place_of_its_place_is_found_and_applied() -> None:
    old = "def bill(dishes, costs):\n    out = {}\n    for dish in dishes:\n        out[dish] = costs[dish]\n    return out\n"
    checks = (
        "assert bill(['soup', 'tea'], [4, 2]) == {'soup': 4, 'tea': 2}\nassert bill(['x'], [9]) == {'x': 9}\n"
        "assert bill([], []) == {}\nassert bill(['c', 'b', 'a'], [1, 5, 3]) == {'c': 1, 'b': 5, 'a': 3}\n"
    )
    best = find(old, checks)["patches"][0]
    assert "enumerate(dishes)" in best["texts"]["0"]
    assert not best["rival"]


@pytest.mark.slow
def test_a_copy_is_no_sorted_list() -> None:
    """Checks whose items ascend cannot tell ``sorted(row)`` from ``list(row)``: a copy is what was forgotten."""
    old = (
        "def rows(xs, n):\n    out = []\n    row = []\n    for x in xs:\n        row.append(x)\n        if len(row) == n:\n"
        "            out.append(row)\n            row.clear()\n    return out\n"
    )
    checks = (
        "assert rows([1, 2, 3, 4], 2) == [[1, 2], [3, 4]]\nassert rows([], 2) == []\nassert rows([5, 6], 1) == [[5], [6]]\n"
        "assert rows([1, 3, 5, 7, 9, 11], 3) == [[1, 3, 5], [7, 9, 11]]\nassert rows([2, 4], 2) == [[2, 4]]\n"
    )
    best = find(old, checks)["patches"][0]
    assert "sorted" not in best["texts"]["0"]


NEAR_MISSES = [
    (
        "def up(names):\n    for name in names:\n        name = name.upper()\n    return names\n",
        "assert up([]) == ['A']\n",
    ),
    ("def mix(a, b):\n    return [x + y for x in a for y in b]\n", "assert mix([1], [2]) == [4]\n"),
    ("def is_end(c):\n    return c == 'x' or 'y'\n", "assert is_end('a') == 1\n"),
]


@pytest.mark.parametrize(("old", "check"), NEAR_MISSES)
def test_nothing_is_applied_where_the_check_asks_for_something_else(old: str, check: str) -> None:
    assert all(p["rival"] for p in find(old, check)["patches"])


SORTED = """def selection_sort(xs):
    xs = list(xs)
    for i in range(len(xs)):
        least = 0
        for j in range(i + 1, len(xs)):
            if xs[j] < xs[least]:
                least = j
        xs[i], xs[least] = xs[least], xs[i]
    return xs
"""


def test_the_least_of_the_rest_begins_where_the_rest_does() -> None:
    checks = "assert selection_sort([3, 1, 2]) == [1, 2, 3]\nassert selection_sort([1]) == [1]\nassert selection_sort([9, 7, 8, 1]) == [1, 7, 8, 9]\n"
    assert find(SORTED, checks)["patches"][0]["texts"]["0"] == SORTED.replace("least = 0", "least = i").rstrip("\n")


@pytest.mark.parametrize(
    "source",
    [
        SORTED.replace("range(i + 1, len(xs))", "range(len(xs))"),
        SORTED.replace("least = j", "least += 1"),
        SORTED.replace("        least = 0\n", "").replace("    for i", "    least = 0\n    for i"),
        SORTED.replace("least = 0", "least = len(xs) - 1"),
    ],
)
def test_what_begins_elsewhere_for_a_reason_begins_there(source: str) -> None:
    assert list_texts(source, "`least` begins at `i`, not at `0`: what is before it is done") == []


def test_the_name_of_a_counting_loop_is_not_set_within() -> None:
    """``i = j`` in ``for i in range(…)`` is undone by the next round."""
    words = ("`i = j` is missing", "`least = i` is missing")
    counted, kept = ({c.line: c.prior for c in list_changes(Scope(SORTED)) if c.words == text} for text in words)
    assert [line for line, prior in kept.items() if counted[line] < prior / 5] == [4, 5, 8, 6]
    assert counted[2] == kept[2]  # above the loop


@pytest.mark.parametrize(
    "text",
    [
        "def parts(xs, n):\n    return [xs[k:n] for i in range(len(xs))]\n",
        "def parts(xs, n):\n    return [xs[i:3] for i in range(len(xs))]\n",
        "def parts(xs, i, n):\n    return xs[i:n]\n",
        "def parts(xs, n):\n    return [xs[n + i:n] for i in range(0, len(xs), 2)]\n",
    ],
)
def test_other_parts_of_a_list_have_no_length(text: str) -> None:
    assert list_texts(text, " of them") == []
