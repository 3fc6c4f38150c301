"""NON101: the result of a method that changes its object in place, which is None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import plain_chain
from jupyter_selfheal.model import Applicability, Edit, Patch, RunCells

METHODS = frozenset(
    {"sort", "reverse", "append", "extend", "insert", "remove", "clear", "update", "add", "discard", "shuffle",
     "difference_update", "intersection_update", "appendleft", "extendleft", "rotate"}
)  # fmt: skip
"""Methods of list, set, dict, deque and random that return None."""


class NoneFromInPlace(Rule):
    """Do not assign what an in-place method returns.

    **Failure** `AttributeError: 'NoneType' object has no attribute …`, `TypeError: 'NoneType' object is not …`, where the
    name was assigned from `x.sort()`, `random.shuffle(x)`, `df.drop(…, inplace=True)` and the like.

    **Fix** The call stands alone, and another name is assigned the object itself: `y = x.sort()` becomes `x.sort()` and
    `y = x`; for pandas with another target `inplace=True` goes. Cells that made the object run again first, since the
    assignment has replaced it.

    **Fix safety** Safe: the method's effect stays, and the name holds the object that the later code reads.
    """

    code = "NON101"
    name = "None from an in-place method"
    stage = Stage.STATE
    enames = frozenset({"AttributeError", "TypeError"})
    applicability = Applicability.SAFE
    why = "The call keeps its effect, and the name holds the changed object, as the later code expects."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not context.is_about_none:
            return
        for name in context.list_names_of_none():
            assignment = context.find_last_assignment(name)
            if assignment is None or len(assignment[2].targets) != 1:
                continue
            cell_id, source, node = assignment
            text = _separate(source, node, name)
            if not text:
                continue
            edits: tuple[Edit, ...] = context.replace(cell_id, [(*src.find_span(source, node), text)])
            if cell_id != context.failure.cell_id and (again := context.list_cells_to_rerun(cell_id)):
                edits = (RunCells(again), *edits)
            yield self.patch(
                edits,
                f"Don't assign the in-place call's result to `{name}`",
                f"`{src.extract_text(source, node.value)}` works in place and returns None.",
                prior=0.9,
            )


def _separate(source: str, node: ast.Assign, name: str) -> str:
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return ""
    text = src.extract_text(source, call)
    in_place = next((k for k in call.keywords if k.arg == "inplace" and _is_true(k.value)), None)
    if in_place is not None:
        if plain_chain(call.func.value, source) == name:
            return text
        return f"{name} = {_drop_keyword(source, call, in_place)}"
    if call.func.attr not in METHODS:
        return ""
    changed = call.func.value
    if call.func.attr == "shuffle":
        if not call.args:
            return ""
        changed = call.args[0]
    if not plain_chain(changed, source):
        return ""
    owner = src.extract_text(source, changed)
    if owner == name:
        return text
    indent = " " * node.col_offset
    return f"{text}\n{indent}{name} = {owner}"


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _drop_keyword(source: str, call: ast.Call, keyword: ast.keyword) -> str:
    """The call's text without one keyword."""
    rest = [src.extract_text(source, a) for a in call.args]
    rest += [src.extract_text(source, k) for k in call.keywords if k is not keyword]
    return f"{src.extract_text(source, call.func)}({', '.join(rest)})"
