"""NPA118: a minus before or between truth values, where NumPy's message names what took its place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"numpy boolean (negative|subtract), the `-` operator, is not supported")


class OperatorOfTruths(Rule):
    """Turn truth values around by `~`.

    **Failure** `TypeError: The numpy boolean negative, the `-` operator, is not supported, use the `~` operator` at `df[-mask]`, `numpy boolean
    subtract` at `mask - other`.

    **Fix** `df[~mask]`, `mask ^ other`.

    **Fix safety** Safe for `-mask`: it is what NumPy did itself. Unsafe for a difference: until NumPy 1.13 it was `^`, but who
    writes it today may mean the difference of 1 and 0.
    """

    code = "NPA118"
    name = "minus before truth values"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "It is what NumPy did itself, and its message names it (https://numpy.org/doc/stable/release/1.13.0-notes.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        change = _find_change(context, match[1] if match else "")
        if match is None or change is None:
            return
        differs = match[1] == "subtract"
        yield self.patch(
            context.replace_here(change),
            f"Write `{change[2]}` for `{context.source[change[0] : change[1]]}`",
            "NumPy no longer takes a minus for truth values.",
            applicability=Applicability.UNSAFE if differs else Applicability.SAFE,
            why="Until NumPy 1.13 it was this, but the difference of 1 and 0 may be meant." if differs else self.why,
            prior=0.6 if differs else 0.93,
        )


def _find_change(context: RuleContext, kind: str) -> Splice | None:
    if kind == "negative":
        signs = [
            n
            for n in context.list_nodes_at_failure(ast.UnaryOp)
            if isinstance(n.op, ast.USub) and not isinstance(n.operand, ast.Constant)
        ]
        if len(signs) != 1 or context.describe_all([signs[0].operand], calls=True)[0].dtype not in (
            "",
            "bool",
            "boolean",
        ):
            return None
        return context.span(signs[0])[0], context.span(signs[0])[0] + 1, "~"
    if kind == "subtract":
        sums = [n for n in context.list_nodes_at_failure(ast.BinOp) if isinstance(n.op, ast.Sub)]
        if len(sums) != 1 or any(n.left is sums[0] for n in context.walk(ast.BinOp)):
            return None  # `^` binds less than what stands behind: `a - b & c`
        place = context.span(sums[0].left)[1]
        at = context.source.find("-", place)
        return (at, at + 1, "^") if context.source[place:at].strip(" )") == "" else None
    return None
