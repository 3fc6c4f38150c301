"""Patches that treat a symptom: they may be right, and they make a check pass where they are not."""

from __future__ import annotations

import ast

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import is_call_of
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserts import list_patched_cells


def find_band_aid(case: Case, patch: Patch) -> str | None:
    """How a patch treats the symptom, as in "It raises the recursion limit"; None where it does not."""
    cells = list_patched_cells(case, patch)
    described = [
        (node, what) for _, _, after in cells for node in _walk_source(after) if (what := _describe_band_aid(node))
    ]
    if not described:
        return None
    known = {src.dump_tree(node) for _, before, _ in cells for node in _walk_source(before)}
    return next((what for node, what in described if src.dump_tree(node) not in known), None)


def _walk_source(source: str) -> list[ast.AST]:
    return [n for n in src.walk(source) if isinstance(n, ast.Call | ast.Compare | ast.Subscript)]


def _describe_band_aid(node: ast.AST) -> str | None:
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("setrecursionlimit"):
        return "raises the recursion limit"
    if isinstance(node, ast.Compare) and all(is_call_of(side, "str") for side in (node.left, *node.comparators)):
        return "compares values as text"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and is_call_of(node.slice.upper, "len"):
        return "cuts one sequence to the length of another"
    return None


def is_raised_by_notebook(case: Case) -> bool:
    """Whether the statement that failed is a ``raise Error(…)`` of the notebook's own code, which passes on no other error."""
    failure = case.failure
    last = failure.frames[-1] if failure.frames else None
    if last is not None and not last.cell_id:
        return False  # a library's
    cell_id, line = (last.cell_id, last.line) if last is not None else (failure.cell_id, failure.line)
    if cell_id == failure.cell_id:
        source = failure.source
    elif case.notebook.index(cell_id) >= 0:
        source = case.notebook.cell(cell_id).source
    else:
        return False
    return any(
        isinstance(n, ast.Raise) and n.exc is not None and n.lineno <= line <= (n.end_lineno or n.lineno)
        for n in src.walk(source)
    )
