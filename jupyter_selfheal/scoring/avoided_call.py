"""Does a patch call something else in place of the function that failed inside?

``median([5, 1, 4, 2])`` fails in ``median``; ``mean([5, 1, 4, 2])`` happens to give the same 3.0, and ``median`` is as broken as before.
"""

from __future__ import annotations

import ast
from collections import Counter

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.deletion import dump


def find_avoided_call(case: Case, patch: Patch) -> str:
    """The notebook's own function that the failing cell called, in which the failure came up, and which it calls less often with the
    patch, though the cell that defines it is as it was; empty where there is none."""
    failure = case.failure
    before, after = failure.source, patch.source_of(failure.cell_id, failure.source)
    inner = [f for f in failure.frames[1:] if f.cell_id and not f.function.startswith("<")]
    if (
        not inner
        or before == after
        or any(f.cell_id in patch.cells_touched for f in inner if f.cell_id != failure.cell_id)
    ):
        return ""
    called = inner[0].function
    if called in _collect_changed_functions(before, after):
        return ""
    return called if _count_calls(after)[called] < _count_calls(before)[called] else ""


def _count_calls(source: str) -> Counter[str]:
    """How often each name is called, by its last part."""
    calls = (n.func for n in src.walk(source) if isinstance(n, ast.Call))
    return Counter(
        f.id if isinstance(f, ast.Name) else f.attr for f in calls if isinstance(f, ast.Name | ast.Attribute)
    )


def _collect_changed_functions(before: str, after: str) -> set[str]:
    """Functions that a cell defines otherwise than it did."""
    old, new = (
        {n.name: dump(n) for n in src.walk(s) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
        for s in (before, after)
    )
    return {name for name in old if old[name] != new.get(name)}
