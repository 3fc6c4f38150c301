"""The cells above that computed what a failing check reads, where running them once more gives the same again.

A backward slice, nearest cell first. A cell that changes what it was given, reads what it binds itself, reaches outside of
the process, or is marked as not to be run, stays out, and with it every cell above that made what it reads: those values
are taken as they are. What a slice holds by its text is tried before it is relied on (:mod:`.runtime.replay`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.search.reading import has_assert
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Case, Cell, FailureKind
from jupyter_selfheal.source.rerun import DEFINITIONS, is_repeatable, map_modules

MOST = 3
"""Cells that are run again, at most."""


def find_producers(case: Case, wanted: Iterable[str]) -> tuple[Cell, ...]:
    """The cells above the failing one to be run again for what ``wanted`` names, in order; none unless a check failed."""
    if case.failure.kind is not FailureKind.MISSED and case.failure.ename != "AssertionError":
        return ()
    above = case.notebook.list_code_before(case.failure.cell_id)
    modules = map_modules(above)
    functions = {s.node.name for c in above for s in src.list_statements(c.source) if isinstance(s.node, DEFINITIONS)}
    pending, blocked = set(wanted), set[str]()
    cells: list[Cell] = []
    for cell in reversed(above):
        made = list_computed_names(cell)
        names = src.find_names(cell.source)
        if cell.source.strip() and not (is_repeatable(cell, modules) and not made & blocked):
            blocked |= names.uses | names.changes | (made & pending)
            pending -= made
        elif made & pending and len(cells) == MOST:
            break
        elif made & pending:
            cells.append(cell)
            pending = (pending - made) | names.uses
    return tuple(_select_with_code(reversed(cells), functions, set(modules)))


def _select_with_code(cells: Iterable[Cell], functions: set[str], modules: set[str]) -> Iterator[Cell]:
    """Without the cells that hold nothing but data: there is nothing to change in them, and nothing they follow from."""
    moves: set[str] = set(functions)
    for cell in cells:
        texts = [s.node for s in src.list_statements(cell.source)]
        if any(is_code(node, modules) for node in texts) or moves & src.find_names(cell.source).uses:
            moves |= list_computed_names(cell)
            yield cell


def list_computed_names(cell: Cell) -> frozenset[str]:
    """What the statements of a cell bind or change, definitions and imports apart."""
    body = [s.node for s in src.list_statements(cell.source) if not isinstance(s.node, DEFINITIONS)]
    names = src.collect_names(body)
    return names.binds - names.imports


def is_code(node: ast.stmt, modules: Iterable[str]) -> bool:
    """True for a statement that may be mended: neither a check, an import or a definition, nor data that is written down or
    read (``prices = [3, 1, 2]``, ``limit = 7``, ``pd.read_csv("prices.csv")``), which no assert entitles anybody to change."""
    if isinstance(node, ast.Import | ast.ImportFrom | DEFINITIONS | ast.Pass) or has_assert(node):
        return False
    if isinstance(node, ast.For | ast.While | ast.If | ast.With | ast.Try):
        return True
    value = getattr(node, "value", None)
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) or value is None:
        return False
    return bool(src.collect_names([node]).uses - set(modules)) and not _reads_a_file(value)


def _reads_a_file(value: ast.expr) -> bool:
    calls = (n for n in ast.walk(value) if isinstance(n, ast.Call))
    return any(read_called_name(c).startswith(("read", "load", "genfromtxt", "fetch", "get_data")) for c in calls)
