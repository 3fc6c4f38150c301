"""ATT108: an attribute in square brackets."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"'\w+' object is not subscriptable|tuple indices must be integers or slices, not str")


class AttributeAsKey(Rule):
    """Read an attribute with a dot.

    **Failure** `TypeError: 'Namespace' object is not subscriptable` at `args['n']`, `tuple indices must be integers or slices, not str` at
    `point['x']`, where the object has an attribute of this name.

    **Fix** `args.n`.

    **Fix safety** Safe: the object takes no text in brackets, and has an attribute of just this name.
    """

    code = "ATT108"
    name = "attribute in brackets"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The object takes no text in brackets, and has an attribute of just this name."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if not isinstance(key, str) or not key.isidentifier() or key.startswith("_"):
                continue
            owner = context.describe_all([node.value])[0]
            if not context.read_plain_chain(node.value) or owner.is_module or key not in owner.attributes:
                continue
            text = f"{context.text(node.value)}.{key}"
            if not context.is_true(f"not callable({text})"):
                continue
            start, end = context.span(node.value)[1], context.span(node)[1]
            yield self.patch(
                context.replace_here((start, end, f".{key}")),
                f"Use `{text}`",
                f"`{key}` is an attribute of `{context.text(node.value)}`, not a key.",
                prior=0.95,
            )
            return
