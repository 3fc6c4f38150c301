"""TYP202: a view that says how it can be sliced."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Site
from jupyter_selfheal.model import Applicability, Failure, Patch


class SlicedView(Rule):
    """Slice a list of a view.

    **Failure** `NetworkXError: NodeView does not support slicing, try list(G.nodes)[0:2]`.

    **Fix** `list(G.nodes())[0:2]`.

    **Fix safety** Safe: networkx 1 gave the list, and the message says so.
    """

    code = "TYP202"
    name = "sliced view"
    enames = frozenset({"NetworkXError", "TypeError"})
    applicability = Applicability.SAFE
    why = "The message says so, and networkx 1 gave a list (its migration guide to 2.0)."

    def matches(self, failure: Failure) -> bool:
        return (
            super().matches(failure) and re.search(r"does not support slicing, try list\(", failure.evalue) is not None
        )

    def propose(self, scene: Scene) -> Iterator[Patch]:
        site = Site.of(scene)
        if site is None:
            return
        for node in site.nodes(ast.Subscript):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
                start, end = src.span(site.source, node.value)
                text = f"list({site.source[start:end]})"
                yield self.patch(
                    self.replace(scene, site.cell_id, [(start, end, text)]),
                    f"Slice `{text}`",
                    f"`{site.source[start:end]}` is a view, which has no slices.",
                    prior=0.9,
                )
                return
