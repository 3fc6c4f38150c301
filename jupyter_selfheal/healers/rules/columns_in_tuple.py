"""PDA113: several columns of a group in one pair of brackets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Site
from jupyter_selfheal.model import Applicability, Patch


class ColumnsInTuple(Rule):
    """Name several columns as a list.

    **Failure** `ValueError: Cannot subset columns with a tuple with more than one element. Use a list instead.` from
    `df.groupby("k")["a", "b"]`, which pandas 2.0 stopped reading as a list.

    **Fix** `df.groupby("k")[["a", "b"]]`, wherever the failing statement has it.

    **Fix safety** Safe: the list is what the tuple was taken for, and the message asks for it.
    """

    code = "PDA113"
    name = "columns in a tuple"
    enames = frozenset({"ValueError"})
    applicability = Applicability.SAFE
    why = "The list selects the columns that the tuple selected until pandas 2.0."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        if not scene.failure.evalue.startswith("Cannot subset columns with a tuple"):
            return
        site = Site.of(scene)
        if site is None:
            return
        keys = [
            node.slice
            for node in site.nodes(ast.Subscript)
            if isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Tuple)
            and len(node.slice.elts) > 1
            and _is_grouped(site, node.value)
        ]
        splices = []
        for key in dict.fromkeys(keys):
            start, end = src.span(site.source, key)
            text = site.source[start:end]
            inner = text[1:-1] if text.startswith("(") else text
            splices.append((start, end, f"[{inner}]"))
        yield self.patch(
            self.replace(scene, site.cell_id, splices),
            "Name the columns as a list",
            "Several columns of a group are named by a list; pandas 2.0 no longer takes a tuple for one.",
            prior=0.95,
        )


def _is_grouped(site: Site, node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "groupby":
        return True
    if not isinstance(node, ast.Name):
        return False
    return any(path.endswith(".DataFrameGroupBy") for path in site.live([node])[0].mro)
