"""An index that a patch moves one back although its loop begins at 0: `xs[i - 1]` is the last item then, and meets a handful of checks by luck."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import is_name, walk


def find_wrapped_place(old: str, new: str) -> str:
    """``xs[i - 1]`` in the new text of a function, in a loop that begins with ``i`` at 0, where the old one has nothing like it; else empty."""
    known = {ast.unparse(n.slice) for n in walk(parse_once(old)) if isinstance(n, ast.Subscript)}
    return next((place for place, index in _list_wrapped(parse_once(new)) if index not in known), "")


def _list_wrapped(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for loop in walk(tree):
        match loop:
            case (
                ast.For(target=ast.Name(name), iter=ast.Call(func=ast.Name("range"), args=[_]))
                | ast.For(target=ast.Name(name), iter=ast.Call(func=ast.Name("range"), args=[ast.Constant(0), _]))
            ):
                if not _asks_for(loop, name):
                    yield from _list_moved_back(loop, name)


def _asks_for(loop: ast.AST, name: str) -> bool:
    """Whether something in a loop asks for its number, as ``if i > 0`` does: then the first round may be left out."""
    tests = (n.test for n in walk(loop) if isinstance(n, ast.If | ast.IfExp | ast.While))
    asked = (c for test in tests for c in walk(test) if isinstance(c, ast.Compare))
    return any(is_name(side, name) for c in asked for side in (c.left, *c.comparators))


def _list_moved_back(loop: ast.AST, name: str) -> Iterator[tuple[str, str]]:
    for node in walk(loop):
        match node:
            case ast.Subscript(slice=ast.BinOp(left=ast.Name(index), op=ast.Sub(), right=ast.Constant(int()))) if (
                index == name
            ):
                yield ast.unparse(node), ast.unparse(node.slice)
