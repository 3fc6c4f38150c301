"""Variables that are never begun, whatever else is wrong, and functions from nowhere: programs of our own, and near misses."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.scope import ITEMS, Hints
from tests.unit.healers.search.searching import find, list_texts

WEAVE = """\
def weave(row):
    low = 0
    high = len(row)
    while low <= high:
        if low == high:
            out = out + str(row[low])
            break
        out = out + str(row[low]) + str(row[high])
        low += 1
        high -= 1
    return out
"""


def test_a_variable_that_is_never_begun_is_gone_on_from_though_another_fault_comes_up_first() -> None:
    checks = "assert weave([7, 5, 2, 4]) == '7452'\nassert weave([5, 1, 8]) == '581'\nassert weave([6]) == '6'\n"
    found = find(WEAVE, checks)["patches"]
    mended = WEAVE.replace("len(row)", "len(row) - 1").replace("    while", "    out = ''\n    while").rstrip("\n")
    assert mended in [next(iter(p["texts"].values())) for p in found]


ADD = "def add(xs):\n    for x in xs:\n        for y in x:\n            n += y\n    return n\n"


def test_it_is_begun_above_the_loop_or_in_each_round_of_an_outer_one() -> None:
    first, *others = list_texts(ADD, "`n` is never begun")
    assert first == ADD.replace("    for x in", "    n = 0\n    for x in")
    assert ADD.replace("        for y in", "        n = 0\n        for y in") in others


@pytest.mark.parametrize(
    ("changed", "value"),
    [("n *= y", "1"), ("n = n * y", "1"), ("n += [y]", "[]"), ("n += str(y)", "''"), ("n = n + f'{y}'", "''"), ("n = max(n, y)", "0")],
)  # fmt: skip
def test_what_is_done_to_it_says_what_it_begins_with(changed: str, value: str) -> None:
    text = ADD.replace("n += y", changed)
    assert list_texts(text, "`n` is never begun")[0] == text.replace("    for x in", f"    n = {value}\n    for x in")


@pytest.mark.parametrize(
    "text",
    [
        ADD.replace("add(xs)", "add(xs, n)"),
        ADD.replace("    for x", "    global n\n    for x"),
        ADD.replace("n += y", "n = y"),
        ADD.replace("for x in", "for n, x in"),
        ADD.replace("    for x", "    with open(xs) as n:\n        pass\n    for x"),
        "total = 0\nfor x in [1]:\n    total += x\n",
        "def f(xs):\n    n = 0\n\n    def g():\n        nonlocal n\n        n += 1\n    return g\n",
    ],
)
def test_what_is_begun_or_bound_elsewhere_is_left(text: str) -> None:
    assert list_texts(text, "is never begun") == []


HINTS = Hints(defined=frozenset({"math"}), kinds={"row": frozenset({ITEMS})})


def list_stand_ins(text: str) -> list[str]:
    return list_texts(text, "nothing is called", HINTS)


def test_a_function_from_nowhere_may_be_one_that_python_has() -> None:
    text = "def f(x, row):\n    return add_them(x)\n"
    made = list_stand_ins(text)
    assert text.replace("add_them(x)", "sum(x)") in made
    assert text.replace("add_them(x)", "row.index(x)") in made
    two = "def f(x, row):\n    return find(x, row)\n"
    assert two.replace("find(x, row)", "row.index(x)") in list_stand_ins(two)


def test_a_method_that_its_class_lacks_may_be_one_too() -> None:
    text = "class A:\n    def f(self, row):\n        return self.add_them(row)\n"
    assert text.replace("self.add_them(row)", "sum(row)") in list_stand_ins(text)
    assert list_stand_ins(text.replace("self.add_them", "self.f")) == []


@pytest.mark.parametrize(
    "call", ["f(x, row)", "len(x)", "row.find(x)", "add_them()", "add_them(x, row, 2)", "add_them(of=x)"]
)
def test_a_call_of_what_is_there_or_of_another_form_is_left(call: str) -> None:
    assert list_stand_ins(f"def f(x, row):\n    return {call}\n") == []


GOOD = "def count_good(numbers):\n    return sum(1 for number in numbers if is_inspected(number))\n"


@pytest.mark.parametrize(
    ("definition", "checks", "doubted"),
    [
        (GOOD, ["count_good([1, 2, 3]) == 2"], True),
        ("def f(xs):\n    return add_them(xs) + 1\n", ["f([2, 3]) == 6", "f([]) == 1"], True),
        ("def f(xs):\n    return add_them(xs) + 1\n", [f"f([2, {n}]) == {n + 3}" for n in range(6)], False),
    ],
)
def test_what_it_was_to_do_few_checks_do_not_tell(definition: str, checks: list[str], doubted: bool) -> None:
    found = find(definition, "".join(f"assert {check}\n" for check in checks))["patches"]
    rivals = [p["rival"] for p in found if any("sum(xs)" in t or "numbers.index(" in t for t in p["texts"].values())]
    assert rivals
    assert all(map(bool, rivals)) is doubted


def test_what_a_name_was_to_be_that_is_only_read_few_checks_do_not_tell() -> None:
    found = find("def beats(mark):\n    return mark > record_of_then\n", "assert beats(100)\nassert not beats(1)\n")[
        "patches"
    ]
    assert found
    assert all("nothing tells" in p["rival"] or "record_of_then" in str(p["texts"]) for p in found[:1])
    assert all(p["rival"] for p in found)
