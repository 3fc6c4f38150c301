"""Variables that hang on one other one, ``n = len(values)``; and those that a cell makes for its checks."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.search.reading import has_assert
from jupyter_selfheal.inside.tree_names import list_read_names
from jupyter_selfheal.model import JSON, Case

_LONGEST = 60
"""Letters of an expression that a function may be given in place of the variable."""


def list_made(case: Case) -> list[list[JSON]]:
    """The variables of the cell and those above that are a short call of one other variable: each with that one and the call."""
    made: dict[str, list[JSON]] = {}
    sources = [*(cell.source for cell in case.notebook.list_code_before(case.failure.cell_id)), case.failure.source]
    for source, node in ((text, s.node) for text in sources for s in src.list_statements(text)):
        if not isinstance(node, ast.Assign):
            continue
        for name in src.collect_names([node]).binds:
            made.pop(name, None)
        text, used = src.extract_text(source, node.value), sorted(list_read_names(node.value) - src.BUILTINS)
        match node:
            case ast.Assign([ast.Name(name)], ast.Call()) if len(used) == 1 and len(text) <= _LONGEST:
                made[name] = [name, used[0], text]
    return list(made.values())


def list_made_for_checks(statements: Sequence[ast.stmt], definitions: Collection[str]) -> set[str]:
    """Where a cell has asserts, the names of what it makes by these definitions: ``cart`` of ``cart = Cart()``. What is then done with them
    (``cart.add("pen", 2)``) says what is checked, as its asserts do."""
    made = set[str]()
    for node in statements if any(map(has_assert, statements)) else ():
        names = src.collect_names([node])
        if isinstance(node, ast.Assign | ast.AnnAssign) and names.uses & {*definitions, *made}:
            made |= names.binds
    return made
