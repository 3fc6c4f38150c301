"""Variables of a cell that differ in upper and lower case alone: they are one, and one example may not show it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection

from jupyter_selfheal.inside.positions import LineTable
from jupyter_selfheal.inside.search.reading_changes import find_span
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.tree_names import walk

LIKELY = 0.6


def list_case_twins(source: str, known: Collection[str]) -> list[Change]:
    """``grade = "A"`` beside ``Grade = "B"`` as one name, the one that is written more often (of as many the one that is read). One letter (``n`` and ``N``)
    is mostly two, and so are names that both get a value as the same statement does (``x, X = …``), in which functions and classes are named,
    or of which the notebook has one."""
    tree, table = ast.parse(source), LineTable(source)
    names = [n for n in walk(tree) if isinstance(n, ast.Name)]
    stored = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    others = {n.arg for n in walk(tree) if isinstance(n, ast.arg)}
    others |= {n.name for n in walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)} | {*known, *dir(builtins)}
    read = [n.id for n in names if isinstance(n.ctx, ast.Load)]
    written = [n.id for n in names]
    changes: list[Change] = []
    for folded in dict.fromkeys(n.lower() for n in sorted(stored) if len(n) > 1):
        twins = sorted(n for n in stored if n.lower() == folded)
        if len(twins) != 2 or others & set(twins) or _meet(tree, twins):
            continue
        kept = max(twins, key=lambda n: (written.count(n), read.count(n), n.islower()))
        places = [n for n in names if n.id in twins and n.id != kept]
        edits = tuple(sorted((*find_span(n, table), kept) for n in places))
        words = f"`{places[0].id}` and `{kept}` are one name"
        changes.append(Change(edits, LIKELY, places[0].lineno, words))
    return changes


def _meet(tree: ast.AST, twins: Collection[str]) -> bool:
    """Whether one statement that holds no other one writes both names: ``X = scale(x)`` means two things."""
    for node in walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            written = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            if written.issuperset(twins):
                return True
    return False
