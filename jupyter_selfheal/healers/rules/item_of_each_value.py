"""PDA196: an item that each value of a column has, asked of the column."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class ItemOfEachValue(Rule):
    """Take an item out of each dictionary of a column.

    **Failure** `KeyError: 'lat'` at `df["place"]["lat"]`, where every value of the column is a dictionary.

    **Fix** `df["place"].str["lat"]`.

    **Fix safety** Safe: the column has no row of this label, and every dictionary in it has the key. Silent where one has not.
    """

    code = "PDA196"
    name = "item of each value"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError"})
    applicability = Applicability.SAFE
    why = "No row has this label, and every dictionary of the column has the key."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            column = context.read_plain_chain(node.value)
            if (
                not column
                or not isinstance(node.ctx, ast.Load)
                or not (isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str))
                or not context.describe_all([column])[0].is_a("pandas.Series")
            ):
                continue
            values = f"[_ for _ in {column} if not isinstance(_, float)]"
            if not context.is_true(
                f"len({values}) and all(isinstance(_, dict) and {node.slice.value!r} in _ for _ in {values})"
            ):
                return
            at = context.span(node.value)[1]
            yield self.patch(
                context.replace_here((at, at, ".str")),
                f"Use `{column}.str[{context.text(node.slice)}]`",
                f"`{column}` is a column of dictionaries, and it is they that have {context.text(node.slice)}.",
                prior=0.93,
            )
            return
