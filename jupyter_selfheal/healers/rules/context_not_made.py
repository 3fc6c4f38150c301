"""CAL129: a class named where a `with` statement needs an object of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"^'(?:type|ABCMeta|function)' object does not support the (?:asynchronous )?context manager protocol|^__enter__$"
)


class ContextNotMade(Rule):
    """Call what a `with` statement is given.

    **Failure** `TypeError: 'type' object does not support the context manager protocol` at `with torch.no_grad:`, `with ThreadPoolExecutor as pool:`.

    **Fix** `with torch.no_grad():`.

    **Fix safety** Safe: what is named is a class whose objects can be used so, or a function, and needs no argument. Silent where it needs one.
    """

    code = "CAL129"
    name = "context that was not made"
    enames = frozenset({"TypeError", "AttributeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "Only what it makes can be used in a `with` statement, and it needs no argument."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_on_line(ast.With):
            for item in node.items:
                named = item.context_expr
                if not context.read_plain_chain(named):
                    continue
                thing, signature = context.describe(named), context.signature(named)
                if thing is None or not thing.is_callable or (thing.is_class and "__enter__" not in thing.attributes):
                    continue
                if signature is None or not signature.needs_nothing:
                    continue
                end = context.span(named)[1]
                yield self.patch(
                    context.replace_here((end, end, "()")),
                    f"Call it: `{context.text(named)}()`",
                    f"`{context.text(named)}` is named and not called.",
                    prior=0.95,
                )
                return
