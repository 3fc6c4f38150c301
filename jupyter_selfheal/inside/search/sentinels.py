"""A value that means "nothing yet" and that may come up as a value of its own."""

from __future__ import annotations

import ast

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import walk


def describe_doubt_of_sentinel(old: str, new: str) -> str:
    """The doubt about a patch that asks whether a variable still holds what it began with (``x > best or best == 0``): the number may
    come up among the values, too. Empty elsewhere; nothing is said of ``None``."""
    known = {ast.unparse(n) for n in walk(parse_once(old)) if isinstance(n, ast.Compare | ast.UnaryOp)}
    tree = parse_once(new)
    first = {
        (t.id, ast.unparse(n.value))
        for n in walk(tree)
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Constant) and n.value.value is not None
        for t in n.targets
        if isinstance(t, ast.Name)
    }
    for node in walk(tree):
        asked = _read_question(node)
        if asked in first and ast.unparse(node) not in known:
            name, value = asked
            return f"`{name}` may come to {value} again, and `{ast.unparse(node)}` then holds once more"
    return ""


def _read_question(node: ast.AST) -> tuple[str, str]:
    """(name, value) of ``name == value``; of ``not name``, which asks for a zero."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Name):
        return node.operand.id, "0"
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq) and isinstance(node.left, ast.Name):
        return node.left.id, ast.unparse(node.comparators[0])
    return "", ""
