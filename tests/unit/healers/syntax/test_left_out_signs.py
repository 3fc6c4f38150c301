"""Signs that are left out of a cell that parses, ``self`` of a class, digits that are compared as letters, and near misses of each."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.healers.syntax import propose
from jupyter_selfheal.healers.syntax.propose import _plan_reading
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.deepen_readings import list_literals, writes_answer
from jupyter_selfheal.inside.search.digits_as_texts import list_number_reads
from jupyter_selfheal.inside.search.left_out_signs import list_left_out_signs
from jupyter_selfheal.inside.search.name_changes import list_name_changes
from jupyter_selfheal.inside.search.self_changes import list_self_changes
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook, Oracle
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from tests.unit.healers.syntax.readings import run

DOG = "class Dog:\n    def __init__(self, age):\n        {0}age = age\n    def speak({1}):\n        print('Woof')\nd = Dog(3)\nd.speak{2}\nprint(d.age)"


def _list_sources(source: str) -> list[str]:
    whole = Source(source)
    changes = [
        *list_left_out_signs(whole),
        *list_self_changes(whole),
        *list_name_changes(whole.tree, whole.lines, frozenset()),
    ]
    return [splice(source, c.edits) for c in changes]


MENDED = {
    "a comma between texts": ('xs = ["a", "b" "c"]', 'xs = ["a", "b", "c"]'),
    "over lines": ('xs = {\n    "a",\n    "b"\n    "c" "d",\n}', 'xs = {\n    "a",\n    "b",\n    "c", "d",\n}'),
    "the f of a value": ('a = 2\nprint("Cost: {a * 2:.2f}")', 'a = 2\nprint(f"Cost: {a * 2:.2f}")'),
    "the f and the brace": ('a = 2\nprint("Cost: {a * 2:.2f")', 'a = 2\nprint(f"Cost: {a * 2:.2f}")'),
    "all of them": ('a = 2\nprint("{a}")\nprint("{a} b")', 'a = 2\nprint(f"{a}")\nprint(f"{a} b")'),
    "small letters": ('w = input()\nprint(w[0] in "aeiou")', 'w = input().lower()\nprint(w[0] in "aeiou")'),
    "a sum that is divided": ("m = a + b + c / 3", "m = (a + b + c) / 3"),
    "an item": (
        "for i in range(len(xs)):\n    print(i, xs)", "for i in range(len(xs)):\n    print(i, xs[i])",
    ),
    "self as a parameter": (DOG.format("self.", "", "()"), DOG.format("self.", "self", "()")),
    "self of what is set": (DOG.format("", "self", "()"), DOG.format("self.", "self", "()")),
    "a method that is not called": (DOG.format("self.", "", ""), DOG.format("self.", "self", "()")),
    "a method in brackets": ("xs = []\nxs.append[3]", "xs = []\nxs.append(3)"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "meant"), MENDED.values(), ids=list(MENDED))
def test_what_is_left_out_is_put_in(source: str, meant: str) -> None:
    assert meant in _list_sources(source)


@pytest.mark.parametrize(
    "source",
    [
        'print("a" "b")', 'xs = ["a" "b"]', 'xs = ["a", "b"]', 'print("{b}")', 'a = 1\nprint("{{a}}")', 'a = 1\nprint("{}".format(a))',
        'w = input()\nprint(w == "Yes")', 'w = input().lower()\nprint(w == "yes")', "a = b = 1\nm = a + b / 3 + b", "a = b = 1\nm = (a + b) / 3",
        "xs = [1]\nfor i in range(len(xs)):\n    print(i, len(xs), xs[i])", DOG.format("self.", "self", "()"),
        "class A:\n    @staticmethod\n    def f():\n        print(1)", "class A:\n    items = []\na = A()\nprint(a.items[0])",
    ],
)  # fmt: skip
def test_what_is_whole_is_left(source: str) -> None:
    assert _list_sources(source) == []


def test_parts_of_a_text_are_no_answer_that_is_written_down() -> None:
    source = 'xs = ["apple", "banana" "cherry"]'
    new = source.replace('a" "c', 'a", "c')
    assert not writes_answer(new, list_literals(source))
    assert writes_answer(new.replace("cherry", "date"), list_literals(source))


BIGGEST = "xs = {}\nbig = xs[0]\nfor x in xs:\n    if x > big:\n        big = x\nprint(big)"


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        (BIGGEST.format("input().split()"), BIGGEST.format("list(map(int, input().split()))")),
        ("a = input()\nb = input()\nprint(max(a, b))", "a = int(input())\nb = int(input())\nprint(max(a, b))"),
        (
            "xs = []\nfor i in range(2):\n    xs.append(input())\nxs.sort()\nprint(xs)",
            "xs = []\nfor i in range(2):\n    xs.append(int(input()))\nxs.sort()\nprint(xs)",
        ),
        (BIGGEST.format("[int(x) for x in input().split()]"), None),
        ("a = input()\nb = input()\nprint(a == b)", None),
        ("a = int(input())\nb = int(input())\nprint(a < b)", None),
        ("a = input()\nprint(a, 3 > 2)", None),
    ],
)
def test_digits_that_are_compared_by_size_are_numbers(source: str, meant: str | None) -> None:
    assert next((splice(source, c.edits) for c in list_number_reads(source)), None) == meant


def test_of_two_outputs_that_are_right_the_one_of_numbers_comes_first() -> None:
    lines = ["9", "4"]
    source = "a = input()\nb = input()\nprint(max(a, b))"
    best = run([source], "9\n", given=source.replace("))", ")"), input=lambda: lines.pop(0))["passing"][0]
    assert "int(input())" in best["text"]
    assert best["rival"]


def test_several_faults_of_a_cell_that_runs_are_mended_one_after_the_other() -> None:
    source = "a = 4\nb = 6\nc = 9\nm = a + b + c / 3\nprint('Average', m)\n"
    case = Case(
        Failure("c0", source, FailureKind.MISSED), Notebook((Cell("c0", source),)), Oracle(stdout="Average: 6.33\n")
    )
    plan = _plan_reading(case, source)
    assert plan is not None
    found = propose.propose_texts(case, Starts((FakeKernel(),)), plan, (), mutates=True)
    assert any("(a + b + c) / 3" in p.source_of("c0", "") and p.rival for p in found)
    assert all(ast.parse(p.source_of("c0", "")) for p in found)
