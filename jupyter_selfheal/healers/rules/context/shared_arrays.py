"""What an array shares its data with: the table that it was taken out of, and the other names of that."""

from __future__ import annotations

import ast

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.lost_writes import OF_EVERY_TABLE
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext


def find_column(node: ast.expr) -> tuple[str, str] | None:
    """The table and the column of ``df["c"]`` and ``df.c``."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant):
        return (node.value.id, node.slice.value) if isinstance(node.slice.value, str) else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr not in OF_EVERY_TABLE:
        return node.value.id, node.attr
    return None


def find_owner(value: ast.expr) -> ast.expr | None:
    """What an array was taken out of, without the columns, slices and calls by which; None where it is a view of what is not a table."""
    while True:
        if isinstance(value, ast.Call):
            word = read_last_name(value.func)
            if word in ("memmap", "diagonal"):
                return None
            if (
                word in ("asarray", "asanyarray", "array", "ravel", "reshape", "frombuffer", "broadcast_to")
                and value.args
            ):
                is_function = isinstance(value.func, ast.Attribute) and src.find_root_name(value.func) in (
                    "np",
                    "numpy",
                )
                value = (
                    value.args[0]
                    if is_function
                    else value.func.value
                    if isinstance(value.func, ast.Attribute)
                    else value.func
                )
            elif word in ("to_numpy", "ravel", "reshape") and isinstance(value.func, ast.Attribute):
                value = value.func.value
            else:
                return value
        elif isinstance(value, ast.Attribute) and value.attr in ("values", "array", "T", "flat", "_values"):
            value = value.value
        elif isinstance(value, ast.Subscript | ast.Attribute):
            if find_column(value) is None and isinstance(value, ast.Attribute):
                return value
            inner = value.value
            if isinstance(inner, ast.Attribute) and inner.attr in ("loc", "iloc"):
                inner = inner.value
            if not isinstance(inner, ast.Name | ast.Call) and not _ends_in_array(inner):
                return inner
            value = inner
        else:
            return value


def _ends_in_array(node: ast.expr) -> bool:
    """Whether it is the array of something, or a part of one."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Attribute) and node.attr in ("values", "array", "T")


def list_names_of_table(context: RuleContext, table: str) -> list[str]:
    """Other names of a table, of what holds it, and of what it is a column of, as far as assignments tell."""
    known = [table]
    pairs = [
        (t.id, {n for part in _list_held(node.value) for n in [src.find_root_name(part)] if n})
        for cell in context.notebook.cells
        if cell.kind == "code"
        for node in src.walk(cell.source)
        if isinstance(node, ast.Assign)
        for t in node.targets
        if isinstance(t, ast.Name)
    ]
    for _ in pairs:
        more = [
            n for name, held in pairs for n in (name, *held) if (name in known or held & set(known)) and n not in known
        ]
        if not more:
            break
        known += dict.fromkeys(more)
    return known[1:]


def _list_held(value: ast.expr) -> list[ast.expr]:
    """What an assignment gives another name to: the name itself, a column, or the parts of a collection and what a class is given."""
    if isinstance(value, ast.Name):
        return [value]
    if isinstance(value, ast.Attribute):
        return [] if value.attr in ("shape", "columns", "size", "values", "dtypes") else [value]
    if isinstance(value, ast.Subscript):
        return [value] if isinstance(value.slice, ast.Constant | ast.Slice) and find_column(value) is not None else []
    if isinstance(value, ast.List | ast.Tuple):
        return [part for item in value.elts for part in _list_held(item)]
    if isinstance(value, ast.Dict):
        return [part for item in value.values for part in _list_held(item)]
    if isinstance(value, ast.Call) and (
        read_last_name(value.func)[:1].isupper() or read_last_name(value.func) == "dict"
    ):
        return [part for item in (*value.args, *(k.value for k in value.keywords)) for part in _list_held(item)]
    return []
