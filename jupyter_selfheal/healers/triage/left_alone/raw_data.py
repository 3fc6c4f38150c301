"""Asserts that find something wrong in the data."""

from __future__ import annotations

import ast

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.triage.left_alone._checks import Remedies, find_cell, leave_alone
from jupyter_selfheal.model import Diagnosis, Locus, SkipReason

TINY = 0.01
"""A bound that only what was computed to be zero is held to."""


def diagnose_bad_data(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """An assert that finds something in the data, not in a function of the notebook or in a computed value."""
    statement = context.failing_statement
    if context.failure.ename != "AssertionError" or not isinstance(statement, ast.Assert):
        return None
    if (
        context.location[0] != context.failure.cell_id
        or _compares_a_result(statement.test)
        or _uses_own_functions(context, statement)
    ):
        return None
    return leave_alone(
        "The assert found something wrong in the data.", SkipReason.BAD_DATA,
        "Check the data it names. The assert is right, so it was kept.", Locus.CODE, 85,
    )  # fmt: skip


def _compares_a_result(test: ast.expr) -> bool:
    """True for ``total == 7``, ``isclose(x, 3.2)``, ``abs(x - 3.2) < 1e-9``: a test of what was computed."""
    if isinstance(test, ast.BoolOp):
        return any(_compares_a_result(v) for v in test.values)
    if isinstance(test, ast.Compare):
        return any(isinstance(op, ast.Eq | ast.Is) for op in test.ops) or _is_near(test)
    if isinstance(test, ast.Call) and _is_elementwise(test):
        return True
    names = {n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in ast.walk(test)}
    return bool(names & {"isclose", "allclose", "equals", "array_equal", "approx"})


def _is_elementwise(call: ast.Call) -> bool:
    """``(C == np.array([[2, 1], [4, 3]])).all()``: each item of a result against values that are written down."""
    compared = call.func.value if isinstance(call.func, ast.Attribute) and not call.args else call.args[:1]
    test = compared[0] if isinstance(compared, list) and compared else compared
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name != "all" or not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    return any(isinstance(n, ast.List | ast.Tuple) for n in ast.walk(test.comparators[0]))


def _is_near(test: ast.Compare) -> bool:
    """``abs(a - b) < eps`` and ``abs(integral) < 1e-6``, and the same of NumPy: equal but for rounding."""
    call = test.left
    bound = test.comparators[0]
    is_small = isinstance(bound, ast.Constant) and isinstance(bound.value, float) and bound.value <= TINY
    name = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(call, ast.Call)
        and len(call.args) == 1
        and (is_small or (isinstance(call.args[0], ast.BinOp) and isinstance(call.args[0].op, ast.Sub)))
        and (name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")) in ("abs", "fabs", "absolute")
        and all(isinstance(op, ast.Lt | ast.LtE) for op in test.ops)
    )


def _uses_own_functions(context: RuleContext, statement: ast.stmt) -> bool:
    """True where a function of the notebook took part in what the assert looks at."""
    above = context.notebook.code_before(context.failure.cell_id)
    wanted = src.collect_names([statement]).uses
    texts = [context.failure.source, *(above[n].source for n in src.backward_slice([c.source for c in above], wanted))]
    defined = {
        n.name for c in (*above, find_cell(context)) for n in src.walk(c.source) if isinstance(n, ast.FunctionDef)
    }
    called = {
        n.func.id if isinstance(n.func, ast.Name) else getattr(n.func, "attr", "")
        for text in texts
        for n in src.walk(text)
        if isinstance(n, ast.Call)
    }
    return bool(defined & called)
