"""PDA108: a value put into a column that cannot hold its type."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.objects import Table
from jupyter_selfheal.healers.rules.context.value_types import read_number_in
from jupyter_selfheal.inside.parsing import parse_expression
from jupyter_selfheal.model import Applicability, Patch

INVALID = re.compile(r"Invalid value '.*' for dtype '?([\w\[\], ]+)'?", re.S)


class ValueOfAnotherType(Rule):
    """Let a column hold any object before a value of another type is put into it.

    **Failure** `TypeError: Invalid value 'unknown' for dtype 'int64'` from `df.loc[0, "a"] = "unknown"`.

    **Fix** `df["a"] = df["a"].astype(object)` (`float` where the value is a number) in the line above. `df.loc[:, "a"] = values`,
    which replaced the column before pandas 2.0, becomes `df["a"] = values`. A column may be given by its place (`df.iloc[:, 2]`).

    `df.fillna(0)` of a table with columns of text makes columns of objects of those first.

    **Fix safety** Safe: this is the conversion that pandas before 3.0 made by itself. Unsafe where several columns are converted for one of them, and for a number that is written as a text (`"35"`) in a column of numbers.
    """

    code = "PDA108"
    name = "value of another type"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "LossySetitemError"})
    message = INVALID
    applicability = Applicability.SAFE
    why = "pandas before 3.0 made the same conversion by itself (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        yield from self._fill_table(context)
        for node in ast.walk(context.tree):
            if not isinstance(node, ast.Assign | ast.AugAssign) or not node.lineno <= context.line <= (
                node.end_lineno or 0
            ):
                continue
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            column = _write_column(context, target)
            if not column:
                continue
            if isinstance(node, ast.Assign) and _is_all_rows(target):
                edits = context.replace(context.cell_id, [(*context.span(target), column)])
                cause = "`.loc[:, …]` keeps the column's type since pandas 2.0; the column is to be replaced."
                yield self.patch(edits, f"Use `{column} = …`", cause, prior=0.88)
                return
            start = context.span(node)[0]
            begin = context.source.rfind("\n", 0, start) + 1
            if context.source[begin:start].strip():
                continue
            value = context.describe_all([node.value], calls=True)[0]
            is_number = value.is_a("builtins.float", "numpy.floating") or value.dtype.startswith("float")
            kind = "float" if is_number and re.search(r"dtype '?int", context.failure.evalue) else "object"
            line = f"{column} = {column}.astype({kind})\n{context.source[begin:start]}"
            table = context.table(parse_expression(column))
            sure = not table or len(table.columns) < 2
            is_number_as_text = (
                bool(read_number_in(context, node.value)) and "str" not in context.failure.evalue.rpartition("dtype")[2]
            )
            yield self.patch(
                context.replace(context.cell_id, [(start, start, line)]),
                f"Convert `{column}` to {kind} first",
                "The column's type cannot hold the value that is put into it.",
                applicability=Applicability.UNSAFE if is_number_as_text or not sure else self.applicability,
                why="The text holds a number, which may be meant."
                if is_number_as_text
                else self.why
                if sure
                else "Every column is converted, and pandas before 3.0 converted those that were written into.",
                prior=0.6 if is_number_as_text else 0.85,
            )
            return

    def _fill_table(self, context: RuleContext) -> Iterator[Patch]:
        """``df.fillna(0)``, where some columns are of text."""
        statement = context.failing_statement
        for call in context.list_calls_at_failure() if "dtype 'str'" in context.failure.evalue else ():
            if (
                not isinstance(call.func, ast.Attribute)
                or call.func.attr not in ("fillna", "replace")
                or statement is None
            ):
                continue
            table = context.text(call.func.value)
            start = context.span(statement)[0]
            begin = context.source.rfind("\n", 0, start) + 1
            is_table = context.describe_all([call.func.value])[0].is_a("pandas.DataFrame")
            if not is_table or not isinstance(call.func.value, ast.Name) or context.source[begin:start].strip():
                continue
            line = f"{table} = {table}.astype({{c: object for c in {table}.select_dtypes('str')}})\n"
            yield self.patch(
                context.replace(context.cell_id, [(start, start, line + context.source[begin:start])]),
                f"Make columns of objects of the texts in `{table}` first",
                "Since pandas 3.0, a column of text cannot hold a number.",
                prior=0.88,
            )
            return


def _is_all_rows(target: ast.expr) -> bool:
    """True for ``df.loc[:, key]`` and ``df.iloc[:, 2]``."""
    if not (isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Tuple) and len(target.slice.elts) == 2):
        return False
    rows, columns = target.slice.elts
    whole = isinstance(rows, ast.Slice) and rows.lower is rows.upper is rows.step is None
    located = isinstance(target.value, ast.Attribute) and target.value.attr in ("loc", "iloc")
    return located and whole and not isinstance(columns, ast.Slice)


def _name_column(table: Table, place: ast.expr) -> str:
    """The column's name, as it is written, where its place is written down and no other one has that name."""
    with contextlib.suppress(ValueError, IndexError, TypeError):
        name = table.columns[ast.literal_eval(place)]
        return repr(name) if isinstance(name, str) and table.columns.count(name) == 1 else ""
    return ""


def _write_column(context: RuleContext, target: ast.expr) -> str:
    """The column that ``df.loc[rows, "a"]`` or ``s[0]`` writes into, as an expression that can be assigned to."""
    if not isinstance(target, ast.Subscript) or any(isinstance(node, ast.Call) for node in ast.walk(target.value)):
        return ""  # a table that a call makes is another one at the next call
    owner = target.value
    if isinstance(owner, ast.Attribute) and owner.attr in ("loc", "at", "iloc", "iat"):
        table = owner.value
        shape = context.table(table)
        if not shape:
            return ""
        if not shape.columns:
            return context.text(table)
        keys = target.slice.elts if isinstance(target.slice, ast.Tuple) else []
        if len(keys) == 2 and owner.attr in ("loc", "at") and not isinstance(keys[1], ast.Slice):
            return f"{context.text(table)}[{context.text(keys[1])}]"
        if len(keys) == 2 and (name := _name_column(shape, keys[1])):
            return f"{context.text(table)}[{name}]"
        return context.text(table) if isinstance(table, ast.Name) and not _is_all_rows(target) else ""
    shape = context.table(owner)
    if not shape:
        return ""
    return context.text(owner) if isinstance(owner, ast.Name | ast.Subscript) else ""
