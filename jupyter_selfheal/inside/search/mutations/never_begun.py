"""Mutation operators for what is changed and never begun, begun and never changed, set in some branches only, or found and not said so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.mutations.missing_code import find_accumulated
from jupyter_selfheal.inside.search.scope import ITEMS, NUMBER, SET, TEXT, Change, Scope

_LOOPS = ast.For | ast.While
_SIZED = frozenset({ITEMS, TEXT, SET})
_CONSTANTS = (("0", 0.4), ("None", 0.3), ("False", 0.3), ("-1", 0.25), ("1", 0.15), ("[]", 0.15), ("''", 0.15))
"""What a variable is where no branch sets it."""


def propose_one_counter(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``count += 1`` for ``result += 1`` below ``count = 0``: one variable is begun and never changed, the other changed and never begun.

    Where a parameter is never read, and one of the two is compared with in a condition, that parameter is meant there.
    """
    if not isinstance(node, ast.FunctionDef):
        return
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    arguments = [a.arg for a in node.args.args]
    stored: dict[str, list[ast.stmt]] = {}
    for stmt in ast.walk(node):
        if isinstance(stmt, ast.Assign | ast.AugAssign):
            targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
            for target in (t for t in targets if isinstance(t, ast.Name)):
                stored.setdefault(target.id, []).append(stmt)
    changed = [
        name
        for name, by in stored.items()
        if name not in arguments and all(find_accumulated(stmt) == name for stmt in by)
    ]
    begun = [
        name
        for name, by in stored.items()
        if len(by) == 1 and isinstance(by[0], ast.Assign) and isinstance(by[0].value, ast.Constant | ast.List)
    ]
    unread = [a for a in arguments if a != "self" and not any(n.id == a for n in names)]
    for lost in changed:
        for kept in begun:
            renamed = {n: (s.start_of(n), s.end_of(n), kept) for n in names if n.id == lost}
            words = f"`{lost}` is changed and never begun, `{kept}` begun and never changed"
            line = min(n.lineno for n in renamed)
            yield Change(tuple(sorted(renamed.values())), 0.85, line, words)
            compared = (
                side
                for n in ast.walk(node)
                if isinstance(n, ast.Compare)
                for side in (n.left, *n.comparators)
                if isinstance(side, ast.Name) and side.id in (lost, kept)
            )
            for side in compared if len(unread) == 1 else ():
                edits = {**renamed, side: (s.start_of(side), s.end_of(side), unread[0])}
                said = f"{words}; `{unread[0]}` is never read"
                yield Change(tuple(sorted(edits.values())), 0.85, side.lineno, said)


def propose_otherwise_above(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``place = len(xs)`` at the top of a function that gives ``place`` back, and sets it in some branches and loops only."""
    if not isinstance(node, ast.FunctionDef):
        return
    body = [stmt for stmt in node.body if not s.is_doc(getattr(stmt, "value", None) or stmt)]
    given = body[-1].value if body and isinstance(body[-1], ast.Return) else None
    arguments = [a.arg for a in node.args.args if a.arg != "self"]
    if given is None or not body or s.read_indent(body[0]) is None:
        return
    at, indent = s.find_line_span(body[0])[0], s.read_indent(body[0])
    for name in dict.fromkeys(n.id for n in ast.walk(given) if isinstance(n, ast.Name)):
        setting = [stmt for stmt in body if any(_is_stored(n, name) for n in ast.walk(stmt))]
        if not setting or name in arguments or not all(isinstance(stmt, ast.If | _LOOPS) for stmt in setting):
            continue
        sized = [(f"len({a})", 0.45) for a in arguments if s.name_may_be(a, _SIZED)]
        numbers = [(a, 0.35) for a in arguments if s.name_may_be(a, frozenset({NUMBER}))]
        for value, prior in (*sized, *numbers, *_CONSTANTS):
            text = f"{indent}{name} = {value}\n"
            words = f"`{name} = {value}` is missing where no branch sets it"
            yield Change(((at, at, text),), prior, setting[-1].lineno, words)


def _is_stored(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def propose_said_where_found(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return True`` at the end of ``if x == y:`` in a loop, and ``return False`` behind it, for ``return True`` at the end: what is never
    found is no reason to say so."""
    if not isinstance(node, ast.FunctionDef) or len(node.body) < 2:
        return
    loop, last = node.body[-2:]
    if not isinstance(loop, _LOOPS) or loop.orelse or not isinstance(last, ast.Return):
        return
    value = last.value
    if not isinstance(value, ast.Constant) or not isinstance(value.value, bool) or s.read_indent(last) is None:
        return
    for test in (n for n in loop.body if isinstance(n, ast.If) and not n.orelse):
        inner = s.read_indent(test.body[-1])
        if inner is None or isinstance(test.body[-1], ast.Return | ast.Continue | ast.Break):
            continue
        end = s.find_line_span(test.body[-1])[1]
        edits: tuple[Edit, ...] = (
            (end, end, f"{inner}{s.text_of(last)}\n"),
            s.replace_node(value, str(not value.value)),
        )
        yield Change(edits, 0.45, last.lineno, f"`{s.text_of(last)}` holds only where `{s.text_of(test.test)}`")


OPERATORS = (propose_one_counter, propose_otherwise_above, propose_said_where_found)
