"""PDA117: ``.dt`` of texts, and ``.str`` of numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage, questions
from jupyter_selfheal.healers.rules.context.value_types import DAY, DAY_FIRST, ISO, reads_otherwise_day_first
from jupyter_selfheal.healers.rules.date_format import FORMATS
from jupyter_selfheal.model import Applicability, Patch

OF_ANY_LENGTH = frozenset({"zfill", "rjust", "pad", "len", "cat", "endswith", "isdigit", "isnumeric", "isdecimal"})
"""What zeros that are lost in front make no difference to, or what puts them there again."""


class AccessorType(Rule):
    """Turn texts and days written as numbers into dates before `.dt`, and numbers into texts before `.str`.

    **Failure** `AttributeError: Can only use .dt accessor with datetimelike values`, `Can only use .str accessor with string values`.

    **Fix** `pd.to_datetime(df["when"]).dt.month`; `pd.to_datetime(df["day"].astype(str), format="%Y%m%d").dt.month`; `df["zip"].astype(str).str[:2]`.

    **Fix safety** Safe for texts that are all ISO dates (`2021-03-04`) or that one common format alone fits (`25/04/2021` says how `03/04/2021` is read, `21/04/13` does not), for numbers that are all days of 1900 to 2099 (`20240301`), and for whole
    numbers of one length as texts. Unsafe otherwise: day and month may be in another order (both are proposed where they give other dates), a missing value becomes the text `nan`, and of numbers of several lengths
    the shorter ones may have lost their zeros in front (zip codes, `930` for half past nine), so that a part or a pattern stands elsewhere in them. Silent for a table,
    which has neither accessor, and for other numbers.
    """

    code = "PDA117"
    name = "accessor of another type"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    message = re.compile(r"Can only use \.")
    applicability = Applicability.SAFE
    why = "The values have one reading as this type."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        which = (
            "dt"
            if ".dt accessor" in context.failure.evalue
            else "str"
            if ".str accessor" in context.failure.evalue
            else ""
        )
        if not which:
            return
        node = next(
            (n for n in context.list_nodes_at_failure(ast.Attribute) if n.attr == which),
            None,
        )
        live = context.describe_all([node.value], calls=True)[0] if isinstance(node, ast.Attribute) else None
        if not isinstance(node, ast.Attribute) or live is None or not live.is_a("pandas.Series"):
            return
        changed = _write_dates(context, node, live.dtype) if which == "dt" else _write_texts(context, node, live.dtype)
        if changed is None:
            return
        new, sure, imports = changed
        readings = [new]
        if not sure and which == "dt" and reads_otherwise_day_first(context, new):
            readings.append(f"{new[:-1]}{DAY_FIRST})")
        for reading in readings:
            yield self.patch(
                context.replace(context.cell_id, [(*context.span(node.value), reading), *context.add_imports(imports)]),
                f"Use `{reading}.{which}`",
                f"`.{which}` only works on {'dates' if which == 'dt' else 'text'}; these values are {live.dtype}.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why if sure else "The values may have another reading.",
                prior=0.85 if sure else 0.6,
            )


def _write_dates(context: RuleContext, node: ast.Attribute, dtype: str) -> tuple[str, bool, list[str]] | None:
    """The values before `.dt` as dates, whether that is their one reading, and the imports; None for values that are no dates."""
    text, known = context.text(node.value), context.reference("pandas.to_datetime")
    if known is None:
        return None
    if dtype.lower().startswith(("int", "uint")):
        is_day = context.is_true(f"len({text}) and ({text}).dropna().astype(str).str.fullmatch({DAY!r}).all()")
        return (
            (f'{known[0]}({context.operand(node.value)}.astype(str), format="%Y%m%d")', True, [known[1]])
            if is_day
            else None
        )
    if dtype not in ("object", "str", "string"):
        return None
    if context.is_true(f"({text}).dropna().astype(str).str.fullmatch({ISO!r}).all()"):
        return f"{known[0]}({text})", True, [known[1]]
    fitting = context.ask(questions.SELECT_DATE_FORMATS, expression=f"({text}).dropna()", formats=FORMATS)
    if len(fitting) == 1:
        return f'{known[0]}({text}, format="{fitting[0]}")', True, [known[1]]
    return f"{known[0]}({text})", False, [known[1]]


def _write_texts(context: RuleContext, node: ast.Attribute, dtype: str) -> tuple[str, bool, list[str]]:
    text = context.text(node.value)
    asked = next((n.attr for n in context.walk(ast.Attribute) if n.value is node), "")
    is_whole = dtype.lower().startswith(("int", "uint"))
    alike = asked in OF_ANY_LENGTH or context.is_true(f"({text}).astype(str).str.len().nunique() == 1")
    return f"{context.operand(node.value)}.astype(str)", is_whole and alike, []
