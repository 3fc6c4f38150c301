"""ATT122: the hours or minutes of a duration, which has days and seconds only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

SECONDS = {"hours": 3600, "minutes": 60}
"""How many seconds each of the parts has that are asked for."""


class PartOfDuration(Rule):
    """Reckon the hours or minutes of a duration from its seconds.

    **Failure** `AttributeError: 'datetime.timedelta' object has no attribute 'hours'`, also of pandas' `Timedelta` and of `.dt` of durations.

    **Fix** `d.total_seconds() / 3600`, the whole duration in hours; or `d.seconds // 3600`, what is left of it beside its days (pandas:
    `d.components.hours`); minutes beside the hours where these are read too. Where the cell reads the days of the same duration, that part comes first.

    **Fix safety** Unsafe: only who asked knows which of the two is meant. Silent for other attributes, and for objects of other types.
    """

    code = "ATT122"
    name = "part of a duration"
    enames = frozenset({"AttributeError"})
    applicability = Applicability.UNSAFE
    why = "Both the whole duration and what is left beside its days may be meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        missed = next((n for n in context.list_failing_nodes(ast.Attribute) if n.attr in SECONDS), None)
        if missed is None or context.is_called(missed):
            return
        live = context.describe_all([missed.value], calls=True)[0]
        is_table = live.type == "TimedeltaProperties"
        if not (is_table or _is_duration(live)):
            return
        owner = context.operand(missed.value)
        reads = [n for n in context.walk(ast.Attribute) if context.operand(n.value) == owner]
        parts = [n for n in reads if n.attr in SECONDS]
        whole = [(n, f"{owner}.total_seconds() / {SECONDS[n.attr]}") for n in parts]
        plain, has_hours = not (is_table or live.is_a("pandas.Timedelta")), any(n.attr == "hours" for n in parts)
        beside = [(n, _write_part(owner, n.attr, plain=plain, has_hours=has_hours)) for n in parts]
        is_beside = any(n.attr == "days" for n in reads) or {"hours", "minutes"} <= {n.attr for n in parts}
        for number, change in enumerate((beside, whole) if is_beside else (whole, beside)):
            told = "what is left beside its days" if change is beside else "the whole duration"
            yield self.patch(
                context.replace_here(*((*context.span(n), _put_in_brackets(context, n, text)) for n, text in change)),
                f"Use `{change[0][1]}`, {told}",
                f"A duration has no `{missed.attr}`: it counts days and seconds.",
                prior=0.6 - number / 10,
            )


def _is_duration(live: ObjectInfo) -> bool:
    return live.is_a("datetime.timedelta") or live.is_a("pandas.Timedelta")


def _write_part(owner: str, name: str, *, plain: bool, has_hours: bool) -> str:
    """What is left beside the days; minutes beside the hours only where these are read too."""
    if name == "minutes" and not has_hours:
        return f"{owner}.seconds // 60"
    if not plain:
        return f"{owner}.components.{name}"
    return f"{owner}.seconds // 3600" if name == "hours" else f"{owner}.seconds // 60 % 60"


def _put_in_brackets(context: RuleContext, node: ast.Attribute, text: str) -> str:
    """The text in brackets where what stands around it would take it apart."""
    around = (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript)
    inside = any(node in ast.iter_child_nodes(n) for n in context.walk(*around))
    return f"({text})" if inside and " " in text else text
