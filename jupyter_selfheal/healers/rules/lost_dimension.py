"""NPA106: a reduction along rows that does not fit its own array."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name, read_literal
from jupyter_selfheal.model import Applicability, Failure, Patch

SHAPES = re.compile(r"operands could not be broadcast together with shapes \((\d+),(\d+)\) \((\d+),\)")
REDUCTIONS = frozenset(
    {"mean", "sum", "std", "var", "min", "max", "median", "prod", "amin", "amax", "norm", "any", "all"}
)


class LostDimension(Rule):
    """Keep the dimension that a reduction takes away, so that its result fits the array again.

    **Failure** `ValueError: operands could not be broadcast together with shapes (4,3) (4,)` at `scores - scores.mean(axis=1)`.

    **Fix** `keepdims=True` in the reduction; where the reduction has a name, `means[:, None]`. Then `axis=0`, one value per column.

    **Fix safety** Unsafe where something beside it is reduced to one value per column. Safe: the second operand has one value for each row, and the array has as many rows and another number of columns.
    """

    code = "NPA106"
    name = "lost dimension"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    applicability = Applicability.SAFE
    why = "There is one value for each row, and no other way to fit it."

    def matches(self, failure: Failure) -> bool:
        match = SHAPES.search(failure.evalue) if super().matches(failure) else None
        return match is not None and match[1] == match[3] != match[2]

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        node = next(iter(context.list_nodes_at_failure(ast.BinOp)), None)
        if not isinstance(node, ast.BinOp):
            return
        text = context.text(node.right)
        if isinstance(node.right, ast.Call) and _is_reduction(node.right):
            end = context.span(node.right)[1] - 1
            change, new = (end, end, ", keepdims=True"), "keepdims=True"
        elif context.describe_all([node.right])[0].is_a("numpy.ndarray"):
            new = f"{context.operand(node.right)}[:, None]"
            change = (*context.span(node.right), new)
        else:
            return
        mixed = _reduces_columns(context)
        yield self.patch(
            context.replace(context.cell_id, [change]),
            f"Use `{new}`",
            f"`{text}` has one value per row, which doesn't match the columns.",
            applicability=Applicability.UNSAFE if mixed else None,
            why=f"`{mixed}` beside it has one value per column, and this may be meant to have so, too."
            if mixed
            else "",
            prior=0.6 if mixed else 0.85,
        )
        axis = find_keyword(node.right, "axis") if isinstance(node.right, ast.Call) else None
        if axis is not None:
            yield self.patch(
                context.replace_here((*context.span(axis.value), "0")),
                "Reduce to one value per column: `axis=0`",
                f"`{text}` has one value per row, which doesn't match the columns.",
                applicability=Applicability.UNSAFE,
                why="One value per row may be meant.",
                prior=0.7 if mixed else 0.5,
            )


def _reduces_columns(context: RuleContext) -> str:
    """A reduction to one value per column beside the failing operation: ``(X - X.mean(axis=1)) / X.std(axis=0)``."""
    statement = context.failing_statement
    for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call)) if statement is not None else ():
        axis = find_keyword(call, "axis")
        if read_last_name(call.func) in REDUCTIONS and axis is not None and read_literal(axis.value) == (True, 0):
            return context.text(call)
    return ""


def _is_reduction(call: ast.Call) -> bool:
    """Whether a call gives one value for each row, and may keep their dimension."""
    axis = find_keyword(call, "axis")
    along_rows = axis is not None and read_literal(axis.value) in ((True, 1), (True, -1))
    return read_last_name(call.func) in REDUCTIONS and along_rows and find_keyword(call, "keepdims") is None
