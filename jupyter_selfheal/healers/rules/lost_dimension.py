"""NPA106: a reduction along rows that does not fit its own array."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Site
from jupyter_selfheal.model import Applicability, Failure, Patch

SHAPES = re.compile(r"operands could not be broadcast together with shapes \((\d+),(\d+)\) \((\d+),\)")
REDUCTIONS = frozenset(
    {"mean", "sum", "std", "var", "min", "max", "median", "prod", "amin", "amax", "norm", "any", "all"}
)


class LostDimension(Rule):
    """Keep the dimension that a reduction takes away, so that its result fits the array again.

    **Failure** `ValueError: operands could not be broadcast together with shapes (4,3) (4,)` at `scores - scores.mean(axis=1)`.

    **Fix** `keepdims=True` in the reduction; where the reduction has a name, `means[:, None]`.

    **Fix safety** Safe: the second operand has one value for each row, and the array has as many rows and another number of columns.
    """

    code = "NPA106"
    name = "lost dimension"
    enames = frozenset({"ValueError"})
    applicability = Applicability.SAFE
    why = "There is one value for each row, and no other way to fit it."

    def matches(self, failure: Failure) -> bool:
        found = SHAPES.search(failure.evalue) if super().matches(failure) else None
        return found is not None and found[1] == found[3] != found[2]

    def propose(self, scene: Scene) -> Iterator[Patch]:
        site = Site.of(scene)
        node = next(site.nodes(ast.BinOp), None) if site is not None else None
        if site is None or not isinstance(node, ast.BinOp):
            return
        text = site.text(node.right)
        if isinstance(node.right, ast.Call) and _reduces(node.right):
            end = src.span(site.source, node.right)[1] - 1
            change, new = (end, end, ", keepdims=True"), "keepdims=True"
        elif site.live([node.right])[0].is_a("numpy.ndarray"):
            new = f"{site.operand(node.right)}[:, None]"
            change = (*src.span(site.source, node.right), new)
        else:
            return
        edits = self.replace(scene, site.cell_id, [change])
        yield self.patch(edits, f"Write `{new}`", f"`{text}` has one value for each row.", prior=0.85)


def _reduces(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = {k.arg for k in call.keywords}
    return name in REDUCTIONS and "axis" in given and "keepdims" not in given
