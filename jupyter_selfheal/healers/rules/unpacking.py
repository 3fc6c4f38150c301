"""UNP101: a loop that unpacks what is no pair."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import plain_chain
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"too many values to unpack|not enough values to unpack|cannot unpack non-iterable")


class Unpacking(Rule):
    """Go through a dictionary's items, or a list's items with their numbers.

    **Failure** `ValueError: too many values to unpack (expected 2)` or `TypeError: cannot unpack non-iterable int object` at
    `for key, value in d:` or `for n, x in items:`.

    **Fix** `d.items()` for a dictionary; `enumerate(items)` for a list.

    **Fix safety** Safe for a dictionary, of which a pair of loop variables can only mean the items. Unsafe for a list: its items
    may have been meant to be pairs.
    """

    code = "UNP101"
    name = "unpacking what is no pair"
    enames = frozenset({"ValueError", "TypeError"})
    applicability = Applicability.UNSAFE
    why = "The items may have been meant to be pairs."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not MESSAGE.search(context.failure.evalue):
            return
        cell_id, source, line = context.location
        for node in src.walk(source):
            if not isinstance(node, ast.For | ast.comprehension) or not node.target.lineno <= line <= (
                node.iter.end_lineno or 0
            ):
                continue
            if not isinstance(node.target, ast.Tuple | ast.List) or len(node.target.elts) != 2:
                continue
            name = plain_chain(node.iter, source)
            thing = context.describe(name) if name else None
            if thing is None:
                continue
            end = src.find_span(source, node.iter)[1]
            start = src.find_span(source, node.iter)[0]
            if thing.is_a("builtins.dict"):
                change, title, sure = (end, end, ".items()"), f"Go through `{name}.items()`", True
            elif thing.type in ("list", "tuple", "str", "ndarray", "set"):
                change, title, sure = (start, end, f"enumerate({name})"), f"Go through `enumerate({name})`", False
            else:
                continue
            yield self.patch(
                context.replace(cell_id, [change]),
                title,
                f"`{name}` does not give pairs.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why="A pair of variables over a dictionary means its items." if sure else self.why,
                prior=0.9 if sure else 0.6,
            )
            return
