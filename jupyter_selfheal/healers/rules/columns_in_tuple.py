"""PDA113: several columns of a group in one pair of brackets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch


class ColumnsInTuple(Rule):
    """Name several columns as a list.

    **Failure** `ValueError: Cannot subset columns with a tuple with more than one element. Use a list instead.` from
    `df.groupby("k")["a", "b"]`, which pandas 2.0 stopped reading as a list.

    **Fix** `df.groupby("k")[["a", "b"]]`, wherever the failing statement has it. `KeyError: ('a', 'b')` from `df["a", "b"]` likewise.

    **Fix safety** Safe: the list is what the tuple was taken for, and the message asks for it. Of a table only where it has every one of the
    columns, and none that is a tuple.
    """

    code = "PDA113"
    name = "columns in a tuple"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "KeyError"})
    applicability = Applicability.SAFE
    why = "The list selects the columns that the tuple selected until pandas 2.0."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "KeyError":
            yield from self._select_of_table(context)
            return
        if not context.failure.evalue.startswith("Cannot subset columns with a tuple"):
            return
        keys = [
            node.slice
            for node in context.list_nodes_at_failure(ast.Subscript)
            if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) > 1 and _is_grouped(context, node.value)
        ]
        yield self.patch(
            context.replace(context.cell_id, [_write_list(context, key) for key in dict.fromkeys(keys)]),
            "Select the columns with a list",
            "Since pandas 2.0, several columns of a group need a list, not a tuple.",
            prior=0.95,
        )

    def _select_of_table(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            key, owner = node.slice, context.read_plain_chain(node.value)
            if not owner or not isinstance(key, ast.Tuple) or not isinstance(node.ctx, ast.Load):
                continue
            names = [e.value for e in key.elts if isinstance(e, ast.Constant)]
            keys = context.keys(owner)
            if keys is None or keys.type != "DataFrame" or len(names) != len(key.elts) or len(set(names)) < 2:
                continue
            if set(names) <= set(keys.columns) and not any(isinstance(c, tuple) for c in keys.columns):
                yield self.patch(
                    context.replace_here(_write_list(context, key)),
                    "Select the columns with a list",
                    "Several columns of a table need a list, not a tuple.",
                    why="The table has every one of these columns, and none that is a tuple.",
                    prior=0.95,
                )
                return


def _write_list(context: RuleContext, key: ast.expr) -> Splice:
    start, end = context.span(key)
    text = context.source[start:end]
    return start, end, f"[{text[1:-1] if text.startswith('(') else text}]"


def _is_grouped(context: RuleContext, node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "groupby":
        return True
    if not isinstance(node, ast.Name):
        return False
    return any(path.endswith(".DataFrameGroupBy") for path in context.describe_all([node])[0].mro)
