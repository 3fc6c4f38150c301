"""Mutation operators for what is changed and never begun, begun and never changed, set in some branches only, or found and not said so."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.mutations.missing_code import find_accumulated
from jupyter_selfheal.inside.search.scope import ITEMS, NUMBER, SET, TEXT, Change, Scope
from jupyter_selfheal.inside.tree_names import is_read_name

_LOOPS = ast.For | ast.While
_SIZED = frozenset({ITEMS, TEXT, SET})
_CONSTANTS = (("0", 0.4), ("None", 0.3), ("False", 0.3), ("-1", 0.25), ("1", 0.15), ("[]", 0.15), ("''", 0.15))
"""What a variable is where no branch sets it."""
_BEGINNINGS = ("0", "1", "''", "[]")
"""What a variable may begin with that is added to."""


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


def propose_begun_above(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``total = 0`` above the loop in which a function adds to ``total``, which it sets nowhere else: it fails in its first round, whatever else is wrong."""
    if not isinstance(node, ast.FunctionDef):
        return
    for name, stores in _find_never_begun(s, node).items():
        places = [_find_block_statement(s, stores[0], node)]
        loop = next((p for p in s.walk_upwards(stores[0]) if isinstance(p, _LOOPS)), None)
        if loop is not None and all(loop in s.walk_upwards(stmt) for stmt in stores):
            places.append(loop)
        likely = _guess_beginning(stores, name)
        values = [(likely, 0.9), *((value, 0.35) for value in _BEGINNINGS if value != likely)]
        for above, share in zip(dict.fromkeys(places), (1.0, 0.8), strict=False):
            indent = s.read_indent(above)
            for value, prior in values if indent is not None else ():
                at = s.find_line_span(above)[0]
                words = f"`{name} = {value}` is missing: `{name}` is never begun"
                yield Change(((at, at, f"{indent}{name} = {value}\n"),), prior * share, above.lineno, words)


def _find_never_begun(s: Scope, function: ast.FunctionDef) -> dict[str, list[ast.stmt]]:
    """The variables of a function that each statement reads which sets them, with these statements."""
    own = [n for n in ast.walk(function) if n is not function and s.find_function(n) is function]
    elsewhere = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    elsewhere.update(name for n in own if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names)
    found: dict[str, list[ast.stmt]] = {}
    for target in (n for n in own if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)):
        stmt = s.parents[target]
        is_read = isinstance(stmt, ast.AugAssign) or (
            isinstance(stmt, ast.Assign)
            and len(stmt.targets) == 1
            and any(is_read_name(n, target.id) for n in ast.walk(stmt.value))
        )
        if is_read and isinstance(stmt, ast.stmt):
            found.setdefault(target.id, []).append(stmt)
        else:
            elsewhere.add(target.id)
    elsewhere.update(n.name for n in own if isinstance(n, ast.FunctionDef | ast.ClassDef))
    return {name: stores for name, stores in found.items() if name not in elsewhere}


def _find_block_statement(s: Scope, node: ast.AST, function: ast.FunctionDef) -> ast.stmt:
    """The statement of a function's own block in which a node stands."""
    return next(stmt for stmt in function.body if stmt is node or stmt in s.walk_upwards(node))


def _guess_beginning(stores: Sequence[ast.stmt], name: str) -> str:
    """What a variable begins with, by what is done to it: text is put to a text, and what is multiplied begins with 1."""
    for stmt in stores:
        parts = [n for n in ast.walk(stmt) if not isinstance(n, ast.Name)]
        if any(isinstance(n, ast.Mult) for n in parts if isinstance(n, ast.operator)) and not any(
            isinstance(n, ast.Add) for n in parts
        ):
            return "1"
        added = _find_added(stmt, name)
        if isinstance(added, ast.List | ast.ListComp):
            return "[]"
        if isinstance(added, ast.JoinedStr) or (isinstance(added, ast.Constant) and isinstance(added.value, str)):
            return "''"
        if isinstance(added, ast.Call) and isinstance(added.func, ast.Name) and added.func.id in ("str", "chr"):
            return "''"
    return "0"


def _find_added(stmt: ast.stmt, name: str) -> ast.expr | None:
    """What is added in ``x += y`` and ``x = x + y``."""
    match stmt:
        case ast.AugAssign(_, ast.Add(), value):
            return value
        case ast.Assign(_, ast.BinOp(ast.Name(own), ast.Add(), value)) if own == name:
            return value
    return None


OPERATORS = (propose_one_counter, propose_otherwise_above, propose_said_where_found, propose_begun_above)
