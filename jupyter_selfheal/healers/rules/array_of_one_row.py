"""NPA131: an array of one row, or of one column, where the values of a column are taken."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"^Length of values \(1\) does not match length of index|Per-column arrays must each be 1-dimensional|"
    r"Data must be 1-dimensional, got ndarray of shape \((?:\d+, 1|1, \d+)\)"
)


class ArrayOfOneRow(Rule):
    """Take the one row of an array, or its one column.

    **Failure** `ValueError: Length of values (1) does not match length of index (4)` at `pd.Series(model.coef_, index=X.columns)`, `Per-column arrays must each be 1-dimensional` at
    `pd.DataFrame({"feature": X.columns, "weight": model.coef_})`.

    **Fix** `model.coef_[0]`; `[:, 0]` for an array of one column.

    **Fix safety** Safe: the array has no other row, or no other column. Silent where there are several of both.
    """

    code = "NPA131"
    name = "array of one row for a column"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The array has only this row, or column."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            given = [*call.args, *(k.value for k in call.keywords if k.arg == "data")]
            values = [v for g in given for v in (g.values if isinstance(g, ast.Dict) else [g])]
            plain = [v for v in values if isinstance(v, ast.Name | ast.Attribute | ast.Subscript | ast.Call)]
            lives = context.describe_all(plain, calls=True)
            arrays = [v for v, live in zip(plain, lives, strict=True) if live.is_a("numpy.ndarray") and live.ndim == 2]
            ways = {n: way for n in arrays if (way := _find_way(context, n))}
            if not ways or len(ways) < len(arrays):
                continue
            first = next(iter(ways))
            shown = f"{context.text(first)}{ways[first]}"
            yield self.patch(
                context.replace_here(*((context.span(n)[1], context.span(n)[1], way) for n, way in ways.items())),
                f"Take its one {'row' if ways[first] == '[0]' else 'column'}: `{shown}`",
                f"`{context.text(first)}` has two dimensions, and a column has one.",
                prior=0.92,
            )
            return


def _find_way(context: RuleContext, array: ast.expr) -> str:
    shape = f"{context.operand(array)}.shape"
    is_row, is_column = (context.is_true(f"{shape}[{n}] == 1 and {shape}[{1 - n}] > 1") for n in (0, 1))
    return "[0]" if is_row else "[:, 0]" if is_column else ""
