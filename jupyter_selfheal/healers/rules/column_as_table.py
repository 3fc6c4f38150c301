"""MPL121: one column, given to a plot of seaborn as if it were a table."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, FailureKind, Patch

PLOTS = ("countplot", "barplot", "pointplot")
"""What draws something for each entry of the index of one column that is given as ``data``."""
COLUMNS = ("pandas.Series", "numpy.ndarray")


class ColumnAsTable(Rule):
    """Say that a column is the `x` of a plot of seaborn.

    **Failure** The cell does not end within its time at `sns.countplot(df["survived"])`, where the column holds numbers: since seaborn 0.12 the first
    argument is `data`, and each row gets a bar of its own, by the thousand.

    **Fix** `sns.countplot(x=df["survived"])`, and so each such call of the cell.

    **Fix safety** Safe: until seaborn 0.12 the first argument was `x`. Silent where `x`, `y` or `data` is given too, for a table, for texts (which are counted in
    either way), and for other plots.
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
    if name not in PLOTS or len(call.args) != 1 or {"x", "y", "data", None} & {k.arg for k in call.keywords}:
        return []
    plot = context.describe_all([call.func])[0]
    if not plot.path.startswith("seaborn.") or not _is_column_of_numbers(context, call.args[0]):
        return []
    start = context.span(call.args[0])[0]
    return [(start, start, "x=")]


def _is_column_of_numbers(context: RuleContext, given: ast.expr) -> bool:
    """True for a column that holds no text; where only a loop knows its name, for one column of a table."""
    known = context.describe_all([given])[0]
    if known.path or known.mro:
        return known.is_a(*COLUMNS) and known.ndim == 1 and known.dtype.startswith(("int", "uint", "float", "bool"))
    if not (isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Name)):
        return False
    return context.describe_all([given.value])[0].is_a("pandas.DataFrame")
