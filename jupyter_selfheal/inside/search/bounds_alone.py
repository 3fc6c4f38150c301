"""Checks that only bound a value: ``assert 0 < share < 1``.

Whatever gives a number of about that size meets them, so that the few of them that failed tell of many changes which run that they are right.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

_BOUNDS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_DISTANCES = frozenset({"abs", "absolute", "fabs", "norm", "dist"})
"""Functions by which a bound says that two values are nearly equal."""


def find_bounds_alone(checks: Iterable[str]) -> str:
    """The first check as it is written, where all of them only bound values; else empty. What is no assert tells nothing."""
    tests = [n.test for text in checks for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Assert)]
    return ast.unparse(tests[0]) if tests and all(map(_is_bound, tests)) else ""


def _is_bound(test: ast.expr) -> bool:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return all(map(_is_bound, test.values))
    if not isinstance(test, ast.Compare) or not all(isinstance(sign, _BOUNDS) for sign in test.ops):
        return False
    called = (n.func for n in ast.walk(test) if isinstance(n, ast.Call))
    names = {f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else "" for f in called}
    return not names & _DISTANCES and any(isinstance(side, ast.Constant) for side in (test.left, *test.comparators))
