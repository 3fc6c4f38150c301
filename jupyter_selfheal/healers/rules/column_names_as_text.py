"""SKL107: a table some of whose columns are named by numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class ColumnNamesAsText(Rule):
    """Give an estimator a table whose columns are all named by text.

    **Failure** `TypeError: Feature names are only supported if all input features have string names, but your input has ['int', 'str'] as feature
    name / column name types.`

    **Fix** The call gets `X.rename(columns=str)` for `X`; the table itself keeps its names.

    **Fix safety** Safe: values and the order of the columns stay, which is all that an estimator computes with, and the message asks for text.
    """

    code = "SKL107"
    name = "column names that are numbers"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = re.compile(r"Feature names are only supported if all input features have string names")
    applicability = Applicability.SAFE
    why = "Values and the order of the columns stay; only their names, which the message asks for, become text."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure()[:3]:
            arguments = [*call.args, *(k.value for k in call.keywords)]
            kinds = context.describe_all(arguments)
            tables = [a for a, kind in zip(arguments, kinds, strict=True) if kind.is_a("pandas.DataFrame")]
            if tables:
                splices = [(*context.span(table), f"{context.operand(table)}.rename(columns=str)") for table in tables]
                yield self.patch(
                    context.replace(context.cell_id, splices),
                    "Name the columns by text: `.rename(columns=str)`",
                    "Some columns are named by numbers, others by text.",
                    prior=0.9,
                )
                return
