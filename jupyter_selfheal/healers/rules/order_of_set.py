"""ASR102: a result hangs on the order of a set."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch
from jupyter_selfheal.source.set_order import find_order_uses

MOST = 4
"""Places that are looked at: where more of them matter, nothing tells which is meant."""


class OrderOfSet(Rule):
    """Sort a set before its order matters.

    **Failure** `AssertionError`, or another result than the expected one, where the cell, or a function that it calls, uses the
    order of a set: `list(words)`, `", ".join(words)`, `next(iter(words))`, `for word in words`.

    **Fix** `list(words)` becomes `sorted(words)`, `list(set(words))` also `list(dict.fromkeys(words))`; elsewhere `words` becomes `sorted(words)`.

    **Fix safety** Unsafe: the check must show that the sorted order is the one that is wanted. The patch must hold in fresh
    kernels with other hash seeds.
    """

    code = "ASR102"
    name = "order of a set"
    enames = frozenset({"AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.UNSAFE
    why = "A set has no order of its own; whether the sorted one is wanted, only the check can tell."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        uses = list(_find_uses(context))
        if len(uses) > MOST:
            return
        for cell_id, node, parent in uses:
            source = context.source_of(cell_id)
            text = src.extract_text(source, node)
            start, end = src.find_span(source, node)
            splices = [(start, end, f"sorted({text})")]
            if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "list":
                splices = [(*src.find_span(source, parent.func), "sorted")]
                if isinstance(node, ast.Call) and text.startswith("set(") and len(node.args) == 1:
                    yield self.patch(
                        context.replace(cell_id, [(start, start + 3, "dict.fromkeys")]),
                        "Keep the order in which the items come",
                        "A set has no order.",
                    )
            yield self.patch(
                context.replace(cell_id, splices),
                f"Sort `{text}` before its order matters",
                f"The order of the set `{text}` is another one in every run of the kernel.",
                prior=0.8,
            )


def _find_uses(context: RuleContext) -> Iterator[tuple[str, ast.expr, ast.AST]]:
    """Where the order of a set is used: the cell, the set, and what it stands in. Not where it is taken apart (``pop``) or shown
    as text, which a list would do otherwise, and not in an assert: that is the check."""
    cells = {cell_id: context.tree_of(cell_id) for cell_id in reversed(context.list_needed_upwards())}
    homes = {node: cell_id for cell_id, tree in cells.items() for node in ast.walk(tree)}
    parents = {child: node for node in homes for child in ast.iter_child_nodes(node)}
    checks = {n for node in homes if isinstance(node, ast.Assert) for n in ast.walk(node)}
    for node in find_order_uses([s for tree in cells.values() for s in tree.body]):
        parent = parents.get(node)
        shown = isinstance(parent, ast.FormattedValue) or (
            isinstance(parent, ast.Call) and getattr(parent.func, "id", "") in ("str", "repr", "print", "display")
        )
        is_hash = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "hash"
        if (
            parent is not None
            and node not in checks
            and not shown
            and not is_hash
            and not isinstance(parent, ast.Attribute)
        ):
            yield homes[node], node, parent
