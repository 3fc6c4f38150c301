"""TYP202: a view that says how it can be sliced."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class SlicedView(Rule):
    """Slice a list of a view.

    **Failure** `NetworkXError: NodeView does not support slicing, try list(G.nodes)[0:2]`.

    **Fix** `list(G.nodes())[0:2]`.

    **Fix safety** Safe: networkx 1 gave the list, and the message says so.
    """

    code = "TYP202"
    name = "sliced view"
    stage = Stage.LIBRARY
    enames = frozenset({"NetworkXError", "TypeError"})
    message = re.compile(r"does not support slicing, try list\(")
    applicability = Applicability.SAFE
    why = "The message says so, and networkx 1 gave a list (its migration guide to 2.0)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_at_failure(ast.Subscript):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
                start, end = context.span(node.value)
                text = f"list({context.source[start:end]})"
                yield self.patch(
                    context.replace(context.cell_id, [(start, end, text)]),
                    f"Slice `{text}`",
                    f"`{context.source[start:end]}` is a view and can't be sliced.",
                    prior=0.9,
                )
                return
