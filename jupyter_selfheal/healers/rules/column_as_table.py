"""MPL121: one column, given to a plot of seaborn as if it were a table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.inside.parsing import parse_module
from jupyter_selfheal.model import Applicability, FailureKind, Patch

PLOT = "countplot"
"""What counts a column. Another plot shows the mean of what was given as ``data``, or as ``x``: which was meant is not known."""
COUNTED = re.compile(
    r"value_counts|groupby|pivot|crosstab|resample|bincount|histogram|unique|\.agg\(|\.size\(|\bCounter\b"
)
"""What has counted or gathered already: each of its numbers was to be a bar."""
MOST_NAMES = 12


class ColumnAsTable(Rule):
    """Say that a column is the `x` of a plot of seaborn.

    **Failure** The cell does not end within its time at `sns.countplot(df["survived"])`, where the column holds numbers: since seaborn 0.12 the first
    argument is `data`, and each row gets a bar of its own, by the thousand.

    **Fix** `sns.countplot(x=df["survived"])`, and so each such call of the cell.

    **Fix safety** Safe: until seaborn 0.12 the first argument was `x`. Silent where `x`, `y` or `data` is given too, for a table, for texts (which are counted in
    either way), for a column with labels of its own or that comes from `value_counts` or `groupby` (a bar for each was meant), and for other plots.
    """

    code = "MPL121"
    name = "column taken for a table"
    stage = Stage.LIBRARY
    kinds = frozenset({FailureKind.TIMED_OUT})
    applicability = Applicability.SAFE
    why = "The first argument was `x` until seaborn 0.12 (https://seaborn.pydata.org/whatsnew/v0.12.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        splices = [splice for call in context.walk(ast.Call) for splice in _name_column(context, call)]
        if splices:
            yield self.patch(
                context.replace_here(*splices),
                "Pass x= by keyword",
                "Since seaborn 0.12 a column that is given by position is drawn row by row.",
                prior=0.92,
            )


def _name_column(context: RuleContext, call: ast.Call) -> list[Splice]:
    """``x=`` before the one positional argument of such a plot; nothing for another call."""
    name = context.text(call.func).rsplit(".", 1)[-1]
    if name != PLOT or len(call.args) != 1 or {"x", "y", "data", None} & {k.arg for k in call.keywords}:
        return []
    plot = context.describe_all([call.func])[0]
    given = call.args[0]
    if not plot.path.startswith("seaborn.") or not _is_column_of_numbers(context, given) or _is_counted(context, given):
        return []
    start = context.span(given)[0]
    return [(start, start, "x=")]


def _is_column_of_numbers(context: RuleContext, given: ast.expr) -> bool:
    """True for a column that holds no text, with rows that are numbered; where only a loop knows its name, for one column of such a table."""
    known = context.describe_all([given])[0]
    if known.path or known.mro:
        numbers = known.ndim == 1 and known.dtype.startswith(("int", "uint", "float", "bool"))
        return numbers and (
            known.is_a("numpy.ndarray") or (known.is_a("pandas.Series") and _is_numbered(context, given))
        )
    if not (isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Name)):
        return False
    return context.describe_all([given.value])[0].is_a("pandas.DataFrame") and _is_numbered(context, given.value)


def _is_numbered(context: RuleContext, rows: ast.expr) -> bool:
    """Whether the index of a column or of a table is 0, 1, 2, and no label of what was counted."""
    table = context.table(rows)
    return table is not None and table.index_type.endswith("RangeIndex")


def _is_counted(context: RuleContext, given: ast.expr) -> bool:
    """Whether a column, or one of those that it was made of, holds what was counted or gathered."""
    known: set[str] = set()
    texts = [ast.unparse(given)]
    while texts and len(known) <= MOST_NAMES:
        text = texts.pop()
        if COUNTED.search(text):
            return True
        names = {n.id for n in ast.walk(parse_module(text)) if isinstance(n, ast.Name)} - known
        known |= names
        texts += [
            ast.unparse(node.value)
            for view in context.look_upwards()
            for node in view.walk(ast.Assign)
            if any(_is_written(target, names, text) for target in node.targets)
        ]
    return bool(texts)


def _is_written(target: ast.expr, names: set[str], text: str) -> bool:
    """Whether an assignment makes one of these names, or the very column; other columns of its table say nothing of it."""
    if isinstance(target, ast.Subscript | ast.Attribute):
        return ast.unparse(target) in text
    return not names.isdisjoint(n.id for n in ast.walk(target) if isinstance(n, ast.Name))
