"""TYP230: an item that is added to a list by `+`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.value_types import NUMBERS, find_type
from jupyter_selfheal.model import Applicability, Patch


class ItemAdded(Rule):
    """Put an item into brackets that is added to a list.

    **Failure** `TypeError: can only concatenate list (not "str") to list` at `names = names + "Bob"`.

    **Fix** `names = names + ["Bob"]`; of a tuple or a set `list(…)`.

    **Fix safety** Safe for a text or a dictionary whose sum is kept under the list's own name, where the list holds such items. Unsafe
    otherwise, as for an empty list, to which the words of a text may be meant to be added, and for a number: each item may be meant to be raised by it.
    """

    code = "TYP230"
    name = "item added to a list"
    enames = frozenset({"TypeError"})
    message = re.compile(r'can only concatenate list \(not "(?:\w+\.)*\w+"\) to list')
    applicability = Applicability.SAFE
    why = "A list and one more item are a longer list."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.BinOp):
            if not isinstance(node, ast.BinOp) or find_type(context, node.left) not in ("list", ""):
                continue
            kind, text, items = find_type(context, node.right), context.text(node.right), context.text(node.left)
            if not kind or kind in ("NoneType", "function", "ndarray", "Series", "DataFrame"):
                return
            kept = any(n.value is node and context.text(n.targets[0]) == items for n in context.walk(ast.Assign))
            alike = context.read_plain_chain(node.left) is not None and context.is_true(
                f"len({items}) > 0 and all(type(i).__name__ == {kind!r} for i in {items})"
            )
            several = kind in ("tuple", "set", "range", "dict_keys", "dict_values")
            sure = kept and alike and kind not in NUMBERS and not several
            yield self.patch(
                context.replace_here((*context.span(node.right), f"list({text})" if several else f"[{text}]")),
                f"Use `list({text})`" if several else f"Put `{text}` into brackets",
                f"`{text}` is a `{kind}`, and only a list is added to a list.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why
                if sure
                else "Each item may be meant to be changed."
                if alike or kind in NUMBERS
                else f"No item of the list says that `{text}` is to be one.",
                prior=0.85 if sure else 0.6,
            )
            return
