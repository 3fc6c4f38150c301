"""A write that a patch lets reach more than it did: `df["q"] = 100` for `df.iloc[0]["q"] = 100` changes every row, and meets a check of the greatest by luck."""

from __future__ import annotations

import ast


def find_widened_write(old: str, new: str) -> str:
    """The target of an assignment that gives the same value, to something of which fewer items were taken out; empty where there is none."""
    narrow, wide = _list_writes(old), _list_writes(new)
    lost = [(target, depth) for target, depth in narrow.items() if target not in wide]
    gained = [(target, depth) for target, depth in wide.items() if target not in narrow]
    for (_, root, value), depth in lost:
        for (text, other, same), less in gained:
            if root == other and value == same and 0 < less < depth:
                return text
    return ""


def _list_writes(source: str) -> dict[tuple[str, str, str], int]:
    """The targets in square brackets, each with its first name and the value that it gets, and how many brackets it has."""
    found = dict[tuple[str, str, str], int]()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            depth, inner = 0, target
            while isinstance(inner, ast.Subscript | ast.Attribute):
                depth += isinstance(inner, ast.Subscript)
                inner = inner.value
            if depth and isinstance(inner, ast.Name):
                found[ast.unparse(target), inner.id, ast.unparse(node.value)] = depth
    return found
