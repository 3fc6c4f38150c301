"""PDA105: rows taken by a date's text without ``.loc``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

DATED = ("DatetimeIndex", "PeriodIndex", "TimedeltaIndex")


class RowByLabel(Rule):
    """Take the rows of a date with ``.loc``.

    **Failure** `KeyError: '2013'` from `df['2013']`, where the table's index is of dates and no column has that name.

    **Fix** `df.loc['2013']`, for every such key of the same table in the cell.

    **Fix safety** Safe: no column has the name, the index of dates has such rows, and they are what pandas before 2.0 gave.
    """

    code = "PDA105"
    name = "rows by a date's text"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError"})
    applicability = Applicability.SAFE
    why = "No column has this name and the index is of dates (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_at_failure(ast.Subscript):
            key = context.describe_all([node.slice], calls=True)[0]
            if not key.text or not key.text[:1].isdigit() or key.text not in context.failure.evalue:
                continue
            table = context.table(node.value)
            if not table or not table.columns or key.text in table.columns or not table.index_type.endswith(DATED):
                continue
            if not isinstance(node.ctx, ast.Load) or not context.is_true(
                f"{key.text!r} in ({context.text(node.value)}).index"
            ):
                continue  # no such date, or a column to be deleted
            targets = [node, *_list_alike(context, node, table.columns)]
            yield self.patch(
                context.replace(context.cell_id, _use_loc(context, targets)),
                f"Use `{context.text(node.value)}.loc[{context.text(node.slice)}]`",
                f"`{context.text(node)}` looks for a column, not for the rows of that date.",
                prior=0.9,
            )
            return


def _list_alike(context: RuleContext, node: ast.Subscript, columns: Sequence[object]) -> list[ast.Subscript]:
    """Other subscripts of the same table by a date's text."""
    text = context.text(node.value)
    return [
        other
        for other in context.walk(ast.Subscript)
        if other is not node
        and context.text(other.value) == text
        and isinstance(other.slice, ast.Constant)
        and isinstance(other.slice.value, str)
        and other.slice.value[:1].isdigit()
        and other.slice.value not in columns
    ]


def _use_loc(context: RuleContext, targets: list[ast.Subscript]) -> list[Splice]:
    ends = [context.span(target.value)[1] for target in targets]
    return [(end, end, ".loc") for end in ends]
