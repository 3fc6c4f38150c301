"""Small changes of what a cell reads: as a number, once, and instead of a value that is written down."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import LineTable
from jupyter_selfheal.inside.search.scope import Change, Kind
from jupyter_selfheal.inside.tree_names import walk

NUMBERS = ("int", "float", "eval")
"""What makes a number of what is read."""
WRITTEN = 2
"""Values of a cell that may stand for what is to be read: the first ones."""


def list_reading_changes(tree: ast.Module, source: str, table: LineTable, expected: str) -> Iterator[Change]:
    """The changes of what is read."""
    yield from _convert_reads(tree, source, table, expected)
    yield from _call_input(tree, table)
    yield from _read_once(tree, source, table)
    yield from _read_written(tree, table)
    yield from _read_several(tree, table)


def _call_input(tree: ast.Module, table: LineTable) -> Iterator[Change]:
    """``int(input)``: what reads is named, and not called; all of them at once."""
    called = {id(n.func) for n in walk(tree) if isinstance(n, ast.Call)}
    if any(isinstance(n, ast.Name) and n.id == "input" and isinstance(n.ctx, ast.Store) for n in walk(tree)):
        return
    named = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == "input" and id(n) not in called]
    if named:
        edits = tuple((*find_span(n, table), "input()") for n in named)
        yield Change(tuple(sorted(edits)), 0.9, named[0].lineno, "`input` is `input()`", kind="name")


def _read_once(tree: ast.Module, source: str, table: LineTable) -> Iterator[Change]:
    """``name = input()`` twice: the second line asks for what is there already."""
    read: set[str] = set()
    for statement in tree.body:
        if not isinstance(statement, ast.Assign) or not isinstance(target := statement.targets[0], ast.Name):
            continue
        if not any(is_call(n, "input") for n in ast.walk(statement)):
            continue
        start, end = table.starts[statement.lineno - 1], table.starts[statement.end_lineno or statement.lineno]
        if target.id in read and source[start:end].strip() == source[slice(*find_span(statement, table))]:
            yield Change(((start, end, ""),), 0.6, statement.lineno, f"`{target.id}` is read a second time")
        read.add(target.id)


def _read_written(tree: ast.Module, table: LineTable) -> Iterator[Change]:
    """``temp = 36.6`` in a cell that reads nothing: the value was written down to try the cell, and is to be read."""
    if any(is_call(n, "input") for n in walk(tree)):
        return
    values = [
        n.value
        for n in tree.body
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and isinstance(n.value, ast.Constant)
    ]
    for value in values[:WRITTEN]:
        kind = type(value.value)
        forms = {str: ["input()"], int: ["int(input())", "float(input())"], float: ["float(input())"]}.get(kind, [])
        for text in forms:
            words = f"`{ast.unparse(value)}` is written down where a value is to be read"
            yield Change(((*find_span(value, table), text),), 0.3, value.lineno, words)


def find_span(node: ast.expr | ast.stmt, table: LineTable) -> tuple[int, int]:
    """Where a node begins and ends."""
    return table.offset(node.lineno, node.col_offset), table.offset(
        node.end_lineno or node.lineno, node.end_col_offset or 0
    )


def is_call(node: ast.AST, *names: str) -> bool:
    """True for a call of one of these names."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def _read_several(tree: ast.Module, table: LineTable) -> Iterator[Change]:
    """``a, b = input()`` for what stands on one line: it is split, and each part is a number; so is ``rows.append(input().split())``."""
    for statement in walk(tree):
        match statement:
            case ast.Assign([target, *_], value):
                several = isinstance(target, ast.Tuple)
            case ast.Expr(ast.Call(ast.Attribute(attr="append"), [ast.Call(ast.Attribute()) as value])):
                several = False
            case _:
                continue
        if not _reads_line(value):
            continue
        is_split = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
        kinds = [k for k in ("int", "float") if several or is_split or is_call(value, k)]
        forms = [f"map({kind}, input().split())" for kind in kinds]
        forms = forms if several else [f"list({form})" for form in forms]
        if not is_split and several:
            forms.append("input().split()")
        span = find_span(value, table)
        prior = 0.5 if several or is_split else 0.25
        yield from (Change(((*span, form),), prior, statement.lineno, "the values stand on one line") for form in forms)


def _reads_line(value: ast.expr) -> bool:
    """``input()``, ``int(input())``, ``input().split()``: nothing but a line that is read."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr == "split" and not value.args and is_call(value.func.value, "input")
    inner = (
        value.args[0]
        if isinstance(value, ast.Call) and is_call(value, "int", "float") and len(value.args) == 1
        else value
    )
    return is_call(inner, "input") and isinstance(inner, ast.Call) and not inner.args


def _convert_reads(tree: ast.AST, source: str, table: LineTable, expected: str) -> Iterator[Change]:
    wrapped = {id(n.args[0]): n for n in walk(tree) if is_call(n, *NUMBERS) and isinstance(n, ast.Call) and n.args}
    for node in walk(tree):
        if isinstance(node, ast.Call) and is_call(node, "int", "float") and _is_given_nothing(node):
            start, end = find_span(node.func, table)[1], find_span(node, table)[1]
            words = f"`{ast.unparse(node.func)}` is given nothing, and is to read a number"
            yield Change(((start, end, "(input())"),), 0.6, node.lineno, words)
        if not is_call(node, "input"):
            continue
        assert isinstance(node, ast.Call)
        start, end = find_span(node, table)
        outer = wrapped.get(id(node))
        if outer is None:
            for name in ("int", "float"):
                words = f"what is read is no {'whole ' if name == 'int' else ''}number yet"
                kind: Kind = "whole" if name == "int" else "failing"
                yield Change(((start, end, f"{name}({source[start:end]})"),), 0.5, node.lineno, words, kind)
        else:
            assert isinstance(outer.func, ast.Name)
            first, last = find_span(outer.func, table)
            for name in ("int", "float"):
                if name != outer.func.id:
                    words = f"`{outer.func.id}` of what is read should be `{name}`"
                    prior = 0.9 if name == "float" and re.search(r"\d\.\d", expected) else 0.5
                    yield Change(((first, last, name),), prior, node.lineno, words)
            outer_start, outer_end = find_span(outer, table)
            yield Change(((outer_start, outer_end, source[start:end]),), 0.3, node.lineno, "what is read is a text")


def _is_given_nothing(call: ast.Call) -> bool:
    """``float()``, ``float(())``."""
    given = [a for a in call.args if not (isinstance(a, ast.Tuple) and not a.elts)]
    return not given and not call.keywords
