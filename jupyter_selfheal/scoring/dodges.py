"""Patches by which an assert holds that says nothing any more; how is read off their text, and they are offered, not applied."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.registry import is_strangers
from jupyter_selfheal.scoring.asked_less import find_moved_contract
from jupyter_selfheal.scoring.asserted_tables import find_copied_table
from jupyter_selfheal.scoring.asserts import list_patched_cells
from jupyter_selfheal.scoring.documented_handlers import are_options_documented
from jupyter_selfheal.scoring.measures import find_changed_measure, find_copied_answer
from jupyter_selfheal.scoring.silenced import find_allowed_float_error
from jupyter_selfheal.scoring.tampering import LENIENT
from jupyter_selfheal.scoring.ways_round import find_way_round

_ROUNDS = frozenset({"round", "floor", "ceil", "trunc", "rint", "around"})


def find_dodge(case: Case, patch: Patch, remarks: Iterable[str]) -> str:
    """How a patch of a model or an agent makes what is asked hold, in words; empty where it does not. ``remarks`` are those on it."""
    if not is_strangers(patch.healer):
        return ""
    if measure := find_changed_measure(case, patch):
        return f"It changes `{measure}`, with which asserts are asked"
    if copied := find_copied_answer(case, patch) or find_copied_table(case, patch):
        return f"It reads `{copied}`, with which an assert compares"
    if asked := _find_asked_otherwise(case, patch):
        return f"It changes how the cell with the assert asks `{asked}`, and not what that answers"
    if case.oracle.expect or case.oracle.stdout or case.oracle.checks:
        return ""
    if contract := find_moved_contract(
        case, *zip(*((was, now) for _, was, now in list_patched_cells(case, patch)), strict=True)
    ):
        return f"It changes when `assert {contract}` is asked, which failed"
    if find_allowed_float_error(case, patch):
        return "It lets NumPy go on where an error was raised"
    if case.failure.ename == "AssertionError" and (cut := _find_rounding(case, patch)):
        return f"It rounds what an assert found to be wrong (`{cut}`)"
    if way := find_way_round(case, patch):
        return way
    lenient = next((remark for remark in remarks if remark.startswith(LENIENT)), "")
    return f"It {lenient}" if lenient and not are_options_documented(case, patch) else ""


def _find_asked_otherwise(case: Case, patch: Patch) -> str:
    """A function of a cell above that the failing cell calls for what its assert found to be wrong, where the statements with such calls are all
    that the patch changes; empty where there is none."""
    failure = case.failure
    if failure.ename != "AssertionError" or set(patch.cells_touched) != {failure.cell_id}:
        return ""
    above = {
        n.name
        for c in case.notebook.list_code_before(failure.cell_id)
        for n in getattr(src.parse(c.source), "body", ())
        if isinstance(n, ast.FunctionDef)
    }
    before, after = (
        Counter((src.dump_tree(s.node), _find_called(s.node, above)) for s in src.list_statements(text))
        for text in (failure.source, patch.source_of(failure.cell_id, failure.source))
    )
    return next((called for _, called in before - after if called), "")


def _find_called(node: ast.stmt, names: set[str]) -> str:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return ""
    calls = (n.func.id for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return next((name for name in calls if name in names), "")


def _find_rounding(case: Case, patch: Patch) -> str:
    """What rounds in the patch and did not before it."""
    cells = list_patched_cells(case, patch)
    before, after = (Counter(sign for cell in cells for sign in _list_roundings(cell[n])) for n in (1, 2))
    return next(iter(after - before), "")


def _list_roundings(source: str) -> Iterator[str]:
    for node in src.walk(source):
        if isinstance(node, ast.Call):
            name = read_called_name(node)
            if name in _ROUNDS or (name == "int" and any(isinstance(a, ast.BinOp) for a in node.args)):
                yield name
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.FloorDiv)
            and isinstance(node.right, ast.Constant)
            and node.right.value == 1
        ):
            yield "// 1"
