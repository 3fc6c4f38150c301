"""CAL103: a recursion that ends, only deeper than Python goes by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import add_import
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.model import Applicability, Patch

LIMIT = 100_000

CHOICES = (ast.If, ast.IfExp, ast.BoolOp, ast.Match, ast.While, ast.For, ast.comprehension)
"""What a recursion can end by; a function without any of them calls itself for ever."""


class RecursionLimit(Rule):
    """Let a recursion go as deep as it needs.

    **Failure** `RecursionError: maximum recursion depth exceeded`, in a function of the notebook that has a case in which it does
    not call itself.

    **Fix** `sys.setrecursionlimit(100_000)` above the cell that starts it.

    **Fix safety** Safe: the limit only guards against recursion without an end, and the trial shows that this one ends. A recursion
    that does not end still fails, and is not mended so.
    """

    code = "CAL103"
    name = "deep recursion"
    enames = frozenset({"RecursionError"})
    applicability = Applicability.SAFE
    why = "The limit only guards against recursion without an end, and the trial shows that this one ends."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "setrecursionlimit" in "".join(c.source for c in context.notebook.cells) or not _ends_somewhere(context):
            return
        source = context.failure.source
        line = f"import sys\nsys.setrecursionlimit({LIMIT:_})"
        yield self.patch(
            context.replace(context.failure.cell_id, [add_import(source, line)]),
            "Raise the recursion limit",
            "The recursion is deeper than Python's default limit.",
            prior=0.6,
        )


def _ends_somewhere(context: RuleContext) -> bool:
    """True where a function of the notebook is in the traceback several times, and each such one has a way out."""
    counted: dict[tuple[str, int], int] = {}
    for frame in context.failure.frames:
        known = frame.cell_id == context.failure.cell_id or context.notebook.index(frame.cell_id) >= 0
        if frame.cell_id and known and frame.function != "<module>":
            function = find_function(context.source_of(frame.cell_id), frame.line)
            if function is not None:
                key = frame.cell_id, function.lineno
                counted[key] = counted.get(key, 0) + 1
    again = [key for key, count in counted.items() if count > 1]
    return bool(again) and any(_has_choice(context, *key) for key in again)


def _has_choice(context: RuleContext, cell_id: str, line: int) -> bool:
    function = find_function(context.source_of(cell_id), line)
    return function is not None and any(isinstance(n, CHOICES) for n in ast.walk(function))
