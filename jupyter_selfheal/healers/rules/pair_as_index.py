"""UNP103: the pairs of `enumerate` taken for its numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class PairAsIndex(Rule):
    """Go through the numbers of `enumerate` where its pairs are not taken apart.

    **Failure** `TypeError: list indices must be integers or slices, not tuple` at `items[i]` in `for i in enumerate(items):`.

    **Fix** `for i in range(len(items)):`.

    **Fix safety** Safe: in the loop the name is nothing but an index of that very list. Silent where it is anything else: the item may be meant.
    """

    code = "UNP103"
    name = "pair as an index"
    enames = frozenset({"TypeError"})
    message = re.compile(r"indices must be integers.*not '?tuple'?")
    applicability = Applicability.SAFE
    why = "The name is an index of that very list only."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for loop in context.list_nodes_on_line(ast.For, ast.ListComp, ast.GeneratorExp):
            made = _read_loop(loop)
            if made is None:
                continue
            target, call, items = made
            uses = [n for n in ast.walk(loop) if isinstance(n, ast.Name) and n.id == target.id and n is not target]
            if not uses or not all(use in _list_indexes(loop, items) for use in uses):
                continue
            new = f"range(len({items}))"
            yield self.patch(
                context.replace_here((*context.span(call), new)),
                f"Go through the numbers: `{new}`",
                "`enumerate` gives pairs of a number and an item.",
                prior=0.92,
            )
            return


def _read_loop(loop: ast.AST) -> tuple[ast.Name, ast.Call, str] | None:
    """The variable, the call and the collection of ``for i in enumerate(items)``."""
    head = loop.generators[0] if isinstance(loop, ast.ListComp | ast.GeneratorExp) else loop
    match head:
        case ast.For(target=target, iter=call) | ast.comprehension(target=target, iter=call):
            pass
        case _:
            return None
    match call:
        case ast.Call(func=ast.Name(id="enumerate"), args=[ast.Name(id=items)], keywords=[]):
            return (target, call, items) if isinstance(target, ast.Name) else None
    return None


def _list_indexes(loop: ast.AST, items: str) -> set[ast.AST]:
    """What is an index of that very collection in the loop."""
    found: set[ast.AST] = set()
    for node in ast.walk(loop):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == items:
            found.add(node.slice)
    return found
