"""Results of a source that nothing comes of: one that is dropped where it was called for, one that is stored and never read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source

MAKERS = frozenset({"abs", "float", "int", "list", "reversed", "round", "sorted", "str"})
TEXT_MAKERS = frozenset({"capitalize", "lower", "lstrip", "replace", "rstrip", "split", "strip", "title", "upper"})
"""Builtins and methods of texts that give a new value, and change nothing."""


def list_kept_results(text: str) -> list[Change]:
    """``round(c, 2)`` by itself as ``c = round(c, 2)``: what gives a new value is called, and the value dropped; ``n / 10`` as ``n = n // 10``."""
    source = Source(text)
    changes = list(_keep_reckoned(source))
    for statement in source.order:
        call = statement.value if isinstance(statement, ast.Expr) else None
        owner = _find_converted(call)
        if call is not None and owner is not None:
            at = source.start_of(call)
            words = f"`{ast.unparse(call)}` is not kept"
            changes.append(Change(((at, at, f"{owner} = "),), 0.6, call.lineno, words))
    return changes


def _keep_reckoned(source: Source) -> Iterator[Change]:
    """``k + 1`` by itself as ``k = k + 1``, where ``k`` is set already; ``n / 10`` where the rest of ``n`` is read (``n % 10``) as a whole number first."""
    names = [n for n in source.order if isinstance(n, ast.Name)]
    bound = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    cut = {
        n.left.id
        for n in source.order
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod) and isinstance(n.left, ast.Name)
    }
    for statement in source.order:
        match statement:
            case ast.Expr(
                ast.BinOp(
                    ast.Name(name) as left,
                    ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.FloorDiv() as sign,
                    right,
                )
            ):
                at, gap = source.start_of(left), (source.end_of(left), source.start_of(right))
            case _:
                continue
        if name not in bound:
            continue
        words = f"`{ast.unparse(statement)}` is not kept"
        between = source.text[slice(*gap)]
        if isinstance(sign, ast.Div) and name in cut and between.count("/") == 1:
            whole = (*gap, between.replace("/", "//"))
            yield Change(((at, at, f"{name} = "), whole), 0.9, statement.lineno, words)
        yield Change(((at, at, f"{name} = "),), 0.6, statement.lineno, words)


def list_used_results(text: str, used: frozenset[str]) -> list[Change]:
    """``print(c)`` below ``d = int(c)`` that nothing reads, as ``print(d)``. ``used`` are names that other cells read."""
    source = Source(text)
    names = [n for n in source.order if isinstance(n, ast.Name)]
    read = used.union(n.id for n in names if isinstance(n.ctx, ast.Load))
    changes: list[Change] = []
    for statement in source.order:
        if not isinstance(statement, ast.Assign) or not isinstance(target := statement.targets[0], ast.Name):
            continue
        owner = _find_converted(statement.value)
        if target.id in read or owner is None:
            continue
        for value in _list_printed_names(source, statement.lineno):
            if value.id == owner:
                edit = (source.start_of(value), source.end_of(value), target.id)
                words = f"`{value.id}` is printed, and `{target.id}`, which is made of it, is never read"
                changes.append(Change((edit,), 0.6, value.lineno, words))
    return changes


def _find_converted(value: ast.expr | None) -> str | None:
    """The variable of which a new value is made: ``c`` of ``int(c)``, ``round(c, 2)`` and ``c.strip()``."""
    owner: ast.expr | None = None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in MAKERS and value.args:
        owner = value.args[0]
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in TEXT_MAKERS:
        owner = value.func.value
    return owner.id if isinstance(owner, ast.Name) else None


def _list_printed_names(source: Source, line: int) -> Iterator[ast.Name]:
    """The variables that ``print`` is given, or ``format`` in it, below a line."""
    for call in source.order:
        if not isinstance(call, ast.Call) or call.lineno <= line:
            continue
        function = call.func
        if (isinstance(function, ast.Name) and function.id == "print") or (
            isinstance(function, ast.Attribute) and function.attr == "format"
        ):
            yield from (a for a in call.args if isinstance(a, ast.Name))
