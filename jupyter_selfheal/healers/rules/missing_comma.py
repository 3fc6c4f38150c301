"""TYP250: a comma that is missing between two items."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

JOINED = re.compile(
    r"^'(?:list|tuple|set|dict|str)' object is not callable|^'set' object is not subscriptable"
    r"|^(?:list|tuple|string) indices must be integers"
)
COLLECTIONS = ast.List | ast.Tuple | ast.Set | ast.Dict
FORMAT = re.compile(r"%|\{.*\}")
"""What a text holds that has values put into it: then `%` or `.format` is missing, and no comma."""


class MissingComma(Rule):
    """Put a comma between items of which the second one is read as an index, or as arguments, of the first.

    **Failure** `TypeError: list indices must be integers or slices, not tuple` at `[[1, 2] [3, 4]]`; `'tuple' object is not callable` at
    `[('ash', 3) ('elm', 4)]`, where Python itself asks whether a comma is missing.

    **Fix** `[[1, 2], [3, 4]]`, at each such place of the same collection.

    **Fix safety** Safe where all of them are written out and alike, with two items and more: nobody calls a tuple, or takes an item of a list by two numbers. Unsafe for a
    text (`["elm" ["oak"]]`) and for one item, where something else may be missing. Silent for a name (`[row [1, 2]]`), for numbers (`[2 (3)]`, which lacks a sign of a product), for an index that is None (`print([1, 2, 3][pos])`)
    and for texts that values are put into (`print("%d" (n))`).
    """

    code = "TYP250"
    name = "comma between items"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "What is written out is no function and has no such index: two items of a collection stand there."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not JOINED.match(context.failure.evalue) or context.failure.evalue.endswith("not NoneType"):
            return
        failing = {*context.list_failing_nodes(ast.Subscript), *context.list_failing_nodes(ast.Call)}
        for outer in (n for n in ast.walk(context.tree) if isinstance(n, ast.List | ast.Tuple | ast.Set | ast.Call)):
            items = outer.args if isinstance(outer, ast.Call) else outer.elts
            joined = [node for item in items for node in _list_joined(item)]
            if failing.isdisjoint(joined):
                continue
            ends = [context.span(_get_first(node))[1] for node in joined]
            sure = all(_are_alike(node) for node in joined)
            yield self.patch(
                context.replace_here(*((end, end, ",") for end in ends)),
                "Put a comma between the items",
                "Without a comma the second of two items is read as an index, or as arguments, of the first.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why if sure else "Something else may be missing there.",
                prior=0.95 if sure else 0.6,
            )
            return


def _list_joined(item: ast.expr) -> Iterator[ast.Subscript | ast.Call]:
    """Those of ``[1, 2] [3, 4] [5, 6]`` that take something of what is written out, or of such a one; nothing for any other item."""
    chain: list[ast.Subscript | ast.Call] = []
    while isinstance(item, ast.Subscript | ast.Call):
        chain.append(item)
        item = _get_first(item)
    is_text = isinstance(item, ast.Constant) and isinstance(item.value, str) and not FORMAT.search(item.value)
    if is_text or isinstance(item, COLLECTIONS):
        yield from chain


def _get_first(node: ast.Subscript | ast.Call) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node.value


def _are_alike(node: ast.Subscript | ast.Call) -> bool:
    """Whether a list and a list, or a tuple and a tuple, stand beside each other: of the second one only its items are there."""
    first: ast.expr = node
    while isinstance(first, ast.Subscript | ast.Call):
        first = _get_first(first)
    if isinstance(node, ast.Call):
        return isinstance(first, ast.Tuple) and len(node.args) > 1 and not node.keywords
    return isinstance(first, ast.List) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) > 1
