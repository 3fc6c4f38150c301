"""Writes into a column of a table that pandas 3 loses, as a source has them: what each takes out or fills, and the statement that is kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.called_functions import Place, walk_with_places
from jupyter_selfheal.healers.rules.context.column_aliases import METHODS
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import is_truth, read_literal

FILLING = frozenset({"fillna", "ffill", "bfill", "interpolate"})


_CONDITIONS = frozenset(
    {"isna", "isnull", "notna", "notnull", "isin", "duplicated", "between", "eq", "ne", "lt", "gt", "le", "ge"}
)


@dataclass(frozen=True, slots=True)
class Write:
    """One statement that writes into a column: its cell, the table's name, the column's text, and what it becomes."""

    cell_id: str
    table: str
    shown: str
    splice: Splice
    texts: frozenset[str]
    """Texts that it takes out of the column."""
    fills: bool
    place: Place = Place()
    """The function or method that it stands in."""
    by_label: bool = False
    """The row may have been named by position: without an index of integers ``loc`` would add one."""
    column: str = ""
    """The variable that holds the column's name; empty where the name stands in the code."""
    alias: str = ""
    """The column's own name, where it has one."""
    is_sure: bool = True
    """False where no more is known than that pandas warned in a cell that calls the function: of which write, it does not say."""


OF_EVERY_TABLE = frozenset({"columns", "index", "values", "dtypes", "iloc", "loc", "T"})
"""What a table has whatever its columns are."""


def has_lost_writes(source: str) -> bool:
    """True where a text holds such a write, whatever it is that it writes into."""
    return any(read_writes("", source))


def read_writes(cell_id: str, source: str) -> Iterator[Write]:
    """The writes into columns of tables that a cell makes, in their order."""
    if "[" not in source and "inplace" not in source:
        return
    for statement in src.list_statements(source):
        for place, node in walk_with_places(statement.node):
            write = None
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                write = _read_call(source, node.value)
            elif isinstance(node, ast.Assign | ast.AugAssign):
                write = _read_assignment(source, node)
            if write is not None:
                (table, column), span, text, texts, fills = write
                by_label = isinstance(node, ast.Assign | ast.AugAssign) and not _is_mask(node)
                yield Write(cell_id, table, text, (*span, text), texts, fills, place, by_label, column)


_Reading = tuple[tuple[str, str], tuple[int, int], str, frozenset[str], bool]
"""The table and the variable of its column, the span, the text in its place, the texts that it takes out, whether it fills."""


def _read_call(source: str, call: ast.Call) -> _Reading | None:
    """``df["c"].replace(…, inplace=True)`` as ``df["c"] = df["c"].replace(…)``."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr in METHODS):
        return None
    in_place = next((k for k in call.keywords if k.arg == "inplace"), None)
    whole = _find_whole_column(source, call.func.value)
    table = (whole[0], "") if whole is not None else _find_table(call.func.value)
    if in_place is None or not is_truth(in_place.value, True) or table is None:
        return None
    column = src.extract_text(source, call.func.value)
    rest = [src.extract_text(source, a) for a in (*call.args, *(k for k in call.keywords if k is not in_place))]
    end = ".infer_objects()" if call.func.attr == "replace" and turns_texts_to_numbers(call) else ""
    value = f"{column}.{call.func.attr}({', '.join(rest)}){end}"
    text = f"{column} = {value}" if whole is None else whole[1].replace("VALUE", value)
    texts = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return table, src.find_span(source, call), text, frozenset(texts), call.func.attr in FILLING


def turns_texts_to_numbers(call: ast.Call) -> bool:
    """True for ``replace({"no": 0, "yes": 1})``, by the literals in the call, and where a variable holds what is replaced."""
    given = (*call.args, *(k.value for k in call.keywords if k.arg in ("to_replace", "value")))
    if any(isinstance(a, ast.Name | ast.Attribute) for a in given):
        return True
    values = [n.value for a in (*call.args, *call.keywords) for n in ast.walk(a) if isinstance(n, ast.Constant)]
    return any(isinstance(v, str) for v in values) and any(type(v) in (int, float) for v in values)


def find_lost_downcasts(source: str, statement: ast.stmt) -> Iterator[tuple[ast.Assign, Splice]]:
    """What makes numbers again of ``x = y.replace({"no": 0, "yes": 1})``, which stays a column of objects since pandas 3, and the assignment."""
    for node in ast.walk(statement):
        match node:
            case ast.Assign(value=ast.Call(func=ast.Attribute(attr="replace"), keywords=given) as call):
                names = {k.arg for k in given}
                if not names & {"regex", "inplace"} and turns_texts_to_numbers(call):
                    end = src.find_span(source, call)[1]
                    yield node, (end, end, ".infer_objects()")


def _read_assignment(source: str, node: ast.Assign | ast.AugAssign) -> _Reading | None:
    """``df["c"][mask] = 0`` as ``df.loc[mask, "c"] = 0``, ``df["c"].iloc[0] = 0`` by the column's place."""
    target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
    if not isinstance(target, ast.Subscript) or (isinstance(node, ast.Assign) and len(node.targets) > 1):
        return None
    column, how = target.value, "loc"
    if isinstance(column, ast.Attribute) and column.attr in ("loc", "iloc", "at", "iat"):
        how = column.attr
        column = column.value
    elif isinstance(target.slice, ast.Slice):
        bounds = (target.slice.lower, target.slice.upper, target.slice.step)
        if not all(b is None or isinstance(read_literal(b)[1], int) for b in bounds):
            return None  # rows by position or by label: which of the two hangs on the index
        how = "iloc"  # whole numbers are positions where the labels are such numbers, too
    table = _find_table(column)
    if table is None or isinstance(target.slice, ast.Tuple):
        return None
    name = _name_column(source, column)
    key = src.extract_text(source, target.slice)
    place = f"{table[0]}.columns.get_loc({name})" if how in ("iloc", "iat") else name
    span = src.find_span(source, target)
    return table, span, f"{table[0]}.{how}[{key}, {place}]", frozenset(), True


