"""TYP261: a decimal number reckoned with a float."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"operand type\(s\) for \S+: '(?:decimal\.Decimal' and '(float)|float' and 'decimal\.Decimal)'")


class DecimalAndFloat(Rule):
    """Write the number beside a decimal one as a decimal number.

    **Failure** `TypeError: unsupported operand type(s) for *: 'decimal.Decimal' and 'float'` at `price * 1.19`.

    **Fix** `price * Decimal("1.19")`; of a variable `Decimal(str(rate))`. A sum that begins with `total = 0.0` begins with `Decimal("0.0")`.

    **Fix safety** Safe for a number that is written down, there or in the last assignment of the variable, which still has it: the decimal number is exactly what is written. Unsafe for a float that was
    reckoned since, as the other one may be meant to become a float.
    """

    code = "TYP261"
    name = "decimal number and float"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The decimal number is exactly what is written."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match, known = MESSAGE.search(context.failure.evalue), context.reference("decimal.Decimal")
        if match is None or known is None:
            return
        imports = context.add_imports([known.import_line] if known.import_line else [])
        nodes: list[ast.BinOp | ast.AugAssign] = [
            *context.list_failing_nodes(ast.BinOp),
            *context.list_failing_nodes(ast.AugAssign),
        ]
        for node in nodes:
            is_right = match[1] is not None
            if isinstance(node, ast.AugAssign):
                number = node.value if is_right else node.target
            else:
                number = node.right if is_right else node.left
            made = context.find_last_assignment(number.id) if isinstance(number, ast.Name) else None
            begins = (
                made is not None
                and _is_written(made.node.value)
                and context.is_true(f"{context.text(number)} == {src.extract_text(made.source, made.node.value)}")
            )
            if isinstance(node, ast.AugAssign) and not is_right:
                if made is None or not begins or made.cell_id != context.cell_id:
                    return
                number = made.node.value
            text = context.text(number)
            is_told = begins or _is_written(number)
            new = f'{known.text}("{text}")' if _is_written(number) else f"{known.text}(str({text}))"
            change: Splice = (*context.span(number), new)
            yield self.patch(
                context.replace_here(change, *imports),
                f"Use `{new}`",
                "A decimal number is reckoned with whole and with decimal numbers, not with a float.",
                applicability=Applicability.SAFE if is_told else Applicability.UNSAFE,
                why=self.why if is_told else "The other one may be meant to become a float.",
                prior=0.92 if is_told else 0.7,
            )
            return


def _is_written(node: ast.expr) -> bool:
    """Whether it is a float as it is written down."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, float)
