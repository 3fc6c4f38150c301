"""Does a patch do nothing but import? Then no output that was stored while the name was there differs for its sake."""

from __future__ import annotations

import ast

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserts import list_patched_cells
from jupyter_selfheal.scoring.deletion import dump


def adds_only_imports(case: Case, patch: Patch) -> bool:
    """True where every edit changes the source of a cell by imports that it did not have, and by nothing else."""
    changed = [(before, after) for _, before, after in list_patched_cells(case, patch) if before != after]
    return len(changed) == len(patch.edits) > 0 and all(_adds_imports(before, after) for before, after in changed)


def _adds_imports(before: str, after: str) -> bool:
    old, new = src.parse(before), src.parse(after)
    if old is None or new is None:
        return False
    there = [dump(s) for s in old.body]
    left = [s for s in new.body if dump(s) not in there]
    kept = [dump(s) for s in new.body if dump(s) in there]
    return bool(left) and kept == there and all(isinstance(s, ast.Import | ast.ImportFrom) for s in left)
