"""ATT123: a method of texts called on a list of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.item_by_item import name_items
from jupyter_selfheal.model import Applicability, Patch

METHODS = frozenset({"strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold", "swapcase", "replace", "zfill", "removeprefix", "removesuffix"})  # fmt: skip
"""What gives a text of a text. A list of answers would be true in every condition, and a list of lists is seldom meant."""


class TextMethodOfList(Rule):
    """Call a method of texts on each text of a list.

    **Failure** `AttributeError: 'list' object has no attribute 'strip'` at `names.strip()`, where `names` is a list of texts.

    **Fix** `[name.strip() for name in names]`.

    **Fix safety** Unsafe: one of the texts may have been meant. Silent for other items, where the result of a statement is dropped or an item of it is taken, in a condition, and in a
    loop through that very list.
    """

    code = "ATT123"
    name = "method of texts on a list"
    enames = frozenset({"AttributeError"})
    message = re.compile(r"'(?:list|tuple)' object has no attribute '(\w+)'")
    applicability = Applicability.UNSAFE
    why = "Every item is a text, which has the method; one of them alone may have been meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Attribute):
            call = context.call_of(node)
            if (
                node.attr not in METHODS
                or call is None
                or context.is_statement(call)
                or not isinstance(node.value, ast.Name | ast.Call)
            ):
                continue
            table = context.text(node.value)
            if not context.is_true(f"len({table}) > 1 and all(isinstance(t, str) for t in {table})"):
                return
            if not _is_kept(context, call, table):
                return
            item = name_items(context, [table])[table] if isinstance(node.value, ast.Name) else "text"
            if item in context.known_names and not isinstance(node.value, ast.Name):
                item = "each_text"
            start, end = context.span(call)
            rest = context.source[context.span(node.value)[1] : end]
            new = f"[{item}{rest} for {item} in {table}]"
            yield self.patch(
                context.replace_here((start, end, new)),
                f"Use `{new}`",
                f"`{table}` is a list of texts: each of them has `{node.attr}`.",
                prior=0.9,
            )
            return


def _is_kept(context: RuleContext, call: ast.Call, table: str) -> bool:
    """Whether the list of texts has a place to go to: no condition, no comparison, no item of it, and no loop through the list."""
    parents = src.read(context.source).parents
    above = parents.get(call)
    if isinstance(
        above, ast.Subscript | ast.Attribute | ast.Compare | ast.BoolOp | ast.UnaryOp | ast.IfExp | ast.Assert
    ):
        return False
    while above is not None:
        tests = (above.test,) if isinstance(above, ast.If | ast.While | ast.Assert) else ()
        looped = above.iter if isinstance(above, ast.For) else None
        if any(call in ast.walk(test) for test in tests):
            return False
        if looped is not None and any(isinstance(n, ast.Name) and n.id == table for n in ast.walk(looped)):
            return False
        above = parents.get(above)
    return True
