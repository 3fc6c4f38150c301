"""NPA119: an array's index that is a list of slices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class ListOfSlices(Rule):
    """Give an array its slices as a tuple.

    **Failure** `IndexError: only integers, slices (`:`), ellipsis … are valid indices` at `a[index]`, where `index` is a list that holds slices.

    **Fix** `a[tuple(index)]`.

    **Fix safety** Safe: until NumPy 1.23 a list that held a slice was taken for the tuple.
    """

    code = "NPA119"
    name = "index that is a list of slices"
    stage = Stage.LIBRARY
    enames = frozenset({"IndexError"})
    message = re.compile(r"only integers, slices")
    applicability = Applicability.SAFE
    why = (
        "Until NumPy 1.23 such a list was taken for the tuple (https://numpy.org/doc/stable/release/1.23.0-notes.html)."
    )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_at_failure(ast.Subscript):
            text = context.text(node.slice)
            written = isinstance(node.slice, ast.List) and any(
                isinstance(e, ast.Call) and context.text(e.func) == "slice" for e in node.slice.elts
            )
            if not written and not (
                isinstance(node.slice, ast.Name)
                and context.is_true(f"type({text}) is list and any(type(i) in (slice, type(...)) for i in {text})")
            ):
                continue
            yield self.patch(
                context.replace_here((*context.span(node.slice), f"tuple({text})")),
                f"Take `tuple({text})` for the index",
                "NumPy no longer takes a list of slices for the index of each axis.",
                prior=0.94,
            )
            return
