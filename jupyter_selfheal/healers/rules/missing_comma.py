"""TYP250: a comma that is missing between two items."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

JOINED = re.compile(
    r"^'(?:list|tuple|set|dict|str|int|float)' object is not (?:callable|subscriptable)"
    r"|^(?:list|tuple|string) indices must be integers"
)
WRITTEN = ast.List | ast.Tuple | ast.Set | ast.Dict | ast.Constant
"""What is written out has no index of two, and is no function."""


class MissingComma(Rule):
    """Put a comma between items of which the second one is read as an index, or as arguments, of the first.

    **Failure** `TypeError: list indices must be integers or slices, not tuple` at `[[1, 2] [3, 4]]`; `'tuple' object is not callable` at
    `[('ash', 3) ('elm', 4)]`, where Python itself asks whether a comma is missing.

    **Fix** `[[1, 2], [3, 4]]`, at each such place of the same collection.

    **Fix safety** Safe: nobody calls a list that is written out, or takes an item of it by two numbers, and both stand in a collection or among arguments. Silent
    where the first one is a name (`[row [1, 2]]`), which may have another fault.
    """

    code = "TYP250"
    name = "comma between items"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "What is written out is no function and has no such index: two items of a collection stand there."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not JOINED.match(context.failure.evalue):
            return
        failing = {*context.list_failing_nodes(ast.Subscript), *context.list_failing_nodes(ast.Call)}
        for outer in (n for n in ast.walk(context.tree) if isinstance(n, ast.List | ast.Tuple | ast.Set | ast.Call)):
            items = outer.args if isinstance(outer, ast.Call) else outer.elts
            joined = [node for item in items for node in _list_joined(item)]
            if failing.isdisjoint(joined):
                continue
            ends = [context.span(node.func if isinstance(node, ast.Call) else node.value)[1] for node in joined]
            yield self.patch(
                context.replace_here(*((end, end, ",") for end in ends)),
                "Put a comma between the items",
                "Without a comma the second of two items is read as an index, or as arguments, of the first.",
                prior=0.95,
            )
            return


def _list_joined(item: ast.expr) -> Iterator[ast.Subscript | ast.Call]:
    """Those of ``[1, 2] [3, 4] [5, 6]`` that take something of what is written out, or of such a one; nothing for any other item."""
    chain: list[ast.Subscript | ast.Call] = []
    while isinstance(item, ast.Subscript | ast.Call):
        chain.append(item)
        item = item.func if isinstance(item, ast.Call) else item.value
    if isinstance(item, WRITTEN):
        yield from chain
