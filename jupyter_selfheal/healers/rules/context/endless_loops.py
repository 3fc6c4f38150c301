"""Loops of the failing cell, and of what it calls, that cannot end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.nodes import Function
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.source.endless import may_end


def list_endless_loops(context: RuleContext) -> Iterator[tuple[str, ast.AST, ast.While]]:
    """(cell, the cell's tree or the function in it, loop) for each `while` whose condition nothing in it changes."""
    for cell_id, scope in _list_scopes(context):
        for node in ast.walk(scope):
            if isinstance(node, ast.While) and not may_end(node):
                yield cell_id, scope, node


def _list_scopes(context: RuleContext) -> Iterator[tuple[str, ast.AST]]:
    """The failing cell, and the functions of cells above that it calls, themselves or by others."""
    yield context.failure.cell_id, context.failing_tree
    wanted = set(src.find_names(context.failure.source).uses)
    for cell_id in context.list_cells_upwards()[1:]:
        for node in context.tree_of(cell_id).body:
            if isinstance(node, Function) and node.name in wanted:
                wanted |= list_names(node)
                yield cell_id, node
