"""TYP226: months or years in a span of time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

UNITS = frozenset({"months", "years", "month", "year"})
SHARED = frozenset({"days", "hours", "minutes", "seconds", "microseconds", "weeks"})


class CalendarSpan(Rule):
    """Count months and years with `relativedelta`.

    **Failure** `TypeError: 'months' is an invalid keyword argument for __new__()` at `timedelta(months=1)`.

    **Fix** `relativedelta(months=1)` of `dateutil`, with its import; the days, weeks and hours beside it stay.

    **Fix safety** Unsafe: a month may be meant as 30 days. Silent where `dateutil` is not installed.
    """

    code = "TYP226"
    name = "months in a span of time"
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"'(?:months?|years?)' is an invalid keyword argument|unexpected keyword argument '(?:months?|years?)'"
    )
    applicability = Applicability.UNSAFE
    why = "A month is as long as the calendar says; a number of days may be meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            names = {k.arg or "" for k in call.keywords}
            if read_last_name(call.func) != "timedelta" or call.args or not names & UNITS or names - UNITS - SHARED:
                continue
            made = context.reference("dateutil.relativedelta.relativedelta")
            if made is None:
                return
            units = [k for k in call.keywords if k.arg in ("month", "year")]
            splices = [(context.span(k)[0], context.span(k)[0] + len(str(k.arg)), f"{k.arg}s") for k in units]
            imports = context.add_imports([made.import_line]) if made.import_line else []
            yield self.patch(
                context.replace_here(*imports, (*context.span(call.func), made.text), *splices),
                f"Use `{made.text}`",
                "A `timedelta` knows no months or years: they differ in length.",
                prior=0.7,
            )
            return
