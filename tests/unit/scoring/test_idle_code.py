"""Code of a patched function that does nothing: each kind where it speaks, and near misses in which it is silent."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook, Patch, Replace
from jupyter_selfheal.scoring.idle_code import (
    IDLE_CODE,
    find_equal_branches,
    find_loop_ended_either_way,
    find_repeated_question,
    find_unread_parameter,
)
from jupyter_selfheal.scoring.left_faults import find_left_fault
from jupyter_selfheal.source import dump_tree
from tests.work import count_calls

SPOT = "def spot(x, xs):\n    for i, y in enumerate(xs):\n        if y >= x:\n            return i\n"
PRICE = "def price(weight, fast):\n    cost = 5\n    if fast:\n        {}\n    return cost\n"
GRADE = "def grade(n):\n    if n > 90:\n        return 'A'\n    elif {}:\n        return 'B'\n    return 'C'\n"

SPEAKS = {
    "either branch returns": (SPOT + "        else:\n            return len(xs)\n", "the loop `for i, y in …` ends in its first round"),
    "the round ends in a return": (SPOT + "        return len(xs)\n", "ends in its first round"),
    "a while": ("def f(n):\n    while n > 1:\n        if n % 2:\n            return n\n        break\n", "the loop `while n > 1 …` ends"),
    "a sum": (PRICE.format("cost + 15"), "`cost + 15` stands alone and does nothing"),
    "a comparison": (PRICE.format("cost == 20"), "`cost == 20` stands alone and does nothing"),
    "equal branches": ("def f(n):\n    if n > 2:\n        n += 1\n    else:\n        n += 1\n    return n\n", "`if n > 2` does the same either way"),
    "equal returns": ("def f(n):\n    if n > 2:\n        return True\n    return True\n", "`if n > 2` does the same either way"),
    "a repeated question": (GRADE.format("n > 90"), "`elif n > 90` is never come to"),
    "an empty list behind or": (GRADE.format("n == () or []"), "`[]` in `n == () or []` is compared with nothing"),
    "a text behind or": (GRADE.format("n == 'a' or 'b' or not n"), "`'b'` in `n == 'a' or 'b' or (not n)` is compared with nothing"),
    "a number behind and": ("def f(n):\n    while n and not (n > 9 or 7):\n        n += 1\n    return n\n", "`7` in `n > 9 or 7`"),
}  # fmt: skip

SILENT = {
    "an item that is refused": "def first(xs):\n    for x in xs:\n        if x < 0:\n            raise ValueError(x)\n        return x\n    return None\n",
    "an item that is taken": "def first(xs):\n    for x in xs:\n        if x > 0:\n            return x\n        else:\n            raise ValueError(x)\n    return None\n",
    "an endless loop": "def ask(n):\n    while 1:\n        if n:\n            return n\n        return 0\n",
    "it goes on": SPOT,
    "it goes on in one branch": SPOT + "        else:\n            x = x\n",
    "it goes on by a continue": SPOT + "        elif y:\n            continue\n        else:\n            return 0\n",
    "the first item": "def first(xs):\n    for x in xs:\n        return x\n",
    "a loop without an end": "def ask(n):\n    while True:\n        if n:\n            return n\n        break\n",
    "the branch of a loop inside": "def f(xs):\n    for x in xs:\n        if x:\n            for y in x:\n                break\n",
    "a call": PRICE.format("print(cost)"),
    "an assignment": PRICE.format("cost += 15"),
    "an error that is looked for": PRICE.format("cost += 1\n    try:\n        weight / fast\n    except ZeroDivisionError:\n        cost = 0"),
    "steps of a pipeline": PRICE.format("weight >> cost"),
    "a docstring": 'def f(n):\n    """Add one."""\n    return n + 1\n',
    "branches that differ": "def f(n):\n    if n > 2:\n        return True\n    return False\n",
    "nothing to do yet": "def f(n):\n    if n > 2:\n        pass\n    else:\n        pass\n    return n\n",
    "a question that does something": "def f(xs):\n    if xs.pop():\n        return 1\n    return 1\n",
    "another question": GRADE.format("n > 80"),
    "a truth value that switches": GRADE.format("n > 80 and True"),
    "a value in place of nothing": "def f(xs):\n    rows = xs or []\n    if (xs or [0]) == [0]:\n        return rows\n    return len(xs or ())\n",
    "what a name holds": GRADE.format("n > 80 or n < len('ab')"),
    "a round without an end": "def f(n):\n    while 1:\n        n += 1\n        if n > 3:\n            break\n    return n\n",
    "a question that may change": GRADE.format("next(n) > 90").replace("if n >", "if next(n) >"),
    "the same question later": "def f(n):\n    if n > 9:\n        n -= 9\n    if n > 9:\n        n -= 9\n    return n\n",
}  # fmt: skip


def read(text: str) -> ast.FunctionDef:
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


@pytest.mark.parametrize(("text", "words"), SPEAKS.values(), ids=SPEAKS)
def test_code_that_does_nothing_is_told(text: str, words: str) -> None:
    assert words in next(filter(None, (find(read(text)) for find in IDLE_CODE)), "")


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_nothing_is_said_of_code_that_does_something(text: str) -> None:
    assert [find(read(text)) for find in IDLE_CODE] == [""] * len(IDLE_CODE)


LINES = "    if n == {0}:\n        return {0}\n"
LINKS = "        elif n == {0}:\n            return {0}\n"


def test_many_questions_in_a_row_and_a_long_chain_are_read_once() -> None:
    """Of each question all below it was written out: a thousand took 4 s, and 400 `elif` more recursion than Python has."""
    row = read("def f(n):\n" + "".join(LINES.format(k) for k in range(200)) + "    return 200\n")
    chain = "def f(ns):\n    for n in ns:\n        if n < 0:\n            return n\n" + "".join(
        LINKS.format(k) for k in range(600)
    )
    long = read(f"{chain}        else:\n            return 7\n")
    assert count_calls(lambda: [find(row) for find in IDLE_CODE], of=dump_tree.__code__) <= 200
    assert "ends in its first round" in find_loop_ended_either_way(long)
    assert [find(long) for find in (find_equal_branches, find_repeated_question)] == ["", ""]
    again = read(chain + LINKS.format(5))
    assert find_repeated_question(again) == "`elif n == 5` is never come to: the same is asked above it"


def test_a_parameter_that_nothing_reads() -> None:
    assert (
        find_unread_parameter(read("def f(day, year):\n    k = day\n    return k\n"))
        == "`year`, which `f` is given, is never read"
    )


@pytest.mark.parametrize(
    "text",
    [
        "def f(day, year=2024):\n    k = day\n    return k\n",
        "def f(day, _year):\n    k = day\n    return k\n",
        "def f(day, year):\n    return day\n",
        "def f(self, year):\n    k = self.day\n    return k\n",
        "@app.route('/')\ndef f(day, year):\n    k = day\n    return k\n",
        "def f(day, year):\n    k = locals()\n    return k\n",
        "def f(day, year):\n    def g():\n        return day + year\n    return g\n",
    ],
)
def test_a_parameter_that_may_be_left_unread(text: str) -> None:
    assert find_unread_parameter(read(text)) == ""


@pytest.mark.parametrize(
    ("use", "is_told"), [("f(1, 2)", True), ("map(f, xs, ys)", False), ("button.on_click = f", False)]
)
def test_what_is_handed_on_is_given_what_its_caller_has(use: str, is_told: bool) -> None:
    before, after = (f"def f(day, year):\n    k = {name}\n    return k\n" for name in ("dya", "day"))
    case = Case(Failure("a", before, FailureKind.RAISED, "NameError"), Notebook((Cell("a", before), Cell("b", use))))
    assert bool(find_left_fault(case, Patch((Replace("a", before, after),), "Change it"))) == is_told


@pytest.mark.parametrize(
    ("before", "after", "is_told"),
    [
        ("    r = 0\n", "    r = 0\n    r = n\n", True),
        ("    r = 0\n", "    r = 0\n    r = r + n\n", False),
        ("    r = 0\n    r = n\n    r += 2\n", "    r = 0\n    r = n\n    r += 1\n", False),
    ],
    ids=["set anew by the patch", "read", "the author wrote so"],
)
def test_a_value_that_a_patch_sets_anew_is_told(before: str, after: str, is_told: bool) -> None:
    before, after = (f"def f(n):\n{text}    return r\n" for text in (before, after))
    case = Case(Failure("a", before, FailureKind.RAISED, "AssertionError"), Notebook((Cell("a", before),)))
    found = find_left_fault(case, Patch((Replace("a", before, after),), "Change it"))
    assert found == ("`r = 0` does nothing, as `r = n` comes right behind it" if is_told else "")
