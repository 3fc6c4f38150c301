"""A number and its text that are taken for one another: ``n[::-1]`` below ``s = str(n)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import LineTable
from jupyter_selfheal.inside.search.reading_changes import NUMBERS, find_span, is_call
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.tree_names import walk

_TEXTS = ("str", "list")
_TAKING = ("len", "list", "reversed", "sorted")
"""Builtins that take what has items."""
_RECKONED = ast.Sub | ast.Div | ast.FloorDiv | ast.Pow | ast.Mod


def list_exchanged_forms(tree: ast.Module, table: LineTable) -> Iterator[Change]:
    """``s`` for ``n`` where its items are taken, and ``n`` for ``s`` where it is reckoned with: there alone, in all places, or both for one another."""
    nodes = list(walk(tree))
    names = [n for n in nodes if isinstance(n, ast.Name)]
    stores = [n.id for n in names if isinstance(n.ctx, ast.Store)]
    as_texts, as_numbers = _list_used_as_texts(nodes), _list_used_as_numbers(nodes)
    for statement in nodes:
        match statement:
            case ast.Assign([ast.Name(made)], ast.Call(ast.Name(maker), [ast.Name(given)], [])) if made != given:
                text, number = (made, given) if maker in _TEXTS else (given, made)
            case _:
                continue
        if maker not in (*_TEXTS, *NUMBERS) or stores.count(made) != 1 or stores.count(given) > 1:
            continue
        below = [
            n for n in names if n.lineno > (statement.end_lineno or statement.lineno) and isinstance(n.ctx, ast.Load)
        ]
        texts, numbers = ([n for n in below if n.id == name] for name in (text, number))
        items = [n for n in numbers if id(n) in as_texts]
        terms = [n for n in texts if id(n) in as_numbers]
        other = {text: number, number: text}
        ways = ((items + terms, 0.85), (numbers if items else [], 0.7), (numbers + texts, 0.65))
        for chosen, prior in ways if items or terms else ():
            edits = tuple(sorted((*find_span(n, table), other[n.id]) for n in chosen))
            words = f"`{number}` is a number, and `{text}` its text"
            if edits:
                yield Change(edits, prior, chosen[0].lineno, words)


def _list_used_as_texts(nodes: list[ast.AST]) -> set[int]:
    """The nodes of which items are taken, or a method is called."""
    used: list[ast.AST] = []
    for node in nodes:
        if isinstance(node, ast.Subscript | ast.Attribute):
            used.append(node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            used.append(node.iter)
        elif isinstance(node, ast.Call) and is_call(node, *_TAKING):
            used += node.args[:1]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            used.append(node.comparators[0])
    return {id(n) for n in used}


def _list_used_as_numbers(nodes: list[ast.AST]) -> set[int]:
    """The nodes that are reckoned with, or added to what is evidently a number. What ``%`` comes behind may be a format."""
    used: list[ast.AST] = []
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, _RECKONED):
            used += [node.left, node.right] if not isinstance(node.op, ast.Mod) else [node.left]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            used += [a for a, b in ((node.left, node.right), (node.right, node.left)) if _is_number(b)]
    return {id(n) for n in used}


def _is_number(node: ast.expr) -> bool:
    return is_call(node, *NUMBERS) or (isinstance(node, ast.Constant) and isinstance(node.value, int | float))
