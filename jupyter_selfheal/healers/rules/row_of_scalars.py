"""PDA176: a table of one row that is made of single values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class RowOfScalars(Rule):
    """Make a table of one row of a dictionary of single values.

    **Failure** `ValueError: If using all scalar values, you must pass an index` at `pd.DataFrame({"town": "Ulm", "price": 3})`.

    **Fix** `pd.DataFrame([{"town": "Ulm", "price": 3}])`.

    **Fix safety** Unsafe: a row for each key may be meant. Silent where the call has other arguments.
    """

    code = "PDA176"
    name = "row of single values"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(r"^If using all scalar values, you must pass an index")
    applicability = Applicability.UNSAFE
    why = "One row of these values may be meant, or a row for each of them."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if read_last_name(call.func) != "DataFrame" or len(call.args) != 1 or call.keywords:
                continue
            given = call.args[0]
            if not context.describe_all([given], calls=True)[0].is_a("dict"):
                continue
            text = f"[{context.text(given)}]"
            yield self.patch(
                context.replace_here((*context.span(given), text)),
                "Make one row of the values",
                "A dictionary gives a table its columns, and single values do not say how many rows there are.",
                prior=0.8,
            )
            return
