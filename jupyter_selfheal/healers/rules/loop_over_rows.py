"""PDA130: a loop over a table that does not get its rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.inside.tree_names import is_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"too many values to unpack|not enough values to unpack|cannot unpack non-iterable|"
    r"tuple indices must be integers or slices, not str|string indices must be integers|'tuple' object has no attribute"
)


LEAST_LETTERS = 3
"""Letters of the longest of the loop's names from which on they speak of values: `for a, b in df` may take names of columns apart."""


class LoopOverRows(Rule):
    """Go through the rows of a table, and take each row out of its pair.

    **Failure** `ValueError: too many values to unpack` at `for i, row in df:`, which goes through the names of the columns; `TypeError: tuple
    indices must be integers or slices, not str` at `row["price"]` below `for row in df.iterrows():`, which gives pairs.

    **Fix** `for i, row in df.iterrows():`; `for _, row in df.iterrows():`; `for i, (name, age) in df.iterrows():`; `row.price` of what
    `itertuples` gives; `for name, age in df.itertuples(index=False):` for as many names as there are columns.

    **Fix safety** Safe: the loop reads columns of the table from the variable, which only a row has, or its names are those of all columns. Unsafe
    where there are as many names as columns, and where the row is written into, which is a copy of the table's. Silent where it reads anything else.
    """

    code = "PDA130"
    name = "loop over the rows of a table"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError", "AttributeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The loop reads columns from the variable, and only a row has them."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for loop in context.walk(ast.For):
            if not loop.lineno <= context.line <= (loop.end_lineno or loop.lineno):
                continue
            if isinstance(loop.target, ast.Tuple) and len(loop.target.elts) == 2:
                row, table = loop.target.elts[1], loop.iter
                change = (*context.span(loop.iter), f"{context.operand(loop.iter)}.iterrows()")
                title = "Go through the rows with `iterrows`"
                cause = "A loop over a table goes through the names of its columns."
            elif isinstance(loop.target, ast.Name) and isinstance(loop.iter, ast.Name):
                row, table = loop.target, loop.iter
                change = (
                    *_span_header(context, loop),
                    f"{_name_unused(context)}, {loop.target.id} in {loop.iter.id}.iterrows()",
                )
                title = "Go through the rows with `iterrows`"
                cause = "A loop over a table goes through the names of its columns."
            elif (rows := _find_table(loop.iter, "itertuples")) is not None and isinstance(loop.target, ast.Name):
                yield from self._read_attributes(context, loop, loop.target.id, rows)
                return
            elif (pairs := _find_table(loop.iter, "iterrows")) is not None and isinstance(loop.target, ast.Tuple):
                yield from self._group_values(context, loop.target, pairs)
                return
            elif pairs is not None:
                row, table = loop.target, pairs
                change = (*context.span(loop.target), f"{_name_unused(context)}, {context.text(loop.target)}")
                title = "Take the row out of its pair"
                cause = "`iterrows` gives pairs of an index and a row."
            else:
                yield from self._unpack_rows(context, loop)
                continue
            if isinstance(row, ast.Name) and _reads_columns(context, loop, row.id, table):
                writes = _writes_row(loop, row.id)
                yield self.patch(
                    context.replace_here(change),
                    title,
                    cause,
                    applicability=Applicability.UNSAFE if writes else Applicability.SAFE,
                    why="The row is a copy: what is written into it never reaches the table." if writes else self.why,
                    prior=0.6 if writes else 0.92,
                )
                return
            yield from self._unpack_rows(context, loop)

    def _unpack_rows(self, context: RuleContext, loop: ast.For) -> Iterator[Patch]:
        """``for town, price in homes[["town", "price"]].itertuples(index=False):`` for as many names as the table has columns."""
        names = (
            [n.id for n in loop.target.elts if isinstance(n, ast.Name)] if isinstance(loop.target, ast.Tuple) else []
        )
        table = context.table(loop.iter) if len(names) > 1 and not isinstance(loop.iter, ast.Call) else None
        if table is None or len(table.columns) != len(names) or max(map(len, names)) < LEAST_LETTERS:
            return
        is_named = [str(c).casefold() for c in table.columns] == [n.casefold() for n in names]
        yield self.patch(
            context.replace_here((*context.span(loop.iter), f"{context.operand(loop.iter)}.itertuples(index=False)")),
            "Go through the rows with `itertuples`",
            "A loop over a table goes through the names of its columns.",
            applicability=Applicability.SAFE if is_named else Applicability.UNSAFE,
            why="The loop's names are those of the columns."
            if is_named
            else "The columns may be meant, and not the rows.",
            prior=0.92 if is_named else 0.75,
        )

    def _group_values(self, context: RuleContext, target: ast.Tuple, table: ast.expr) -> Iterator[Patch]:
        """``for i, (name, age) in table.iterrows():`` for as many names as the table has columns."""
        rest = target.elts[1:]
        if len(rest) < 2 or context.number(f"len(({context.text(table)}).columns)") != len(rest):
            return
        start, end = context.span(rest[0])[0], context.span(rest[-1])[1]
        change = (start, end, f"({context.source[start:end]})")
        cause = "`iterrows` gives pairs of an index and a row."
        yield self.patch(context.replace_here(change), "Take the values out of the row", cause, prior=0.92)

    def _read_attributes(self, context: RuleContext, loop: ast.For, row: str, table: ast.expr) -> Iterator[Patch]:
        """``row.name`` for ``row["name"]`` of what ``itertuples`` gives."""
        nodes = [
            n for part in loop.body for n in ast.walk(part) if isinstance(n, ast.Subscript) and is_name(n.value, row)
        ]
        reads = [
            (n, n.slice.value) for n in nodes if isinstance(n.slice, ast.Constant) and isinstance(n.slice.value, str)
        ]
        text = context.read_plain_chain(table)
        keys = context.keys(text) if text else None
        if keys is None or not reads or not all(c.isidentifier() and c in keys.columns for _, c in reads):
            return
        cause = "`itertuples` gives rows whose columns are attributes."
        changes = [(*context.span(node), f"{row}.{column}") for node, column in reads]
        yield self.patch(context.replace_here(*changes), f"Read `{changes[0][2]}`", cause, prior=0.92)


