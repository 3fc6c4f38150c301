"""TEN108: a parameter that is changed in place while gradients are calculated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"^a (?:view of a )?leaf Variable that requires grad is being used in an in-place operation")


class InPlaceOnParameter(Rule):
    """Change a parameter without calculating gradients of the change.

    **Failure** `RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.` at `w -= rate * w.grad`.

    **Fix** The statement, with those below it that are of the same kind, goes into `with torch.no_grad():`.

    **Fix safety** Safe for a step along the gradient, which PyTorch's tutorial writes so; unsafe for any other change.
    """

    code = "TEN108"
    name = "parameter changed in place"
    stage = Stage.LIBRARY
    enames = frozenset({"RuntimeError"})
    message = MESSAGE
    applicability = Applicability.UNSAFE
    why = "The change could be meant to be part of what is learned."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        statement = next(iter(context.list_nodes_on_line(ast.AugAssign)), None)
        body = next((b for b in _list_bodies(context) if statement in b), None)
        if (
            body is None
            or statement is None
            or not context.exists("torch.no_grad")
            or not context.is_bound_anywhere("torch")
        ):
            return
        at = body.index(statement)
        last = at
        while last + 1 < len(body) and isinstance(body[last + 1], ast.AugAssign):
            last += 1
        start, end = context.span(statement)[0], context.span(body[last])[1]
        indent = " " * statement.col_offset
        lines = context.source[start:end].split("\n")
        text = f"with torch.no_grad():\n{indent}    " + "\n".join(
            [lines[0], *(f"    {line}" if line.strip() else line for line in lines[1:])]
        )
        is_step = all(".grad" in context.text(n.value) for n in body[at : last + 1] if isinstance(n, ast.AugAssign))
        yield self.patch(
            context.replace_here((start, end, text)),
            "Change it within `torch.no_grad()`",
            f"`{context.text(statement.target)}` is a parameter: its change is not to be followed.",
            applicability=Applicability.SAFE if is_step else Applicability.UNSAFE,
            why="It is a step along the gradient, as PyTorch's tutorial writes it." if is_step else self.why,
            prior=0.9,
        )


def _list_bodies(context: RuleContext) -> Iterator[list[ast.stmt]]:
    for node in (context.tree, *context.walk(ast.AST)):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                yield body
