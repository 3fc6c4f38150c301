"""What a loop hands out and goes on changing: ``yield batch`` where the next round appends to ``batch``. Who reads all of it at the end, as checks
do with ``list(…)``, finds what became of it; who reads as it comes finds something else."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import walk

_GROW = frozenset({"append", "extend", "insert", "add", "update", "pop", "remove", "clear"})
_ENDS = (ast.Return, ast.Break, ast.Raise)


def find_handed_on(old: str, new: str) -> str:
    """A variable of a changed statement that a loop hands out and goes on changing, where the old text has no such one; empty where none is."""
    before = set(_list_handed_on(parse_once(old)))
    return next((name for name in _list_handed_on(parse_once(new)) if name not in before), "")


def _list_handed_on(tree: ast.AST) -> Iterator[str]:
    for loop in (n for n in walk(tree) if isinstance(n, ast.For | ast.While)):
        grown = set(_list_grown(loop))
        renewed = {name for statement in loop.body for name in _list_bound(statement)}
        for node in (loop, *walk(loop)):
            for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
                if isinstance(block, list):
                    yield from (name for name in _list_left(block) if name in grown - renewed)


def _list_left(block: Sequence[ast.stmt]) -> Iterator[str]:
    """The variables that a block hands out, and neither binds anew nor leaves the loop behind that."""
    for n, statement in enumerate(block):
        name = _read_handed(statement)
        below = block[n + 1 :]
        if name and not any(isinstance(s, _ENDS) or name in _list_bound(s) for s in below):
            yield name


def _read_handed(statement: ast.stmt) -> str:
    """``x`` of ``yield x`` and ``out.append(x)``."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    given = value.value if isinstance(value, ast.Yield) else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "append":
        given = value.args[0] if value.args else None
    return given.id if isinstance(given, ast.Name) else ""


def _list_grown(loop: ast.AST) -> Iterator[str]:
    for node in walk(loop):
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _GROW
        if is_call and isinstance(owner := node.func.value, ast.Name):  # type: ignore[attr-defined]
            yield owner.id


def _list_bound(statement: ast.stmt) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    nodes = (n for target in targets for n in walk(target))
    return [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
