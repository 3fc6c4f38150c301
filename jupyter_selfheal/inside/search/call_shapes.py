"""What a user's word about one call says of calls like it: of ``second_largest([1])`` it is said for every list of one item, as what is asked
is not the item. So a check that says which error a call raises, as the answer "an error (IndexError)" does, is about all of its shape."""

from __future__ import annotations

import ast
import functools
from typing import Any

from jupyter_selfheal.inside.search.parsed_once import parse_once

CallShape = tuple[str, tuple[object, ...]]
"""A function, and the kinds and sizes of what it is given."""


def read_call_shape(text: str) -> CallShape | None:
    """The shape of a call that is written out; None where it is none, or its arguments are no literals."""
    try:
        (statement,) = parse_once(text).body
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or call.keywords:
            return None
        return ast.unparse(call.func), tuple(_describe_shape(ast.literal_eval(argument)) for argument in call.args)
    except (ValueError, TypeError, SyntaxError):
        return None


def is_meant_to_raise(checks: tuple[str, ...], function: str, arguments: tuple[Any, ...], error: str) -> bool:
    """Whether one of the user's ``checks`` says that a call of this shape raises ``error``."""
    return ((function, tuple(map(_describe_shape, arguments))), error) in _list_expected(checks)


@functools.lru_cache(maxsize=16)
def _list_expected(checks: tuple[str, ...]) -> frozenset[tuple[CallShape | None, str]]:
    """The calls of ``try: f([1])`` / ``except IndexError: pass`` / ``else: raise …``, each with its error."""
    nodes = [node for check in checks if "except" in check for node in parse_once(check).body]
    return frozenset(
        (read_call_shape(ast.unparse(node.body[0])), node.handlers[0].type.id)
        for node in nodes
        if isinstance(node, ast.Try)
        and len(node.body) == len(node.handlers) == 1
        and isinstance(node.handlers[0].type, ast.Name)
        and node.orelse
        and isinstance(node.orelse[-1], ast.Raise)
    )


def _describe_shape(value: object) -> object:
    """A collection by its kind and size, anything else by its kind and value."""
    if isinstance(value, list | tuple | dict | set | frozenset):
        return type(value).__name__, len(value)
    return type(value).__name__, repr(value)