def _find_whole_column(source: str, node: ast.expr) -> tuple[str, str] | None:
    """The table of ``df.loc[:, "c"]`` and ``df.iloc[:, 1]``, and the statement that sets the column to VALUE."""
    if not (
        isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and isinstance(node.slice, ast.Tuple)
    ):
        return None
    table, parts = node.value.value, node.slice.elts
    if not isinstance(table, ast.Name) or len(parts) != 2 or not isinstance(parts[0], ast.Slice):
        return None
    rows, column = parts[0], parts[1]
    if not (rows.lower is rows.upper is rows.step is None and isinstance(column, ast.Constant)):
        return None
    key = src.extract_text(source, column)
    if node.value.attr == "loc" and isinstance(column.value, str):
        return table.id, f"{table.id}[{key}] = VALUE"
    if node.value.attr == "iloc" and type(column.value) is int:
        return table.id, f"{table.id}.isetitem({key}, VALUE)"
    return None


def _is_mask(node: ast.Assign | ast.AugAssign) -> bool:
    """True where the rows are chosen by an indexer, or by an expression that is a condition."""
    target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
    if not isinstance(target, ast.Subscript):
        return False
    if isinstance(target.value, ast.Attribute) and target.value.attr in ("loc", "iloc", "at", "iat"):
        return True
    key = target.slice
    return isinstance(key, ast.Compare) or (
        (isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.Invert))
        or (isinstance(key, ast.BinOp) and isinstance(key.op, ast.BitAnd | ast.BitOr))
        or (isinstance(key, ast.Call) and isinstance(key.func, ast.Attribute) and key.func.attr in _CONDITIONS)
    )


def _name_column(source: str, column: ast.expr) -> str:
    """The text of a column's name: ``'c'`` of ``df.c`` and of ``df['c']``."""
    if isinstance(column, ast.Attribute):
        return repr(column.attr)
    return src.extract_text(source, column.slice) if isinstance(column, ast.Subscript) else ""


def _find_table(column: ast.expr) -> tuple[str, str] | None:
    """("df", "") of ``df["c"]`` and ``df.c``, ("df", "name") of ``df[name]``, ("self.df", "") of ``self.df["c"]``; None for anything else, also for
    a list of columns or a selection of rows."""
    table = _name_table(column.value) if isinstance(column, ast.Subscript | ast.Attribute) else ""
    if isinstance(column, ast.Subscript) and table:
        if isinstance(column.slice, ast.Name):
            return table, column.slice.id
        is_one = isinstance(column.slice, ast.Constant) and isinstance(column.slice.value, str)
        return (table, "") if is_one else None
    if isinstance(column, ast.Attribute) and table and column.attr not in OF_EVERY_TABLE:
        return table, ""
    return None


def _name_table(node: ast.expr) -> str:
    """What may be a table's name: ``df``, or ``self.df`` in a method; empty for anything else, such as ``self``."""
    if isinstance(node, ast.Name):
        return "" if node.id == "self" else node.id
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return ast.unparse(node) if is_own else ""
