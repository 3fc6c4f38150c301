"""A variable that is overwritten by another form of itself, and printed where what it was before is expected."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import LineTable
from jupyter_selfheal.inside.search.reading_changes import find_span, is_call
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.tree_names import walk


def list_kept_originals(tree: ast.Module, table: LineTable) -> Iterator[Change]:
    """``word = word.lower()`` above ``print(word)``: the other form gets a name of its own, and what was read is printed."""
    printed = {id(n) for call in walk(tree) if is_call(call, "print") for n in ast.walk(call)}
    names = [n for n in walk(tree) if isinstance(n, ast.Name)]
    taken = {n.id for n in names}
    stores = [n.id for n in names if isinstance(n.ctx, ast.Store)]
    for statement in tree.body:
        if not isinstance(statement, ast.Assign) or not isinstance(target := statement.targets[0], ast.Name):
            continue
        form = _find_form(statement.value, target.id)
        if not form or stores.count(target.id) != 2:
            continue
        below = [n for n in names if n.id == target.id and n.lineno > (statement.end_lineno or statement.lineno)]
        read = [n for n in below if id(n) not in printed]
        new = f"{form}_{target.id}"
        if read and len(read) < len(below) and new not in taken:
            edits = tuple((*find_span(n, table), new) for n in (target, *read))
            words = f"`{target.id}` is to be printed as it was before"
            yield Change(edits, 0.3, statement.lineno, words)


def _find_form(value: ast.expr, name: str) -> str:
    """What makes another form of a variable: ``lower`` of ``word.lower()``, ``sorted`` of ``sorted(word)``; empty where nothing does."""
    if not isinstance(value, ast.Call) or value.keywords:
        return ""
    function = value.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == name:
        return function.attr
    given = [a.id for a in value.args if isinstance(a, ast.Name)]
    return function.id if isinstance(function, ast.Name) and given == [name] and len(value.args) == 1 else ""
