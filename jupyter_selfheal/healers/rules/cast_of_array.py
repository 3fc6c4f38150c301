"""NPA120: `np.cast`, which NumPy 2 does not have any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, keep_outermost
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class CastOfArray(Rule):
    """Make an array of a type by `np.asarray`.

    **Failure** ``AttributeError: `np.cast` was removed in the NumPy 2.0 release. Use `np.asarray(arr, dtype=dtype)` instead`` at `np.cast[int](values)`.

    **Fix** `np.asarray(values, dtype=int)`, for every such call in the cell.

    **Fix safety** Safe: the message says it.
    """

    code = "NPA120"
    name = "np.cast"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    message = re.compile(r"`np\.cast` was removed")
    applicability = Applicability.SAFE
    why = "NumPy's own message says how it is written now."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        splices: list[Splice] = []
        for call in context.walk(ast.Call):
            kind = call.func
            if (
                not isinstance(kind, ast.Subscript)
                or read_last_name(kind.value) != "cast"
                or len(call.args) != 1
                or call.keywords
            ):
                continue
            module = context.text(kind.value).removesuffix("cast")
            text = f"{module}asarray({context.text(call.args[0])}, dtype={context.text(kind.slice)})"
            splices.append((*context.span(call), text))
        splices = keep_outermost(splices)
        if splices and all("." in s[2].split("(")[0] for s in splices):
            yield self.patch(
                context.replace_here(*splices),
                f"Use `{splices[0][2]}`",
                "`np.cast` was removed in NumPy 2.0.",
                prior=0.95,
            )
