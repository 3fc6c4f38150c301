"""``else: print("No")`` behind ``if …: print("Yes")``."""

from __future__ import annotations

import pytest

from tests.unit.healers.search.searching import find, list_texts

CHAIN = """\
def judge(a, b):
    if a == 1:
        print("Yes")
    elif b == 2:
        print("Yes")
"""


def test_the_opposite_of_what_the_branches_say_is_said_elsewhere() -> None:
    assert list_texts(CHAIN, "is left out") == [f'{CHAIN}    else:\n        print("No")\n']


@pytest.mark.parametrize(
    ("said", "opposite"), [('return "odd"', 'return "even"'), ("word = 'VALID'", "word = 'INVALID'")]
)
def test_it_is_written_as_the_branch_is(said: str, opposite: str) -> None:
    text = f"def tell(n):\n    if n % 2:\n        {said}\n    return word\n"
    (new,) = list_texts(text, "is left out")
    assert f"    else:\n        {opposite}\n" in new


@pytest.mark.parametrize(
    "text",
    [
        'def f(n):\n    if n:\n        print("Yes")\n    else:\n        print("Off")\n',
        'def f(n):\n    if n:\n        print("Hello")\n',
        'def f(xs):\n    for x in xs:\n        if x:\n            print("Yes")\n',
        'def f(n):\n    if n: print("Yes")\n',
        'def f(n):\n    if n:\n        print("yes", "no")\n',
    ],
)
def test_nothing_is_said_where_there_is_an_else_no_opposite_or_a_loop(text: str) -> None:
    assert not list_texts(text, "is left out")


CALCULATE = """\
def calculate(left, sign, right):
    if sign == "+":
        return left + right
    elif sign == "-":
        pass
    elif sign == "*":
        return left * right
"""


def test_an_empty_branch_reckons_as_those_beside_it_do_with_its_own_sign() -> None:
    checks = 'assert calculate(1, "+", 2) == 3\nassert calculate(7, "-", 2) == 5\nassert calculate(2, "-", 6) == -4\nassert calculate(3, "*", 4) == 12\n'
    best = find(CALCULATE, checks)["patches"][0]
    assert next(iter(best["texts"].values())) == CALCULATE.replace("pass", "return left - right").rstrip("\n")


@pytest.mark.parametrize(
    "text",
    [
        CALCULATE.replace("pass", "return left - right"),
        CALCULATE.replace("        return left + right\n", "        return f(left)\n").replace("left * right", "right"),
        CALCULATE.replace("        pass\n", "        pass\n        print(sign)\n"),
        "def skip(sign):\n    if sign == '-':\n        pass\n    return sign\n",
    ],
)
def test_no_branch_is_filled_that_does_something_or_has_none_like_it_beside(text: str) -> None:
    assert list_texts(text, "the branches beside it give something") == []


RUN = """\
def longest_run(values):
    longest = run = 0
    last = None
    for value in values:
        if value == last:
            run += 1
        last = value
        longest = max(longest, run)
    return longest
"""


def test_what_counts_a_run_begins_anew_where_the_run_ends() -> None:
    checks = "assert longest_run([]) == 0\nassert longest_run([4]) == 1\nassert longest_run([4, 4, 2]) == 2\nassert longest_run([5, 5, 1, 5, 5, 5]) == 3\n"
    mended = RUN.replace("run += 1\n", "run += 1\n        else:\n            run = 1\n").rstrip("\n")
    assert mended in [next(iter(p["texts"].values())) for p in find(RUN, checks)["patches"]]


@pytest.mark.parametrize(
    "text",
    [
        RUN.replace("            run += 1\n", "            run += 1\n        else:\n            run = 1\n"),
        RUN.replace("run += 1", "run += value"),
        RUN.replace("run += 1", "run = 1"),
        "def f(value, last, run):\n    if value == last:\n        run += 1\n    return run\n",
    ],
)
def test_nothing_begins_anew_that_does_or_that_counts_no_run(text: str) -> None:
    assert list_texts(text, "begins anew") == []
