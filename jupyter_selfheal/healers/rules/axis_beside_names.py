"""PDA148: an axis beside the names of rows or columns, which say the axis by themselves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.model import Applicability, Patch

METHODS = ("drop", "rename", "reindex", "filter")


class AxisBesideNames(Rule):
    """Leave out the axis where `columns=` or `index=` says it.

    **Failure** `ValueError: Cannot specify both 'axis' and 'index'/'columns'`, from `df.drop(columns=["a"], axis=1)`.

    **Fix** `df.drop(columns=["a"])`, wherever the cell has such a call.

    **Fix safety** Safe: where `columns=` or `index=` was given, the axis was not read. Silent where the axis contradicts the name: which of
    them is meant only its author knows.
    """

    code = "PDA148"
    name = "axis beside columns or index"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError"})
    message = re.compile(r"Cannot specify both 'axis' and (?:any of )?'index'")
    applicability = Applicability.SAFE
    why = "Where `columns=` or `index=` was given, the axis was not read."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        failing = next((c for c in context.list_calls_at_failure() if _find_axis(c) is not None), None)
        if failing is None:
            return
        calls = [c for c in context.walk(ast.Call) if _find_axis(c) is not None]
        splices = [build_argument_splice(context, c, axis, "") for c in calls if (axis := _find_axis(c)) is not None]
        yield self.patch(
            context.replace_here(*splices),
            "Leave out `axis`",
            "The names of the columns or rows are given with the word that says the axis.",
            prior=0.93,
        )


def _find_axis(call: ast.Call) -> ast.keyword | None:
    """The keyword ``axis`` of ``df.drop(columns=…, axis=1)``; None where there is none, or it says another axis than the names do."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr in METHODS):
        return None
    given = {k.arg: k for k in call.keywords}
    axis = given.get("axis")
    names = {"columns", "index"} & given.keys()
    if axis is None or len(names) != 1 or not isinstance(axis.value, ast.Constant):
        return None
    return axis if axis.value.value in ((1, "columns") if "columns" in names else (0, "index", "rows")) else None
