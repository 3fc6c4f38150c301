"""PDA133: dates reckoned with or compared to texts of dates, or to days of Python's own type."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.value_types import ISO
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"unsupported operand type\(s\) for -: '(?:DatetimeArray|DatetimeIndex|Timestamp|str|datetime\.date)' and '(?:DatetimeArray|DatetimeIndex|Timestamp|str|datetime\.date)'|"
    r"Invalid comparison between dtype=datetime64\S* and (?:date|str)|operation 'sub' not supported for dtype 'str'|"
    r"Cannot compare Timestamp with datetime\.date|not supported between instances of '(?:Timestamp|str)' and '(?:Timestamp|str)'"
)
TEXTS = ("object", "str", "string")


class DatesAndTexts(Rule):
    """Make dates of what is written as a date, where dates are reckoned with.

    **Failure** `TypeError: unsupported operand type(s) for -: 'DatetimeArray' and 'str'` at `df["when"] - "2020-01-01"`, `… for -: 'str' and
    'str'` at a difference of two columns of texts, `Invalid comparison between dtype=datetime64[us] and date`.

    **Fix** `df["when"] - pd.Timestamp("2020-01-01")`, `pd.to_datetime(df["a"]) - pd.to_datetime(df["b"])`.

    **Fix safety** Safe: all of the texts are ISO dates (`2021-03-04`), which have one reading, and a day of `datetime.date` is that day at
    midnight. Silent for any other text.
    """

    code = "PDA133"
    name = "dates and texts of dates"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "An ISO date and a day have one reading as a time stamp."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.BinOp, ast.Compare):
            sides = _list_sides(node)
            if len(sides) != 2:
                continue
            kinds = [
                _read_kind(context, s, i) for s, i in zip(sides, context.describe_all(sides, calls=True), strict=True)
            ]
            if "" in kinds or not {"dates", "texts", "stamp"} & set(kinds):
                continue  # two plain texts are no matter of pandas
            splices, lines = [], []
            for side, kind in zip(sides, kinds, strict=True):
                path = {"texts": "pandas.to_datetime", "text": "pandas.Timestamp", "date": "pandas.Timestamp"}.get(kind)
                known = context.reference(path) if path else None
                if known is not None:
                    splices.append((*context.span(side), f"{known.text}({context.text(side)})"))
                    lines += [known.import_line] if known.import_line else []
            if splices:
                new = splices[0][2]
                yield self.patch(
                    context.replace_here(*splices, *context.add_imports(lines)),
                    f"Use `{new}`",
                    "Dates are reckoned with dates only, not with texts or with days of another type.",
                    prior=0.92,
                )
            return


def _list_sides(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right] if isinstance(node.op, ast.Sub) else []
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators] if len(node.ops) == 1 else []
    return []


def _read_kind(context: RuleContext, node: ast.expr, info: ObjectInfo) -> str:
    """``dates`` and ``stamp``, ``texts`` and ``text`` of ISO dates, ``date`` of Python's days; empty for anything else."""
    text = context.text(node)
    if info.is_a("pandas.Series", "pandas.Index"):
        if info.dtype.startswith("datetime64"):
            return "dates"
        is_dates = info.dtype in TEXTS and context.is_true(
            f"({text}).dropna().astype(str).str.fullmatch({ISO!r}).all()"
        )
        return "texts" if is_dates else ""
    if info.type == "Timestamp":
        return "stamp"
    if info.type == "date":
        return "date"
    return "text" if info.type == "str" and re.fullmatch(ISO, info.text) else ""
