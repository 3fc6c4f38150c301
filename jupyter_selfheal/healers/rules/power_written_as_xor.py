"""TYP223: `^` between numbers with a point, where a power is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch


class PowerWrittenAsXor(Rule):
    """Write a power as `**`.

    **Failure** `TypeError: unsupported operand type(s) for ^: 'float' and 'int'` at `3.14 * r ^ 2`, `ufunc 'bitwise_xor' not supported for the input types`.

    **Fix** `3.14 * r ** 2`, for every `^` of the statement; `x ^= 2` becomes `x **= 2`.

    **Fix safety** Safe: `^` is the exclusive or of whole numbers, which no number with a point has.
    """

    code = "TYP223"
    name = "power written as ^"
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"for \^=?: (?:'float' and '(?:int|float)'|'int' and 'float')|ufunc 'bitwise_xor' not supported"
    )
    applicability = Applicability.SAFE
    why = "Numbers with a point have no exclusive or, and in mathematics the sign is that of a power."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        splices: list[Splice] = []
        for node in context.nodes_on_line(ast.AST):
            if not isinstance(node, ast.BinOp | ast.AugAssign) or not isinstance(node.op, ast.BitXor):
                continue
            left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
            start, end = context.span(left)[1], context.span(right)[0]
            at = context.source.find("^", start, end)
            if at >= 0:
                splices.append((at, at + 1, "**"))
        if splices:
            cause = "`^` is the exclusive or of whole numbers; a power is `**`."
            yield self.patch(
                context.replace(context.cell_id, sorted(set(splices))), "Write the power as `**`", cause, prior=0.92
            )
