"""PDA175: rows and columns that are chosen together without `loc`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class RowsAndColumns(Rule):
    """Choose rows and columns together with `.loc`.

    **Failure** `InvalidIndexError` (until pandas 1.4 `TypeError: unhashable type: 'Series'`) at `homes[homes.rooms > 3, "price"]`.

    **Fix** `homes.loc[homes.rooms > 3, "price"]`.

    **Fix safety** Safe: the first index is one truth value for each row, or all rows, and the second names columns of the table. Silent for anything else.
    """

    code = "PDA175"
    name = "rows and columns without loc"
    stage = Stage.LIBRARY
    enames = frozenset({"InvalidIndexError", "TypeError", "KeyError"})
    applicability = Applicability.SAFE
    why = "There is one truth value for each row, and the names are columns of the table."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_at_failure(ast.Subscript):
            table = context.read_plain_chain(node.value)
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
            keys = context.keys(table) if table and len(parts) == 2 else None
            if table is None or keys is None or keys.type != "DataFrame":
                continue
            rows, columns = parts
            named = columns.elts if isinstance(columns, ast.List) else [columns]
            if not named or not all(isinstance(n, ast.Constant) and n.value in keys.columns for n in named):
                continue
            if not _chooses_rows(context, rows, keys.length):
                continue
            at = context.span(node.value)[1]
            yield self.patch(
                context.replace_here((at, at, ".loc")),
                f"Use `{table}.loc[…, {context.text(columns)}]`",
                "Rows and columns are chosen together with `loc`.",
                prior=0.93,
            )
            return


def _chooses_rows(context: RuleContext, rows: ast.expr, length: int) -> bool:
    """Whether an index is ``:``, or has one truth value for each row."""
    if isinstance(rows, ast.Slice):
        return rows.lower is rows.upper is rows.step is None
    live = context.describe_all([rows], calls=True)[0]
    return live.is_a("pandas.Series", "numpy.ndarray") and live.dtype in ("bool", "boolean") and live.length == length
