"""Values that asserts compare with and that stand elsewhere: ``for xs, want in CASES: assert f(xs) == want``, ``assert counts == EXPECTED``.

Each row of such a table is a value of its own, as an assert for each would be.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserts import list_patched_cells
from jupyter_selfheal.scoring.measures import list_assigned


def map_given(sources: Iterable[str]) -> dict[str, Any]:
    """What the sources write down under a name, where that is bound once and for all."""
    bound, given = Counter[str](), dict[str, Any]()
    for source in sources:
        bound.update(n.id for n in src.walk(source) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
        for name, value in list_assigned(source):
            try:
                given[name] = ast.literal_eval(value)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue
    return {name: value for name, value in given.items() if bound[name] == 1}


def list_wanted(source: str, given: Mapping[str, Any]) -> list[Any]:
    """The value of each different row that a loop of a cell compares a result with, in asserts right below it."""
    rows: dict[str, Any] = {}
    for loop, place in _list_loops(source):
        for row in _list_rows(loop.iter, given):
            if isinstance(row, tuple | list) and place < len(row):
                rows.setdefault(repr(row), row[place])
    return list(rows.values())


def list_all_wanted(case: Case) -> list[Any]:
    """Every value of a notebook's that asserts compare with by its name, or as a row of a table."""
    sources = [c.source for c in case.notebook.cells if c.kind == "code"]
    given = map_given(sources)
    asserts = (n for text in sources for n in src.walk(text) if isinstance(n, ast.Assert))
    compared = [n for a in asserts for n in ast.walk(a.test) if isinstance(n, ast.Compare)]
    names = [side.id for n in compared for side in (n.left, *n.comparators) if isinstance(side, ast.Name)]
    return [
        *(given[name] for name in names if name in given),
        *(value for text in sources for value in list_wanted(text, given)),
    ]


def find_copied_table(case: Case, patch: Patch) -> str:
    """A table that such a loop goes through, and that the code reads elsewhere only with the patch; empty where there is none."""
    tables = {
        _name_table(loop.iter) for c in case.notebook.cells if c.kind == "code" for loop, _ in _list_loops(c.source)
    }
    before, after = (
        Counter(name for cell in list_patched_cells(case, patch) for name in _list_reads(cell[n])) for n in (1, 2)
    )
    return next((name for name in sorted(tables - {""}) if after[name] > before[name]), "")


def _list_loops(source: str) -> Iterator[tuple[ast.For, int]]:
    """Loops at the top of a cell, with the place in a row of what a result is asserted to be."""
    tree = src.parse(source)
    for loop in tree.body if tree is not None else ():
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Tuple):
            continue
        names = [t.id if isinstance(t, ast.Name) else "" for t in loop.target.elts]
        for test in (n.test for n in loop.body if isinstance(n, ast.Assert)):
            if isinstance(test, ast.Compare) and [type(op) for op in test.ops] == [ast.Eq]:
                sides = [s.id for s in (test.left, test.comparators[0]) if isinstance(s, ast.Name)]
                if len(sides) == 1 and sides[0] in names:
                    yield loop, names.index(sides[0])


def _name_table(table: ast.expr) -> str:
    """``CASES``, also of ``CASES.items()``."""
    if isinstance(table, ast.Call) and isinstance(table.func, ast.Attribute) and table.func.attr == "items":
        table = table.func.value
    return table.id if isinstance(table, ast.Name) else ""


def _list_rows(table: ast.expr, given: Mapping[str, Any]) -> list[Any]:
    if name := _name_table(table):
        value = given.get(name)
        return (
            list(value.items()) if isinstance(value, dict) else list(value) if isinstance(value, list | tuple) else []
        )
    try:
        value = ast.literal_eval(table)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return []
    return list(value) if isinstance(value, list | tuple) else []


def _list_reads(source: str) -> Iterator[str]:
    """Names that are read, but for tables that such loops go through."""
    gone_through = {id(n) for loop, _ in _list_loops(source) for n in ast.walk(loop.iter)}
    for node in src.walk(source):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in gone_through:
            yield node.id
