"""PDA181: several aggregates that are given one by one, not as a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.aggregates import AGGREGATES
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class SeveralAggregates(Rule):
    """Give several aggregates as a list.

    **Failure** `ValueError: numeric_only accepts only Boolean values` or `No axis named mean` at `sales.groupby("month")["units"].agg("sum", "mean")`.

    **Fix** `.agg(["sum", "mean"])`.

    **Fix safety** Safe: each of the texts names an aggregate, and `agg` takes several of them as a list only.
    """

    code = "PDA181"
    name = "several aggregates"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError"})
    applicability = Applicability.SAFE
    why = "Each of them names an aggregate, and several are taken as a list only."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if read_last_name(call.func) not in ("agg", "aggregate") or call.keywords or len(call.args) < 2:
                continue
            names = [a.value for a in call.args if isinstance(a, ast.Constant)]
            if len(names) != len(call.args) or not AGGREGATES.issuperset(names):
                return
            start, end = context.span(call.args[0])[0], context.span(call.args[-1])[1]
            text = f"[{context.source[start:end]}]"
            yield self.patch(
                context.replace_here((start, end, text)),
                f"Give the list `{text}`",
                "Several aggregates are a list; the second argument is another thing.",
                prior=0.95,
            )
            return
