"""PDA169: a row that is asked for by what one of its columns holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import quote_alike
from jupyter_selfheal.model import Applicability, Patch


class RowByValue(Rule):
    """Look a row up in the column that names the rows.

    **Failure** `KeyError: 'A'` from `prices.loc["A", "close"]`, where the rows are only counted and the column `ticker` holds `"A"`.

    **Fix** `prices.set_index("ticker").loc["A", "close"]`.

    **Fix safety** Safe: one column alone holds the text, and all its values differ, so that it names one row. Silent where something is assigned to the row, where two columns hold
    the text, and where rows have names already.
    """

    code = "PDA169"
    name = "row by a value"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError"})
    applicability = Applicability.SAFE
    why = "One column alone holds the text, once, and all its values differ."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_at_failure(ast.Subscript):
            indexer = node.value
            if (
                not isinstance(indexer, ast.Attribute)
                or indexer.attr not in ("loc", "at")
                or not _is_read(context, node)
            ):
                continue
            row = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            key = context.describe_all([row], calls=True)[0]
            table = context.text(indexer.value)
            keys = context.keys(table)
            if key.type != "str" or keys is None or not keys.is_table:
                continue
            if not context.is_true(f"type(({table}).index).__name__ == 'RangeIndex'"):
                return
            value = context.text(row)
            holding = [
                c
                for c in keys.columns
                if isinstance(c, str) and context.is_true(f"bool((({table})[{c!r}] == ({value})).sum() == 1)")
            ]
            if len(holding) != 1 or not context.is_true(f"({table})[{holding[0]!r}].is_unique"):
                return
            name = quote_alike(holding[0], context.source)
            at = context.span(indexer.value)[1]
            yield self.patch(
                context.replace_here((at, at, f".set_index({name})")),
                f"Look it up in the column {name}",
                f"The rows of `{table}` are only counted; the column {name} names them.",
                prior=0.9,
            )
            return


def _is_read(context: RuleContext, node: ast.expr) -> bool:
    """Whether what is looked up is read: nothing is assigned to it or to a part of it, and it is no statement that may change it."""
    parents = src.read(context.source).parents
    part: ast.AST = node
    above = parents.get(node)
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return False
    while isinstance(above, ast.Subscript | ast.Attribute) or (isinstance(above, ast.Call) and above.func is part):
        if not isinstance(above, ast.Call) and not isinstance(above.ctx, ast.Load):
            return False
        part, above = above, parents.get(above)
    return not isinstance(above, ast.Expr | ast.AugAssign | ast.Delete) or _is_last(context, above)


def _is_last(context: RuleContext, statement: ast.AST) -> bool:
    """Whether a statement is the last of its cell, which is shown; a call of a method there may change what it is called on."""
    is_last = bool(context.tree.body) and statement is context.tree.body[-1]
    return is_last and isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Call)
