"""PDA138: a column of numbers that are written as texts, reduced to one number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.decimal_commas import (
    DOUBT,
    GROUPS,
    UNSHOWN,
    are_groups_shown,
    has_decimal_commas,
    may_points_part_groups,
)
from jupyter_selfheal.model import Applicability, Patch

PLAIN = r"\s*[-+]?(?:0|[1-9]\d*)(?:\.\d*)?\s*"
DECIMAL_COMMA = r"\s*[-+]?(?:0|[1-9]\d*)(?:,(?!\d{3}\b)\d+)?\s*"
GROUPED = r"\s*[-+]?(?:0|[1-9]\d{0,2}(?:,\d{3})*)(?:\.\d+)?\s*"


class NumbersAsTexts(Rule):
    """Make numbers of a column of texts before it is reckoned with.

    **Failure** `TypeError: Cannot perform reduction 'mean' with string dtype` at `df["price"].mean()`.

    **Fix** `df["price"].astype(float).mean()`; `df["price"].str.replace(",", "").astype(float).mean()` for `1,200`; `df["price"].str.replace(",", ".").astype(float).mean()` for `3,5`.

    **Fix safety** Safe: every text of the column that is not missing is a number in one notation, with groups of three digits after commas
    where there are any. Unsafe for a comma before decimals, for groups where another column has such ones, where nothing shows that they are groups (each number as `1,250`), and where points may part them (`1.200` beside `950`). Silent where one is not, and for codes: a number does not begin with `0` before another digit.
    """

    code = "PDA138"
    name = "numbers written as texts"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"Cannot perform reduction '\w+' with string dtype|Could not convert (?:string )?'.*' to numeric", re.S
    )
    applicability = Applicability.SAFE
    why = "Every text of the column is a number in one notation."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if not isinstance(call.func, ast.Attribute):
                continue
            column = call.func.value
            if not context.describe_all([column], calls=True)[0].is_a("pandas.Series"):
                continue
            texts = f"({context.text(column)}).dropna().astype(str).str"
            if context.is_true(f"{texts}.fullmatch({PLAIN!r}).all()"):
                way = ".astype(float)"
            elif context.is_true(f"{texts}.fullmatch({GROUPED!r}).all()"):
                way = '.str.replace(",", "").astype(float)'
            elif context.is_true(f"{texts}.fullmatch({DECIMAL_COMMA!r}).all()"):
                way = '.str.replace(",", ".").astype(float)'
            else:
                return
            is_decimal = '"."' in way
            doubt = "The commas may part something else than decimals." if is_decimal else ""
            if not doubt and "," not in way and may_points_part_groups(context, column):
                doubt = GROUPS
            if not doubt and "," in way:
                doubt = (
                    DOUBT
                    if has_decimal_commas(context, column)
                    else ""
                    if are_groups_shown(context, column)
                    else UNSHOWN
                )
            end = context.span(column)[1]
            splices = [(end, end, way)]
            if context.operand(column) != context.text(column):
                splices = [(*context.span(column), f"{context.operand(column)}{way}")]
            yield self.patch(
                context.replace_here(*splices),
                f"Make numbers of it first: `{way}`",
                f"`{context.text(column)}` holds numbers that are written as texts.",
                applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                why=doubt or self.why,
                prior=0.92,
            )
            return
