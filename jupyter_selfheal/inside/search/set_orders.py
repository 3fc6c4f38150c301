"""A change that goes through a set in place of a list: what is made in that order comes in another one in the next process.

``for x in set(xs)`` drops what is there twice, and the order with it. Small whole numbers come out ascending whatever the hash seed,
so that neither a check nor a run under other seeds shows it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import Unit
from jupyter_selfheal.inside.tree_names import read_called_name, walk

_MAKES_ORDER = frozenset({"append", "extend", "insert", "appendleft", "write", "print"})
_KEEPS_ORDER = frozenset({"list", "tuple", "enumerate", "join", "iter", "zip", "next"})
_SORTS = frozenset({"sort", "sorted"})


def find_set_order(texts: Mapping[int, str], units: Sequence[Unit]) -> str:
    """A set whose order a changed statement hands on and did not before, as text; empty where there is none, or where something there
    is sorted."""
    for n, text in texts.items():
        after = parse_once(text)
        if any(read_called_name(node) in _SORTS for node in walk(after)):
            continue
        new = {*_list_ordered_sets(after)} - {*_list_ordered_sets(parse_once(units[n].text))}
        if new:
            return min(new)
    return ""


def _list_ordered_sets(tree: ast.AST) -> Iterator[str]:
    """The sets that a list, a text, or a loop that makes one takes its order from."""
    for node in walk(tree):
        taken: list[ast.expr] = []
        if isinstance(node, ast.For) and any(_hands_on_order(n) for statement in node.body for n in walk(statement)):
            taken = [node.iter]
        elif isinstance(node, ast.ListComp):
            taken = [loop.iter for loop in node.generators]
        elif read_called_name(node) in _KEEPS_ORDER and isinstance(node, ast.Call):
            taken = [
                *node.args,
                *(loop.iter for a in node.args if isinstance(a, ast.GeneratorExp) for loop in a.generators),
            ]
        yield from (ast.unparse(part) for part in taken if _is_set(part))


def _hands_on_order(node: ast.AST) -> bool:
    return isinstance(node, ast.Yield | ast.Return | ast.Break) or read_called_name(node) in _MAKES_ORDER


def _is_set(node: ast.expr) -> bool:
    return isinstance(node, ast.Set | ast.SetComp) or read_called_name(node) in ("set", "frozenset")
