"""Whole statements that are left out: a node's next one, an entry of a table, the other side, where a search goes on, and what is behind the last
place; and one name for another in every question of a chain."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.scope import DICT, ITEMS, NUMBER, TEXT, Hints, Scope
from tests.unit.healers.search.searching import find, list_texts

KINDS = {"text": TEXT, "part": TEXT, "at": NUMBER, "begin": NUMBER, "stock": DICT, "prices": DICT, "steps": ITEMS}
HINTS = Hints(kinds={name: frozenset({kind}) for name, kind in KINDS.items()})
PARTS = "def parts(text, part):\n    begin, sizes = 0, []\n    at = text.find(part)\n    while at != -1:\n        sizes.append(len(text[begin:at]))\n{}        at = text.find(part, begin)\n{}    return sizes\n"


@pytest.mark.parametrize(
    ("source", "words", "meant"),
    [
        (
            "def put(stop, name):\n    new = Stop(name)\n    stop.next = new\n",
            "is lost",
            "    new.next = stop.next\n    stop.next = new\n",
        ),
        (
            "def put(stop, new):\n    new.next = stop.next\n    stop.next = new\n    stop.prev = None\n",
            "`new.prev = stop` is missing",
            "    stop.next = new\n    new.prev = stop\n",
        ),
        (
            "def size(stop):\n    n = 0\n    while stop:\n        n += stop.next is not None\n    return n\n",
            "never goes on",
            "is not None\n        stop = stop.next\n    return n\n",
        ),
        (
            "def order(stock, fruit, many):\n    if many < 1:\n        return False\n    return fruit in stock\n",
            "never filled",
            "    stock[fruit] = many\n    return fruit in stock\n",
        ),
        (
            "def count(words):\n    found = {}\n    for w in words:\n        print(w)\n    return found\n",
            "never filled",
            "        found[w] = found.get(w, 0) + 1\n    return found\n",
        ),
        (
            "def walk(node, out):\n    if node:\n        walk(node.right, out)\n        out.append(node)\n",
            "for one side only",
            "        walk(node.left, out)\n        walk(node.right, out)\n",
        ),
        (
            PARTS.format("", ""),
            "`begin` never changes",
            "        begin = at + len(part)\n        at = text.find(part, begin)\n",
        ),
        (
            PARTS.format("        begin = at + 1\n", ""),
            "behind the last `at`",
            "    sizes.append(len(text[begin:]))\n    return sizes\n",
        ),
        (
            "def level(x):\n    n = round(x)\n    if x > 8:\n        return 2\n    elif x > 4:\n        return 1\n    return 0\n",
            "in all of these questions",
            "    if n > 8:\n        return 2\n    elif n > 4:\n",
        ),
        (
            "def shout(text):\n    for a in 'xy':\n        text.replace(a, '-')\n    text.upper()\n    return text\n",
            "methods give is dropped",
            "        text = text.replace(a, '-')\n    text = text.upper()\n",
        ),
        (
            "def level(queue, node):\n    queue.append(node.left)\n    queue.append(node.right)\n",
            "may be none",
            "    if node.left:\n        queue.append(node.left)\n    if node.right:\n        queue.append(node.right)\n",
        ),
        ("def det(a, b, c, d):\n    return two([a, b, c, d])\n", "rows of 2", "[[a, b], [c, d]]"),
    ],
)
def test_what_is_left_out_is_put_in(source: str, words: str, meant: str) -> None:
    assert any(meant in text for text in list_texts(source, words, HINTS))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def put(stop, new):\n    new.next = stop.next\n    stop.next = new\n", "is lost"),
        ("class Stop:\n    def __init__(self, next):\n        self.next = next\n", "is lost"),
        ("def size(stop):\n    while stop:\n        stop = stop.next\n    return stop\n", "never goes on"),
        ("def size(stop):\n    while stop:\n        return stop.next\n", "never goes on"),
        ("def price(stock, fruit, many):\n    stock[fruit] = many\n    return many\n", "never filled"),
        ("def price(fruit, many):\n    prices = {'fig': 2}\n    return prices[fruit] * many\n", "never filled"),
        ("def walk(node):\n    walk(node.left)\n    walk(node.right)\n", "for one side only"),
        ("def far(x, z):\n    total = x * x\n    return total + z\n", "for one side only"),
        (PARTS.format("        begin = at + 1\n", ""), "never changes"),
        (PARTS.format("", "").replace("text[begin:at]", "text[begin:]"), "behind the last"),
        (
            "def level(x, n):\n    if x > 8:\n        return 2\n    elif n > 4:\n        return 1\n    return 0\n",
            "in all of",
        ),
        ("def level(x, n):\n    if x > 8:\n        return 2\n    return 0\n", "in all of"),
        ("def shout(text):\n    text.upper()\n    return text\n", "methods give is dropped"),
        ("def shout(steps):\n    steps.upper()\n    steps.lower()\n    return steps\n", "methods give is dropped"),
        ("def shout(text):\n    up = text.upper()\n    return up, text.lower()\n", "methods give is dropped"),
        ("def level(queue, node):\n    if node.left:\n        queue.append(node.left)\n", "may be none"),
        ("def level(queue, node):\n    queue.append(node.value)\n    queue.append(node)\n", "may be none"),
        ("def level(queue, node):\n    queue.remove(node.left)\n", "may be none"),
        ("def det(a, b, c):\n    return two([a, b, c])\n", "rows of"),
        ("def det(a, b, c):\n    return two([a, [b], c, a])\n", "rows of"),
    ],
)
def test_nothing_is_put_in_where_it_is_there_or_means_nothing(source: str, words: str) -> None:
    assert not any(words in change.words for change in list_changes(Scope(source, HINTS)))


def test_a_list_that_loses_what_came_behind_is_mended() -> None:
    stops = "class Stop:\n    def __init__(self, name):\n        self.name = name\n        self.next = None\n\n"
    wrong = "def put_behind(stop, name):\n    new = Stop(name)\n    stop.next = new\n\ndef list_names(stop):\n    names = []\n    while stop:\n        names.append(stop.name)\n        stop = stop.next\n    return names\n"
    checks = "a = Stop('a')\nput_behind(a, 'c')\nput_behind(a, 'b')\nassert list_names(a) == ['a', 'b', 'c']\nassert len(list_names(a)) == 3\n"
    best = find(stops + wrong, checks)["patches"][0]
    assert any("new.next = stop.next\n    stop.next = new" in text for text in best["texts"].values())


def test_where_a_search_goes_on_and_what_is_behind_the_last_place_are_found() -> None:
    checks = "assert parts('a-bcd-ef', '-') == [1, 3, 2]\nassert parts('abc', '-') == [3]\nassert parts('--', '-') == [0, 0, 0]\nassert parts('1, 20, 3', ', ') == [1, 2, 1]\n"
    (best,) = find(PARTS.format("        begin = at + len(part)\n", ""), checks)["patches"][0]["texts"].values()
    assert "    sizes.append(len(text[begin:]))\n    return" in best


MERGE = """\
def merge(left, right):
    out = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            out.append(left[i])
            i += 1
        else:
            out.append(right[j])
            j += 1
    out += left[i:]
    return out
"""


def test_what_is_done_for_one_side_is_done_for_the_other_at_its_own_place() -> None:
    made = list_texts(MERGE, "one side only")
    assert MERGE.replace("    out += left[i:]\n", "    out += left[i:]\n    out += right[j:]\n") in made
    whole = MERGE.replace("    return", "    out += right[j:]\n    return")
    assert list_texts(whole, "one side only") == []


def test_a_node_goes_on_by_the_link_that_the_notebook_knows() -> None:
    text = "def size(stop):\n    n = 0\n    while stop is not None:\n        n += 1\n    return n\n"
    (made,) = list_texts(text, "never goes on", Hints(attributes=frozenset({"next", "name"})))
    assert made == text.replace("n += 1\n", "n += 1\n        stop = stop.next\n")
    assert list_texts(text, "never goes on", Hints(attributes=frozenset({"name"}))) == []
