"""What an assert says to be equal, or to be close to each other."""

from __future__ import annotations

import ast

_CLOSE = frozenset({"isclose", "assert_allclose"})


def find_compared_sides(test: ast.expr) -> tuple[ast.expr, ...]:
    """What is said to be equal, or close: ``a == b``, ``abs(a - b) < 1e-6``, ``math.isclose(a, b)``; empty for anything else."""
    match test:
        case ast.Compare(ast.Call(ast.Name("abs"), [ast.BinOp(left, ast.Sub(), right)]), [ast.Lt() | ast.LtE()]):
            return left, right
        case ast.Compare(left, [ast.Eq()], [ast.Call(ast.Attribute(attr="approx") | ast.Name("approx"), [right, *_])]):
            return left, right
        case ast.Compare(left, [ast.Eq()], [right]):
            return left, right
        case ast.Call(ast.Attribute(attr=name) | ast.Name(name), [left, right, *_]) if name in _CLOSE:
            return left, right
    return ()
