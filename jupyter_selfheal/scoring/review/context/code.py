"""What several checks read off the code of a cell."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Cell

_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith)


def walk_top_level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when the cell does, those in loops and conditions too; not those in functions and classes, nor in
    ``try`` and in ``with`` blocks of tests, where something may be done for the sake of its error alone."""
    for statement in body:
        yield statement
        if isinstance(statement, _LOOPS) and not _expects_errors(statement):
            yield from walk_top_level([*statement.body, *getattr(statement, "orelse", [])])


def _expects_errors(statement: ast.stmt) -> bool:
    managers = (
        [item.context_expr for item in statement.items] if isinstance(statement, ast.With | ast.AsyncWith) else []
    )
    return any("raises" in src.dump_tree(m).lower() or "suppress" in src.dump_tree(m) for m in managers)


def find_displayed(cell: Cell, body: Sequence[ast.stmt]) -> ast.stmt | None:
    """The last expression of a cell, whose value is shown below it; None where a semicolon hides it."""
    if not body or not isinstance(body[-1], ast.Expr):
        return None
    end = src.read(cell.source).find_span(body[-1])[1]
    return None if cell.source[end:].lstrip().startswith(";") else body[-1]


def has_cell_magic(source: str) -> bool:
    """Whether a cell magic other than ``%%heal`` runs the cell: what ``%%timeit`` runs is not meant to have an effect."""
    first = next((line for line in source.splitlines() if line.strip()), "")
    return first.startswith("%%") and not first.startswith("%%heal")


def is_magic_line(source: str, node: ast.AST) -> bool:
    """Whether a node stands on a line such as ``%timeit f(x)``."""
    lines = source.splitlines()
    line = getattr(node, "lineno", 0)
    return 0 < line <= len(lines) and lines[line - 1].lstrip().startswith(("%", "!"))


def is_plain(node: ast.AST) -> bool:
    """Whether an expression only reads: names, attributes, items, constants, no calls."""
    allowed = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load, ast.Tuple, ast.List, ast.Slice,
               ast.UnaryOp, ast.USub)  # fmt: skip
    return all(isinstance(n, allowed) for n in ast.walk(node))


def list_read_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that are read anywhere in the nodes."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def find_column_target(statement: ast.stmt) -> tuple[str, str, ast.expr] | None:
    """(table, column, value) of ``df["c"] = value``, for a name and a constant text; None for anything else."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    if (
        isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Name)
        and isinstance(target.slice, ast.Constant)
        and isinstance(target.slice.value, str)
    ):
        return target.value.id, target.slice.value, statement.value
    return None


def list_columns_read(node: ast.AST) -> list[str]:
    """``df["c"]`` and ``df.c`` wherever the expression reads them, as text, each once."""
    texts = []
    for part in ast.walk(node):
        is_item = isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant)
        if (is_item or isinstance(part, ast.Attribute)) and isinstance(part.value, ast.Name):  # type: ignore[attr-defined]
            texts.append(ast.unparse(part))
    return list(dict.fromkeys(texts))
