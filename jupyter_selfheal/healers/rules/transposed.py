"""NPA113: a product of matrices that fits with one of them transposed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class Transposed(Rule):
    """Transpose the matrix that fits a product the other way round.

    **Failure** `ValueError: matmul: Input operand 1 has a mismatch in its core dimension 0`, `shapes (10,4) and (3,4) not aligned`.

    **Fix** `X.T @ X` for `X.T * X`; `X @ W.T`; `X.T @ W` where only that fits.

    **Fix safety** Safe for an array and its own transpose. Unsafe otherwise: the shapes fit, and whether the product is meant this way is said by the outputs.
    """

    code = "NPA113"
    name = "transposed matrix"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "RuntimeError"})
    message = re.compile(
        r"operands could not be broadcast together with shapes \(\d+,\d+\) \(\d+,\d+\)|matmul: Input operand 1 has a mismatch|mat1 and mat2 shapes cannot be multiplied|shapes \(.*\) and \(.*\) not aligned"
    )
    applicability = Applicability.UNSAFE
    why = "The shapes fit; whether it is meant, the outputs say."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "broadcast" in context.failure.evalue:
            yield from self._multiply_matrices(context)
            return
        for node in context.list_failing_nodes(ast.BinOp, ast.Call):
            sides = _list_sides(node)
            if len(sides) != 2:
                continue
            one, two = (context.text(s) for s in sides)
            fits = (
                f"({one}).shape[-1] == ({two}).shape[-1] and ({two}).ndim == 2",
                f"({one}).shape[0] == ({two}).shape[0] and ({one}).ndim == 2",
            )
            for side, fit, prior in ((sides[1], fits[0], 0.7), (sides[0], fits[1], 0.6)):
                if context.is_true(fit):
                    new = f"{context.operand(side)}.T"
                    if isinstance(side, ast.Attribute) and side.attr == "T":
                        new = context.text(side.value)
                    yield self.patch(
                        context.replace_here((*context.span(side), new)),
                        f"Transpose it: `{new}`",
                        "The shapes do not fit one another as they stand.",
                        prior=prior,
                    )
            return

    def _multiply_matrices(self, context: RuleContext) -> Iterator[Patch]:
        """``X.T @ X`` for ``X.T * X``, of arrays that only the product of matrices takes."""
        for node in context.list_nodes_at_failure(ast.BinOp):
            if not isinstance(node.op, ast.Mult):
                continue
            one, two = context.text(node.left), context.text(node.right)
            if not any(isinstance(s, ast.Attribute) and s.attr == "T" for s in (node.left, node.right)):
                continue
            if not context.is_true(f"({one}).ndim == ({two}).ndim == 2 and ({one}).shape[1] == ({two}).shape[0]"):
                continue
            start, end = context.span(node.left)[1], context.span(node.right)[0]
            at = start + context.source[start:end].index("*")
            is_own = f"{one}.T" == two or f"{two}.T" == one
            yield self.patch(
                context.replace_here((at, at + 1, "@")),
                f"Multiply the matrices: `{one} @ {two}`",
                "`*` multiplies item by item, and the two have different shapes.",
                applicability=Applicability.SAFE if is_own else Applicability.UNSAFE,
                why="An array and its transpose are never multiplied item by item unless they are square."
                if is_own
                else "",
                prior=0.92 if is_own else 0.7,
            )
            return


def _list_sides(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right] if isinstance(node.op, ast.MatMult) else []
    if isinstance(node, ast.Call) and read_last_name(node.func) in ("dot", "matmul"):
        if len(node.args) == 2:
            return list(node.args)
        return [node.func.value, node.args[0]] if isinstance(node.func, ast.Attribute) and len(node.args) == 1 else []
    return []
