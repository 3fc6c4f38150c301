"""UNP103: the pairs of `enumerate` taken for its numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class PairAsIndex(Rule):
    """Go through the numbers of `enumerate` where its pairs are not taken apart.

    **Failure** `TypeError: list indices must be integers or slices, not tuple` at `items[i]` in `for i in enumerate(items):`, and at
    `board[row, column]` of a list of lists.

    **Fix** `for i in range(len(items)):`; `board[row][column]`.

    **Fix safety** Safe: in the loop the name is nothing but an index of that very list, and a list of lists takes one index a level. Silent where it is
    anything else (the item may be meant), and for slices.
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
        yield from self._index_by_levels(context)

    def _index_by_levels(self, context: RuleContext) -> Iterator[Patch]:
        """``board[row][column]`` for ``board[row, column]``, everywhere in the cell where that list is indexed so."""
        for failing in context.list_failing_nodes(ast.Subscript):
            owner = context.read_plain_chain(failing.value)
            if not owner or not _is_pair_of_indexes(failing) or not context.is_true(_OF_LISTS.format(owner)):
                continue
            alike = [
                n for n in context.walk(ast.Subscript) if context.text(n.value) == owner and _is_pair_of_indexes(n)
            ]
            changes = [(context.span(n)[0], context.span(n)[1], _write_levels(context, owner, n)) for n in alike]
            first = _write_levels(context, owner, failing)
            yield self.patch(
                context.replace_here(*changes),
                f"Write `{first}`",
                f"`{owner}` is a list of lists, which takes one index for each level.",
                why="A list of lists takes one index for each level.",
                prior=0.93,
            )
            return


_OF_LISTS = "type({0}) is list and len({0}) > 0 and all(type(row) is list for row in {0})"


def _is_pair_of_indexes(node: ast.Subscript) -> bool:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    return len(parts) == 2 and not any(
        isinstance(n, ast.Slice | ast.Starred | ast.Subscript) for p in parts for n in ast.walk(p)
    )


def _write_levels(context: RuleContext, owner: str, node: ast.Subscript) -> str:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    return owner + "".join(f"[{context.text(part)}]" for part in parts)


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
