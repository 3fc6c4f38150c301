"""Lists that are changed while a loop goes through them, that lose their order, are one list many times, or have no places; and parts of a
statement in each other's place."""

from __future__ import annotations

import pytest

from tests.unit.healers.search.searching import find, list_texts

TEXTS = [
    (
        "def drop_short(words):\n    for word in words:\n        if len(word) < 3:\n            words.remove(word)\n    return words\n",
        "def drop_short(words):\n    kept = []\n    for word in words:\n        if len(word) >= 3:\n            kept.append(word)\n    return kept\n",
        "leaps over",
    ),
    (
        "def thin_out(stops):\n    for i in range(len(stops)):\n        if stops.count(stops[i]) > 1:\n            stops.pop(i)\n    return stops\n",
        "def thin_out(stops):\n    kept = []\n    for i in range(len(stops)):\n        if stops[i] not in kept:\n            kept.append(stops[i])\n    return (kept)\n",
        "leaps over",
    ),
    ("cities = list(set(trip))\n", "cities = list((dict.fromkeys(trip)))\n", "loses the order"),
    ("board = [['.'] * 3] * 4\n", "board = ([['.'] * 3 for _ in range(4)])\n", "the same row many times"),
    (
        "def shift(xs):\n    out = []\n    for i in range(len(xs)):\n        out[i - 1] = xs[i]\n    return out\n",
        "def shift(xs):\n    out = ([None] * len(xs))\n    for i in range(len(xs)):\n        out[i - 1] = xs[i]\n    return out\n",
        "no places",
    ),
    (
        "def worst(marks, n):\n    out = []\n    for _ in range(n):\n        low = min(marks)\n        out.append(low)\n    return out\n",
        "def worst(marks, n):\n    out = []\n    for _ in range(n):\n        low = min(marks)\n        out.append(low)\n        marks.remove(low)\n    return out\n",
        "taken again",
    ),
    ("best = marks.sort(reverse=True)\n", "best = (sorted(marks, reverse=True))\n", "gives nothing"),
    ("back = word_list.reverse()\n", "back = (word_list[::-1])\n", "gives nothing"),
    ("line.append(line.pop(0))\n", "line.insert(0, line.pop())\n", "other direction"),
    (
        "def leaves(tree):\n    n = 0\n    for part in tree:\n        if part:\n            leaves(part)\n        else:\n            n += 1\n    return n\n",
        "def leaves(tree):\n    n = 0\n    for part in tree:\n        if part:\n            n += leaves(part)\n        else:\n            n += 1\n    return n\n",
        "is dropped",
    ),
    (
        "def same(a, b):\n    for x in a:\n        if x not in b:\n            return False\n    return True\n",
        "def same(a, b):\n    for x in a:\n        if (a.count(x) != b.count(x)):\n            return False\n    return True\n",
        "not how often",
    ),
    (
        "def by_town(people):\n    out = {}\n    for name, town in people:\n        if town in out:\n            out[town].append(name)\n        else:\n            out[town] = name\n    return out\n",
        "def by_town(people):\n    out = {}\n    for name, town in people:\n        if town in out:\n            out[town].append(name)\n        else:\n            out[town] = ([name])\n    return out\n",
        "begins as",
    ),
    ("for n in range(count):\n    print(n)\n", "for n in range(1, count + 1):\n    print(n)\n", "should be `range(1"),
    ("ok = shelf.pop() == names[code]\n", "ok = code == names[(shelf.pop())]\n", "are exchanged"),
]


@pytest.mark.parametrize(("old", "new", "words"), TEXTS)
def test_a_text_is_among_the_changes(old: str, new: str, words: str) -> None:
    assert new.replace("return (kept)", "return kept") in [
        t.replace("return (kept)", "return kept") for t in list_texts(old, words)
    ]


def test_an_order_by_a_part_is_found_and_applied() -> None:
    old = "def cheapest_first(goods):\n    return sorted(goods)\n"
    checks = (
        "assert cheapest_first([('tea', 4), ('bun', 2)]) == [('bun', 2), ('tea', 4)]\n"
        "assert cheapest_first([('a', 9), ('b', 1), ('c', 5)]) == [('b', 1), ('c', 5), ('a', 9)]\n"
        "assert cheapest_first([]) == []\nassert cheapest_first([('z', 3), ('y', 3), ('x', 1)]) == [('x', 1), ('z', 3), ('y', 3)]\n"
    )
    best = find(old, checks)["patches"][0]
    assert "key=lambda item: item[1]" in best["texts"]["0"]
    assert not best["rival"]


def test_two_slips_of_one_line_of_thought_are_found_together() -> None:
    old = (
        "def spell(text):\n    if text == '':\n        return text\n    out = ''\n    count = 0\n    last = text[0]\n    for c in text:\n"
        "        if c == last:\n            count += 1\n        else:\n            out += c + str(count)\n            count = 0\n            last = c\n"
        "    return out + last + str(count)\n"
    )
    checks = "".join(
        f"assert spell({given!r}) == {wanted!r}\n"
        for given, wanted in (("aab", "a2b1"), ("", ""), ("xyz", "x1y1z1"), ("nn", "n2"), ("ttoot", "t2o2t1"))
    )
    best = find(old, checks)["patches"][0]
    assert "count = 1" in best["texts"]["0"]
    assert "last + str(count)" in best["texts"]["0"]


NEAR_MISSES = [
    ("def keep(xs):\n    return list(set(xs))\n", "assert sorted(keep([2, 1, 2])) == [2, 2, 1]\n"),
    ("def order(xs):\n    return sorted(xs)\n", "assert order([('a', 2), ('b', 1)]) == [('a', 2), ('b', 1)]\n"),
    (
        "def top(xs, n):\n    out = []\n    for _ in range(n):\n        best = max(xs)\n        out.append(best)\n    return out\n",
        "assert top([3], 1) == [4]\n",
    ),
]


@pytest.mark.parametrize(("old", "check"), NEAR_MISSES)
def test_nothing_is_applied_for_one_check_that_any_order_meets(old: str, check: str) -> None:
    assert all(p["rival"] for p in find(old, check, seconds=0.5)["patches"])
