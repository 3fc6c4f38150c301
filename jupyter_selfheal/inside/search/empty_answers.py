"""Does a change only tell an empty input apart? ``return not text`` for ``return True`` answers rightly for ``""``, whatever else is wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import is_name, walk


def describe_empty_answer(old: str, new: str) -> str:
    """The doubt about a function that is given ``text``, changes nothing about it, and returns ``not text`` in place of a truth value."""
    for before, after in zip(_list_answers(parse_once(old)), _list_answers(parse_once(new)), strict=False):
        for (_, was), (function, given) in zip(before, after, strict=False):
            if isinstance(was, ast.Constant) and isinstance(was.value, bool) and _asks_for_empty(function, given):
                return f"`{ast.unparse(given)}` only tells an empty input apart"
    return ""


def _list_answers(tree: ast.Module) -> Iterator[list[tuple[ast.FunctionDef, ast.expr]]]:
    """Of each function what it returns, in order."""
    for function in walk(tree):
        if isinstance(function, ast.FunctionDef):
            yield [(function, n.value) for n in walk(function) if isinstance(n, ast.Return) and n.value is not None]


def _asks_for_empty(function: ast.FunctionDef, given: ast.expr) -> bool:
    match given:
        case ast.UnaryOp(ast.Not(), ast.Name(name)) | ast.Call(ast.Name("bool"), [ast.Name(name)], []) | ast.Name(name):
            pass
        case ast.Compare(ast.Call(ast.Name("len"), [ast.Name(name)], []), [_], [ast.Constant(0)]):
            pass
        case _:
            return False
    is_given = any(a.arg == name for a in function.args.args)
    return is_given and not any(_may_change(n, name) for n in walk(function))


def _may_change(node: ast.AST, name: str) -> bool:
    """``text = …``, ``del items[0]``, and ``items.pop()``, where ``text.split()`` changes nothing."""
    match node:
        case ast.Name(stored, ast.Store() | ast.Del()):
            return stored == name
        case ast.Subscript(value, _, ast.Store() | ast.Del()):
            return is_name(value, name)
        case ast.Expr(ast.Call(ast.Attribute(value))) | ast.Call(ast.Attribute(value, "pop" | "popleft" | "popitem")):
            return is_name(value, name)
    return False
