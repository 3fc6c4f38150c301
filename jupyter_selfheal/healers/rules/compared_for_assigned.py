"""ASR109: a comparison that stands alone, where something was to be assigned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.model import Applicability, Patch


class ComparedForAssigned(Rule):
    """Assign to the chosen items what they are compared with, where nothing is done about it.

    **Failure** `AssertionError`, or another result than the expected one, where the values come from `x[x < 0] == 0` as a statement of its own.

    **Fix** `x[x < 0] = 0`, also in cells above. The cells that made the values run again.

    **Fix safety** Unsafe: a comparison may be left over from looking at the values. Silent for the last line of a cell, which is shown, for what is not chosen by a condition
    (`total == 26` is a check that somebody left behind), and where the value stands in an assert of the notebook.
    """

    code = "ASR109"
    name = "comparison that is dropped"
    enames = frozenset({"AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.UNSAFE
    why = "The comparison does nothing; it may be left over from looking at the values."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        asserted = {
            ast.unparse(n)
            for cell in context.notebook.cells
            if cell.kind == "code" and "assert" in cell.source
            for made in src.walk(cell.source)
            if isinstance(made, ast.Assert)
            for n in ast.walk(made)
            if isinstance(n, ast.expr)
        }

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            match statement:
                case ast.Expr(
                    value=ast.Compare(left=ast.Subscript(slice=condition) as left, ops=[ast.Eq()], comparators=[right])
                ):
                    pass
                case _:
                    return
            is_shown = statement is src.list_statements(source)[-1].node
            if (
                is_shown
                or not isinstance(condition, ast.Compare | ast.BinOp | ast.UnaryOp)
                or not _is_condition(condition)
            ):
                return
            start, end = src.find_span(source, left)[1], src.find_span(source, right)[0]
            texts = [src.extract_text(source, n) for n in (left, right)]
            if source[start:end].strip() == "==" and not {*texts} & asserted:
                yield (start, end, source[start:end].replace("==", "=")), f"{texts[0]} = {texts[1]}"

        edits, shown = mend_above(context, find)
        if edits:
            yield self.patch(
                edits, f"Assign it: `{shown}`", "The comparison stands alone, and does nothing.", prior=0.85
            )


def _is_condition(condition: ast.expr) -> bool:
    """Whether it is a condition: ``x < 0``, ``(x < 0) & (y > 1)``, ``~done``, not ``i - 1``."""
    return any(isinstance(n, ast.Compare | ast.Invert) for n in ast.walk(condition))
