"""PDA113: several columns of a group in one pair of brackets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class ColumnsInTuple(Rule):
    """Name several columns as a list.

    **Failure** `ValueError: Cannot subset columns with a tuple with more than one element. Use a list instead.` from
    `df.groupby("k")["a", "b"]`, which pandas 2.0 stopped reading as a list.

    **Fix** `df.groupby("k")[["a", "b"]]`, wherever the failing statement has it.

    **Fix safety** Safe: the list is what the tuple was taken for, and the message asks for it.
    """

    code = "PDA113"
    name = "columns in a tuple"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    applicability = Applicability.SAFE
    why = "The list selects the columns that the tuple selected until pandas 2.0."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not context.failure.evalue.startswith("Cannot subset columns with a tuple"):
            return
        keys = [
            node.slice
            for node in context.nodes_at_failure(ast.Subscript)
            if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) > 1 and _is_grouped(context, node.value)
        ]
        splices = []
        for key in dict.fromkeys(keys):
            start, end = context.span(key)
            text = context.source[start:end]
            inner = text[1:-1] if text.startswith("(") else text
            splices.append((start, end, f"[{inner}]"))
        yield self.patch(
            context.replace(context.cell_id, splices),
            "Select the columns with a list",
            "Since pandas 2.0, several columns of a group need a list, not a tuple.",
            prior=0.95,
        )


def _is_grouped(context: RuleContext, node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "groupby":
        return True
    if not isinstance(node, ast.Name):
        return False
    return any(path.endswith(".DataFrameGroupBy") for path in context.describe_all([node])[0].mro)
