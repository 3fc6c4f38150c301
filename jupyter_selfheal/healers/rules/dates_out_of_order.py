"""PDA199: rows between two dates, of an index whose dates are not in order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

_FORMS = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?)?)?")
"""Texts of dates that everybody reads alike."""


class DatesOutOfOrder(Rule):
    """Take the rows between two dates by comparing, where the dates are not in order.

    **Failure** `KeyError: 'Value based partial slicing on non-monotonic DatetimeIndexes with non-existing keys is not allowed.'` from
    `df['2020-01':'2020-02']` or `df.loc['2020-01-05':, 'price']`. Until pandas 2.0 such a slice gave the rows between the two, in the order of the table.

    **Fix** `df[(df.index >= '2020-01') & (df.index < '2020-03')]`, for every such slice of the same table in the cell: the second text is that of the next
    month (day, year, minute), as a slice has all of its last one.

    **Fix safety** Safe: these are the rows that pandas before 2.0 gave, in the same order. Unsafe for one bound where the dates go from the last to the first:
    pandas before 1.1 gave the rows from there on, which are the earlier ones. Silent for bounds that are no texts of a usual form, or of which the second is before
    the first, for a step, and for a table that a call makes.
    """

    code = "PDA199"
    name = "rows between dates that are not in order"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError"})
    message = re.compile(r"Value based partial slicing on non-monotonic DatetimeIndexes")
    applicability = Applicability.SAFE
    restores = "pandas 2.0"
    why = "Until pandas 2.0 such a slice gave these rows, in the table's order (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_at_failure(ast.Subscript):
            owner = _find_table(node)
            if owner is None or any(isinstance(n, ast.Call) for n in ast.walk(owner)) or not _list_bounds(node):
                continue
            text = context.text(owner)
            if not context.is_true(f"({text}).index.is_monotonic_increasing == False"):
                continue
            alike = [
                n for n in context.walk(ast.Subscript) if (o := _find_table(n)) is not None and context.text(o) == text
            ]
            splices = [s for n in alike if (s := _write_comparison(context, n, text)) is not None]
            if not splices:
                continue
            is_open = any(len(_list_bounds(n)) == 1 for n in alike) and context.is_true(
                f"({text}).index.is_monotonic_decreasing"
            )
            yield self.patch(
                context.replace(context.cell_id, splices),
                f"Take the rows of `{text}` by comparing its dates: `{splices[0][2]}`",
                f"The dates of `{text}` are not in order, and pandas no longer slices between two that are not among them.",
                applicability=Applicability.UNSAFE if is_open else None,
                why="The dates go from the last to the first: all rows after that one may be meant, which are earlier."
                if is_open
                else self.why,
                prior=0.92,
            )
            return


def _find_table(node: ast.Subscript) -> ast.expr | None:
    """What a slice of rows is taken of: ``df`` of ``df[a:b]``, ``df.loc[a:b]`` and ``df.loc[a:b, "c"]``; None for another subscript."""
    if _find_slice(node) is None:
        return None
    value = node.value
    if isinstance(value, ast.Attribute) and value.attr == "loc":
        return value.value
    return value if isinstance(node.slice, ast.Slice) else None


def _find_slice(node: ast.Subscript) -> ast.Slice | None:
    rows = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    return rows if isinstance(rows, ast.Slice) and rows.step is None else None


def _list_bounds(node: ast.Subscript) -> list[tuple[str, str]]:
    """(">=", text) and ("<=", text) of a slice whose bounds are texts of dates; none where one of them is something else."""
    rows = _find_slice(node)
    given = [] if rows is None else [(s, b) for s, b in ((">=", rows.lower), ("<=", rows.upper)) if b is not None]
    bounds = [(s, b.value) for s, b in given if isinstance(b, ast.Constant) and isinstance(b.value, str)]
    is_usual = len(bounds) == len(given) and all(_FORMS.fullmatch(text) for _, text in bounds)
    is_turned = is_usual and len(bounds) == 2 and _fill_up(_find_next(bounds[1][1])) <= _fill_up(bounds[0][1])
    return bounds if is_usual and not is_turned else []


def _write_comparison(context: RuleContext, node: ast.Subscript, table: str) -> Splice | None:
    """The rows of a slice as a condition; None where its bounds are not known."""
    rows, bounds = _find_slice(node), _list_bounds(node)
    if rows is None or not bounds:
        return None
    conditions = []
    for sign, text in bounds:
        if sign == ">=":
            conditions.append(f"{table}.index >= {text!r}")
        elif after := _find_next(text):
            conditions.append(f"{table}.index < {after!r}")
        else:
            return None
    whole = conditions[0] if len(conditions) == 1 else " & ".join(f"({c})" for c in conditions)
    return (*context.span(rows), whole)


def _fill_up(text: str) -> str:
    """`2020-02` as `2020-02-01`: such texts have the order of their dates."""
    return text.replace("T", " ") + "0000-01-01"[len(text) :]


def _find_next(text: str) -> str:
    """The text of the next year, month, day, minute or second; empty for what is no date."""
    parts = [int(part) for part in re.findall(r"\d+", text)]
    form = ("%Y", "%Y-%m", "%Y-%m-%d", "", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S")[len(parts) - 1]
    try:
        first = datetime(*(*parts, *(1, 1)[max(len(parts) - 1, 0) :]))  # type: ignore[arg-type]
        if len(parts) == 1:
            after = first.replace(year=first.year + 1)
        elif len(parts) == 2:
            after = (first + timedelta(days=31)).replace(day=1)
        else:
            after = first + (timedelta(days=1), timedelta(), timedelta(minutes=1), timedelta(seconds=1))[len(parts) - 3]
    except (ValueError, OverflowError):
        return ""
    return after.strftime(form)
