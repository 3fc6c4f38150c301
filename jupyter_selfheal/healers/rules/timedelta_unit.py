"""PDA128: durations turned into a number of days or hours by `astype`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

UNIT = re.compile(r"timedelta64\[(D|h|m)\]$")


class TimedeltaUnit(Rule):
    """Count whole days, hours or minutes by a division.

    **Failure** `ValueError: Cannot convert from timedelta64[ns] to timedelta64[D]`, from `(df["to"] - df["from"]).astype("timedelta64[D]")`.

    **Fix** `(df["to"] - df["from"]) // pd.Timedelta(1, "D")`.

    **Fix safety** Safe: until pandas 2.0 `astype` gave the number of whole days, and so does the division. Silent for months and years, which
    are of no fixed length, for calls above the failing line, and for arrays, which NumPy still converts.
    """

    code = "PDA128"
    name = "durations as a number"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError"})
    message = re.compile(r"Cannot convert from timedelta64")
    applicability = Applicability.SAFE
    why = "Until pandas 2.0 `astype` gave the same whole numbers (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        known = context.reference("pandas.Timedelta")
        splices = []
        for call in context.walk(ast.Call):
            unit = _find_unit(call)
            if unit and known is not None and isinstance(call.func, ast.Attribute) and not _runs(context, call):
                text = f"({context.operand(call.func.value)} // {known[0]}(1, {unit!r}))"
                splices.append((*context.span(call), text))
        if splices and known is not None:
            yield self.patch(
                context.replace(context.cell_id, [*splices, *context.add_imports([known[1]])]),
                f"Use `{splices[0][2][1:-1]}`",
                "Since pandas 2.0, durations have no unit of days, hours or minutes.",
                prior=0.9,
            )


def _runs(context: RuleContext, call: ast.Call) -> bool:
    """True where the call stands above the failing line, and for an array of NumPy, which keeps the unit."""
    if (call.end_lineno or call.lineno) < context.line:
        return True
    assert isinstance(call.func, ast.Attribute)
    return context.describe_all([call.func.value])[0].is_a("numpy.ndarray")


def _find_unit(call: ast.Call) -> str:
    """``D`` of ``x.astype("timedelta64[D]")``; empty for anything else."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "astype" and len(call.args) == 1):
        return ""
    kind = call.args[0]
    match = UNIT.search(kind.value) if isinstance(kind, ast.Constant) and isinstance(kind.value, str) else None
    return match[1] if match and not call.keywords else ""
