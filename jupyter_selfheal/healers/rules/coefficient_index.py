"""SKL104: coefficients of a fitted estimator with one index too many."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

FITTED = ("intercept_", "coef_")


class CoefficientIndex(Rule):
    """Take as many indices as the coefficients of a fitted estimator have dimensions.

    **Failure** `IndexError: invalid index to scalar variable.` from `model.intercept_[0]` or `model.coef_[0][0]`, where the
    estimator keeps one dimension less than it did for a target of one column.

    **Fix** The index that is too many is taken out, of every coefficient in the statement.

    **Fix safety** Safe: the live attribute has fewer dimensions, and an index of 0 in a dimension of one selects what is there.
    """

    code = "SKL104"
    name = "index too many for coefficients"
    stage = Stage.LIBRARY
    enames = frozenset({"IndexError", "TypeError"})
    message = re.compile("invalid index to scalar|not subscriptable|too many indices")
    applicability = Applicability.SAFE
    why = "The live attribute has one dimension less, and index 0 of the missing one is what is there."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        statement = next(
            (n for n in context.list_nodes_at_failure(ast.stmt) if isinstance(n, ast.Assign | ast.Expr | ast.Return)),
            context.tree,
        )
        splices = [s for node in ast.walk(statement) if isinstance(node, ast.Attribute) and node.attr in FITTED
                   for s in _drop_last_index(context, node)]  # fmt: skip
        if splices:
            yield self.patch(
                context.replace(context.cell_id, splices),
                "Remove the extra index",
                "The fitted coefficients have one dimension fewer than the code expects.",
                prior=0.9,
            )


def _drop_last_index(context: RuleContext, node: ast.Attribute) -> list[Splice]:
    """The last ``[0]`` behind the attribute, where there are more than it has dimensions."""
    chain: list[ast.Subscript] = []
    at: ast.expr = node
    while parent := next((n for n in context.walk(ast.Subscript) if n.value is at), None):
        chain.append(parent)
        at = parent
    dimensions = context.describe_all([node], calls=True)[0].ndim
    keys = [s.slice for s in chain]
    extra = len(chain) - max(dimensions, 0)
    if extra != 1 or not all(isinstance(k, ast.Constant) and k.value == 0 for k in keys[-1:]):
        return []
    last = chain[-1]
    return [(context.span(last.value)[1], context.span(last)[1], "")]
