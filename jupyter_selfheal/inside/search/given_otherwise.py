"""Doubt: a function is changed where another call of it would do as well."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Mapping, Sequence

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import DEFINE, Unit


def find_given_otherwise(units: Sequence[Unit], texts: Mapping[int, str], others: Iterable[Mapping[int, str]]) -> str:
    """The function of an earlier cell that a change mends, where another change that passes the same checks only gives it something else.

    ``distance(points)`` that fails for an array of the wrong shape is met by ``points.T`` in the function, which then fails for
    every right one, and at the call. Empty where there is no such other change.

    Args:
        units: The statements of the program.
        texts: The new texts of the statements that the change is of, by their places.
        others: The same of the other changes.
    """
    definitions = [s for n in texts for s in parse_once(units[n].text).body if isinstance(s, ast.FunctionDef)]
    functions = {s.name for s in definitions}
    if not functions or any(units[n].role != DEFINE for n in texts):
        return ""
    for other in others:
        if len(other) == 1 and (name := _find_other_argument(units, other, functions)):
            return name
    return ""


def _find_other_argument(units: Sequence[Unit], texts: Mapping[int, str], functions: set[str]) -> str:
    """The function of some whose arguments are all that a change of one statement is of."""
    ((place, text),) = texts.items()
    if units[place].role == DEFINE:
        return ""
    for name in sorted(functions):
        old, new = (_mask_arguments(t, name) for t in (units[place].text, text))
        if old and old == new:
            return name
    return ""


@functools.lru_cache(maxsize=4096)  # each candidate is held against all others
def _mask_arguments(text: str, function: str) -> str:
    """A statement as a tree in words, without what a function is given in it; empty where it does not call it."""
    if function not in text:
        return ""
    tree = _Mask(function)
    masked = tree.visit(ast.parse(text))
    return ast.dump(masked) if tree.is_called else ""


class _Mask(ast.NodeTransformer):
    def __init__(self, function: str) -> None:
        self.function, self.is_called = function, False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == self.function:
            self.is_called = True
            return ast.Call(node.func, [], [])
        return node
