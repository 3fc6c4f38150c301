"""Renamings of a table's columns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.nodes import find_assignment, find_keyword, is_truth
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext

LABELLING = frozenset({"rename", "set_axis", "add_prefix", "add_suffix"})
"""Methods that give a table with other names of its columns."""


class Renaming(NamedTuple):
    """One statement that names columns anew, and whether its result is kept."""

    view: RuleContext
    statement: ast.stmt
    table: str
    call: ast.expr
    is_kept: bool


def list_renamings(context: RuleContext) -> Iterator[Renaming]:
    """Those of the cells up to here, nearest first."""
    for view in context.look_upwards():
        for known in src.list_statements(view.source):
            match known.node:
                case ast.Expr(ast.Call() as call) if owner := _find_renamed(call):
                    in_place = find_keyword(call, "inplace")
                    is_kept = in_place is not None and not is_truth(in_place.value, False)
                    yield Renaming(view, known.node, owner, call, is_kept)
                case ast.Assign([ast.Name(name)], value):
                    for call in (n for n in ast.walk(value) if isinstance(n, ast.Call)):
                        if getattr(call.func, "attr", "") in LABELLING:
                            yield Renaming(view, known.node, name, call, True)
                case ast.Assign([ast.Attribute(ast.Name(name), "columns")], value):
                    yield Renaming(view, known.node, name, value, True)


def _find_renamed(call: ast.Call) -> str:
    """``df`` of ``df.rename(…)`` and of ``df.columns.str.lower()``; empty for anything else, as what comes behind may leave rows out (``head``), or put
    the names in another order."""
    node: ast.expr = call
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = node.func.value
        if node.func.attr in LABELLING:
            node = inner
        elif isinstance(inner, ast.Attribute) and inner.attr == "str":
            node = inner.value
        else:
            return ""
    match node:
        case ast.Name(name) | ast.Attribute(ast.Name(name), "columns"):
            return name
    return ""


def find_missed_renaming(context: RuleContext, name: str) -> Renaming | None:
    """The renaming above that names a column which its table, that the failing statement reads, does not have."""
    statement = context.failing_statement
    read = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)} if statement is not None else set()
    for found in list_renamings(context):
        if found.table not in read:
            continue
        nodes = list(ast.walk(found.call))
        old = {id(key) for n in nodes if isinstance(n, ast.Dict) for key in n.keys}  # names that go
        written = any(isinstance(n, ast.Constant) and n.value == name and id(n) not in old for n in nodes)
        text = found.view.text(found.call)
        if not written and not (
            not found.is_kept and context.is_true(f"{name!r} in list(getattr({text}, 'columns', {text}))")
        ):
            continue
        keys = context.keys(found.table)
        return found if keys is not None and keys.is_table and name not in keys.columns else None
    return None


def find_name_by_place(context: RuleContext, found: Renaming, name: str) -> str:
    """What ``df.columns = ["a", "b"]`` calls a column of that name: its place is asked of the call that the table was made by; empty where that cannot be told."""
    names = [n.value for n in getattr(found.call, "elts", ()) if isinstance(n, ast.Constant)]
    if not names or len(names) != len(getattr(found.call, "elts", ())):
        return ""
    for view in context.look_upwards(found.view.cell_id):
        made = find_assignment(
            view.source, found.table, found.statement.lineno if view.cell_id == found.view.cell_id else 0
        )
        if made is not None:
            if any(_changes_columns(node, found.table) for node in context.walk_notebook()):
                return ""
            keys = context.keys(view.text(made.value), calls=True)
            columns = keys.columns if keys is not None else ()
            return str(names[columns.index(name)]) if len(columns) == len(names) and columns.count(name) == 1 else ""
    return ""


def _changes_columns(node: ast.AST, table: str) -> bool:
    """``del df["id"]``, ``df.drop("id", axis=1, inplace=True)``, ``df["total"] = …``: the places are others then than the table was made with."""
    match node:
        case ast.Subscript(ast.Name(owner), ctx=ast.Store() | ast.Del()):
            return owner == table
        case ast.Call(ast.Attribute(ast.Name(owner), attr), _, keywords):
            return owner == table and (attr in ("insert", "pop") or any(k.arg == "inplace" for k in keywords))
    return False


def makes_column(source: str, name: str, below_line: int = 0) -> bool:
    """Whether code below a line makes a column of that name, in whatever table: by a write, an argument, or the new name of another one."""
    tree = src.parse(source)
    if tree is None:
        written = rf"""(['"]){re.escape(name)}\1\s*\]\s*=(?!=)|\b{re.escape(name)}\s*=(?!=)"""
        return re.search(written, "\n".join(source.splitlines()[below_line:])) is not None
    nodes = (n for n in ast.walk(tree) if getattr(n, "lineno", 0) > below_line)
    return any(_makes_column(node, name) for node in nodes)


def _makes_column(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Subscript(slice=asked, ctx=ast.Store()):
            given: list[ast.AST | None] = list(ast.walk(asked))
        case ast.Attribute(attr=attribute, ctx=ast.Store()):
            return attribute == name
        case ast.Call(ast.Attribute(attr="assign" | "agg" | "aggregate"), keywords=keywords) if any(
            k.arg == name for k in keywords
        ):
            return True
        case ast.Call(ast.Attribute(attr="insert"), [_, second, *_]):
            given = [second]
        case ast.Call(ast.Attribute(attr="eval"), [ast.Constant(str(text)), *_]):
            return re.match(rf"\s*{re.escape(name)}\s*=(?!=)", text) is not None
        case ast.keyword(arg="name" | "names" | "value_name" | "var_name" | "column", value=value):
            given = list(ast.walk(value))
        case ast.Call(ast.Attribute(attr="rename" | "set_axis"), _, keywords):
            given = [v for k in keywords for d in ast.walk(k.value) if isinstance(d, ast.Dict) for v in d.values]
        case _:
            return False
    return any(isinstance(n, ast.Constant) and n.value == name for n in given)


def find_new_name(call: ast.AST, name: str) -> str:
    """What the mapping of a renaming calls a column of that name; empty where it does not say."""
    pairs = ((k, v) for d in ast.walk(call) if isinstance(d, ast.Dict) for k, v in zip(d.keys, d.values, strict=True))
    return next(
        (str(v.value) for k, v in pairs if isinstance(k, ast.Constant) and k.value == name and isinstance(v, ast.Constant)),
        "",
    )  # fmt: skip
