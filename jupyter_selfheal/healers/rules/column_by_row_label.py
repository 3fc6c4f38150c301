"""PDA155: a column that is asked for among the rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"^['\"][^'\"]+['\"]$|^\"?None of \[.*\] are in the \[index\]|Cannot index by location index with a non-integer key"
)


class ColumnByRowLabel(Rule):
    """Ask for a column by its name, where the rows were asked.

    **Failure** `KeyError: 'price'` at `df.loc["price"]`, `KeyError: "None of [Index(['a', 'b'])] are in the [index]"` at `df.loc[["a", "b"]]`, `TypeError: Cannot index by
    location index with a non-integer key` at `df.iloc["price"]`.

    **Fix** `df["price"]`, `df[["a", "b"]]`.

    **Fix safety** Safe: all that is asked for are columns, and none of it is a row. Silent where one is a row or neither, where rows have several levels, and where something is
    assigned.
    """

    code = "PDA155"
    name = "column asked for among the rows"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The table has these columns, and no such rows."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            indexer = node.value
            if not isinstance(node.ctx, ast.Load) or not isinstance(indexer, ast.Attribute):
                continue
            asked = node.slice.elts if isinstance(node.slice, ast.List) else [node.slice]
            names = [a.value for a in asked if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            if indexer.attr not in ("loc", "iloc") or not asked or len(names) != len(asked):
                continue
            keys = context.keys(indexer.value)
            if keys is None or keys.type != "DataFrame" or len(keys.index_names) > 1:
                continue
            if any(name not in keys.columns or name in keys.index for name in names):
                continue
            table = context.text(indexer.value)
            yield self.patch(
                context.replace_here((context.span(indexer.value)[1], context.span(indexer)[1], "")),
                f"Use `{table}[{context.text(node.slice)}]`",
                f"`{names[0]}` is a column of `{table}`, and no row.",
                prior=0.92,
            )
            return
