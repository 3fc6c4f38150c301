"""Failing tests as a cell: what a cell can hold stands there with its values, the rest only proves."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from jupyter_selfheal.surfaces.project.test_cells import build_test_cell

TEXT = '''import pytest
from node import Node
from program import f

LIMIT = [1, 2]


def helper(x):
    return Node(x)


@pytest.mark.parametrize("given,expected", [])
def test_plain(given, expected):
    """What it does."""
    if given == [0]:
        pytest.skip("slow")
    assert f(*given) == pytest.approx(expected, abs=given[-1])


@pytest.mark.parametrize("given", [])
def test_more(given):
    got = f(given)
    assert got == LIMIT


def test_alone():
    assert f(helper(1)) == 2


def test_fixture(tmp_path):
    assert f(tmp_path)


@other
def test_decorated():
    assert f(1)
'''
ORIGINS = {
    "pytest": ["pytest", "", "/x/pytest/__init__.py"],
    "Node": ["node", "Node", "/p/node.py"],
    "f": ["program", "f", "/p/program.py"],
}


def told(function: str, outcome: str = "failed", **more: Any) -> dict[str, Any]:
    plain = {"function": function, "outcome": outcome, "names": ORIGINS, "fixtures": [], "parameters": {}}
    return {**plain, "in_class": False, **more}


def test_a_parametrized_check_stands_there_with_its_values() -> None:
    cell = build_test_cell(TEXT, {"a": told("test_plain", parameters={"given": "[2, 3]", "expected": "7"})})
    assert cell.source == "assert f(2, 3) == pytest.approx(7, abs=3)"
    assert cell.imports == {"pytest": "import pytest", "f": "from program import f"}
    assert {p.name for p in cell.files} == {"program.py", "__init__.py"}


def test_other_tests_are_defined_once_and_called() -> None:
    tests = {n: told("test_more", parameters={"given": n}) for n in ("1", "2")}
    cell = build_test_cell(TEXT, tests)
    ast.parse(cell.source)
    assert cell.source.count("def test_more(given):") == 1
    assert cell.source.splitlines()[0] == "LIMIT = [1, 2]"
    assert cell.source.splitlines()[-2:] == ["test_more(given=1)", "test_more(given=2)"]


def test_what_a_test_reads_is_there_before_it() -> None:
    cell = build_test_cell(TEXT, {"a": told("test_alone")})
    assert cell.source.index("def helper") < cell.source.index("def test_alone") < cell.source.index("\ntest_alone()")
    assert cell.imports["Node"] == "from node import Node"


@pytest.mark.parametrize(
    "test",
    [
        told("test_fixture", fixtures=["tmp_path"]),
        told("test_alone", in_class=True),
        told("test_plain", parameters={"given": None, "expected": "1"}),
        told("test_plain", outcome="skipped", parameters={"given": "[0]", "expected": "1"}),
        told("test_decorated"),
        told("test_missing"),
        told("test_alone", names={"Node": ORIGINS["Node"]}),
    ],
)
def test_what_a_cell_cannot_hold_is_left_out(test: dict[str, Any]) -> None:
    assert build_test_cell(TEXT, {"a": test}).tests == []
