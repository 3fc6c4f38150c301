"""Loops that unpack what has no pairs, sums of lists of lists, and quotients that are to be whole."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import LineTable
from jupyter_selfheal.inside.search.reading_changes import find_span, is_call
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.tree_names import walk

PLACES = frozenset({"i", "j", "k", "n", "no", "num", "number", "idx", "index", "pos", "position", "place", "count"})
"""What the place of an item is called."""


def list_unpacking_changes(tree: ast.AST, source: str, table: LineTable) -> Iterator[Change]:
    """The changes of what loops go through, of sums and of quotients."""
    for node in walk(tree):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Tuple):
            yield from _pair_items(node, source, table)
        elif isinstance(node, ast.Call) and is_call(node, "sum", "max", "min") and len(node.args) == 1:
            yield from _go_through_rows(node, source, table)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            start, end = find_span(node.left, table)[1], find_span(node.right, table)[0]
            at = source.find("/", start, end)
            if at >= 0:
                yield Change(((at, at + 1, "//"),), 0.42, node.lineno, "the quotient is to be whole")


def _pair_items(node: ast.For | ast.comprehension, source: str, table: LineTable) -> Iterator[Change]:
    """``for i, x in xs`` as ``enumerate(xs)`` or ``xs.items()``; ``for x, y in xs, ys`` as ``zip(xs, ys)``."""
    assert isinstance(node.target, ast.Tuple)
    start, end = find_span(node.iter, table)
    text, line = source[start:end], node.iter.lineno
    if isinstance(node.iter, ast.Tuple) and len(node.iter.elts) == len(node.target.elts):
        inside = ", ".join(source[slice(*find_span(e, table))] for e in node.iter.elts)
        yield Change(((start, end, f"zip({inside})"),), 0.8, line, "`zip` is missing around what the loop goes through")
    elif isinstance(node.iter, ast.Name | ast.Attribute) and len(node.target.elts) == 2:
        first = node.target.elts[0]
        counts = isinstance(first, ast.Name) and first.id in PLACES
        prior = 0.8 if counts else 0.4
        yield Change(((start, end, f"enumerate({text})"),), prior, line, "`enumerate` is missing around the items")
        yield Change(((end, end, ".items()"),), 1.0 - prior, line, "`.items()` is missing behind the dictionary")


def _go_through_rows(node: ast.Call, source: str, table: LineTable) -> Iterator[Change]:
    """``sum(grid)`` as ``sum(map(sum, grid))``: its items are lists."""
    value = node.args[0]
    if isinstance(value, ast.Name | ast.List | ast.Attribute) and isinstance(node.func, ast.Name):
        start, end = find_span(value, table)
        new = f"map({node.func.id}, {source[start:end]})"
        yield Change(((start, end, new),), 0.35, node.lineno, f"the items are lists, and each has its `{node.func.id}`")
