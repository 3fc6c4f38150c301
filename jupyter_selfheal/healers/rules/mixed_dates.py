"""PDA109: dates of several formats in one column."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage, questions
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.value_types import DAY_FIRST, reads_otherwise_day_first
from jupyter_selfheal.healers.rules.date_format import FORMATS
from jupyter_selfheal.model import Applicability, Patch


class MixedDates(Rule):
    """Parse dates each by its own format.

    **Failure** `ValueError: time data "13-01-2000" doesn't match format "%Y-%m-%d"`, where no format was asked for: pandas takes
    that of the first value.

    **Fix** `pd.to_datetime(…, format="mixed")`; where day and month may be either, the one common format that fits every text.

    **Fix safety** Safe where every text that can be seen has one reading: before pandas 2.0 every value was parsed by itself, which is
    what `"mixed"` asks for. Safe where a common format alone fits all. `"mixed"` is unsafe where one like `03/04/2021` may be either day or month first (both are proposed where they give other dates), or one like `21/05/02` day or year.
    """

    code = "PDA109"
    name = "dates of several formats"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "DateParseError"})
    message = re.compile(r"(?s)(?:doesn't match format|unconverted data remains).*mixed")
    applicability = Applicability.SAFE
    why = "Before pandas 2.0 every date was parsed by itself (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure()[:4]:
            name = read_last_name(call.func)
            if name not in ("to_datetime", "DatetimeIndex") or any(k.arg == "format" for k in call.keywords):
                continue
            end = context.span(call)[1] - 1
            start, stop = context.span(call.func)
            reader = f"{context.text(call.func)[: -len(name)]}to_datetime"
            sure = bool(call.args) and _has_one_reading(context, call.args[0])
            if not sure and call.args and name == "to_datetime":
                yield from self._give_format(context, call)
            given = context.source[stop:end]
            is_either = not sure and reads_otherwise_day_first(context, f'{reader}{given}, format="mixed")')
            for order in ("", DAY_FIRST) if is_either else ("",):
                added = f', format="mixed"{order}'
                yield self.patch(
                    context.replace(context.cell_id, [(start, stop, reader), (end, end, added)]),
                    f"Add `{added[2:]}`",
                    "The dates have several formats.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why=self.why
                    if sure
                    else "Some dates can be read with the day, or with the month or the year first.",
                    prior=0.9 if sure else 0.6,
                )
            return

    def _give_format(self, context: RuleContext, call: ast.Call) -> Iterator[Patch]:
        """The one common format that fits every text: `31/12/2020` says how `03/04/2021` is to be read."""
        fitting = context.ask(questions.SELECT_DATE_FORMATS, expression=context.text(call.args[0]), formats=FORMATS)
        if len(fitting) != 1 or any(k.arg in ("dayfirst", "yearfirst") for k in call.keywords):
            return
        end = context.span(call)[1] - 1
        yield self.patch(
            context.replace(context.cell_id, [(end, end, f', format="{fitting[0]}"')]),
            f'Add `format="{fitting[0]}"`',
            "The dates begin with a format that the others don't have.",
            why="Of the common formats this one alone fits every text.",
            prior=0.9,
        )


def _has_one_reading(context: RuleContext, texts: ast.expr) -> bool:
    """True where no text is seen to begin with two numbers that may both be a month, or with two that may both be the day and the year."""
    month = r"(0?[1-9]|1[0-2])"
    day = r"(0?[1-9]|[12]\d|3[01])"
    either = rf"\s*(?:{month}[-/. ]{month}[-/. ]|{day}[-/. ]{month}[-/. ](?:0[1-9]|[12]\d|3[01])(?!\d))"
    return context.is_true(f"all(not __import__('re').match({either!r}, str(t)) for t in {context.text(texts)})")
