"""PDA157: a table that is turned by two columns whose pairs come more than once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_keyword
from jupyter_selfheal.model import Patch

WAYS = {"sum": "their sum", "mean": "their mean", "first": "the first", "count": "their number"}
"""What may be made of several values, the likeliest first; the stored output tells which was meant. As many as a question has answers."""


class RepeatedInPivot(Rule):
    """Make one value of several where a table is turned.

    **Failure** `ValueError: Index contains duplicate entries, cannot reshape` at `df.pivot(index="store", columns="item", values="qty")`.

    **Fix** `df.pivot_table(index="store", columns="item", values="qty", aggfunc="sum")`, with `mean`, `first` and `count` beside it; `first` is
    the first one where the rows that come twice have the same value.

    **Fix safety** Unsafe: whether they are to be summed, averaged or counted stands nowhere, and rows that come twice may be a fault of the data.
    """

    code = "PDA157"
    name = "repeated entries of a pivot"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    why = "What is to be made of several values stands nowhere, and the data may hold rows twice."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "duplicate entries, cannot reshape" not in context.failure.evalue:
            return
        for call in context.list_calls_at_failure():
            if not isinstance(call.func, ast.Attribute) or call.func.attr != "pivot" or not call.keywords:
                continue
            values = find_keyword(call, "values")
            is_text = values is not None and _is_text(context, call, values.value)
            name, end = context.find_attribute_span(call.func), context.span(call)[1] - 1
            comma = "" if context.source[:end].rstrip().endswith(",") else ", "
            ways = ("first", "count") if is_text else tuple(WAYS)
            if not is_text and _is_same_value(context, call):
                ways = ("first", *(w for w in WAYS if w != "first"))
            for n, way in enumerate(ways):
                yield self.patch(
                    context.replace_here((*name, "pivot_table"), (end, end, f'{comma}aggfunc="{way}"')),
                    f'Decide what becomes of several values: here {WAYS[way]} (`aggfunc="{way}"`)',
                    "Some pairs of index and column come more than once, and one value is wanted of each.",
                    prior=0.6 - n / 20,
                )
            return


def _is_text(context: RuleContext, call: ast.Call, values: ast.expr) -> bool:
    """True for a column that can be neither summed nor averaged."""
    table = call.func.value if isinstance(call.func, ast.Attribute) and not call.args else None
    if table is None or not context.read_plain_chain(table):
        return False
    column = f"({context.text(table)})[{context.text(values)}]"
    return not context.is_true(f"getattr(({column}).dtype, 'kind', 'O') in 'iufb'")


def _is_same_value(context: RuleContext, call: ast.Call) -> bool:
    """True where rows that come more than once have the same value each time."""
    given = {k.arg: k.value for k in call.keywords}
    parts = [given.get(name) for name in ("index", "columns", "values")]
    if not isinstance(call.func, ast.Attribute) or not all(isinstance(p, ast.Constant) for p in parts):
        return False
    index, columns, values = (context.text(p) for p in parts if p is not None)
    rows = f"({context.text(call.func.value)}).drop_duplicates([{index}, {columns}, {values}])"
    return context.is_true(f"not {rows}.duplicated([{index}, {columns}]).any()")
