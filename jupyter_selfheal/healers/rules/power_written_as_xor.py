"""TYP223: `^` between numbers with a point, where a power is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

BITS = "The bits of whole numbers may be meant, where a number with a point came in by mistake."
EULER = re.compile(r"(?:\w+\.)?e|2\.71\d*")
"""The base of natural logarithms, whose exponent is seldom a name alone."""
EXPONENT = "How much of it stands in the exponent is yours to say: put it in parentheses."


class PowerWrittenAsXor(Rule):
    """Write a power as `**`.

    **Failure** `TypeError: unsupported operand type(s) for ^: 'float' and 'int'` at `3.14 * r ^ 2`, `ufunc 'bitwise_xor' not supported for the input types`.

    **Fix** `3.14 * r ** 2`, for every `^` of the statement; `x ^= 2` becomes `x **= 2`.

    **Fix safety** Safe: `^` is the exclusive or of whole numbers, which no number with a point has. Unsafe where bits may be meant (`n ^ (n / 2)`, other signs of bits
    beside it), and where it is not plain what belongs to the exponent: `x ^ 1/2`, `e ^ -x/2`, `e ^ k*x`. Silent where a side holds truths, which have an exclusive or.
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
        nodes = [n for n in context.list_nodes_on_line(ast.AST) if isinstance(n, ast.BinOp | ast.AugAssign)]
        splices: list[Splice] = []
        doubt = BITS if any(isinstance(n.op, ast.BitAnd | ast.BitOr | ast.LShift | ast.RShift) for n in nodes) else ""
        for node in (n for n in nodes if isinstance(n.op, ast.BitXor)):
            left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
            if any(_holds_truths(context, side) for side in (left, right)):
                return
            start, end = context.span(left)[1], context.span(right)[0]
            at = context.source.find("^", start, end)
            if at >= 0:
                splices.append((at, at + 1, "**"))
            doubt = doubt or _describe_doubt(context, left, right)
        if splices:
            cause = "`^` is the exclusive or of whole numbers; a power is `**`."
            yield self.patch(
                context.replace(context.cell_id, sorted(set(splices))),
                "Write the power as `**`",
                cause,
                applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                why=doubt or self.why,
                prior=0.6 if doubt else 0.92,
            )


def _holds_truths(context: RuleContext, side: ast.expr) -> bool:
    """True for what is true or false, alone or in an array: the operand that stands beside the sign."""
    if isinstance(side, ast.Compare):
        return True
    leaf = _find_first_factor(side)
    test = "isinstance({0}, bool) or getattr(getattr({0}, 'dtype', None), 'kind', '') == 'b'"
    return any(bool(chain := context.read_plain_chain(n)) and context.is_true(test.format(chain)) for n in {side, leaf})


def _describe_doubt(context: RuleContext, left: ast.expr, right: ast.expr) -> str:
    """Why a power of what stands on the right may not be what is meant; empty where it is plain."""
    is_divided = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) for n in ast.walk(right))
    while isinstance(left, ast.BinOp):
        left = left.right
    if is_divided and "'int' and 'float'" in context.failure.evalue and not isinstance(left, ast.Constant):
        return BITS
    exponent = _find_first_factor(right)
    is_plain = isinstance(exponent, ast.Constant) and exponent.value != 1
    is_euler = EULER.fullmatch(context.text(left)) is not None
    kinds = (ast.Div, ast.Mult) if is_euler else (ast.Div,)
    return EXPONENT if not is_plain and _begins_with(context, right, kinds) else ""


def _find_first_factor(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.BinOp):
        node = node.left
    return node


def _begins_with(context: RuleContext, node: ast.expr, kinds: tuple[type[ast.operator], ...]) -> bool:
    """True for ``1/2 + x`` and ``-x/2``, not in parentheses: a power binds more tightly than that."""
    while isinstance(node, ast.BinOp):
        if context.source[: context.span(node)[0]].rstrip().endswith("("):
            return False
        if isinstance(node.op, kinds):
            return True
        node = node.left
    return False
