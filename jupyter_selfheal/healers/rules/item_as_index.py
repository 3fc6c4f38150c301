"""IDX102: a loop over the items that takes them for indices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.inside.tree_names import holds_node
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"index out of range|indices must be integers")


class ItemAsIndex(Rule):
    """Go through the indices where the loop's variable is used as one.

    **Failure** `IndexError: list index out of range`, `TypeError: list indices must be integers or slices, not str` at `names[i]` in
    `for i in names`.

    **Fix** `for i in range(len(names))`.

    **Fix safety** Safe where the loop reads its variable as an index only. Unsafe where it also uses it by itself: then the item may be
    meant in the other place.
    """

    code = "IDX102"
    name = "item used as index"
    enames = frozenset({"IndexError", "TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The loop's variable is only used as an index of what it goes through."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for failing in context.list_failing_nodes(ast.Subscript):
            owner = context.read_plain_chain(failing.value)
            if not owner or not isinstance(failing.slice, ast.Name):
                continue
            for loop, iterated, body in _list_loops(context, failing):
                if loop != failing.slice.id or context.text(iterated) != owner:
                    continue
                uses = [n for part in body for n in ast.walk(part) if isinstance(n, ast.Name) and n.id == loop]
                indices = {
                    id(n.slice) for part in body for n in ast.walk(part)
                    if isinstance(n, ast.Subscript)
                }  # fmt: skip
                if any(isinstance(n.ctx, ast.Store) for n in uses):
                    return
                sure = all(id(n) in indices for n in uses)
                yield self.patch(
                    context.replace_here((*context.span(iterated), f"range(len({owner}))")),
                    f"Loop over `range(len({owner}))`",
                    f"`{loop}` is an item of `{owner}`, not its index.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why=self.why if sure else "The loop also uses its variable by itself, where the item may be meant.",
                    prior=0.85 if sure else 0.55,
                )
                return


def _list_loops(context: RuleContext, node: ast.AST) -> Iterator[tuple[str, ast.expr, list[ast.AST]]]:
    """(variable, what is gone through, what the loop does) of the loops and comprehensions around a node, innermost first."""
    around = [n for n in context.walk(ast.For, ast.ListComp, ast.SetComp, ast.GeneratorExp) if holds_node(n, node)]
    for outer in reversed(around):
        if isinstance(outer, ast.For):
            if isinstance(outer.target, ast.Name):
                yield outer.target.id, outer.iter, list(outer.body)
        elif isinstance(outer, ast.ListComp | ast.SetComp | ast.GeneratorExp) and len(outer.generators) == 1:
            only = outer.generators[0]
            if isinstance(only.target, ast.Name):
                yield only.target.id, only.iter, [outer.elt, *only.ifs]
