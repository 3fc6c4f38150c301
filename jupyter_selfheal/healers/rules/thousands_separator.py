"""PDA112: numbers written with separators in a column of text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.decimal_commas import (
    CURRENCY,
    DOUBT,
    UNSHOWN,
    are_decimal_commas,
    are_groups_shown,
    has_decimal_commas,
    has_other_currency,
    has_own_decimal_commas,
)
from jupyter_selfheal.healers.rules.context.edits import quote_text
from jupyter_selfheal.model import Applicability, Failure, Patch

NUMBER = re.compile(
    r"(?:could not convert string to float|invalid literal for int\(\) with base 10|Unable to parse string).{0,3}['\"]([^'\"]+)['\"]"
)
GROUPED = re.compile(r"^\s*-?\d{1,3}(?:,\d{3})+(?:\.\d+)?\s*$")
EUROPEAN = re.compile(r"^\s*-?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+\s*$")
"""A comma before the decimals, with or without points between groups of three digits: `1.234,50`, `3,5`."""
PERCENT = re.compile(r"^\s*-?\d+(?:\.\d+)?\s*%\s*$")
PRICED = re.compile(r"^\s*[$€£]\s?-?[\d,]+(?:\.\d+)?\s*$")

UNIT = re.compile(r"^\s*-?\d+(?:\.\d+)?(\s*([^\W\d_]{2,12}))\s*$")
"""A number with a unit behind it: `70 kg`, `180cm`."""
SCALES = frozenset({
    "bn", "bln", "billion", "cr", "crore", "dozen", "hundred", "lac", "lakh", "mil", "mill", "million", "millionen", "milliard",
    "milliarden", "mio", "mln", "mn", "mrd", "tausend", "thousand", "tn", "trillion", "trn", "tsd", "bps", "pct", "percent", "ppb", "ppm", "prozent", "am", "pm", "bc", "bce", "south", "west",
})  # fmt: skip
"""What stands behind a number, also with an `s`, and makes it another one."""

POINTS = r"-?\d{1,3}(?:\.\d{3})+"
BOTH = r"-?\d{1,3}(?:\.\d{3})+,\d+"
THREE = r"-?\d{1,3},\d{3}"
"""Texts that alone may be read in two ways, and one that cannot: its comma stands behind a point."""


class ThousandsSeparator(Rule):
    """Take thousands separators and currency signs out of a column before it is converted.

    **Failure** `ValueError: could not convert string to float: '1,234'` from `df["price"].astype(float)`.

    **Fix** `df["price"].str.replace(",", "").astype(float)`; with a currency sign `.str.replace(r"[$,]", "", regex=True)`; `.str.rstrip("%")` for `12%`.

    `.str.replace(".", "", regex=False).str.replace(",", ".")` where commas stand before decimals (`1.234,50`).

    `.str.removesuffix(" kg")` for `70 kg`, where every text has that unit.

    **Fix safety** Safe for one unit of all texts; silent for several, and for `19M`, `3 million` or `12 percent`, which are scales, and for `3 PM` or `300 BC`. Safe for `1.234,50` and `3,5` where no text of the column can be read otherwise. Safe for `1,234` and `12,345.67`, which have one reading where the point is the decimal mark; what shows that is another number of the column or the table (`950`, `1,234,567`, `3.5`), or that whole numbers are asked for. Unsafe where a number of the table
    can only have a comma before its decimals (`3,5`; points take the place of commas where one of the same column can), where a file is read
    with `sep=";"`, with a currency sign; silent where there are signs of two currencies; and with a percent sign: `12%` may be meant as 12 or as 0.12.
    """

    code = "PDA112"
    name = "numbers with separators"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    applicability = Applicability.SAFE
    why = "Groups of three digits after commas have one reading."

    def matches(self, failure: Failure) -> bool:
        match = NUMBER.search(failure.evalue)
        return (
            super().matches(failure)
            and match is not None
            and any(form.match(match[1]) for form in (GROUPED, PRICED, PERCENT, EUROPEAN, UNIT))
        )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = NUMBER.search(context.failure.evalue)
        if match is None:
            return
        text, doubt = _choose_text(match[1])
        for call in context.list_calls_at_failure()[:4]:
            column: ast.expr | None = None
            if isinstance(call.func, ast.Attribute) and call.func.attr == "astype":
                column = call.func.value
            elif context.text(call.func).endswith("to_numeric") and call.args:
                column = call.args[0]
            if column is None or not context.describe_all([column], calls=True)[0].is_a("pandas.Series"):
                continue
            signs = (
                f"[s for s in {CURRENCY!r} if ({context.text(column)}).astype(str).str.contains(s, regex=False).any()]"
            )
            if has_other_currency(context, match[1]) or context.is_true(f"len({signs}) > 1"):
                return
            end = context.span(column)[1]
            if unit := UNIT.match(match[1]):
                yield from self._take_unit_off(context, column, unit[1], unit[2])
                return
            if EUROPEAN.match(match[1]):
                is_own = not GROUPED.match(match[1]) or has_own_decimal_commas(context, column)
                patch = self._read_european(context, column, match[1]) if is_own else None
                if patch is not None:
                    yield patch
                if patch is not None or not GROUPED.match(match[1]):
                    return
            if not doubt and has_own_decimal_commas(context, column):
                if are_decimal_commas(context, column):
                    yield self._write_points(context, end, match[1])
                return  # of `3,5` the comma's removal would make 35
            if not doubt and has_decimal_commas(context, column):
                doubt = DOUBT
            is_whole = any(isinstance(a, ast.Name) and a.id == "int" for a in call.args)
            if not doubt and not is_whole and not are_groups_shown(context, column):
                doubt = UNSHOWN
            yield self.patch(
                context.replace(context.cell_id, [(end, end, text)]),
                f"Take the signs out with `{text}`" if doubt else f"Take the separators out with `{text}`",
                f"`{match[1]}` is written with {'a percent sign' if '%' in match[1] else 'separators'}.",
                applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                why=doubt or self.why,
                prior=0.88,
            )
            return

    def _take_unit_off(self, context: RuleContext, column: ast.expr, suffix: str, unit: str) -> Iterator[Patch]:
        """`70` of `70 kg`, where every text of the column is a number with that very unit."""
        present = f"({context.text(column)}).dropna()"
        texts = f"{present}.astype(str).str"
        form = rf"\s*-?\d+(?:\.\d+)?\s*{unit}\s*"
        if not SCALES.isdisjoint({unit.lower(), unit.lower().removesuffix("s")}) or not context.is_true(
            f"len({present}) > 1 and {texts}.fullmatch({form!r}).all()"
        ):
            return
        is_alike = context.is_true(f"{texts}.endswith({suffix!r}).all()")
        text = f".str.removesuffix({quote_text(suffix)})" if is_alike else f'.str.replace({quote_text(unit)}, "")'
        end = context.span(column)[1]
        yield self.patch(
            context.replace_here((end, end, text)),
            f"Take the unit off with `{text}`",
            f"Each text is a number of {unit}.",
            why="Every text of the column is a number with the same unit behind it.",
            prior=0.9,
        )

    def _read_european(self, context: RuleContext, column: ast.expr, number: str) -> Patch | None:
        """Points out, and a point for the comma, where every text of the column is a number that is written so."""
        texts = f"({context.text(column)}).dropna().astype(str).str.strip().str"
        form = r"-?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?"
        present = f"({context.text(column)}).dropna()"
        if not context.is_true(
            f"len({present}) > 1 and all(isinstance(_, str) for _ in {present}) and {texts}.fullmatch({form!r}).all()"
        ):
            return None
        has_points = context.is_true(f"{texts}.contains('.', regex=False).any()")
        only_points = context.is_true(f"{texts}.fullmatch({POINTS!r}).any()")
        both = context.is_true(f"{texts}.fullmatch({BOTH!r}).any()")
        three = context.is_true(f"{texts}.fullmatch({THREE!r}).any()")
        end = context.span(column)[1]
        text = '.str.replace(".", "", regex=False)' * has_points + '.str.replace(",", ".")'
        sure = not three and (both or not only_points)
        return self.patch(
            context.replace_here((end, end, text)),
            f"Write points for the commas: `{text}`",
            f"`{number}` has a comma before its decimals.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why="No text of the column can be read otherwise." if sure else DOUBT,
            prior=0.9 if sure else 0.8,
        )

    def _write_points(self, context: RuleContext, end: int, number: str) -> Patch:
        return self.patch(
            context.replace_here((end, end, '.str.replace(",", ".")')),
            'Write points for the commas with `.str.replace(",", ".")`',
            f"`{number}` stands among numbers with a comma before their decimals.",
            applicability=Applicability.UNSAFE,
            why=DOUBT,
            prior=0.8,
        )


def _choose_text(number: str) -> tuple[str, str]:
    """What takes the signs out of a number that is written so, and what is doubtful about it."""
    if PERCENT.match(number):
        return '.str.rstrip("%")', "Whether 12 or 0.12 is meant by `12%` stands nowhere."
    if PRICED.match(number):
        return '.str.replace(r"[$€£,]", "", regex=True)', "The column may mix currencies."
    return '.str.replace(",", "")', ""
