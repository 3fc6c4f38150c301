"""PDA195: one value a group that is put beside the rows, where the labels are those of the groups."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.aggregates import AGGREGATES
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.healers.rules.lost_write import MISSING
from jupyter_selfheal.model import Applicability, Failure, Patch

SHAPES = re.compile(
    r"could not be broadcast together with shapes \((\d+),\) \((\d+),\)|Length of values \((\d+)\) does not match length of index \((\d+)\)"
)
"""What is said of as many values as groups, without their labels, beside the rows."""

BY_ROW = frozenset({"round", "abs", "astype", "fillna", "clip"})
"""Methods that change each value by itself."""


class AggregateOfGroups(Rule):
    """Give every row the value of its group.

    **Failure** `AssertionError`, `Input X contains NaN` and such, where the values come from `df["mean"] = df.groupby("team")["points"].mean()`: its labels are teams, those of the rows are numbers, and
    nothing meets.

    **Fix** `df["mean"] = df.groupby("team")["points"].transform("mean")`, also in cells above and in a larger expression (`df["points"] / df.groupby("team")["points"].sum()`), and where
    the labels are taken off (`….sum().values`, of which there are as many as groups).

    **Fix safety** Safe where every value of the new column is missing, or there are other numbers of groups and rows, and each row has a group. Unsafe where another table has as many rows as there are groups, and their column: it may be meant. Silent where one is not, where something is taken of all groups (`….sum().rank()`), where the table's index is what the groups are made by, and where more than one value a group is made.
    """

    code = "PDA195"
    name = "value of a group for its rows"
    stage = Stage.LIBRARY
    enames = frozenset({"AssertionError", "ValueError", "IntCastingNaNError", "MissingDataError", "LinAlgError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "No label of the groups is one of the rows: the column holds nothing, and `transform` is what gives each row the value of its group."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and (
            failure.ename == "AssertionError"
            or SHAPES.search(failure.evalue) is not None
            or MISSING.search(f"{failure.ename}: {failure.evalue}") is not None
        )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if SHAPES.search(context.failure.evalue):
            yield from self._mend_bare_values(context)
            return

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            match statement:
                case ast.Assign(
                    targets=[ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(column)))],
                    value=value,
                ):
                    pass
                case _:
                    return
            for call in _list_operands(value):
                how = _read_aggregate(call, table)
                if not how or not context.is_true(f"len({table}) > 0 and {table}[{column!r}].isna().all()"):
                    continue
                start = src.find_span(source, call.func)[1] - len(how)
                new = f'transform("{how}")'
                yield (start, src.find_span(source, call)[1], new), src.extract_text(source, statement)

        edits, shown = mend_above(context, find)
        if edits:
            yield self.patch(
                edits,
                "Give each row the value of its group: `transform(…)`",
                f"`{shown}` puts values with the labels of groups beside rows that have others: all are missing.",
                prior=0.93,
            )

    def _mend_bare_values(self, context: RuleContext) -> Iterator[Patch]:
        """``df["points"] / df.groupby("team")["points"].sum().values``: one value a group beside the rows."""
        match context.failing_statement:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=table))], value=value):
                pass
            case _:
                return
        for bare in _list_bare(value):
            call = bare.func.value if isinstance(bare, ast.Call) and isinstance(bare.func, ast.Attribute) else bare
            call = call.value if isinstance(call, ast.Attribute) else call
            how = _read_aggregate(call, table) if isinstance(call, ast.Call) else ""
            if (
                not how
                or not isinstance(call, ast.Call)
                or context.is_true(f"len({context.text(call)}) == len({table})")
            ):
                continue
            if not context.is_true(f"({context.text(call.func.value)}).ngroup().ge(0).all()"):  # type: ignore[attr-defined]
                continue
            other = _find_table_of_groups(context, call, table)
            new = f'{context.source[context.span(call)[0] : context.span(call.func)[1] - len(how)]}transform("{how}")'
            yield self.patch(
                context.replace_here((*context.span(bare), new)),
                "Give each row the value of its group: `transform(…)`",
                f"`{context.text(bare)}` has one value a group, and `{table}` more rows than that.",
                applicability=Applicability.UNSAFE if other else None,
                why=f"`{other}` has as many rows as there are groups, and may be meant."
                if other
                else "There are as many values as groups, and each row is in one of them.",
                prior=0.93,
            )
            return


def _find_table_of_groups(context: RuleContext, call: ast.Call, table: str) -> str:
    """Another table with one row a group, by the same column: ``teams`` beside ``games.groupby("team")``; empty where there is none."""
    grouped = next(n for n in ast.walk(call) if isinstance(n, ast.Attribute) and n.attr == "groupby")
    by = next((n.args[0] for n in ast.walk(call) if isinstance(n, ast.Call) and n.func is grouped and n.args), None)
    if not (isinstance(by, ast.Constant) and isinstance(by.value, str)):
        return ""
    names = sorted(
        {n for c in context.notebook.cells if c.kind == "code" for n in src.find_names(c.source).binds} - {table}
    )
    tables = (n for n, i in zip(names, context.describe_all(names), strict=True) if i.is_a("pandas.DataFrame"))
    is_one = "len({0}) == len({1}) and {2!r} in {0}.columns and {0}[{2!r}].is_unique"
    return next((n for n in tables if context.is_true(is_one.format(n, context.text(call), by.value))), "")


def _list_bare(value: ast.expr) -> Iterator[ast.expr]:
    """Operands of an expression that are the values of something, without its labels."""
    match value:
        case ast.BinOp(left=left, right=right):
            yield from _list_bare(left)
            yield from _list_bare(right)
        case (
            ast.Attribute(attr="values")
            | ast.Call(func=ast.Attribute(attr="to_numpy" | "tolist"), args=[], keywords=[])
        ):
            yield value


def _list_operands(value: ast.expr) -> Iterator[ast.Call]:
    """The calls whose results stand beside the rows one by one: not those of which a total, a rank or the like is taken."""
    match value:
        case ast.BinOp(left=left, right=right):
            yield from _list_operands(left)
            yield from _list_operands(right)
        case ast.UnaryOp(operand=operand):
            yield from _list_operands(operand)
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in BY_ROW:
            yield from _list_operands(inner)
        case ast.Call():
            yield value


def _read_aggregate(call: ast.Call, table: str) -> str:
    """``mean`` of ``table.groupby("team")["points"].mean()``; empty for anything else."""
    match call:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(
                    value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="groupby")),
                    slice=ast.Constant(value=str()),
                )
                | ast.Attribute(value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="groupby"))),
                attr=how,
            ),
            args=[],
            keywords=[],
        ) if how in AGGREGATES and owner == table:
            return how
    return ""
