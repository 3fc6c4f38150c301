"""Does a patch get past a failing call by leaving it out, with nothing in its place?"""

from __future__ import annotations

import ast
from collections import Counter

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, FailureKind, Patch
from jupyter_selfheal.scoring.asserts import list_patched_cells


def find_left_out_call(case: Case, patch: Patch) -> str:
    """The name of a call that is gone though nothing came for it: ``StandardScaler().transform(X).shape`` → ``X.shape``; else empty.

    Not meant is a call that is one too many, of which the failure itself speaks.
    """
    failure = case.failure
    if failure.kind is not FailureKind.RAISED or failure.ename == "AssertionError" or "not callable" in failure.evalue:
        return ""
    cells = list_patched_cells(case, patch)
    was, now = (Counter(name for cell in cells for name in _list_parts(cell[n])) for n in (1, 2))
    gone = [name for name in (was - now) if name.endswith("()")]
    return gone[0] if gone and not now - was else ""


def _list_parts(source: str) -> list[str]:
    """What is called, named, and written as a constant."""
    parts = []
    for node in src.walk(source):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            parts.append(f"{node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id}()")
        elif isinstance(node, ast.Name):
            parts.append(node.id)
        elif isinstance(node, ast.Constant):
            parts.append(repr(node.value))
        elif isinstance(node, ast.operator | ast.cmpop):
            parts.append(type(node).__name__)
    return parts
