"""PDA192: `.dt` and `.str` of one value, where only a column has them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

SAME = frozenset(
    {"lower", "upper", "title", "capitalize", "strip", "lstrip", "rstrip", "startswith", "endswith", "replace", "split", "zfill", "isdigit", "isnumeric", "isalpha"}
)  # fmt: skip
"""Methods of a text that do what a column's `.str` does of each one (https://pandas.pydata.org/docs/user_guide/text.html#method-summary)."""
CALLED = frozenset({"date", "time", "timetz"})
"""What `.dt` has as attributes, and one moment as methods; an index has them as `.dt` has."""


class AccessorOfOneValue(Rule):
    """Leave out `.dt` or `.str` before what a single value has itself.

    **Failure** `AttributeError: 'Timedelta' object has no attribute 'dt'` at `(df["end"].max() - df["end"].min()).dt.days`, `'str' object has no attribute 'str'` at
    `df["name"].apply(lambda name: name.str.lower())`, `'DatetimeIndex' object has no attribute 'dt'` at `df.index.dt.month`.

    **Fix** `(df["end"].max() - df["end"].min()).days`, `name.lower()`.

    **Fix safety** Safe: the value is one, or an index of dates, and has what is asked of the accessor, which means the same. Silent for what only a column can be asked (`.str.contains`),
    for `.str.replace` with a keyword (a pattern), and for any other attribute.
    """

    code = "PDA192"
    name = "accessor of one value"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    message = re.compile(
        r"'(?:Timedelta|Timestamp|datetime|timedelta|DatetimeIndex|TimedeltaIndex|PeriodIndex)' object has no attribute 'dt'|'str' object has no attribute 'str'"
    )
    applicability = Applicability.SAFE
    why = "The accessor is a column's; one value, or an index, has this itself."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        wrong = context.attribute
        parents = src.read(context.source).parents
        for node in (n for n in context.list_failing_nodes(ast.Attribute) if n.attr == wrong):
            outer = parents.get(node)
            if not isinstance(outer, ast.Attribute) or not _has_itself(context, outer):
                return
            end = context.span(node)[1]
            start = context.source.rindex(".", 0, end)
            splices = [(start, end, "")]
            if (
                wrong == "dt"
                and outer.attr in CALLED
                and not context.owner.type.endswith("Index")
                and not context.is_called(outer)
            ):
                splices.append((context.span(outer)[1], context.span(outer)[1], "()"))
            yield self.patch(
                context.replace_here(*splices),
                f"Leave out `.{wrong}`",
                f"`.{wrong}` is a column's; this has `{outer.attr}` itself.",
                prior=0.95,
            )
            return


def _has_itself(context: RuleContext, outer: ast.Attribute) -> bool:
    """True where the value can be asked what its accessor is asked, to the same effect."""
    if context.attribute == "dt":
        kind = context.owner.type
        return context.exists(f"{'pandas' if kind[0].isupper() else 'datetime'}.{kind}.{outer.attr}")
    call = context.call_of(outer)
    return outer.attr in SAME and call is not None and not call.keywords
