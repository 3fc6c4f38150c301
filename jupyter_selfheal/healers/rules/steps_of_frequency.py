"""PDA145: a number of steps added to a date."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

INDEXES = ("pandas.DatetimeIndex", "pandas.PeriodIndex", "pandas.TimedeltaIndex")


class StepsOfFrequency(Rule):
    """Add a number of steps of the index's own frequency.

    **Failure** `TypeError: Addition/subtraction of integers and integer-arrays with Timestamp is no longer supported.  Instead of
    adding/subtracting `n`, use `n * obj.freq``, from `s.index[-1] + 1`.

    **Fix** `s.index[-1] + s.index.freq`, also where `last = s.index[-1]` stands in a line above.

    **Fix safety** Safe: the date had the frequency of the index that it was taken from, and a number was a number of such steps
    (https://pandas.pydata.org/docs/whatsnew/v1.0.0.html). Silent where the index has no frequency: that failed then too, and what a step is
    only its author knows.
    """

    code = "PDA145"
    name = "number added to a date"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"[Aa]ddition/subtraction of integers and integer-arrays with (?:Timestamp|DatetimeArray|TimedeltaArray)"
    )
    applicability = Applicability.SAFE
    why = "A date had the frequency of its index, and a number was a number of such steps."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        splices = []
        for node in context.walk(ast.BinOp):
            if not isinstance(node.op, ast.Add | ast.Sub):
                continue
            index = _find_index(context, node.left)
            if not index or not context.is_true(f"{index}.freq is not None"):
                continue
            if not context.describe_all([node.right])[0].is_a("builtins.int", "numpy.integer"):
                continue
            steps = context.text(node.right)
            if not isinstance(node.right, ast.Constant | ast.Name):
                steps = context.operand(node.right)
            splices.append((*context.span(node.right), f"{index}.freq" if steps == "1" else f"{steps} * {index}.freq"))
        if splices:
            yield self.patch(
                context.replace_here(*splices),
                f"Use `{splices[0][2]}`",
                "Since pandas 1.0, a date has no frequency of its own, so that a number says nothing of a step.",
                prior=0.92,
            )


def _find_index(context: RuleContext, date: ast.expr) -> str:
    """``s.index`` of ``s.index``, of ``s.index[-1]``, of ``s.index.max()`` and of a name that was given one of them; else empty."""
    if isinstance(date, ast.Name) and not context.describe_all([date])[0].is_a(*INDEXES):
        bound = context.find_last_assignment(date.id)
        if bound is None or len(bound.node.targets) != 1:
            return ""
        date = bound.node.value
    if isinstance(date, ast.Call) and isinstance(date.func, ast.Attribute) and date.func.attr in ("max", "min"):
        date = date.func.value
    elif isinstance(date, ast.Subscript) and not isinstance(date.slice, ast.Slice):
        date = date.value
    text = ast.unparse(date)
    described = context.describe(text)
    return text if described is not None and described.is_a(*INDEXES) else ""
