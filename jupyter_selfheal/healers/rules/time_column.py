"""PDA137: periods of time asked of a table whose dates are in a column."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class TimeColumn(Rule):
    """Name the column of dates to `resample` and `Grouper`.

    **Failure** `TypeError: Only valid with DatetimeIndex, TimedeltaIndex or PeriodIndex, but got an instance of 'RangeIndex'` at
    `df.resample("ME")`.

    **Fix** `df.resample("ME", on="day")`; `df.groupby(pd.Grouper(freq="ME", key="day"))`.

    **Fix safety** Safe: the table has one column of dates, and its index counts rows. Silent where there are two, or none.
    """

    code = "PDA137"
    name = "column of dates"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = re.compile(r"Only valid with DatetimeIndex")
    applicability = Applicability.SAFE
    why = "The table has one column of dates, and its index holds none."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.calls_at_failure():
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("resample", "groupby"):
                continue
            table = context.text(call.func.value)
            if not context.describe_all([table], calls=True)[0].is_a("pandas.DataFrame"):
                continue
            how, word = (call, "on") if call.func.attr == "resample" else (_find_grouper(call), "key")
            if how is None or any(k.arg in ("on", "key", "level") for k in how.keywords):
                return
            keys = context.keys(table)
            dates = [
                c for c in (keys.columns if keys is not None else ())
                if isinstance(c, str) and context.is_true(f"str(({table})[{c!r}].dtype).startswith('datetime64')")
            ]  # fmt: skip
            if len(dates) != 1:
                return
            end = context.span(how)[1] - 1
            new = f'{", " if how.args or how.keywords else ""}{word}="{dates[0]}"'
            yield self.patch(
                context.replace_here((end, end, new)),
                f'Name the column of dates: `{word}="{dates[0]}"`',
                f"The index of `{table}` holds no dates; `{dates[0]}` does.",
                prior=0.93,
            )
            return


def _find_grouper(call: ast.Call) -> ast.Call | None:
    for given in (*call.args, *(k.value for k in call.keywords)):
        for node in given.elts if isinstance(given, ast.List) else [given]:
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "Grouper":
                return node
    return None
