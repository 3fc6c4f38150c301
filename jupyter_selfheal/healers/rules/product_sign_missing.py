"""TYP231: a number before parentheses, as mathematics writes a product."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
BEFORE = (ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
"""Of what stands on their right, only the first factor would be taken."""
LISTED = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Call, ast.Subscript)


class ProductSignMissing(Rule):
    """Write a product with its sign.

    **Failure** `TypeError: 'int' object is not callable` at `3(x + 1)`; `'float' object is not callable` at `(a - b)(a + b)`.

    **Fix** `3*(x + 1)`.

    **Fix safety** Safe: a number that is written down, and the result of arithmetic on numbers, cannot be called. Unsafe anywhere within the items of a list, a dictionary or
    an index, or the arguments of a call, where a comma may be missing. Silent where a name is called, where nothing or more than one value is given, for a
    keyword, and behind `/`, `//`, `%` and `**`: `1/2(x)` may be `1/(2*x)`.
    """

    code = "TYP231"
    name = "product without its sign"
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"'(?:int|float|complex|Integer|Float|Add|Mul|Pow|ndarray|int64|float64|numpy\.\w+|Series)' object is not callable"
    )
    applicability = Applicability.SAFE
    why = "A number cannot be called, and mathematics writes a product without a sign."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        divisors = {id(_find_first(n.right)) for n in context.walk(ast.BinOp) if isinstance(n.op, BEFORE)}
        for call in context.list_failing_nodes(ast.Call):
            if not isinstance(call, ast.Call) or not _is_number(call.func) or id(call) in divisors:
                continue
            if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
                continue
            at = context.span(call.func)[1]
            opening = context.source.find("(", at)
            if not re.fullmatch(r"[)\s]*", context.source[at:opening]):
                continue
            sure = not any(_holds_call(context, node, call) for node in context.walk(*LISTED))
            yield self.patch(
                context.replace_here((opening, opening, "*")),
                f"Multiply: `{context.source[context.span(call)[0] : opening].rstrip()}*(…)`",
                "A number stands before parentheses, which calls it; a product needs its sign.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why if sure else "A comma may be missing as well.",
                prior=0.92 if sure else 0.6,
            )
            return


def _find_first(node: ast.expr) -> ast.expr:
    """What an operand begins with, its sign aside: ``2(x)`` of ``-2(x)**2``."""
    while isinstance(node, ast.UnaryOp) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)):
        node = node.operand if isinstance(node, ast.UnaryOp) else node.left
    return node


def _holds_call(context: RuleContext, node: ast.expr, call: ast.Call) -> bool:
    """Whether a call stands among the items or arguments of a node, however deep."""
    start, end = context.span(node)
    head = node.func if isinstance(node, ast.Call) else getattr(node, "value", None)
    at = start if head is None else context.span(head)[1]
    return at <= context.span(call)[0] and context.span(call)[1] <= end


def _is_number(node: ast.expr) -> bool:
    """True for a number that is written down, and for arithmetic."""
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ARITHMETIC)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float, complex)
