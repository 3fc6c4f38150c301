"""Loops of the failing cell, and of what it calls, that cannot end."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.nodes import Function
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.model import FailureKind
from jupyter_selfheal.source.endless import list_own, may_end


def list_endless_loops(context: RuleContext) -> Iterator[tuple[str, ast.AST, ast.While]]:
    """(cell, the cell's tree or the function in it, loop) for each `while` whose condition nothing in it changes, and in which the cell was stopped.

    Where nobody knows in which line it was stopped, each such loop.
    """
    places, turned = _list_places(context), _list_turned(context)
    for cell_id, scope in _list_scopes(context):
        own = list_own(scope)
        for node in ast.walk(scope):
            if not isinstance(node, ast.While) or turned & list_names(node.test):
                continue
            if _is_running(node, cell_id, places) and not may_end(node, own):
                yield cell_id, scope, node


def is_memory_filled_by_loop(context: RuleContext) -> bool:
    """Whether memory ran out at a line of such a loop that puts more into something with each round, and asks for nothing large by itself.

    False where it is not known at which line: then what ran out may have been elsewhere.
    """
    failure, places = context.failure, _list_places(context)
    if failure.kind is not FailureKind.RAISED or failure.ename != "MemoryError" or not places:
        return False
    return any(
        isinstance(node, ast.stmt) and (cell_id, node.lineno) in places and _adds_one_thing(node)
        for cell_id, _, loop in list_endless_loops(context)
        for node in ast.walk(loop)
    )


def _adds_one_thing(statement: ast.stmt) -> bool:
    """``xs.append(x)``, ``text += "a"`` and ``xs = xs + [x]``, in which no number is large and nothing is repeated or raised to a power."""
    if any(
        isinstance(n, ast.Mult | ast.Pow)
        or (isinstance(n, ast.Constant) and isinstance(n.value, int) and n.value > _LARGE)
        for n in ast.walk(statement)
    ):
        return False
    match statement:
        case ast.Expr(ast.Call(func=ast.Attribute(attr=name))):
            return name in _ADDS
        case ast.AugAssign(op=ast.Add()):
            return True
        case ast.Assign([ast.Name(name)], ast.BinOp(op=ast.Add()) as value):
            return name in list_names(value)
    return False


_ADDS = frozenset({"append", "appendleft", "extend", "extendleft", "insert", "add"})
_LARGE = 10**6
"""So many items are no more than some megabytes, which no memory lacks in a single round."""


def describe_end(context: RuleContext) -> str:
    """What may be said of such a loop: whether the cell came to it is known only where it is known in which line it was stopped."""
    return "never ends" if _list_places(context) else "may never end"


def _list_places(context: RuleContext) -> list[tuple[str, int]]:
    """(cell, line) of each call that was under way when the failing cell was stopped; empty where it was cut off from outside."""
    return [(frame.cell_id, frame.line) for frame in context.failure.frames if frame.cell_id and frame.line]


def _list_turned(context: RuleContext) -> set[str]:
    """Names that a function may give another value from outside the loop: ``global waiting``."""
    trees = (context.tree_of(cell_id) for cell_id in context.list_cells_upwards())
    return {
        name for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names
    }


def _is_running(loop: ast.While, cell_id: str, places: Sequence[tuple[str, int]]) -> bool:
    last = loop.end_lineno or loop.lineno
    return not places or any(cell == cell_id and loop.lineno <= line <= last for cell, line in places)


def _list_scopes(context: RuleContext) -> Iterator[tuple[str, ast.AST]]:
    """The failing cell, and the functions of cells above that it calls, themselves or by others."""
    yield context.failure.cell_id, context.failing_tree
    wanted = set(src.find_names(context.failure.source).uses)
    for cell_id in context.list_cells_upwards()[1:]:
        for node in context.tree_of(cell_id).body:
            if isinstance(node, Function) and node.name in wanted:
                wanted |= list_names(node)
                yield cell_id, node
