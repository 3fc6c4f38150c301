"""TYP105: a dictionary or set that changes while it is iterated."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class ChangedWhileIterated(Rule):
    """Iterate over a copy of what the loop changes.

    **Failure** `RuntimeError: dictionary changed size during iteration` (or `keys changed`, `Set changed size`,
    `deque mutated`).

    **Fix** `for k in d:` becomes `for k in list(d):`; likewise `list(d.items())`.

    **Fix safety** Safe: the loop sees the items that were there when it began, which is what it was written for.
    """

    code = "TYP105"
    name = "changed while iterated"
    enames = frozenset({"RuntimeError"})
    applicability = Applicability.SAFE
    why = "The loop visits the items that were there when it began, and may change the rest as it says."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        message = context.failure.evalue
        if "during iteration" not in message:
            return
        cell_id, source, line = context.location
        loops = [n for n in src.walk(source) if isinstance(n, ast.For) and n.lineno <= line <= (n.end_lineno or 0)]
        # the failing line is the loop's head; else the innermost loop around it
        loops.sort(key=lambda n: (n.lineno != line, -n.lineno))
        for loop in loops[:1]:
            start, end = src.find_span(source, loop.iter)
            text = source[start:end]
            yield self.patch(
                context.replace(cell_id, [(start, end, f"list({text})")]),
                f"Iterate over `list({text})`",
                f"The loop changes `{src.find_root_name(loop.iter) or text}` while it goes through it.",
                prior=0.9,
            )
