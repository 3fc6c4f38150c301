"""Comparisons of a value with itself: they ask nothing."""

from __future__ import annotations

import ast
import itertools
from collections import Counter

from jupyter_selfheal.inside.parsing import dump_tree, parse_module

_DECIDED = (ast.Eq, ast.LtE, ast.GtE, ast.Is, ast.In, ast.Lt, ast.Gt, ast.IsNot)
_PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.expr_context)


def compares_with_itself(node: ast.AST) -> bool:
    """``x == x``, ``row[0] <= row[0]``; not ``x != x``, which is how NaN is told, nor ``next(it) == next(it)``, which may be two values."""
    if not isinstance(node, ast.Compare):
        return False
    pairs = zip(itertools.pairwise([node.left, *node.comparators]), node.ops, strict=True)
    return any(
        isinstance(operator, _DECIDED)
        and dump_tree(left) == dump_tree(right)
        and all(isinstance(n, _PLAIN) for n in ast.walk(left))
        for (left, right), operator in pairs
    )


def count_self_comparisons(tree: ast.AST) -> Counter[str]:
    """How often each comparison of a value with itself stands in a tree. What was there before is somebody's own (``v == v`` tells NaN as
    well): of a changed source only those count that the change adds."""
    return Counter(dump_tree(n) for n in ast.walk(tree) if compares_with_itself(n))


def read_self_comparisons(source: str) -> Counter[str]:
    """Those of a source; none where it does not parse."""
    try:
        return count_self_comparisons(parse_module(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Counter()


def adds_self_comparison(source: str, given: Counter[str]) -> bool:
    """``if a == a``: a change that asks nothing any more is none. What the reading itself holds (``given``) is no change."""
    return bool(read_self_comparisons(source) - given)
