"""What kind of statement a statement is: a definition, a check, one that only IPython can run."""

from __future__ import annotations

import ast
from collections.abc import Iterable

DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def awaits(nodes: Iterable[ast.stmt]) -> bool:
    """True for a cell with top-level await, which only IPython can run."""
    stack: list[ast.AST] = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
            return True
        if not isinstance(node, DEFINITIONS):
            stack.extend(ast.iter_child_nodes(node))
    return False


def has_assert(node: ast.AST) -> bool:
    """True where an assert, or a call named so (``np.testing.assert_allclose``), is inside."""
    for child in ast.walk(node):
        if isinstance(child, ast.Assert):
            return True
        if isinstance(child, ast.Call):
            name = child.func.attr if isinstance(child.func, ast.Attribute) else getattr(child.func, "id", "")
            if name.startswith("assert"):
                return True
    return False
