"""Mutation operators for what a function reckons in several places: who writes ``/ 2 * a`` for ``/ (2 * a)`` writes it so wherever it stands,
also where something else is divided."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import Change, Scope


def propose_divisors_of_two(s: Scope, node: ast.AST) -> Iterator[Change]:
    """Every ``x / 2 * a`` as ``x / (2 * a)``, where two or more of them stand in a function."""
    if not isinstance(node, ast.FunctionDef):
        return
    places: dict[tuple[str, str], list[tuple[ast.BinOp, ast.BinOp]]] = {}
    for part in ast.walk(node):
        match part:
            case ast.BinOp(ast.BinOp(op=ast.Div()) as left, ast.Mult()) if part not in s.frozen:
                places.setdefault((ast.unparse(left.right), ast.unparse(part.right)), []).append((part, left))
    for (divisor, factor), found in places.items():
        edits = [e for whole, left in found for e in _divide_by_product(s, whole, left)]
        words = f"every `/ {divisor} * {factor}` should divide by both"
        if len(found) > 1:
            yield Change(tuple(sorted(edits)), 0.6, found[0][0].lineno, words)


def _divide_by_product(s: Scope, whole: ast.BinOp, left: ast.BinOp) -> tuple[Edit, Edit]:
    start, end = s.start_of(left.right), s.end_of(whole)
    return (start, start, "("), (end, end, ")")


OPERATORS = (propose_divisors_of_two,)
