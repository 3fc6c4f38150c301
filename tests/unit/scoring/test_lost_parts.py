"""What a patch does without: what did not fail and is gone counts, what replaces the failing piece does not."""

from __future__ import annotations

import pytest

from jupyter_selfheal.scoring.lost_parts import count_lost_parts, find_left_out
from tests.scoring_cases import case_of, patch_of

GAP = "def gap(xs):\n    return max(b - a for a, b in zips(xs, xs[1:]))"
NAME = "name 'zips' is not defined"


def count(before: str, after: str, message: str, ename: str = "NameError") -> int:
    case = case_of([before, "call()"], 1, ename=ename, evalue=message)
    return count_lost_parts(case, patch_of(case, after, "c0", healer="language_model"))


@pytest.mark.parametrize(
    ("before", "after", "message", "lost"),
    [
        (GAP, GAP.replace("zips", "zip"), NAME, 0),
        (GAP, "def gap(xs):\n    return xs[1] - xs[0]", NAME, 2),
        (GAP, "def gap(xs):\n    return 3", NAME, 3),
        ("def f(x):\n    return np.float(x) + 1", "def f(x):\n    return float(x) + 1", "module 'numpy' has no attribute 'float'", 0),
        ("def f(d, e):\n    return len(d) + len(k)", "def f(d, e):\n    return len(d) + len(d)", "name 'k' is not defined", 1),
        ("def f(xs, n):\n    return xs.sorted()[n]", "def f(xs, n):\n    return sorted(xs)[n]", "'list' object has no attribute 'sorted'", 0),
        ("def f(self, text):\n    return texxt", "def f(self, text):\n    return text", "name 'texxt' is not defined", 0),
        ("def f(t):\n    return word(t).day.real", "def f(t):\n    return int(t)", "name 'word' is not defined", 2),
    ],
)  # fmt: skip
def test_where_the_failure_names_what_is_wrong(before: str, after: str, message: str, lost: int) -> None:
    assert count(before, after, message, "AttributeError" if "attribute" in message else "NameError") == lost


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ("def f(x):\n    return inv(x.T @ x)", "def f(x):\n    return pinv(x)", 0),
        ("def f(xs):\n    return sum(xs) / 0", "def f(xs):\n    return sum(xs) / len(xs)", 0),
        ("def f(xs):\n    t = 0\n    for x in xs:\n        t += x\n    return t / 0", "def f(xs):\n    return xs[0]", 2),
        ("RATE = 2\ndef f(x):\n    return x * RATE / 0", "RATE = 2\ndef f(x):\n    return x * 2", 1),
    ],
)  # fmt: skip
def test_where_it_does_not_name_it(before: str, after: str, lost: int) -> None:
    assert count(before, after, "division by zero", "ZeroDivisionError") == lost


@pytest.mark.parametrize(
    ("before", "after", "ename", "message", "part"),
    [
        ("out.extend(flaten(x))", "out.extend(x)", "NameError", "name 'flaten' is not defined", "flaten"),
        ("max(d, key=d.gett)", "max(d)", "AttributeError", "'dict' object has no attribute 'gett'", "gett"),
        ("out.extend(flaten(x))", "out.extend(flatten(x))", "NameError", "name 'flaten' is not defined", ""),
        ("f(x, sqeeze=1)", "f(x)", "TypeError", "f() got an unexpected keyword argument 'sqeeze'", ""),
        ("n(x)", "n", "TypeError", "'int' object is not callable", ""),
        ("assert ok(x)", "x", "AssertionError", "ok", ""),
    ],
)
def test_what_failed_and_is_left_out(before: str, after: str, ename: str, message: str, part: str) -> None:
    case = case_of(["x = 1", before], 1, ename=ename, evalue=message)
    assert find_left_out(case, patch_of(case, after, healer="language_model")) == part
