"""PDA128: durations turned into a number of days or hours by `astype`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MEAN_DAYS = {"M": 30.436875, "Y": 365.2425}
"""What pandas took a month and a year for, until 2.0."""
UNIT = re.compile(r"timedelta64\[(D|h|m)\]$")


class TimedeltaUnit(Rule):
    """Count whole days, hours or minutes by a division.

    **Failure** `ValueError: Cannot convert from timedelta64[ns] to timedelta64[D]`, from `(df["to"] - df["from"]).astype("timedelta64[D]")`.

    **Fix** `(df["to"] - df["from"]) // pd.Timedelta(1, "D")`.

    Also `ValueError: Unit M is not supported` from `days / np.timedelta64(1, "M")`: `pd.Timedelta(days=30.436875)`, and 365.2425 days for a year.

    **Fix safety** Safe: until pandas 2.0 `astype` gave the number of whole days, and so does the division; a month and a year had these mean
    lengths in a division. Silent for months and years in `astype`, for calls above the failing line, and for arrays, which NumPy still converts.
    """

    code = "PDA128"
    name = "durations as a number"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError"})
    message = re.compile(r"Cannot convert from timedelta64|Unit [MY] is not supported")
    applicability = Applicability.SAFE
    why = "Until pandas 2.0 `astype` gave the same whole numbers (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        known = context.reference("pandas.Timedelta")
        splices = []
        if known is not None and "is not supported" in context.failure.evalue:
            for call in context.list_nodes_at_failure(ast.Call):
                unit = _find_mean_unit(call)
                if unit:
                    count = context.text(call.args[0])
                    days = (
                        str(MEAN_DAYS[unit]) if count == "1" else f"{context.operand(call.args[0])} * {MEAN_DAYS[unit]}"
                    )
                    splices.append((*context.span(call), f"{known[0]}(days={days})"))
            if splices:
                yield self.patch(
                    context.replace_here(*splices, *context.add_imports([known[1]])),
                    f"Use `{splices[0][2]}`",
                    "Since pandas 2.0, a month and a year are no units of durations.",
                    why="A month and a year had these mean lengths until pandas 2.0.",
                    prior=0.93,
                )
            return
        for call in context.walk(ast.Call):
            unit = _find_unit(call)
            if unit and known is not None and isinstance(call.func, ast.Attribute) and not _runs_above(context, call):
                text = f"({context.operand(call.func.value)} // {known[0]}(1, {unit!r}))"
                splices.append((*context.span(call), text))
        if splices and known is not None:
            yield self.patch(
                context.replace(context.cell_id, [*splices, *context.add_imports([known[1]])]),
                f"Use `{splices[0][2][1:-1]}`",
                "Since pandas 2.0, durations have no unit of days, hours or minutes.",
                prior=0.9,
            )


def _runs_above(context: RuleContext, call: ast.Call) -> bool:
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


def _find_mean_unit(call: ast.Call) -> str:
    """``M`` of ``np.timedelta64(1, "M")``; empty for anything else."""
    if read_last_name(call.func) != "timedelta64" or len(call.args) != 2:
        return ""
    unit = call.args[1]
    return (
        unit.value
        if isinstance(unit, ast.Constant) and unit.value in ("M", "Y") and isinstance(unit.value, str)
        else ""
    )
