"""NPA102: an array that shares its data with a table and is read-only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

READ_ONLY = re.compile(r"read-only|WRITEABLE|readonly")


class ReadOnlyArray(Rule):
    """Copy an array that is to be written into.

    **Failure** `ValueError: assignment destination is read-only`, where the array was taken from a table (`df.values`).

    **Fix** `.copy()` where the variable was assigned, in this cell or in the one above that did it.

    **Fix safety** Safe: since pandas 3.0 such an array never writes through to its table, so a copy is what it is.
    """

    code = "NPA102"
    name = "read-only array"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = READ_ONLY
    applicability = Applicability.SAFE
    why = "The array does not write through to its table any more, so that a copy has the same effect."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        names = _list_written(context)
        for other in context.look_upwards(context.cell_id):
            splices = _copy_array(other, names, context.line if other.cell_id == context.cell_id else 0)
            if splices:
                yield self.patch(
                    context.replace(other.cell_id, splices),
                    f"Copy the array before it is written into: `{splices[0][2].strip('()')}`",
                    "Since pandas 3.0, arrays that share data with a table are read-only.",
                    prior=0.88,
                )
                return


def _list_written(context: RuleContext) -> set[str]:
    """Names that the failing line writes into, or hands to something that does."""
    names: set[str] = set()
    for node in context.list_nodes_at_failure(ast.Assign, ast.AugAssign, ast.Call):
        if isinstance(node, ast.Assign):
            names |= {src.find_root_name(t) for t in node.targets if isinstance(t, ast.Subscript)}
        elif isinstance(node, ast.AugAssign):
            names.add(src.find_root_name(node.target))
        elif isinstance(node, ast.Call):
            names |= {
                src.find_root_name(a)
                for a in [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
            }
    return names - {""}


def _copy_array(context: RuleContext, names: set[str], before: int) -> list[Splice]:
    """``.copy()`` behind the last assignment of one of the names that takes an array out of a table."""
    last: list[Splice] = []
    for node in ast.walk(context.tree):
        if not isinstance(node, ast.Assign) or (before and node.lineno > before):
            continue
        taken = [t.id for t in node.targets if isinstance(t, ast.Name)]
        if not names & set(taken) or not _takes_array(node.value):
            continue
        end = context.span(node.value)[1]
        atom = context.operand(node.value)
        whole = context.span(node.value)
        last = [(end, end, ".copy()")] if atom == context.text(node.value) else [(*whole, f"{atom}.copy()")]
    return last


def _takes_array(value: ast.expr) -> bool:
    """True for ``….values``, ``….to_numpy()``, ``np.asarray(…)`` and a column or a slice of one."""
    if isinstance(value, ast.Attribute):
        return value.attr in ("values", "array", "T", "flat", "_values")
    if isinstance(value, ast.Subscript):
        return _takes_array(value.value)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in (
            "to_numpy",
            "asarray",
            "asanyarray",
            "broadcast_to",
            "reshape",
            "ravel",
            "diagonal",
            "unique",
            "array",
            "frombuffer",
            "memmap",
        )
    return False
