"""PDA101: an offset alias that pandas has renamed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.model import Applicability, Patch

ENDS = {
    "M": "ME",
    "Q": "QE",
    "A": "YE",
    "Y": "YE",
    "BM": "BME",
    "BQ": "BQE",
    "BA": "BYE",
    "BY": "BYE",
    "SM": "SME",
    "CBM": "CBME",
}
STARTS = {"AS": "YS", "BAS": "BYS"}
SMALL = {"H": "h", "BH": "bh", "CBH": "cbh", "T": "min", "S": "s", "L": "ms", "U": "us", "N": "ns"}
PERIODS = {"A": "Y", "BM": "BM", **SMALL}
"""A period has no end or start: only these of its aliases changed."""

WORDS = {
    "mo": "ME", "month": "ME", "monthly": "ME", "qtr": "QE", "quarter": "QE", "quarterly": "QE", "yr": "YE", "year": "YE", "yearly": "YE",
    "annual": "YE", "wk": "W", "week": "W", "weekly": "W", "day": "D", "daily": "D", "hr": "h", "hour": "h", "hourly": "h", "min": "min",
    "minute": "min", "sec": "s", "second": "s",
}  # fmt: skip
"""What is written for a frequency that has an alias, in the singular."""

ALIAS = re.compile(r"^(-?\d*(?:\.\d+)?)([A-Za-z]+)((?:-[A-Z]{3}){0,2})$")
TAKES_PERIODS = frozenset({"Period", "PeriodIndex", "period_range", "to_period", "asfreq"})
TAKES_OFFSETS = frozenset({
    "date_range", "bdate_range", "timedelta_range", "resample", "asfreq", "Grouper", "TimeGrouper", "to_offset", "shift", "tshift",
    "Timedelta", "to_timedelta", "floor", "ceil", "round", "DatetimeIndex", "rolling", "groupby", "infer_freq", "between_time",
})  # fmt: skip


class FrequencyAlias(Rule):
    """Use a frequency's current alias.

    **Failure** `ValueError: Invalid frequency: M. Failed to parse with error message: ValueError("'M' is no longer supported for
    offsets. Please use 'ME' instead.")`

    **Fix** Every frequency in the failing call and in like calls of the cell: `M Q A Y` → `ME QE YE YE`, `BM BQ BA` → `BME BQE BYE`,
    `AS BAS` → `YS BYS`, `H T S L U N` → `h min s ms us ns`, with their multiples and anchors (`2H`, `Q-NOV`). For a `Period`
    only what has changed for periods: `M` stays `M`. A word for one (`"weekly"`, `"month"`) becomes its alias.

    **Fix safety** Safe: the aliases mean the same offsets, as the release notes of pandas 2.2 and 3.0 list them. Unsafe for the words of a month, a quarter or a year, whose start may be meant, and of a week in `date_range`.
    """

    code = "PDA101"
    name = "frequency alias"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "KeyError", "TypeError"})
    message = re.compile(
        r"[Ii]nvalid frequency|no longer supported for|is not supported as period frequency|[Ii]nvalid unit|"
        r"unit abbreviation|Units '\w', '\w' and '\w'|is deprecated.*frequency"
    )
    warning = re.compile(
        r"^'[\w.-]+' is deprecated and will be removed in a future version[,.] [Pp]lease use '|Units? '\w'"
    )
    applicability = Applicability.SAFE
    why = (
        "The alias is a new name of the same offset (https://pandas.pydata.org/docs/whatsnew/v2.2.0.html, v3.0.0.html)."
    )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        calls = context.list_calls_at_failure()
        nearest = next((c for c in calls if _mend_call(context, c)), None)
        targets = [c for c in context.walk(ast.Call) if read_last_name(c.func) in TAKES_OFFSETS | TAKES_PERIODS]
        splices: dict[Splice, None] = {}
        for call in ([nearest] if nearest is not None else []) + targets:
            splices.update(dict.fromkeys(_mend_call(context, call)))
        if nearest is None:
            splices.update(dict.fromkeys(_mend_assignments(context)))
        if not splices:
            yield from self._read_word(context, calls)
            return
        start, end, text = next(iter(splices))
        is_short = nearest is not None and "ME" in text and _is_within_a_month(context, nearest)
        yield self.patch(
            context.replace(context.cell_id, splices),
            f"Change the frequency {context.source[start:end]} to {text}",
            "pandas renamed this frequency alias.",
            applicability=Applicability.UNSAFE if is_short else Applicability.SAFE,
            why="All of the data lie within a month: minutes (`min`) may be meant." if is_short else self.why,
            prior=0.6 if is_short else 0.92,
        )

    def _read_word(self, context: RuleContext, calls: Sequence[ast.Call]) -> Iterator[Patch]:
        """``resample("month")``: the word for it, where a frequency's alias is wanted."""
        for call in calls:
            is_range = (
                read_last_name(call.func) == "date_range"
            )  # `W` begins on a Sunday, and every seventh day may be meant
            for node in (*call.args, *(k.value for k in call.keywords)):
                match = (
                    ALIAS.match(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
                )
                alias = WORDS.get(match[2].casefold().removesuffix("s"), "") if match is not None else ""
                if match is None or not alias or match[2] not in context.failure.evalue:
                    continue
                is_period = read_last_name(call.func) in TAKES_PERIODS - {"asfreq"} or _is_period(context, call)
                new = match[1] + (alias.removesuffix("E") if is_period else alias)
                is_edge = not is_period and (alias.endswith("E") or (alias == "W" and is_range))
                yield self.patch(
                    context.replace_here((*context.span(node), repr(new))),
                    f"Change the frequency {context.text(node)} to {new!r}",
                    f"pandas has an alias for this frequency: `{new}`.",
                    applicability=Applicability.UNSAFE if is_edge else Applicability.SAFE,
                    why="Its start may be meant." if is_edge else "The word says which frequency is meant.",
                    prior=0.7 if is_edge else 0.9,
                )
                return


def modernize_alias(text: str, *, period: bool) -> str:
    """The alias of today, or the same text. ``2H`` → ``2h``, ``Q-NOV`` → ``QE-NOV`` (``Q-NOV`` for a period)."""
    match = ALIAS.match(text)
    if match is None:
        parts = re.findall(r"\d+[A-Za-z]+", text)
        if len(parts) > 1 and "".join(parts) == text:
            return "".join(modernize_alias(p, period=period) for p in parts)
        return text
    number, name, anchor = match.groups()
    table = PERIODS if period else {**ENDS, **STARTS, **SMALL}
    return number + table.get(name, name) + anchor


def _mend_call(context: RuleContext, call: ast.Call) -> list[Splice]:
    last = read_last_name(call.func)
    period = last in TAKES_PERIODS - {"asfreq"} or (
        last in ("asfreq", "shift", "resample") and _is_period(context, call)
    )
    return [
        splice
        for name, node in [("", a) for a in call.args] + [(k.arg or "", k.value) for k in call.keywords]
        if name in ("", "freq", "rule", "offset", "unit", "period", "window")
        for splice in _mend_constant(context, node, period=period)
    ]


def _is_within_a_month(context: RuleContext, call: ast.Call) -> bool:
    """``ticks.resample("M")`` of two hours of data: months are hardly meant."""
    owner = context.read_plain_chain(call.func.value) if isinstance(call.func, ast.Attribute) else None
    return owner is not None and context.is_true(f"({owner}.index.max() - {owner}.index.min()).days < 28")


def _is_period(context: RuleContext, call: ast.Call) -> bool:
    """True where what the method is called on is live a period, or an index or a table of periods."""
    if not isinstance(call.func, ast.Attribute):
        return False
    made = _list_makers(context, call.func.value)
    if made:
        return not made.isdisjoint(TAKES_PERIODS)
    live = context.describe_all([call.func.value], calls=True)[0]
    table = context.table(call.func.value)
    return live.is_a("pandas.Period", "pandas.PeriodIndex") or (table is not None and "Period" in table.index_type)


def _list_makers(context: RuleContext, node: ast.expr) -> set[str]:
    """Names of the functions whose calls lead to the value, where the cell itself makes it: the live one is older."""
    names, made = list_names(node), set[str]()
    for assignment in reversed([n for n in context.walk(ast.Assign) if n.lineno < node.lineno]):
        if any(isinstance(target, ast.Name) and target.id in names for target in assignment.targets):
            names |= list_names(assignment.value)
            made |= {read_last_name(n.func) for n in ast.walk(assignment.value) if isinstance(n, ast.Call)} | {""}
    return made


def _mend_constant(context: RuleContext, node: ast.expr, *, period: bool) -> list[Splice]:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return []
    new = modernize_alias(node.value, period=period)
    if new == node.value:
        return []
    mark = context.text(node)[:1]
    return [(*context.span(node), f"{mark}{new}{mark}" if mark in "'\"" else repr(new))]


def _mend_assignments(context: RuleContext) -> list[Splice]:
    """A frequency that the failing call gets by a name: the assignment of that name in the cell."""
    given = {
        n.id
        for c in context.list_calls_at_failure()[:2]
        for n in [*c.args, *(k.value for k in c.keywords)]
        if isinstance(n, ast.Name)
    }
    return [
        splice
        for node in context.walk(ast.Assign)
        if any(isinstance(t, ast.Name) and t.id in given for t in node.targets)
        for splice in _mend_constant(context, node.value, period=False)
    ]
