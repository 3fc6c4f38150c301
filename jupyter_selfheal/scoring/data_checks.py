"""Does an assert test code, or does it look at the notebook's data? What it finds in data is no fault of the code that looks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case
from jupyter_selfheal.scoring.deletion import find_failing_statement


def asks_of_data(case: Case) -> bool:
    """True where the failing assert gives functions of the notebook nothing but raw data and names no value that they should give.

    ``assert all(is_valid(e) for e in emails)`` and ``assert abs(total(bill) - bill["sum"]) < 0.01`` look at ``emails`` and ``bill``;
    ``assert total([1, 2]) == 3`` and ``assert is_sorted(bubble(xs))`` test code.
    """
    statement = find_failing_statement(case)
    if not isinstance(statement, ast.Assert):
        return False
    sources = [c.source for c in (*case.notebook.list_code_before(case.failure.cell_id),)] + [case.failure.source]
    functions, raw = _list_functions(sources), _list_raw_names(sources)
    calls = [
        n
        for n in ast.walk(statement.test)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in functions
    ]
    if not calls or _names_a_value(statement.test):
        return False
    loops = {
        name.id: comprehension.iter
        for comprehension in ast.walk(statement.test)
        if isinstance(comprehension, ast.comprehension)
        for name in ast.walk(comprehension.target)
        if isinstance(name, ast.Name)
    }
    return all(_is_raw(argument, raw, loops) for call in calls for argument in _list_arguments(call))


def _list_arguments(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (k.value for k in call.keywords)


def _list_functions(sources: list[str]) -> set[str]:
    return {
        n.name
        for text in sources
        for n in src.walk(text)
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


def _list_raw_names(sources: list[str]) -> set[str]:
    """Names that top-level statements bind to literals only."""
    literal: set[str] = set()
    other: set[str] = set()
    for text in sources:
        for statement in src.list_statements(text):
            names = src.collect_names([statement.node])
            is_literal = isinstance(statement.node, ast.Assign) and not any(
                isinstance(n, ast.Name | ast.Call) for n in ast.walk(statement.node.value)
            )
            (literal if is_literal else other).update(names.binds | names.changes)
    return literal - other


def _names_a_value(test: ast.expr) -> bool:
    """Some comparison is with a literal by ``==`` (or ``is``), which says what is to come out."""
    return any(
        isinstance(n, ast.Compare)
        and isinstance(n.ops[0], ast.Eq | ast.Is)
        and any(
            isinstance(s, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set) for s in (n.left, *n.comparators)
        )
        for n in ast.walk(test)
    )


def _is_raw(argument: ast.expr, raw: set[str], loops: dict[str, ast.expr]) -> bool:
    names = [n.id for n in ast.walk(argument) if isinstance(n, ast.Name)]
    within = [n for name in names if name in loops for n in ast.walk(loops[name]) if isinstance(n, ast.Name)]
    roots = {n for n in names if n not in loops} | {n.id for n in within}
    return bool(roots) and all(n in raw for n in roots) and not any(isinstance(n, ast.Call) for n in ast.walk(argument))
