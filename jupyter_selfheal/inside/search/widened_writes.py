"""A write that a patch lets reach more than it did: `df["q"] = 100` for `df.iloc[0]["q"] = 100` changes every row, and meets a check of the greatest by luck."""

from __future__ import annotations

import ast

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import walk


def find_widened_write(old: str, new: str) -> str:
    """The target of an assignment that gives the same value, to something of which fewer items were taken out; empty where there is none."""
    narrow, wide = _list_writes(old), _list_writes(new)
    lost = [(target, picked) for target, picked in narrow.items() if target not in wide]
    gained = [(target, picked) for target, picked in wide.items() if target not in narrow]
    for (_, root, value), picked in lost:
        for (text, other, same), fewer in gained:
            if root == other and value == same and fewer < picked:
                return text
    return ""


def _list_writes(source: str) -> dict[tuple[str, str, str], int]:
    """The targets in square brackets, each with its first name and the value that it gets, and by how many indices items are picked out."""
    found = dict[tuple[str, str, str], int]()
    for node in walk(parse_once(source)):
        if not isinstance(node, ast.Assign | ast.AugAssign):
            continue
        sign = type(node.op).__name__ if isinstance(node, ast.AugAssign) else ""
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            indices, inner = list[ast.expr](), target
            while isinstance(inner, ast.Subscript | ast.Attribute):
                if isinstance(inner, ast.Subscript):
                    indices += inner.slice.elts if isinstance(inner.slice, ast.Tuple) else [inner.slice]
                inner = inner.value
            if indices and isinstance(inner, ast.Name):
                picked = sum(not isinstance(index, ast.Slice) for index in indices)
                found[ast.unparse(target), inner.id, f"{sign}= {ast.unparse(node.value)}"] = picked
    return found