def _reads_columns(context: RuleContext, loop: ast.For, row: str, table: ast.expr) -> bool:
    """True where the loop reads columns of the table from the variable, and uses it for nothing else."""
    nodes = [n for part in loop.body for n in ast.walk(part)]
    by_key = [n for n in nodes if isinstance(n, ast.Subscript) and is_name(n.value, row)]
    by_name = [n for n in nodes if isinstance(n, ast.Attribute) and is_name(n.value, row)]
    uses = [n for n in nodes if is_name(n, row)]
    if not uses or len(uses) != len(by_key) + len(by_name):
        return False
    read = {n.slice.value for n in by_key if isinstance(n.slice, ast.Constant)} | {n.attr for n in by_name}
    text = context.read_plain_chain(table)
    keys = context.keys(text) if text else None
    return keys is not None and keys.type == "DataFrame" and bool(read) and read <= set(keys.columns)


def _writes_row(loop: ast.For, row: str) -> bool:
    """Whether the loop writes into the row: ``row["price"] *= 2``."""
    nodes = [n for part in loop.body for n in ast.walk(part) if isinstance(n, ast.Subscript | ast.Attribute)]
    return any(is_name(n.value, row) and isinstance(n.ctx, ast.Store) for n in nodes)


def _find_table(node: ast.expr, method: str) -> ast.expr | None:
    """``table`` of ``table.iterrows()``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
        return node.func.value
    return None


def _span_header(context: RuleContext, loop: ast.For) -> tuple[int, int]:
    """Where ``row in table`` stands."""
    return context.span(loop.target)[0], context.span(loop.iter)[1]


def _name_unused(context: RuleContext) -> str:
    """A name for what the loop does not read."""
    return "index" if any(n.id == "_" for n in context.walk(ast.Name)) else "_"
