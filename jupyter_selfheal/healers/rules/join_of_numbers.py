"""TYP107: ``join`` of what is no text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class JoinOfNumbers(Rule):
    """Convert numbers to text before they are joined.

    **Failure** `TypeError: sequence item 0: expected str instance, int found`.

    **Fix** `", ".join(values)` becomes `", ".join(map(str, values))`.

    **Fix safety** Safe: `join` makes text, and `str` is how each item is written. (For `None`, unsafe.)
    """

    code = "TYP107"
    name = "join of numbers"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "The result is text, and this is how each item is written."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = re.search(r"sequence item \d+: expected str instance, (\w+) found", context.failure.evalue)
        if not match:
            return
        for failing in context.list_failing_nodes(ast.Call):
            call = failing
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "join"):
                continue
            if len(call.args) != 1:
                return
            argument = call.args[0]
            text = context.text(argument)
            inner = text[1:-1] if isinstance(argument, ast.GeneratorExp) and text.startswith("(") else text
            if isinstance(argument, ast.GeneratorExp | ast.ListComp):
                element = argument.elt
                change = (*context.span(element), f"str({context.text(element)})")
            else:
                change = (*context.span(argument), f"map(str, {inner})")
            sure = match[1] not in ("NoneType", "bytes", "list", "tuple", "dict")
            yield self.patch(
                context.replace(context.cell_id, [change]),
                "Convert the items to text before joining",
                f"`join` only takes text, not `{match[1]}`.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why if sure else f"A `{match[1]}` among the items may be the mistake.",
                prior=0.9 if sure else 0.5,
            )
            return
