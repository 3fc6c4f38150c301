"""Parts of a whole that a statement writes to, each perhaps a copy: ``df[mask]`` of ``df[mask]["x"] = 1``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

INDEXERS = ("loc", "iloc", "at", "iat")


def list_written_parts(statement: ast.AST) -> Iterator[ast.expr]:
    """What a statement writes to: ``df[mask]`` of ``df[mask]["x"] = 1``, ``df.age`` of ``df.age.fillna(0, inplace=True)``."""
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    for target in (statement.target,) if isinstance(statement, ast.AugAssign) else targets:
        if isinstance(target, ast.Subscript):
            yield strip_indexer(target.value)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        in_place = next((k.value for k in call.keywords if k.arg == "inplace"), None)
        if isinstance(in_place, ast.Constant) and in_place.value is True:
            yield call.func.value


def find_whole(part: ast.expr) -> ast.expr | None:
    """``df`` of ``df[mask]``, ``df.loc[mask]`` or ``df.column``; None of a name."""
    if isinstance(part, ast.Subscript):
        return strip_indexer(part.value)
    return part.value if isinstance(part, ast.Attribute) else None


def strip_indexer(node: ast.expr) -> ast.expr:
    """``df`` of ``df.loc``, anything else as it is."""
    return node.value if isinstance(node, ast.Attribute) and node.attr in INDEXERS else node
