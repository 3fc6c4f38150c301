"""PDA159: periods of time asked of dates that are texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import find_line_span
from jupyter_selfheal.model import Applicability, Patch

ISO = r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?"
DATES = re.compile(r"Only valid with DatetimeIndex|window must be an integer|compatible with a datetimelike index")


class TextsAsTimeIndex(Rule):
    """Make dates of texts before they are grouped by periods.

    **Failure** `TypeError: Only valid with DatetimeIndex, TimedeltaIndex or PeriodIndex, but got an instance of 'Index'` at `df.resample("ME")` or
    `df.resample("ME", on="day")`; `ValueError: window must be an integer 0 or greater` at `df.rolling("7D")`.

    **Fix** Above the statement `df.index = pd.to_datetime(df.index)`, or the same for the column.

    **Fix safety** Safe: every text is an ISO date. Unsafe for dates in another form that pandas reads, whose day and month may be exchanged. Silent
    where one is none.
    """

    code = "PDA159"
    name = "texts as an index of dates"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError"})
    message = DATES
    applicability = Applicability.SAFE
    why = "Every text is an ISO date, which has one reading."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.calls_at_failure():
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr not in ("resample", "rolling", "asfreq", "groupby"):
                continue
            table = context.plain_chain(func.value)
            if not table and isinstance(func.value, ast.Subscript):
                table = context.plain_chain(func.value.value)
            if not table:
                continue
            column = next((k.value for k in call.keywords if k.arg == "on"), None)
            place = f"{table}[{context.text(column)}]" if column is not None else f"{table}.index"
            texts = f"__import__('pandas').Series({place}).dropna()"
            known = context.reference("pandas.to_datetime")
            is_text = f"len({texts}) and all(isinstance(t, str) for t in {texts})"
            if known is None or not context.is_true(is_text):
                continue
            is_iso = context.is_true(f"{texts}.str.fullmatch({ISO!r}).all()")
            if not is_iso and not context.is_true(f"{known.text}({texts}, errors='coerce').notna().all()"):
                return
            line = f"{place} = {known.text}({place})"
            at, indent = _find_statement(context, call)
            imports = context.add_imports([known.import_line] if known.import_line else [])
            yield self.patch(
                context.replace_here(*imports, (at, at, f"{line}\n{indent}")),
                f"Make dates of the texts first: `{line}`",
                f"`{place}` holds texts, not dates.",
                applicability=Applicability.SAFE if is_iso else Applicability.UNSAFE,
                why=self.why if is_iso else "Day and month may be exchanged.",
                prior=0.93 if is_iso else 0.7,
            )
            return


def _find_statement(context: RuleContext, call: ast.Call) -> tuple[int, str]:
    """Where the innermost statement around a call begins, and its indentation."""
    start, end = context.span(call)
    around = [n for n in context.walk(ast.stmt) if context.span(n)[0] <= start and end <= context.span(n)[1]]
    innermost = max(around, key=lambda n: context.span(n)[0])
    at = context.span(innermost)[0]
    return at, context.source[find_line_span(context.source, innermost.lineno)[0] : at]
