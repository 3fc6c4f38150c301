"""Names and calls in a syntax tree, as nearly every reader of one asks for them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

CONSTANTS = {"true": "True", "TRUE": "True", "false": "False", "FALSE": "False", "null": "None", "none": "None"}
"""Python's constants as other languages spell them."""

_KEPT = "_kept_nodes"


def keep_nodes(tree: ast.Module) -> ast.Module:
    """The tree, which nobody changes any more and many are going to walk through: its nodes are listed once."""
    setattr(tree, _KEPT, tuple(list_nodes(tree)))
    return tree


def walk(tree: ast.AST) -> Iterable[ast.AST]:
    """What ``ast.walk`` gives, from the list of those that are kept where there is one."""
    kept: tuple[ast.AST, ...] | None = getattr(tree, _KEPT, None)
    return kept if kept is not None else ast.walk(tree)


def list_nodes(tree: ast.AST) -> list[ast.AST]:
    """What ``ast.walk`` gives, at once and in half the time: it has three generators at work for each node."""
    nodes: list[ast.AST] = [tree]
    for node in nodes:  # which grows as it goes
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                nodes += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                nodes.append(value)
    return nodes


def read_called_name(node: ast.AST) -> str:
    """The last word of what a call calls, ``reader`` of ``csv.reader(f)``; empty for another node, and where a value is called."""
    function = getattr(node, "func", None)
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def is_name(node: ast.AST | None, name: str) -> bool:
    """Whether a node is that name, read, bound or deleted."""
    return isinstance(node, ast.Name) and node.id == name


def is_read_name(node: ast.AST, name: str) -> bool:
    """Whether a node reads that name."""
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def is_number(node: ast.AST | None) -> bool:
    """Whether a node is a number as it is written, or a truth value."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def is_constant_alone(statement: ast.AST) -> bool:
    """Whether a statement is a constant and nothing else: a docstring, or ``...``."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def is_call_of(node: ast.AST | None, name: str) -> bool:
    """Whether a node is a call of that name: ``len(xs)``."""
    return isinstance(node, ast.Call) and is_name(node.func, name)


def is_method_call(call: ast.Call, name: str) -> bool:
    """Whether what is called is an attribute of that name: ``xs.append(1)``."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == name


def holds_name(tree: ast.AST, name: str) -> bool:
    """Whether that name stands anywhere in it."""
    return any(is_name(n, name) for n in walk(tree))


def holds_call(tree: ast.AST) -> bool:
    """Whether anything is called in it."""
    return any(isinstance(n, ast.Call) for n in walk(tree))


def holds_node(tree: ast.AST, inner: ast.AST) -> bool:
    """Whether that very node is it, or a part of it."""
    return any(n is inner for n in walk(tree))


def list_names(tree: ast.AST) -> set[str]:
    """All names in it, read, bound or deleted."""
    return {n.id for n in walk(tree) if isinstance(n, ast.Name)}


def list_read_names(tree: ast.AST) -> set[str]:
    """The names in it that are read."""
    return {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def list_bound_names(tree: ast.AST) -> set[str]:
    """The names in it that get a value."""
    return {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def list_defined_names(tree: ast.AST) -> set[str]:
    """The names in it that stand for something: variables, parameters, functions, classes and what is imported, wherever that is."""
    defined: set[str] = list_bound_names(tree)
    for node in walk(tree):
        match node:
            case ast.arg(name) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                defined.add(name)
            case ast.Import(names) | ast.ImportFrom(names=names):
                defined |= {(n.asname or n.name).partition(".")[0] for n in names}
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                defined.add(name)
            case ast.MatchMapping(rest=str(name)):
                defined.add(name)
    return defined
