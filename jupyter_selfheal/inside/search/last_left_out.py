"""A loop by index that a patch ends one item sooner, though it reads no item behind the one it is at: the last one is left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def find_last_left_out(old: str, new: str) -> str:
    """The `range` of the new text, and of no loop of the old one, that stops before the last item, where nothing in its function takes the next one or the
    last one: ``range(len(xs) - 1)`` or ``range(len(xs[1:]))`` beside ``xs[i]`` alone; empty where there is none."""
    known = {text for _, _, text in _list_shortened(ast.parse(old))}
    for function, loop, text in _list_shortened(ast.parse(new)):
        if text not in known and not any(_reads_behind(n, loop.target) for n in ast.walk(function)):
            return text
    return ""


def _list_shortened(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.For, str]]:
    """(function, loop, its range) of each loop through ``range(len(xs) - 1)``, or through the places of a part of ``xs``."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            match node:
                case ast.For(
                    ast.Name(),
                    ast.Call(ast.Name("range"), [ast.BinOp(ast.Call(ast.Name("len")), ast.Sub(), ast.Constant(1))]),
                ):
                    yield function, node, ast.unparse(node.iter)
                case ast.For(
                    ast.Name(),
                    ast.Call(ast.Name("range"), [ast.Call(ast.Name("len"), [ast.Subscript(_, ast.Slice())])]),
                ):
                    yield function, node, ast.unparse(node.iter)


def _reads_behind(node: ast.AST, index: ast.expr) -> bool:
    """Whether something is ``i + 1``, or takes an item from the end."""
    match node:
        case ast.BinOp(ast.Name(name), ast.Add()) | ast.BinOp(_, ast.Add(), ast.Name(name)):
            return isinstance(index, ast.Name) and name == index.id
        case ast.Subscript(_, ast.UnaryOp(ast.USub()) | ast.BinOp(ast.Call(), ast.Sub())):
            return True
    return False
