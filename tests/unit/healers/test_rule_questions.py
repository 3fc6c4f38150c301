"""Questions of rules to the live state are declared once, and every one has its answer inside."""

from __future__ import annotations

import ast
import inspect

import pytest

from jupyter_selfheal.healers.rules.context import questions
from jupyter_selfheal.healers.rules.context.questions import Question
from jupyter_selfheal.inside.loader import read_source
from jupyter_selfheal.testing.rule_conformance import Bench

DECLARED = {q.name for _, q in inspect.getmembers(questions) if isinstance(q, Question)}


def answered() -> set[str]:
    modules = {name.partition(".")[0] for name in DECLARED}
    return {
        f"{module}.{node.name}"
        for module in modules
        for node in ast.parse(read_source(f"probes.{module}")).body
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(d) == "question" for d in node.decorator_list)
    }


def test_the_questions_that_are_declared_are_those_that_are_answered() -> None:
    assert answered() == DECLARED


def test_objects_are_described_in_the_failing_frame(bench: Bench) -> None:
    context = bench.fail("def f(items):\n    return items.size()\nf([1, 2])").context
    assert context.owner.is_a("list")
    assert context.owner.is_a("builtins.list")
    assert not context.owner.is_a("numpy.ndarray")
    described = context.describe("items")
    assert described is not None
    assert described.length == 2
    assert context.describe("items.copy()") is None  # it would call something
    assert context.describe("items.copy()", calls=True) == described
    assert context.number("len(items)") == 2
    assert context.list_failing_nodes(ast.Attribute)[0].attr == "size"


@pytest.mark.parametrize("path", ["os.path.nothing", "no_such_module.f"])
def test_what_is_not_there_has_no_reference(bench: Bench, path: str) -> None:
    context = bench.fail("import os\n1 / 0").context
    assert context.reference(path) is None
    assert context.reference("os.path.join") == ("os.path.join", "")
    assert context.reference("math.sqrt") == ("sqrt", "from math import sqrt")
