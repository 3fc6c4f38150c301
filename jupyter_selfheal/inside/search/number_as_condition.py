"""A number that a patch puts into a condition by its name alone: ``if ready or size``, which asks whether the size is 0."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import walk


def find_number_as_condition(old: str, new: str, calls: Mapping[str, Sequence[tuple[Any, ...]]]) -> str:
    """The parameter that is a part of a condition of the new text by its name alone, of none in the old one, and that each of the ``calls`` of its function
    gives a number; empty where there is none."""
    known = Counter(name for _, name in _list_bare_parts(parse_once(old)))
    for function, name in _list_bare_parts(parse_once(new)):
        known[name] -= 1
        if known[name] >= 0:
            continue
        places = [a.arg for a in function.args.args]
        given = [
            c[places.index(name)] for c in calls.get(function.name, ()) if name in places and len(c) == len(places)
        ]
        if given and all(type(value) in (int, float) for value in given):
            return name
    return ""


def _list_bare_parts(tree: ast.AST) -> Iterator[tuple[ast.FunctionDef, str]]:
    """(function, name) of each part of ``and`` and ``or`` that is a name alone."""
    for function in walk(tree):
        for node in walk(function) if isinstance(function, ast.FunctionDef) else ():
            if isinstance(node, ast.BoolOp):
                yield from ((function, part.id) for part in node.values if isinstance(part, ast.Name))  # type: ignore[misc]
