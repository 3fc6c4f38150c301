"""Loops that cannot end, as their text shows: ``while n > 0: print(n)``."""

from __future__ import annotations

import ast

from jupyter_selfheal.source.binding import collect_names

_EXITS = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
"""What may leave a loop whatever its condition says."""

_LEAVING = frozenset({"exit", "quit", "_exit", "exec", "next", "input", "locals", "globals"})
"""Calls that may leave it, or change a name out of sight."""


def may_end(loop: ast.While) -> bool:
    """True where the loop may be left, or may change a name of its condition, in a way that can be seen or cannot be excluded."""
    test = loop.test
    if not isinstance(test, ast.Compare) or not all(
        isinstance(side, ast.Name | ast.Constant) for side in (test.left, *test.comparators)
    ):
        return True
    names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
    inner = [n for statement in loop.body for n in ast.walk(statement)]
    if loop.orelse or any(isinstance(n, _EXITS) for n in inner):
        return True
    if any(isinstance(n, ast.Call) and _read_called_name(n.func) in _LEAVING for n in inner):
        return True
    bound = collect_names(loop.body)
    return bool(names & (bound.binds | bound.changes))


def is_in_endless_loop(tree: ast.AST, line: int) -> bool:
    """Whether the line stands in a loop that cannot end."""
    loops = (n for n in ast.walk(tree) if isinstance(n, ast.While) and n.lineno <= line <= (n.end_lineno or n.lineno))
    return any(not may_end(loop) for loop in loops)


def _read_called_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
