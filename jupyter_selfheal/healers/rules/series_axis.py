"""PDA129: a series that is given another axis by its index."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class SeriesAxis(Rule):
    """Make an array of a series before it gets another axis.

    **Failure** `ValueError: Multi-dimensional indexing (e.g. obj[:, None]) is no longer supported. Convert to a numpy array before indexing
    instead.`

    **Fix** `y.to_numpy()[:, np.newaxis]`.

    **Fix safety** Safe: the result was an array before, and the message says so. Silent for anything but a series or an index.
    """

    code = "PDA129"
    name = "axis added to a series"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(r"Multi-dimensional indexing .* is no longer supported")
    applicability = Applicability.SAFE
    why = "The result was an array until pandas 1.0 made it an error, and the message asks for this."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        nodes = [n for n in context.walk(ast.Subscript) if _adds_axis(n)]
        kinds = context.describe_all([n.value for n in nodes], calls=True)
        splices = [
            (*context.span(node.value), f"{context.operand(node.value)}.to_numpy()")
            for node, kind in zip(nodes, kinds, strict=True)
            if kind.is_a("pandas.Series", "pandas.Index")
        ]
        if splices:
            yield self.patch(
                context.replace(context.cell_id, splices),
                "Make an array of the series first: `.to_numpy()`",
                "A series has one dimension, and gets no other one by its index.",
                prior=0.92,
            )


def _adds_axis(node: ast.Subscript) -> bool:
    """True for ``y[:, np.newaxis]`` and ``y[:, None]``."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    return any(
        (isinstance(p, ast.Constant) and p.value is None) or (isinstance(p, ast.Attribute) and p.attr == "newaxis")
        for p in parts
    )
