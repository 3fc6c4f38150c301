"""TYP232: one list of texts subtracted from another."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.item_by_item import name_items
from jupyter_selfheal.model import Applicability, Patch


class ListsSubtracted(Rule):
    """Keep the items of one list that another has not.

    **Failure** `TypeError: unsupported operand type(s) for -: 'list' and 'list'` at `days - done`, whose items are texts.

    **Fix** `[day for day in days if day not in done]`.

    **Fix safety** Safe where all of the second list stands in the first, and nothing twice: texts without a digit have no difference, so that there is one reading. Unsafe where only some
    of it does. Silent for lists of numbers and of texts with digits, which may be meant item by item, and where a text stands twice.
    """

    code = "TYP232"
    name = "lists subtracted"
    enames = frozenset({"TypeError"})
    message = re.compile(r"unsupported operand type\(s\) for -: 'list' and '(?:list|tuple|set)'")
    applicability = Applicability.SAFE
    why = "Texts have no difference, and none of them stands twice."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.BinOp):
            if not isinstance(node.op, ast.Sub) or not isinstance(node.left, ast.Name):
                continue
            left, right = node.left.id, context.text(node.right)
            texts = f"all(isinstance(t, str) and not any(map(str.isdigit, t)) for t in [*{left}, *{right}])"
            texts += f" and len(set({left})) == len({left}) > 0 and set({right}) & set({left})"
            if isinstance(node.right, ast.BinOp | ast.Call) or not context.is_true(texts):
                return
            item = name_items(context, [left])[left]
            new = f"[{item} for {item} in {left} if {item} not in {right}]"
            yield self.patch(
                context.replace_here((*context.span(node), new)),
                f"Use `{new}`",
                "Lists have no difference; those that are not in the other one are meant.",
                applicability=Applicability.SAFE
                if context.is_true(f"set({right}) <= set({left})")
                else Applicability.UNSAFE,
                prior=0.9,
            )
            return
