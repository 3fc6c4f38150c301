"""Mutation operators for places that are written before what they held is read: an exchange without a third name, a list that is turned
round link by link, a table that a loop fills from what it has just filled. And the columns of a table, counted as its rows are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from jupyter_selfheal.inside.search.scope import Change, Scope, cache_on_scope
from jupyter_selfheal.inside.tree_blocks import list_blocks

_BEST = frozenset({"max", "min"})


def propose_at_once(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``a, b = b, a % b`` for two assignments of which the second reads what the first has just replaced; also of three that hand on in a
    circle: ``node.next = before``, ``before = node``, ``node = node.next``."""
    run = _list_assignments(s, node)
    for size, prior, words in ((2, 0.8, "both"), (3, 0.7, "all three")):
        last = run[-size:]
        targets = [s.text_of(a.targets[0]) for a in last]
        if size > 2 and all(isinstance(a.targets[0], ast.Name) for a in last):
            continue  # `kept = a`, `a = b`, `b = kept` is right as it is
        if len(set(targets)) < size or not all(
            _reads_place(s, a.value, targets[(n + 1) % size]) for n, a in enumerate(last)
        ):
            continue
        # `node.next` is written while `node` is still the old one
        order = sorted(last, key=lambda a: isinstance(a.targets[0], ast.Name))
        comments, indent = _list_comments(s, last), s.read_indent(last[0])
        if comments and indent is None:
            continue
        line = f"{', '.join(s.text_of(a.targets[0]) for a in order)} = {_write_values(s, order)}"
        text = f"\n{indent}".join([*comments, line])
        why = f"`{targets[0]}` is replaced before it is read: assign {words} at once"
        edit = (s.start_of(last[0]), s.end_of(last[-1]), text)
        is_idle = (
            size == 2 and [s.text_of(a.value) for a in last] == targets[::-1]
        )  # the second gives back what is there
        yield Change((edit,), 0.9 if is_idle else prior, last[-1].lineno, why, "senseless" if is_idle else "guess")


def propose_moved_on(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``a, b = b, a + b`` for ``b = a + b`` in a loop, where ``a`` and ``b`` begin together and nothing else in the loop changes ``a``."""
    match node:
        case ast.Assign([ast.Name(target)], value):
            pass
        case _:
            return
    loop = next((p for p in s.walk_upwards(node) if isinstance(p, ast.For | ast.While)), None)
    names = _list_begun_together(s, loop, target) if loop is not None else []
    read = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    stored = {n.id for n in ast.walk(loop or node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if len(names) > 1 and read <= {*names, *s.functions} and names[0] in read and stored & set(names) == {target}:
        text = f"{', '.join(names)} = {', '.join(names[1:])}, {_write_values(s, [node])}"
        words = f"`{names[0]}` never changes: what `{target}` was is not handed on"
        yield Change(((s.start_of(node), s.end_of(node), text),), 0.7, node.lineno, words)


def _list_begun_together(s: Scope, loop: ast.AST, last: str) -> list[str]:
    """The names up to ``last`` that one assignment in front of a loop sets, or that its function is given."""
    function = s.find_function(loop)
    groups = [[a.arg for a in function.args.args]] if isinstance(function, ast.FunctionDef) else []
    for n in ast.walk(function):
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Tuple) and n.lineno < loop.lineno:  # type: ignore[attr-defined]
            groups.append([e.id for e in n.targets[0].elts if isinstance(e, ast.Name)])
    return next((g for g in reversed(groups) if g[-1:] == [last]), [])


def _list_assignments(s: Scope, node: ast.AST) -> list[ast.Assign]:
    """An assignment to one place, and up to two right above it, in order."""
    block, at = _list_places(s).get(node, ([], -1)) if isinstance(node, ast.Assign) else ([], -1)
    run: list[ast.Assign] = []
    for n in range(at, max(at - 3, -1), -1):
        statement = block[n]
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            break
        if not isinstance(statement.targets[0], ast.Name | ast.Attribute | ast.Subscript):
            break
        run.insert(0, statement)
    return run


@cache_on_scope
def _list_places(s: Scope) -> dict[ast.AST, tuple[list[ast.stmt], int]]:
    """The block that each statement is in, and its place there."""
    blocks = [block for n in s.order for block in list_blocks(n)]
    return {statement: (block, at) for block in blocks for at, statement in enumerate(block)}


def _write_values(s: Scope, run: list[ast.Assign]) -> str:
    """Their values side by side, in parentheses where that changes what they are: ``a = b, c`` gives one of them."""
    texts = []
    for value in (a.value for a in run):
        text = s.text_of(value)
        is_bare = isinstance(value, ast.Tuple) and len(ast.parse(f"[{text}]").body[0].value.elts) != 1  # type: ignore[attr-defined]
        texts.append(f"({text})" if is_bare or "\n" in text or isinstance(value, ast.Yield | ast.YieldFrom) else text)
    return ", ".join(texts)


def _list_comments(s: Scope, run: list[ast.Assign]) -> list[str]:
    """The comments of assignments one below the other, without the one behind the last."""
    spans = [(s.end_of(a.targets[0]), s.start_of(a.value)) for a in run]
    spans += [(s.end_of(a.value), s.start_of(b)) for a, b in pairwise(run)]
    spans.append((s.end_of(run[-1].value), s.end_of(run[-1])))
    return [comment.rstrip() for start, end in sorted(spans) for comment in re.findall("#.*", s.text[start:end])]


def _reads_place(s: Scope, value: ast.expr, place: str) -> bool:
    return any(
        s.text_of(n) == place for n in ast.walk(value) if isinstance(n, ast.Name | ast.Attribute | ast.Subscript)
    )


def propose_backwards(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``range(top, low - 1, -1)`` for ``range(low, top + 1)``, where ``best[c]`` is made of ``best[c - w]`` in a loop within another one:
    forwards each round reads what the same round has written, and takes one thing several times."""
    if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name) or not _is_inner(s, node):
        return
    made = node.iter
    if not isinstance(made, ast.Call) or s.text_of(made.func) != "range" or len(made.args) != 2:
        return
    if any(_is_made_of_earlier(s, n, node.target.id) for n in node.body):
        high = s.text_of(made.args[1])
        last = high.removesuffix("+ 1").strip() if high.endswith("+ 1") else f"{s.parenthesize(made.args[1])} - 1"
        text = f"range({last}, {s.parenthesize(made.args[0])} - 1, -1)"
        words = f"`{s.text_of(node.body[0])}` reads what the loop has just written: it must go backwards"
        yield Change(((s.start_of(made), s.end_of(made), text),), 0.8, node.lineno, words)


