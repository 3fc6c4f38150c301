"""Whether a column, or the table that it is of, writes decimals behind a comma: `1,250` is then as likely one and a quarter as a thousand."""

from __future__ import annotations

import ast
import re

from jupyter_selfheal.healers.rules.context.rule_context import RuleContext

_DECIMAL = r"\s*[-+]?(?:\d+,(?!\d{3}\s*$)|0+,)\d+\s*"
_ASKED = f".astype(str).str.fullmatch({_DECIMAL!r}).any()"
_WHOLE = r"\s*[-+]?\d+(?:,\d+)?\s*"
_OPEN = r"\s*[-+]?[1-9]\d{0,2},\d{3}\s*"
_POINTED = r"\s*[-+$€£]?[\d,]*\d\.\d+\s*"
CURRENCY = "$€£¥"
_MONEY = re.compile(r"[$€£¥] ?\d|\d ?[€£¥]|[€£¥]")
"""A sign of money; the dollar, which patterns and formulas have too, before a number."""
ROWS = 2000
"""Rows of each column that are looked at."""
UNSHOWN = "Each number has one comma and three digits behind it, and nothing shows that these are no decimals."
POINTS = r"\s*[-+]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d{1,3})\s*"
GROUPS = "Numbers have three digits behind their point, beside whole ones: the points may part thousands."
DOUBT = "Other numbers have a comma before their decimals: these may have, too."


def has_decimal_commas(context: RuleContext, column: ast.expr) -> bool:
    """True where a text of the column, or of another one of its table, can only be a number with a decimal comma, or a file is read whose
    columns are apart by semicolons, as they are where commas stand before decimals."""
    if has_own_decimal_commas(context, column) or _reads_semicolons(context):
        return True
    table = column.value if isinstance(column, ast.Subscript | ast.Attribute) else None
    if not isinstance(table, ast.Name) or not context.describe_all([table])[0].is_a("pandas.DataFrame"):
        return False
    whole = f"{table.id}.head({ROWS}).select_dtypes(exclude='number')"
    return context.is_true(f"any(held{_ASKED} for _, held in {whole}.items())")


def are_groups_shown(context: RuleContext, column: ast.expr) -> bool:
    """True where something shows that commas part thousands: a text of the column without a comma, with two, or with a point, or a number of its
    table with a point. Where each text has one comma and three digits behind it, they may as well be decimals (`48,137`)."""
    texts = f"({context.text(column)}).dropna().head({ROWS}).astype(str)"
    if context.is_true(f"not {texts}.str.fullmatch({_OPEN!r}).all()"):
        return True
    table = column.value if isinstance(column, ast.Subscript | ast.Attribute) else None
    if not isinstance(table, ast.Name) or not context.describe_all([table])[0].is_a("pandas.DataFrame"):
        return False
    head = f"{table.id}.head({ROWS})"
    return context.is_true(
        f"any((held.dropna() % 1 != 0).any() for _, held in {head}.select_dtypes('float').items()) or "
        f"any(held.astype(str).str.fullmatch({_POINTED!r}).any() for _, held in {head}.select_dtypes(exclude='number').items())"
    )


def may_points_part_groups(context: RuleContext, column: ast.expr) -> bool:
    """True where each text is whole up to 999 or has three digits behind every point, and there are both: ``1.200`` beside ``950`` is as likely twelve hundred."""
    texts = f"({context.text(column)}).dropna().head({ROWS}).astype(str)"
    points = f"{texts}.str.contains('.', regex=False)"
    return context.is_true(f"{texts}.str.fullmatch({POINTS!r}).all() and {points}.any() and not {points}.all()")


def has_own_decimal_commas(context: RuleContext, column: ast.expr) -> bool:
    """True where a text of the column itself can only be a number with a decimal comma."""
    return context.is_true(f"({context.text(column)}).head({ROWS}){_ASKED}")


def are_decimal_commas(context: RuleContext, column: ast.expr) -> bool:
    """True where each text of the column can be a number with a decimal comma."""
    return context.is_true(f"({context.text(column)}).dropna().astype(str).str.fullmatch({_WHOLE!r}).all()")


def _reads_semicolons(context: RuleContext) -> bool:
    given = [k for n in context.walk_notebook() if isinstance(n, ast.Call) for k in n.keywords]
    return any(k.arg in ("sep", "delimiter") and getattr(k.value, "value", "") == ";" for k in given)


def has_other_currency(context: RuleContext, text: str) -> bool:
    """Whether the notebook writes another sign of money than the text does: sums of both mean nothing."""
    own = set(text) & set(CURRENCY)
    texts = (n.value for n in context.walk_notebook() if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return bool(own) and any(set("".join(_MONEY.findall(t))) & set(CURRENCY) - own for t in texts)
