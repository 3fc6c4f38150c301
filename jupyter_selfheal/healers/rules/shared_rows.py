"""ASR104: rows that are all one list."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class SharedRows(Rule):
    """Make each row of a table by itself.

    **Failure** `AssertionError`, or another result than the expected one, where `grid = [[0] * 3] * 4` is a table whose rows are one
    list, also one that a function returns, and an item of a row is assigned; `dict.fromkeys(names, [])` whose lists are one.

    **Fix** `[[0] * 3 for _ in range(4)]`; `{name: [] for name in names}`.

    **Fix safety** Safe where the cells that the failure comes from change a row: that changes all of them, which nobody means. Silent
    where the rows are only read.
    """

    code = "ASR104"
    name = "rows that are one list"
    enames = frozenset({"AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "All rows are one list, so that a change of one is a change of all."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        nodes = [(c, n) for c in context.list_needed_upwards() for n in src.walk(context.source_of(c))]
        changed = {name for _, node in nodes for name in _list_changed(node)}
        made = _list_made(n for _, n in nodes)
        for cell_id, node in nodes:
            source = context.source_of(cell_id)
            for name, value in _list_values(node, changed, made):
                if text := _write_apart(source, value):
                    yield self.patch(
                        context.replace(cell_id, [(*src.find_span(source, value), text)]),
                        f"Make each row by itself: `{text}`",
                        f"The rows of `{name}` are one and the same list.",
                        prior=0.92,
                    )


def _list_made(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """The first thing that each function's result is kept under: ``{"grid": "g"}`` for ``g = grid(2)``."""
    made: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made.setdefault(ast.unparse(node.value).partition("(")[0], ast.unparse(node.targets[0]))
    return made


def _list_values(node: ast.AST, changed: set[str], made: dict[str, str]) -> Iterator[tuple[str, ast.expr]]:
    """What a changed table is made as: the value of an assignment, and what a function returns that made it (``g = grid(2)``)."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and ast.unparse(node.targets[0]) in changed:
        yield ast.unparse(node.targets[0]), node.value
    if isinstance(node, ast.FunctionDef) and (name := made.get(node.name)) in changed and name is not None:
        returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value is not None]
        yield from ((name, value) for value in returned)
        inner = {value.id for value in returned if isinstance(value, ast.Name)} - changed
        for below in ast.walk(node):
            yield from _list_values(below, inner, {}) if isinstance(below, ast.Assign) else ()


def _list_changed(node: ast.AST) -> Iterator[str]:
    """Texts of what ``grid[i][j] = …``, ``grid[i].append(…)`` and ``grid[i] += …`` change a row of."""
    rows: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
        targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
        rows = [t.value for t in targets if isinstance(t, ast.Subscript)]
        rows += [t for t in targets if isinstance(node, ast.AugAssign)]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and hasattr(list, node.func.attr):
        rows = [node.func.value]
    yield from (ast.unparse(row.value) for row in rows if isinstance(row, ast.Subscript))


def _write_apart(source: str, value: ast.expr) -> str:
    """The table with rows of their own; empty for any other value."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        rows, count = (value.left, value.right) if isinstance(value.left, ast.List) else (value.right, value.left)
        if isinstance(rows, ast.List) and len(rows.elts) == 1 and _is_list(rows.elts[0]):
            return f"[{src.extract_text(source, rows.elts[0])} for _ in range({src.extract_text(source, count)})]"
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="dict"), attr="fromkeys"), args=[keys, given], keywords=[]):
            if _is_list(given):
                return f"{{key: {src.extract_text(source, given)} for key in {src.extract_text(source, keys)}}}"
    return ""


def _is_list(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Mult) and (_is_list(node.left) or _is_list(node.right))
    return isinstance(node, ast.List | ast.ListComp)
