"""PDA166: a write into rows that were picked out first, which never reaches the table."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import Function
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.model import Applicability, Patch


class CopyWritten(Rule):
    """Write into rows of the table itself, not into a copy of them.

    **Failure** `AssertionError`, or another result than the expected one, where the values come from `df[df["a"] > 3]["b"] = 0`, which changes a copy.

    **Fix** `df.loc[df["a"] > 3, "b"] = 0`, also in cells above; `df.iloc[0, df.columns.get_loc("b")] = 0` for `df.iloc[0]["b"] = 0`. The cells that made the table run again.

    **Fix safety** Safe where an assert or an expectation holds with it: the statement has no other effect. Silent where the copy has a name, which may be
    meant, and where rows are picked by anything but a condition, `loc` or `iloc`.
    """

    code = "PDA166"
    name = "write into a copy"
    stage = Stage.LIBRARY
    enames = frozenset({"AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "The statement has no other effect than this one."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            nodes = [] if isinstance(statement, Function | ast.ClassDef) else ast.walk(statement)
            for written in (n for n in nodes if isinstance(n, ast.Assign | ast.AugAssign)):
                yield from mend(source, written)

        def mend(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            target = _read_target(statement)
            if target is None:
                return
            table, how, condition, column = target
            flat = f"{table.id}.index.nlevels == 1 and {table.id}.columns.nlevels == 1"
            if context.describe_all([table.id])[0].is_a("pandas.DataFrame") and context.is_true(flat):
                name = src.extract_text(source, column)
                place = f"{table.id}.columns.get_loc({name})" if how == "iloc" else name
                text = f"{table.id}.{how}[{src.extract_text(source, condition)}, {place}]"
                yield (*src.find_span(source, _find_target(statement)), text), text

        edits, shown = mend_above(context, find)
        if edits:
            yield self.patch(
                edits,
                f"Write into the table itself: `{shown}`",
                "The rows that were picked out are a copy: what is written into it is lost.",
                prior=0.92,
            )


def _find_target(statement: ast.stmt) -> ast.expr:
    assert isinstance(statement, ast.Assign | ast.AugAssign)
    return statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]


def _read_target(statement: ast.stmt) -> tuple[ast.Name, str, ast.expr, ast.Constant] | None:
    """The table, how its rows are picked, by what, and the column of ``df[df["a"] > 3]["b"] = …`` and ``df.iloc[0]["b"] = …``."""
    if not isinstance(statement, ast.Assign | ast.AugAssign):
        return None
    match _find_target(statement):
        case ast.Subscript(
            value=ast.Subscript(value=ast.Name() as table, slice=condition), slice=ast.Constant(value=str()) as column
        ):
            pass
        case ast.Subscript(
            value=ast.Subscript(
                value=ast.Attribute(value=ast.Name() as table, attr="loc" | "iloc" as how), slice=condition
            ),
            slice=ast.Constant(value=str()) as column,
        ) if not isinstance(condition, ast.Tuple):
            return table, how, condition, column
        case _:
            return None
    asks = isinstance(condition, ast.Compare | ast.UnaryOp | ast.BinOp) or (
        isinstance(condition, ast.Call) and isinstance(condition.func, ast.Attribute)
    )
    reads = any(isinstance(n, ast.Name) and n.id == table.id for n in ast.walk(condition))
    return (table, "loc", condition, column) if asks and reads else None
