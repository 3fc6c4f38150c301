"""A statement that reads an attribute which nothing has, put under a condition: it is only kept from running."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.deletion import find_failing_statement, walk_trees

_MISSING = re.compile(r"(?:'(\w+)' object|type object '(\w+)') has no attribute '(\w+)'")
_PLAIN = (int, float, complex, str, bytes, list, tuple, dict, set, frozenset, range, bool)
_OPEN = frozenset({"setattr", "__getattr__", "__getattribute__", "__slots__", "vars", "__dict__"})
"""What may give an object attributes that no text tells."""


def find_hidden_missing(case: Case, patch: Patch, old: list[ast.Module], new: list[ast.Module]) -> str:
    """The attribute that a patch puts under a condition, and that no value which comes there can have; empty where there is none. One of None, of a
    library's, and of a class with a base that is not the notebook's may have it."""
    statement = find_failing_statement(case)
    if statement is None or count_guards(new, statement) <= count_guards(old, statement):
        return ""
    found = _MISSING.search(case.failure.evalue) if case.failure.ename == "AttributeError" else None
    if found is None:
        return ""
    type_name, name = found[1] or found[2], found[3]
    cells = [c for c in case.notebook.cells if c.kind == "code"]
    texts = [patch.source_of(c.id, c.source) for c in cells]
    if case.notebook.index(case.failure.cell_id) < 0:
        texts.append(patch.source_of(case.failure.cell_id, case.failure.source))
    trees = [tree for text in texts if (tree := src.parse(text)) is not None]
    if any(hasattr(t, name) for t in _PLAIN) or _list_given(trees) & {name, *_OPEN}:
        return ""
    classes = {n.name: n for n in walk_trees(trees) if isinstance(n, ast.ClassDef)}
    is_known = type_name in {t.__name__ for t in _PLAIN} or _is_closed(type_name, classes)
    return name if is_known else ""


def count_guards(trees: list[ast.Module], statement: ast.stmt) -> int:
    """How many conditions stand around the failing statement (or what has become of it)."""
    here = src.dump_tree(statement)
    return sum(
        1
        for branch in walk_trees(trees)
        if isinstance(branch, ast.If)
        for child in branch.body
        if any(src.dump_tree(n) == here for n in ast.walk(child))
    )


def _is_closed(name: str, classes: dict[str, ast.ClassDef]) -> bool:
    """Whether a class of the notebook, and each of its bases, is written out there."""
    if name == "object":
        return True
    node = classes.get(name)
    if node is None or node.keywords or node.decorator_list:
        return False
    bases = [ast.unparse(base) for base in node.bases]
    return all(base != name and _is_closed(base, {k: n for k, n in classes.items() if k != name}) for base in bases)


def _list_given(trees: Iterable[ast.Module]) -> set[str]:
    return {name for node in walk_trees(trees) for name in _list_names(node)}


def _list_names(node: ast.AST) -> Iterator[str]:
    """The names that a node gives something, or may give."""
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield node.attr
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Name) and (node.id in _OPEN or not isinstance(node.ctx, ast.Load)):
        yield node.id
    elif isinstance(node, ast.Attribute) and node.attr in _OPEN:
        yield node.attr
