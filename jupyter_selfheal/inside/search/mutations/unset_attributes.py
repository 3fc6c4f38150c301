"""Mutation operators for attributes that methods read and that nothing sets: what ``__init__`` is given and does not keep, and what it does not begin."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.mutations.own_collection import find_class_reads, has_line_of_its_own
from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.tree_names import is_name

_FILLED_BY = {"append": "[]", "extend": "[]", "insert": "[]", "add": "set()", "setdefault": "{}", "items": "{}", "keys": "{}", "values": "{}", "get": "{}"}  # fmt: skip
"""What an attribute begins with, by a method that it is asked for."""
_SETS_BY_NAME = frozenset({"setattr", "vars", "__dict__", "__slots__", "__getattr__", "__getattribute__"})


def propose_unset_attribute(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``self.age = age`` in ``__init__``, which is given an ``age`` that it never reads, and ``self.log = []`` where a method appends to ``self.log``:
    methods read it, and nothing sets it.

    Not where another class, or what stands outside of this one, may set it.
    """
    if not isinstance(node, ast.ClassDef) or node.name in s.hints.extended:
        return
    if node.bases or node.keywords or node.decorator_list or _may_set_by_name(node):
        return
    uses = _list_unset(node, s.hints.of_classes | find_class_reads([node])[0])
    begins = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    unread = _list_unread(begins) if begins is not None else frozenset()
    for name, found in uses.items():
        if name in unread:
            values = [(name, 0.95)]
            words = f"`{name}` is given and never kept: `self.{name} = {name}` is missing"
        elif unread or (begins is not None and any(is_name(n, name) for n in ast.walk(begins))):
            continue  # one of these may be meant
        else:
            values = _guess_beginnings(s, found)
            words = f"`self.{name}` is never begun"
        for value, prior in values:
            edits = _put_into(s, node, begins, f"self.{name} = {value}")
            lines = dict.fromkeys(n.lineno for n in found)
            yield from (Change(edits, prior, line, words, "senseless") for line in lines if edits)


def _may_set_by_name(node: ast.ClassDef) -> bool:
    named = (getattr(n, "id", "") or getattr(n, "attr", "") or getattr(n, "name", "") for n in ast.walk(node))
    return any(name in _SETS_BY_NAME for name in named if isinstance(name, str))


def _list_unset(node: ast.ClassDef, elsewhere: frozenset[str]) -> dict[str, list[ast.Attribute]]:
    """The attributes of ``self`` that methods read and that nothing sets, with where."""
    attributes = [n for n in ast.walk(node) if isinstance(n, ast.Attribute)]
    added = {id(n.target) for n in ast.walk(node) if isinstance(n, ast.AugAssign)}
    known = elsewhere | {n.attr for n in attributes if not isinstance(n.ctx, ast.Load) and id(n) not in added}
    for stmt in node.body:
        known |= {n.id for n in ast.walk(stmt) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        known |= {getattr(stmt, "name", "")}
    found: dict[str, list[ast.Attribute]] = {}
    for n in attributes:
        if is_name(n.value, "self") and n.attr not in known and not n.attr.startswith("__"):
            found.setdefault(n.attr, []).append(n)
    return found


def _list_unread(begins: ast.FunctionDef) -> frozenset[str]:
    given = {a.arg for a in (*begins.args.posonlyargs, *begins.args.args, *begins.args.kwonlyargs)} - {"self"}
    return frozenset(given - {n.id for n in ast.walk(begins) if isinstance(n, ast.Name)})


def _guess_beginnings(s: Scope, uses: list[ast.Attribute]) -> list[tuple[str, float]]:
    """What an attribute begins with, by what is done with it; nothing where that does not tell."""
    for use in uses:
        parent = s.parents.get(use)
        if isinstance(parent, ast.Attribute) and s.is_called(parent) and parent.attr in _FILLED_BY:
            return [(_FILLED_BY[parent.attr], 0.9)]
    for use in uses:
        match s.parents.get(use):
            case ast.AugAssign(target, ast.Add() | ast.Sub()) if target is use:
                return [("0", 0.7), ("''", 0.15)]
            case ast.Subscript(owner, ast.Constant(str()), ast.Store()) if owner is use:
                return [("{}", 0.9)]
    return []


def _put_into(s: Scope, node: ast.ClassDef, begins: ast.FunctionDef | None, text: str) -> tuple[Edit, ...]:
    """The edit that puts ``text`` into ``__init__``, behind what it sets first; with an ``__init__`` where there is none."""
    body = node.body if begins is None else begins.body
    indent = s.read_indent(body[0])
    if indent is None or (begins is not None and not (begins.args.args and begins.args.args[0].arg == "self")):
        return ()
    set_first = 0
    while set_first < len(body) and _is_set_first(s, body[set_first], begins is not None):
        set_first += 1
    if set_first and not has_line_of_its_own(s, body[set_first - 1]):
        return ()
    if begins is None:
        text = f"def __init__(self):\n{indent}    {text}\n"
    elif isinstance(body[0], ast.Pass) and len(body) == 1:
        return ((s.start_of(body[0]), s.end_of(body[0]), text),)
    at = s.find_line_span(body[set_first - 1])[1] if set_first else s.find_line_span(body[0])[0]
    pad = "\n" if at and s.text[at - 1] != "\n" else ""
    return ((at, at, f"{pad}{indent}{text}\n"),)


def _is_set_first(s: Scope, stmt: ast.stmt, is_in_method: bool) -> bool:
    """A docstring, and in ``__init__`` what it sets of the object without asking it for anything."""
    if isinstance(stmt, ast.Expr):
        return s.is_doc(stmt.value)
    return (
        is_in_method
        and isinstance(stmt, ast.Assign)
        and all(isinstance(t, ast.Attribute) and is_name(t.value, "self") for t in stmt.targets)
        and not any(is_name(n, "self") for n in ast.walk(stmt.value))
    )


OPERATORS = (propose_unset_attribute,)
