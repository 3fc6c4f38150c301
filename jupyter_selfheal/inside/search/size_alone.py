"""Only a size is asked: ``df[["time", "station"]].shape`` is the same whichever two columns are meant.

``len(…)``, ``.shape`` and their like say how much there is, and nothing of what it is. Another label, name or argument that gives as much is met by
chance.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from jupyter_selfheal.inside.search.compared_sides import find_compared_sides
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import CHECK, Program
from jupyter_selfheal.inside.tree_names import is_call_of, walk

DOUBT = "only a size is asked, and any label or argument that gives as much meets it"
_SIZES = frozenset({"shape", "size", "ndim", "nunique"})


def describe_size_alone(program: Program, changes: Iterable[tuple[str, str]]) -> str:
    """The doubt about changes (old and new text) that take another label or name, or give an argument less, where all that is asked is a size; empty
    for other changes, and where something else is asked."""
    changed = [(old, new) for old, new in changes if _means_other_things(old, new)]
    asked = _list_asked(program, dict(changed)) if changed and not program.stdout and not program.doctests else []
    return DOUBT if asked and all(map(_is_size, asked)) else ""


def _means_other_things(old: str, new: str) -> bool:
    before, after = (Counter(_list_meant(parse_once(text))) for text in (old, new))
    return bool(before - after) and (bool(after - before) or _count_arguments(old) > _count_arguments(new))


def _list_meant(tree: ast.AST) -> Iterable[str]:
    """The labels of a text: what stands in quotes."""
    return (n.value for n in walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def _count_arguments(text: str) -> int:
    return sum(len(n.args) + len(n.keywords) for n in walk(parse_once(text)) if isinstance(n, ast.Call))


def _list_asked(program: Program, changed: dict[str, str]) -> list[ast.expr]:
    """What the oracles look at: the value of the cell, where one is known, and the sides of asserts that are no literal."""
    asked: list[ast.expr] = []
    if program.expect and program.last >= 0:
        text = program.units[program.last].text
        last = parse_once(changed.get(text, text)).body[-1]
        asked += [last.value] if isinstance(last, ast.Expr) else []
    for text in (*program.checks, *(u.text for u in program.units if u.role == CHECK or u.tests)):
        for node in walk(parse_once(text)):
            if isinstance(node, ast.Assert):
                sides = find_compared_sides(node.test) or (node.test,)
                asked += [side for side in sides if not isinstance(side, ast.Constant | ast.Tuple)]
    return asked


def _is_size(node: ast.expr) -> bool:
    """Whether it is ``len(x)``, ``x.shape``, ``x.shape[0]`` or ``x.nunique()``."""
    if isinstance(node, ast.Subscript):
        node = node.value
    if is_call_of(node, "len"):
        return True
    node = node.func if isinstance(node, ast.Call) else node
    return isinstance(node, ast.Attribute) and node.attr in _SIZES
