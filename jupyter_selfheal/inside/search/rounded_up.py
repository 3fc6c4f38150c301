"""``y // 100 + 1`` is as much as what is rounded up, but for what leaves no rest: 2000 is of the 20th century, and 20 items are on two pages of ten."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import walk


def describe_rounded_up(old: str, new: str, checked: Mapping[str, Sequence[tuple[Any, ...]]]) -> str:
    """The doubt about a ``// n + 1`` of a function's new text that was ``// n``, where every call that is ``checked`` leaves a rest; empty elsewhere."""
    was = {ast.unparse(n) for n in walk(parse_once(old)) if isinstance(n, ast.BinOp)}
    for function in walk(parse_once(new)):
        if not isinstance(function, ast.FunctionDef):
            continue
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        for node in walk(function):
            match node:
                case ast.BinOp(
                    ast.BinOp(whole, ast.FloorDiv(), by) as quotient, ast.Add(), ast.Constant(1)
                ) | ast.BinOp(ast.Constant(1), ast.Add(), ast.BinOp(whole, ast.FloorDiv(), by) as quotient) if (
                    ast.unparse(quotient) in was and ast.unparse(node) not in was
                ):
                    spaces = [dict(zip(names, given, strict=False)) for given in checked.get(function.name, ())]
                    rests = [_find_rest(whole, by, space) for space in spaces]
                    if rests and all(rests):
                        return f"no check leaves no rest at `{ast.unparse(quotient)}`, and there rounding up gives one less"
    return ""


def _find_rest(whole: ast.expr, by: ast.expr, space: Mapping[str, Any]) -> Any:
    """What is left when one is divided by the other, of parameters, their lengths and numbers; 0 where it cannot be told."""
    parts = _read(whole, space), _read(by, space)
    return parts[0] % parts[1] if all(isinstance(p, int) for p in parts) and parts[1] else 0


def _read(node: ast.expr, space: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value):
            return value
        case ast.Name(name):
            return space.get(name)
        case ast.Call(ast.Name("len"), [ast.Name(name)], []) if hasattr(space.get(name), "__len__"):
            return len(space[name])
    return None
