"""PDA210: `pd.pivot` of three columns, which takes their table first since pandas 1.1."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

PARTS = ("index", "columns", "values")


class PivotOfColumns(Rule):
    """Pivot the table whose columns `pd.pivot` is given.

    **Failure** `TypeError: pivot() missing 1 required positional argument: 'data'` at
    `pd.pivot(index=df["day"], columns=df["town"], values=df["rain"])`, `pivot() takes 1 positional argument but 3 were given`, `got an unexpected keyword argument 'aggfunc'`.

    **Fix** `df.pivot(index="day", columns="town", values="rain")`; `df.pivot_table(…, aggfunc="sum")`.

    **Fix safety** Safe: the same table came of its three columns. Unsafe for `pivot_table` without `aggfunc`, which gives means. Silent where they are not three columns of one table.
    """

    code = "PDA210"
    name = "pivot of columns"
    stage = Stage.CHANGELOG
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"pivot\(\) (?:missing 1 required positional argument: 'data'|takes 1 positional argument but 3 were given|got an unexpected keyword argument '(?:aggfunc|fill_value|margins|margins_name|dropna|observed|sort)')"
    )
    applicability = Applicability.SAFE
    why = "The same three columns (https://pandas.pydata.org/docs/whatsnew/v1.1.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if "unexpected" in context.failure.evalue:
                yield from self._aggregate(context, call)
                continue
            given = dict(zip(PARTS, call.args, strict=False)) | {k.arg: k.value for k in call.keywords}
            known = context.describe(call.func)
            if given.keys() != {*PARTS} or known is None or not known.path.startswith("pandas."):
                continue
            columns = [_read_column(context, given[part]) for part in PARTS]
            tables = {table for table, _ in columns}
            if len(tables) != 1 or not (table := tables.pop()):
                return
            named = ", ".join(f"{part}={name}" for part, (_, name) in zip(PARTS, columns, strict=True))
            text = f"{table}.pivot({named})"
            yield self.patch(
                context.replace_here((*context.span(call), text)),
                f"Write `{text}`",
                "`pd.pivot` takes a table and the names of its columns.",
                prior=0.93,
            )
            return

    def _aggregate(self, context: RuleContext, call: ast.Call) -> Iterator[Patch]:
        """``df.pivot(…, aggfunc="sum")``."""
        if isinstance(call.func, ast.Attribute) and call.func.attr == "pivot" and not call.args:
            sure = any(k.arg == "aggfunc" for k in call.keywords)
            yield self.patch(
                context.replace_here((*context.find_attribute_span(call.func), "pivot_table")),
                "Use `pivot_table`",
                "`pivot` only puts values in their places; `pivot_table` aggregates them, and takes this argument.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why="It has the arguments of `pivot`, and this one."
                if sure
                else "It gives the mean of several values in one place.",
                prior=0.9 if sure else 0.7,
            )


def _read_column(context: RuleContext, node: ast.expr) -> tuple[str, str]:
    """The table and the name of ``df["a"]`` or ``df.a``, as text; two empty texts where it is no column of a live table."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        name = context.text(node.slice)
    elif isinstance(node, ast.Attribute):
        name = repr(node.attr)
    else:
        return "", ""
    table = context.read_plain_chain(node.value)
    live = context.describe(table) if table else None
    is_column = live is not None and live.is_a("pandas.DataFrame") and context.is_true(f"{name} in {table}.columns")
    return (table or "", name) if is_column else ("", "")