def _is_inner(s: Scope, node: ast.AST) -> bool:
    return isinstance(s.parents.get(node), ast.For)


def _is_made_of_earlier(s: Scope, node: ast.stmt, index: str) -> bool:
    """``best[c] = max(best[c], best[c - w] + v)``, and ``ways[c] += ways[c - w]``, where ``w`` is no number."""
    if not isinstance(node, ast.Assign | ast.AugAssign):
        return False
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if not isinstance(target, ast.Subscript) or s.text_of(target.slice) != index:
        return False
    if isinstance(node, ast.Assign) and (
        not isinstance(node.value, ast.Call) or s.text_of(node.value.func) not in _BEST | {"any"}
    ):
        return False
    return any(
        isinstance(n, ast.Subscript)
        and s.text_of(n.value) == s.text_of(target.value)
        and isinstance(n.slice, ast.BinOp)
        and isinstance(n.slice.op, ast.Sub)
        and s.text_of(n.slice.left) == index
        and not isinstance(n.slice.right, ast.Constant)
        for n in ast.walk(node.value)
    )


def propose_columns(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``range(len(table[0]))`` for ``range(len(table))``, where the index is never one of a row: ``row[j]`` for each ``row`` of the table, or
    ``table[i][j]``."""
    clause = node if isinstance(node, ast.For | ast.comprehension) else None
    match clause and clause.iter:
        case ast.Call(func=ast.Name("range"), args=[*_, ast.Call(func=ast.Name("len"), args=[ast.Name(table)])]):
            pass
        case _:
            return
    assert clause is not None
    if not isinstance(clause.target, ast.Name):
        return
    index, inside = clause.target.id, list(ast.walk(node if isinstance(node, ast.For) else s.parents[node]))
    rows = {
        n.target.id
        for n in inside
        if isinstance(n, ast.For | ast.comprehension) and isinstance(n.target, ast.Name) and s.text_of(n.iter) == table
    }
    read = [n for n in inside if isinstance(n, ast.Subscript) and s.text_of(n.slice) == index]
    of_rows = [n for n in read if _is_row(s, n.value, table, rows)]
    if of_rows and not any(isinstance(n.value, ast.Name) and n.value.id == table for n in read):
        counted = clause.iter.args[-1]  # type: ignore[attr-defined]
        at = s.end_of(counted.args[0])
        words = f"`{index}` goes through the columns, and `len({table})` counts the rows"
        yield Change(((at, at, "[0]"),), 0.85, clause.iter.lineno, words)


def _is_row(s: Scope, node: ast.expr, table: str, rows: set[str]) -> bool:
    """``row`` of ``for row in table``, and ``table[i]``."""
    if isinstance(node, ast.Name):
        return node.id in rows
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and s.text_of(node.value) == table


OPERATORS = (propose_at_once, propose_moved_on, propose_backwards, propose_columns)
