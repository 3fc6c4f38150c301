"""ASR109: a comparison that stands alone, where something was to be assigned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.model import Applicability, FailureKind, Patch


class ComparedForAssigned(Rule):
    """Assign what is compared with nothing done about it.

    **Failure** `AssertionError`, or another result than the expected one, where the values come from `x[x < 0] == 0`, or `total == 5`, as a statement of its own.

    **Fix** `x[x < 0] = 0`, also in cells above. The cells that made the values run again.

    **Fix safety** Safe: what the comparison gives is dropped, so that it does nothing. Silent for the last line of a cell, which is shown, and for a comparison of what cannot be assigned.
    """

    code = "ASR109"
    name = "comparison that is dropped"
    enames = frozenset({"AssertionError"})
    kinds = frozenset({FailureKind.RAISED, FailureKind.MISSED})
    applicability = Applicability.SAFE
    why = "What the comparison gives is dropped, so that it does nothing."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            last = src.list_statements(source)[-1].node
            match statement:
                case ast.Expr(
                    value=ast.Compare(
                        left=ast.Name() | ast.Subscript() | ast.Attribute() as left, ops=[ast.Eq()], comparators=[right]
                    )
                ):
                    pass
                case _:
                    return
            if statement is last:
                return
            start, end = src.find_span(source, left)[1], src.find_span(source, right)[0]
            if source[start:end].strip() == "==":
                yield (
                    (start, end, source[start:end].replace("==", "=")),
                    f"{src.extract_text(source, left)} = {src.extract_text(source, right)}",
                )

        edits, shown = mend_above(context, find)
        if edits:
            yield self.patch(
                edits, f"Assign it: `{shown}`", "The comparison stands alone, and does nothing.", prior=0.92
            )
