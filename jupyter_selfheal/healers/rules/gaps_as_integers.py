"""PDA151: a column with missing values, or with fractions, that is made whole numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_keyword
from jupyter_selfheal.model import Applicability, Patch

INTEGERS = frozenset({"int", "int64", "np.int64", "numpy.int64", "np.int_", "numpy.int_", "'int'", "'int64'"})
"""How the type is written that cannot hold a gap."""
FRACTIONS = "Trying to coerce float values to integers"
MAKERS = frozenset({"pandas.Series", "pandas.DataFrame", "pandas.Index"})


class GapsAsIntegers(Rule):
    """Keep missing values missing where a column becomes whole numbers.

    **Failure** `IntCastingNaNError: Cannot convert non-finite values (NA or inf) to integer` at `df["age"].astype(int)`.

    **Fix** pandas' type for whole numbers with gaps: `df["age"].astype("Int64")`. `pd.Series(means, dtype=int)`, which pandas before 2.0 made of fractions, too,
    becomes `pd.Series(means).astype(int)`, as its release notes say.

    **Fix safety** Unsafe: the rows with gaps may be meant to be filled or left out, and fractions to be rounded. Silent where the column holds infinities or fractions, which that type
    does not take either.
    """

    code = "PDA151"
    name = "gaps as whole numbers"
    stage = Stage.LIBRARY
    enames = frozenset({"IntCastingNaNError", "ValueError"})
    message = re.compile(
        r"[Cc]annot convert (?:non-finite values|NA|float NaN) (?:\(NA or inf\) )?to integer|" + FRACTIONS
    )
    applicability = Applicability.UNSAFE
    why = "Missing values stay missing; fill them or leave their rows out if that is what you mean."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if FRACTIONS in context.failure.evalue:
            yield from self._cast_what_is_made(context)
            return
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

    def _cast_what_is_made(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            dtype = find_keyword(call, "dtype")
            if dtype is None or context.describe_all([call.func])[0].path not in MAKERS:
                continue
            rest = ", ".join(context.text(a) for a in (*call.args, *call.keywords) if a is not dtype)
            text = f"{context.text(call.func)}({rest}).astype({context.text(dtype.value)})"
            yield self.patch(
                context.replace_here((*context.span(call), text)),
                f"Use `.astype({context.text(dtype.value)})`",
                "Since pandas 2.0 fractions are no longer made whole numbers where a table is made.",
                why="Its release notes say so (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html); fractions are cut off, not rounded.",
                prior=0.7,
            )
            return


def _holds_whole_numbers(context: RuleContext, column: ast.expr, is_one: bool) -> bool:
    """Whether what is cast holds whole numbers and gaps alone; of several columns the trial tells."""
    if not is_one or any(isinstance(n, ast.Call) for n in ast.walk(column)):
        return True
    return context.is_true(f"not ({context.text(column)}.dropna() % 1 != 0).any()")
