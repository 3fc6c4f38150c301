"""TYP207: a text that holds a number, where a function or an operation takes a number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.value_types import find_type, read_number_in
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"type str doesn't define __round__ method|bad operand type for (?:abs\(\)|unary [-+]): 'str'|must be real number, not str|"
    r"'str' object cannot be interpreted as an integer|can't multiply sequence by non-int of type '(?:numpy\.)?float\d*'|"
    r"unsupported type for timedelta \w+ component: str"
)
WHOLE = re.compile(r"interpreted as an integer")


class NumberAsText(Rule):
    """Read the number from a text where a number is taken.

    **Failure** `TypeError: type str doesn't define __round__ method` at `round(price, 2)`, `'str' object cannot be interpreted as an integer`
    at `range(n)`, `bad operand type for abs(): 'str'`, `can't multiply sequence by non-int of type 'float'` at `price * 1.2`, where the text
    holds a number.

    **Fix** `float(price)` or `int(n)` at the place, as the text and the function demand.

    **Fix safety** Safe: only a number makes sense there, and the text holds one. Silent where it holds none, and where a whole number is needed
    and it has a fraction.
    """

    code = "TYP207"
    name = "number as text"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The text holds a number, and only a number makes sense here."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.failing_nodes(ast.Call, ast.BinOp, ast.UnaryOp):
            places = [n for n in _list_numbers(node) if find_type(context, n) == "str"]
            functions = [read_number_in(context, n) for n in places]
            if not places or not all(functions):
                continue
            if WHOLE.search(context.failure.evalue) and "float" in functions:
                return
            changes = [
                (*context.span(n), f"{function}({context.text(n)})")
                for n, function in zip(places, functions, strict=True)
            ]
            text = context.text(places[0])
            yield self.patch(
                context.replace(context.cell_id, changes),
                f"Convert `{text}` to a number",
                f"`{text}` is text, not a number.",
                prior=0.9,
            )
            return


def _list_numbers(node: ast.AST) -> list[ast.expr]:
    """What must be a number of a call, a product or a sign."""
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right] if isinstance(node.op, ast.Mult) else []
    return [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []
