"""Mutation operators for what is to stay as it is: the item that is only looked at, the list that a function is given and changes in place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.search.mutations.own_functions import read_parameters
from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.tree_names import is_constant_alone, list_bound_names

_LOOKS = re.compile(r"(?:^|_)(?:peek|top|first|last|front|back|head|tail|look|current|next|newest|oldest|latest)")
"""Names of functions that give an item and take none out."""
_TAKES = re.compile(r"(?:^|_)(?:pop|dequeue|take|poll|remove)(?:_|$)")
"""Names of functions that take out the item that they give."""
_IN_PLACE = frozenset({"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"})


def propose_looked_at(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return self.items[-1]`` for ``return self.items.pop()`` in ``peek``, and ``[0]`` for ``pop(0)``."""
    match node:
        case ast.Return(ast.Call(ast.Attribute(whole, "pop"), [], [])):
            place = "-1"
        case ast.Return(ast.Call(ast.Attribute(whole, "pop"), [given], [])):
            place = s.text_of(given)
        case ast.Return(ast.Call(ast.Attribute(whole, "popleft"), [], [])):
            place = "0"
        case _:
            return
    looks = _LOOKS.search(getattr(s.find_function(node), "name", ""))
    old, new = s.text_of(node.value), f"{s.text_of(whole)}[{place}]"  # type: ignore[arg-type]
    edit = s.replace_node(node.value, new)  # type: ignore[arg-type]
    yield Change((edit,), 0.8 if looks else 0.2, node.lineno, f"`{old}` takes the item out: `{new}`")


def propose_taken_out(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return self.items.pop()`` for ``return self.items[-1]`` in ``pop``, and ``pop(0)`` for ``[0]``."""
    match node:
        case ast.Return(ast.Subscript(whole, ast.UnaryOp(ast.USub(), ast.Constant(1)))):
            place = ""
        case ast.Return(ast.Subscript(whole, ast.Constant(0))):
            place = "0"
        case _:
            return
    function = s.find_function(node)
    if _TAKES.search(getattr(function, "name", "")) and not _takes_out(s, function, s.text_of(whole)):
        old, new = s.text_of(node.value), f"{s.text_of(whole)}.pop({place})"  # type: ignore[arg-type]
        words = f"`{old}` leaves the item where it is: `{new}`"
        yield Change((s.replace_node(node.value, new),), 0.9, node.lineno, words)  # type: ignore[arg-type]


def _takes_out(s: Scope, function: ast.AST, whole: str) -> bool:
    """Whether a function takes something out of a collection, or sets it anew."""
    for node in ast.walk(function):
        match node:
            case ast.Call(ast.Attribute(own, "pop" | "popleft" | "remove")) if s.text_of(own) == whole:
                return True
            case ast.Delete() | ast.Assign() if whole in s.text_of(node).split("=")[0]:
                return True
    return False


def propose_own_copy(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs = list(xs)`` above ``xs.reverse()``, where ``xs`` is what the function is given, and gives back."""
    if not isinstance(node, ast.FunctionDef):
        return
    first = next((stmt for stmt in node.body if not is_constant_alone(stmt)), None)
    indent = s.read_indent(first) if first is not None else None
    if first is None or indent is None:
        return
    given = {n.value.id for n in ast.walk(node) if isinstance(n, ast.Return) and isinstance(n.value, ast.Name)}
    for name in read_parameters(node) or ():
        if name in given and _changes_in_place(node, name) and name not in list_bound_names(node):
            start = s.find_line_span(first)[0]
            text = f"{name} = list({name})"
            words = f"`{text}` is missing: what the function is given is changed"
            yield Change(((start, start, f"{indent}{text}\n"),), 0.6, first.lineno, words)


def _changes_in_place(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function calls what changes a list, or sets an item of it."""
    for node in ast.walk(function):
        match node:
            case ast.Call(ast.Attribute(ast.Name(own), method)) if own == name and method in _IN_PLACE:
                return True
            case ast.Subscript(ast.Name(own), _, ast.Store()) if own == name:
                return True
    return False


OPERATORS = (propose_looked_at, propose_taken_out, propose_own_copy)
