"""MPL122: vectors of their own beside the table that a plot of seaborn is given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.model import Applicability, Patch

VARIABLES = frozenset({"x", "y", "hue", "size", "style", "units", "weights", "col", "row"})
"""Arguments that name a column of the table, or are a vector (https://seaborn.pydata.org/tutorial/data_structure.html)."""


class VectorsBesideTable(Rule):
    """Leave out the table that a plot of vectors doesn't read.

    **Failure** `ValueError: Length of list vectors must match length of data when both are used, but data has length 11162 and the vector
    passed to x has length 3` at `sns.barplot(x=labels, y=counts, data=visits)`.

    **Fix** `sns.barplot(x=labels, y=counts)`.

    **Fix safety** Safe: no argument names a column, so nothing of the table was ever drawn; until seaborn 0.12 it was not looked at. Silent where one
    does, and where the vectors differ in length.
    """

    code = "MPL122"
    name = "vectors beside a table"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(r"^Length of \w+ vectors must match length of `data` when both are used")
    applicability = Applicability.SAFE
    why = "No argument names a column of it: seaborn drew the vectors and never looked at the table."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            table = next((k for k in call.keywords if k.arg == "data"), None)
            vectors = [k.value for k in call.keywords if k.arg in VARIABLES]
            if table is None or not vectors or call.args or any(k.arg is None for k in call.keywords):
                continue
            texts = [context.operand(v) for v in vectors if not (isinstance(v, ast.Constant) and v.value is None)]
            listed = ", ".join(texts)
            if context.is_true(
                f"len({{len(v) for v in ({listed},)}}) == 1 and not any(isinstance(v, str) for v in ({listed},))"
            ):
                yield self.patch(
                    context.replace_here(build_argument_splice(context, call, table, "")),
                    f"Leave out `{context.text(table)}`",
                    f"`{context.text(table.value)}` has another length than what is drawn, and no column of it is.",
                    removes=f"`{context.text(table)}`, of which nothing is drawn",
                    prior=0.92,
                )
                return
