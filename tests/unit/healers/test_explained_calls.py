"""What libraries say in their own terms is told in plain sentences, with what may be done."""

from __future__ import annotations

import pytest

from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.triage import diagnose

NUMPY = "import numpy as np\nA, w = np.ones((2, 3)), np.ones(4)"


@pytest.mark.parametrize(
    ("cause", "cells"),
    [
        ("`gen` has nothing left to give.", ["gen = iter([])", "next(gen)"]),
        (
            "`fib` calls itself without an end: for some value none of its conditions stops it.",
            ["def fib(n):\n    return fib(n - 1)", "fib(3)"],
        ),
        ("`bmi` needs `height` as well, and is called without.", ["def bmi(weight, height):\n    return weight", "bmi(70)"]),
        (
            "`Dog` needs `age` and `race` as well, and is called without.",
            ["class Dog:\n    def __init__(self, name, age, race):\n        pass", "Dog('Rex')"],
        ),
        (
            "`map` calls `decay` itself, and gives it nothing for `k`.",
            ["def decay(t, k):\n    return k", "list(map(decay, [1]))"],
        ),
        ("`math.sqrt` has no value for `b - 4` (it is -3 here).", ["import math\nb = 1", "math.sqrt(b - 4)"]),
        ("`A` is not square.", [NUMPY, "np.linalg.inv(A)"]),
        ("`B` is singular: some of its rows can be made of the others.", [f"{NUMPY}\nB = np.ones((2, 2))", "np.linalg.inv(B)"]),
        ("The sides of the product do not fit: rows of 3 numbers meet columns of 4.", [NUMPY, "A @ w"]),
        ("The sides of the product do not fit: rows of 3 numbers meet columns of 4.", [NUMPY, "np.dot(w[:3], w)"]),
        (
            "The arrays have 3 and 2 along axis 1: only along the axis by which they are joined they may differ.",
            [NUMPY, "np.concatenate([A, A.T])"],
        ),
        ("There are 4 values, which do not fill the shape (3,3).", [NUMPY, "w.reshape(3, 3)"]),
        ("`todo` does not hold `'read'`.", ["todo = ['wash']", "todo.remove('read')"]),
        ("`max` is given nothing to choose from.", ["tree = {'c': []}", "max(len(c) for c in tree['c'])"]),
        ("More items are asked for than there are, and each is drawn once at most.", ["import random", "random.sample([1, 2], 3)"]),
        ("There is no such day in the calendar.", ["from datetime import date\ndue = date(2024, 1, 31)", "due.replace(month=due.month + 1)"]),
        ("More values come than the 2 names that are to take them.", ["rows = [(1, 2, 3)]", "for a, b in rows:\n    print(a)"]),
        ("Fewer values come (1) than there are names that are to take them (2).", ["rows = [(1,)]", "for a, b in rows:\n    print(a)"]),
        ("There is nothing left in the list that an item could be taken out of.", ["xs = []", "xs.pop()"]),
        ("`s` has no label `'cherry'`.", ["import pandas as pd\ns = pd.Series([1], index=['apple'])", "s.loc['cherry']"]),
        ("There are 2 labels to be set, and 1 are given.", ["import pandas as pd\nd = pd.DataFrame({'a': [1], 'b': [2]})", "d.columns = ['x']"]),
        (
            "A value is asked for at 12.0, and the data end at 9.",
            ["from scipy.interpolate import interp1d\nf = interp1d([0, 3, 6, 9], [1, 2, 3, 4])", "f(12)"],
        ),
        (
            "The function has the same sign at both ends, so that no root need lie between them.",
            ["from scipy.optimize import brentq", "brentq(lambda x: x - 1, 3, 10)"],
        ),
    ],
)  # fmt: skip
def test_the_cause_is_told_and_what_may_be_done(bench: Bench, cause: str, cells: list[str]) -> None:
    found = diagnose(bench.fail(*cells))
    assert (found.cause, found.skip_reason) == (cause, None)
    assert found.advice.endswith(".")


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["class Gen:\n    def get(self):\n        raise StopIteration\ng = Gen()", "g.get()"], "nothing left"),
        (["def f(a):\n    return a\nfs = [f]", "fs[0]()"], "calls `f` itself"),
        (
            ["def deep(n):\n    return deep(n + 1)\ndef other(n):\n    return n", "import sys\nother(deep(1))"],
            "`other` calls itself",
        ),
    ],
)
def test_nothing_is_said_that_the_call_does_not_show(bench: Bench, cells: list[str], said: str) -> None:
    assert said not in diagnose(bench.fail(*cells)).cause
