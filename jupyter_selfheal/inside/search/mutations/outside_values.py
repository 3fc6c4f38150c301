"""Mutation operators for a function that reads a variable of the notebook where it was given its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.outside_reads import WORDS, Function, find_outside_reads
from jupyter_selfheal.inside.search.scope import Change, Scope


def propose_own_value(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``len(xs)`` for ``len(x)`` in ``def mean(xs)``, and ``len(data)`` for ``n``, which is ``len(values)`` in a cell above."""
    if not isinstance(node, Function):
        return
    for name, new in find_outside_reads(node, s.hints.readable, s.hints.made).items():
        places = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]
        if s.frozen.isdisjoint(places):
            edits = tuple(s.replace_node(n, new) for n in places)
            yield Change(edits, 0.95, places[0].lineno, WORDS.format(name, new))


OPERATORS = (propose_own_value,)
