"""A warning that is an error is not mended by being silenced, nor a division by zero by being allowed, nor what a check found by turning it off."""

from __future__ import annotations

import ast
from collections import Counter

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserts import list_patched_cells

_FILTERS = frozenset({"simplefilter", "filterwarnings", "resetwarnings", "catch_warnings", "captureWarnings"})
_FLOATS = frozenset({"seterr", "errstate", "seterrcall"})
_CHECKS = frozenset({"verify_integrity", "validate", "strict"})
"""Arguments that have a library look whether what it is given is as it is meant to be."""
_HOOKS = frozenset({"warnings.warn", "warnings.showwarning", "warnings.filters"})


def find_silenced_warning(case: Case, patch: Patch) -> str:
    """How a patch keeps a warning from being raised in place of mending what is warned of; empty where it does not."""
    if not case.failure.ename.endswith("Warning"):
        return ""
    return "silences the warning" if _changes_calls(case, patch, _FILTERS) or _sets_hook(case, patch) else ""


def find_check_turned_off(case: Case, patch: Patch) -> str:
    """The argument with which the failing call was asked to check what it is given (`verify_integrity=True`), and which a patch turns off, or
    leaves out; empty where there is none, and where the call takes no such argument."""
    if case.failure.ename == "TypeError":
        return ""
    cells = list_patched_cells(case, patch)
    before, after = (Counter(check for cell in cells for check in _list_checks(cell[n])) for n in (1, 2))
    return next((f"turns the check `{check}` off" for check in before - after), "")


def _list_checks(source: str) -> list[str]:
    keywords = [n for n in src.walk(source) if isinstance(n, ast.keyword) and n.arg in _CHECKS]
    return [ast.unparse(k) for k in keywords if not (isinstance(k.value, ast.Constant) and not k.value.value)]


def find_allowed_float_error(case: Case, patch: Patch) -> bool:
    """Whether a patch lets NumPy go on where it raised: what comes of it then may be meant, and may be infinite."""
    return case.failure.ename == "FloatingPointError" and _changes_calls(case, patch, _FLOATS)


def _changes_calls(case: Case, patch: Patch, names: frozenset[str]) -> bool:
    """Whether such a call is added or taken away."""
    cells = list_patched_cells(case, patch)
    before, after = (Counter(call for cell in cells for call in _list_calls(cell[n], names)) for n in (1, 2))
    return before != after


def _list_calls(source: str, names: frozenset[str]) -> list[str]:
    calls = [n for n in src.walk(source) if isinstance(n, ast.Call)]
    return [src.dump_tree(n) for n in calls if read_called_name(n) in names]


def _sets_hook(case: Case, patch: Patch) -> bool:
    cells = list_patched_cells(case, patch)
    before, after = ({t for cell in cells for t in _list_attributes_set(cell[n])} for n in (1, 2))
    return bool((after - before) & _HOOKS)


def _list_attributes_set(source: str) -> list[str]:
    nodes = (n for n in src.walk(source) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
    return [ast.unparse(n) for n in nodes]
