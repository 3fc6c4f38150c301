"""Where a loop ends: at the last whole window, and what is done once no turn has broken it off."""

from __future__ import annotations

import pytest

from tests.unit.healers.search.searching import find, list_texts

PAST, EACH = "whole window", "in each turn"


def test_means_of_windows_end_at_the_last_whole_one() -> None:
    broken = "def means(xs, k):\n    out = []\n    for i in range(len(xs)):\n        out.append(sum(xs[i:i+k]) / k)\n    return out\n"
    checks = "assert means([1, 2, 3, 4], 2) == [1.5, 2.5, 3.5]\nassert means([2, 4, 6], 3) == [4.0]\nassert means([5], 1) == [5.0]"
    assert find(broken, checks)["patches"][0]["texts"]["0"] == broken.replace("len(xs)", "len(xs) - k + 1").rstrip("\n")


def test_a_comprehension_has_windows_too() -> None:
    texts = list_texts("def pairs(t):\n    return [t[i:i + 2] for i in range(len(t))]\n", PAST)
    assert texts[0] == "def pairs(t):\n    return [t[i:i + 2] for i in range(len(t) - 2 + 1)]\n"


@pytest.mark.parametrize(
    "broken",
    [
        "def f(t, k):\n    return [t[i:i + k] for i in range(len(t) - k)]\n",
        "def f(t, k):\n    return [t[k:i] for i in range(len(t))]\n",
        "def f(t, k):\n    return [t[i:i + k] for i in t]\n",
    ],
)
def test_other_loops_have_no_windows(broken: str) -> None:
    assert list_texts(broken, PAST) == []


PRIMES = """def primes(n):
    out = []
    for k in range(2, n):
        for d in range(2, k):
            if k % d == 0:
                break
            out.append(k)
    return out
"""


def test_what_no_turn_breaks_off_is_done_once() -> None:
    checks = "assert primes(10) == [2, 3, 5, 7]\nassert primes(3) == [2]\nassert primes(2) == []\nassert primes(14) == [2, 3, 5, 7, 11, 13]"
    mended = PRIMES.replace("            out.append(k)", "        else:\n            out.append(k)")
    assert find(PRIMES, checks)["patches"][0]["texts"]["0"] == mended.rstrip("\n")


@pytest.mark.parametrize(
    "broken",
    [
        "def f(xs):\n    n = 0\n    while n < 9:\n        if n in xs:\n            break\n        n += 1\n    return n\n",
        "def f(xs):\n    out = []\n    for x in xs:\n        if x > 3:\n            return x\n        out.append(x)\n    return out\n",
        "def f(xs):\n    for x in xs:\n        if x > 3:\n            break\n    return x\n",
    ],
)
def test_what_belongs_to_a_turn_stays_there(broken: str) -> None:
    assert list_texts(broken, EACH) == []
