"""UNP103: the pairs of `enumerate` taken for its numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class PairAsIndex(Rule):
    """Go through the numbers of `enumerate` where its pairs are not taken apart.

    **Failure** `TypeError: list indices must be integers or slices, not tuple` at `items[i]`, or `can only concatenate tuple (not "int") to tuple` at `i + 1`, in `for i in enumerate(items):`.

    **Fix** `for i in range(len(items)):`.

    **Fix safety** Safe: in the loop the name is nothing but an index, or a number that is reckoned with. Silent where one of its parts is taken, or where it is given on as it is.
    """

    code = "UNP103"
    name = "pair as an index"
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"indices must be integers.*not '?tuple'?|can only concatenate tuple|'tuple' and 'int'|'int' and 'tuple'|tuple indices must be"
    )
    applicability = Applicability.SAFE
    why = "The name is used as a number only, and nothing asks for its item."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for loop in context.nodes_on_line(ast.For, ast.ListComp, ast.GeneratorExp):
            made = _read_loop(loop)
            if made is None:
                continue
            target, call, items = made
            uses = [n for n in ast.walk(loop) if isinstance(n, ast.Name) and n.id == target.id and n is not target]
            numbers = _list_numbers(loop)
            if not uses or not all(use in numbers for use in uses):
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


def _list_numbers(loop: ast.AST) -> set[ast.AST]:
    """What is an index in the loop, or an operand beside a number."""
    found: set[ast.AST] = set()
    for node in ast.walk(loop):
        if isinstance(node, ast.Subscript):
            found.add(node.slice)
        elif isinstance(node, ast.BinOp):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(other, ast.Constant) and type(other.value) is int:
                    found.add(one)
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            found.update(sides if any(isinstance(s, ast.Constant) and type(s.value) is int for s in sides) else ())
    return found
