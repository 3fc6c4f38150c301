"""ATT123: a method of texts called on a list of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.item_by_item import name_items
from jupyter_selfheal.model import Applicability, Patch

METHODS = frozenset(
    {"strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold", "swapcase", "replace", "split", "zfill", "removeprefix", "removesuffix", "startswith", "endswith", "isdigit"}
)  # fmt: skip


class TextMethodOfList(Rule):
    """Call a method of texts on each text of a list.

    **Failure** `AttributeError: 'list' object has no attribute 'strip'` at `names.strip()`, where `names` is a list of texts.

    **Fix** `[name.strip() for name in names]`.

    **Fix safety** Safe: every item is a text, and there are two at least. Silent for other items, and where the result of a statement is dropped.
    """

    code = "ATT123"
    name = "method of texts on a list"
    enames = frozenset({"AttributeError"})
    message = re.compile(r"'(?:list|tuple)' object has no attribute '(\w+)'")
    applicability = Applicability.SAFE
    why = "Every item is a text, which has the method."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.failing_nodes(ast.Attribute):
            call = context.call_of(node)
            if (
                node.attr not in METHODS
                or call is None
                or context.is_statement(call)
                or not isinstance(node.value, ast.Name)
            ):
                continue
            table = node.value.id
            if not context.is_true(f"len({table}) > 1 and all(isinstance(t, str) for t in {table})"):
                return
            item = name_items(context, [table])[table]
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
