"""PDA151: a column with missing values that is made whole numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

INTEGERS = frozenset({"int", "int64", "np.int64", "numpy.int64", "np.int_", "numpy.int_", "'int'", "'int64'"})
"""How the type is written that cannot hold a gap."""


class GapsAsIntegers(Rule):
    """Keep missing values missing where a column becomes whole numbers.

    **Failure** `IntCastingNaNError: Cannot convert non-finite values (NA or inf) to integer` at `df["age"].astype(int)`.

    **Fix** pandas' type for whole numbers with gaps: `df["age"].astype("Int64")`.

    **Fix safety** Unsafe: the rows with gaps may be meant to be filled or left out. Silent where the column holds infinities or fractions, which that type
    does not take either.
    """

    code = "PDA151"
    name = "gaps as whole numbers"
    stage = Stage.LIBRARY
    enames = frozenset({"IntCastingNaNError", "ValueError"})
    message = re.compile(r"[Cc]annot convert (?:non-finite values|NA|float NaN) (?:\(NA or inf\) )?to integer")
    applicability = Applicability.UNSAFE
    why = "Missing values stay missing; fill them or leave their rows out if that is what you mean."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if not isinstance(call.func, ast.Attribute) or call.func.attr != "astype":
                continue
            given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "dtype")]
            kinds = [v for g in given for v in (g.values if isinstance(g, ast.Dict) else [g])]
            whole = [k for k in kinds if context.text(k).replace('"', "'") in INTEGERS]
            if not whole or not _holds_whole_numbers(context, call.func.value, whole == given):
                continue
            cause = (
                f"`{context.text(call.func.value)}` has missing values, which `{context.text(whole[0])}` cannot hold."
            )
            edits = context.replace_here(*((*context.span(k), '"Int64"') for k in whole))
            yield self.patch(edits, 'Use "Int64", which has missing values', cause, prior=0.6)
            return


def _holds_whole_numbers(context: RuleContext, column: ast.expr, is_one: bool) -> bool:
    """Whether what is cast holds whole numbers and gaps alone; of several columns the trial tells."""
    if not is_one or any(isinstance(n, ast.Call) for n in ast.walk(column)):
        return True
    return context.is_true(f"not ({context.text(column)}.dropna() % 1 != 0).any()")
