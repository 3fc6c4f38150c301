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


PAIRS = "def count_pairs(xs, t):\n    n = 0\n    for i in range(len(xs)):\n        for j in range(len(xs)):\n            if xs[i] + xs[j] == t:\n                n += 1\n    return n\n"


def test_each_pair_is_taken_once() -> None:
    checks = "assert count_pairs([1, 2, 3, 4], 5) == 2\nassert count_pairs([2, 2, 2], 4) == 3"
    mended = PAIRS.replace("j in range(len(xs))", "j in range(i + 1, len(xs))")
    assert find(PAIRS, checks)["patches"][0]["texts"]["0"] == mended.rstrip("\n")
    texts = list_texts("n = sum(a[i] == a[j] for i in range(n) for j in range(n))", "each pair twice")
    assert texts == ["n = sum(a[i] == a[j] for i in range(n) for j in (range(i + 1, n)))"]


@pytest.mark.parametrize(
    "source",
    [
        PAIRS.replace("j in range(len(xs))", "j in range(len(ys))"),
        PAIRS.replace("j in range(len(xs))", "j in range(i, len(xs))"),
        PAIRS.replace("i in range(len(xs))", "i in xs"),
        "for i in range(n):\n    total += i\nfor j in range(n):\n    total -= j",
    ],
)
def test_other_loops_have_no_pairs(source: str) -> None:
    assert list_texts(source, "each pair twice") == []


@pytest.mark.slow
def test_the_root_comes_before_what_turns_the_question_whether_one_divides_the_other() -> None:
    broken = "def is_prime(n):\n    if n < 2:\n        return False\n    for d in range(2, int(n ** 0.5)):\n        if n % d == 0:\n            return False\n    return True\n"
    checks = "assert is_prime(2)\nassert is_prime(7)\nassert not is_prime(9)\nassert not is_prime(1)\nassert not is_prime(25)"
    assert "int(n ** 0.5) + 1" in find(broken, checks)["patches"][0]["texts"]["0"]


@pytest.mark.slow
def test_a_function_that_nothing_speaks_of_is_hardly_asked() -> None:
    other = "def is_odd(n):\n    return n % 2 == 1\n"
    report = find(other + PAIRS, "assert count_pairs([1, 2, 3, 4], 5) == 2\nassert count_pairs([2, 2, 2], 4) == 3")
    assert "range(i + 1, len(xs))" in "".join(report["patches"][0]["texts"].values())
    assert not any("is_odd" in p["words"] for p in report["patches"][:3])
