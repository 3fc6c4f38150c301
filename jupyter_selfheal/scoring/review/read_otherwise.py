"""REV205: a call that a library has read otherwise since a release, and of which nothing fails."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.probes.review_kinds import COUNTING, REDUCING
from jupyter_selfheal.model import Doubt
from jupyter_selfheal.scoring.review.context import Check, ReviewedCell
from jupyter_selfheal.scoring.review.context.code import is_plain, walk_top_level

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_OF_ONE_NUMBER = frozenset({"vmin", "vmax"})
"""Keywords that take one number: it is what is meant there."""


class ReadOtherwise(Check):
    """A call that a library has read otherwise since a release: `np.max(df)`, `sns.countplot(df["survived"])`.

    **Doubt** NumPy makes one number of a whole table since pandas 2.0 (`sum`, `std`, `var` and `prod` since 3.0), where it gave a value for each column. Seaborn takes what is given by
    position for `data` since 0.12: a column of numbers gets a bar for each row, where each value was counted.

    **Silent** Where an axis, or another argument, is given; on arrays, on tables of one column, on columns of texts, whose values are counted in either
    way, and on those in which each value is there once; for what is printed, or given as `vmin` or `vmax`.

    **What to do** `np.max(df, axis=0)`, `sns.countplot(x=df["survived"])`.
    """

    code = "REV205"
    name = "call that a release reads otherwise"

    def review_cell(self, cell: ReviewedCell) -> Iterator[Doubt]:
        calls = [call for statement in walk_top_level(cell.body) for call in _list_calls(statement)]
        pairs = [[ast.unparse(call.func), ast.unparse(call.args[0])] for call in calls]
        otherwise = cell.ask("review_kinds", "list_read_otherwise", pairs=pairs) if pairs else None
        for call, how in zip(calls, otherwise or (), strict=False):
            text, given = cell.extract_text(call)[:80], cell.extract_text(call.args[0])
            if how == "table":
                since = REDUCING[ast.unparse(call.func).rpartition(".")[2]]
                what = f"`{text}` gives one number for the whole table; until pandas {since}.0 it gave a value for each column."
                advice = (
                    f"Write `{text[:-1]}, axis=0)` for a value of each column, `axis=None` where one number is meant."
                )
                yield cell.build_doubt(self.code, call, what, advice)
            elif how == "column":
                what = f"`{text}` draws a bar for each row; until seaborn 0.12 it counted the values of the column."
                yield cell.build_doubt(self.code, call, what, f"Write `x={given}`.")


def _list_calls(node: ast.AST) -> Iterator[ast.Call]:
    """Such calls of one plain positional argument in a statement; its blocks are statements of their own."""
    if isinstance(node, _FUNCTIONS):
        return
    children = [c for c in ast.iter_child_nodes(node) if not isinstance(c, ast.stmt)]
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        named = {k.arg for k in node.keywords}
        if len(node.args) == 1 and is_plain(node.args[0]):
            is_counting = name in COUNTING and named.isdisjoint({"x", "y", "data", None})
            if is_counting or (name in REDUCING and not named):
                yield node
        is_print = isinstance(node.func, ast.Name) and node.func.id == "print"
        children = (
            [] if is_print else [c for c in children if not (isinstance(c, ast.keyword) and c.arg in _OF_ONE_NUMBER)]
        )
    for child in children:
        yield from _list_calls(child)
