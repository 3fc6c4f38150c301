"""Syntax trees that are made on several threads at once, and their text."""

from __future__ import annotations

import ast
from typing import cast

ATTEMPTS = 5
"""How often a text is parsed whose parsing another thread spoils."""


def parse_tree(text: str, mode: str = "exec", flags: int = ast.PyCF_ONLY_AST) -> ast.AST:
    """The syntax tree of a text, from any thread; raises what ``compile`` raises.

    CPython before 3.11.8 counts the depth of trees in one place for all threads: where a garbage collection lets another
    thread parse meanwhile, both may end in a SystemError about the recursion depth (gh-106905). Then it is parsed again.
    """
    for _ in range(ATTEMPTS):
        try:
            return cast(ast.AST, compile(text, "<cell>", mode, flags, dont_inherit=True))
        except SystemError as error:
            last = error
    raise last


def parse_module(text: str) -> ast.Module:
    """The tree of a module's text; raises what ``compile`` raises."""
    return cast(ast.Module, parse_tree(text))


def parse_expression(text: str) -> ast.expr:
    """The tree of an expression; raises what ``compile`` raises."""
    return cast(ast.Expression, parse_tree(text.strip(), "eval")).body


def dump_tree(node: ast.AST) -> str:
    """A text that equal trees have in common, and no others; positions apart. Unlike ``ast.dump`` it needs no deeper stack for a deeper
    tree (a chain of 400 ``elif``)."""
    parts: list[str] = []
    stack: list[object] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, ast.AST):
            parts.append(type(item).__name__)
            stack.extend(getattr(item, name, None) for name in reversed(item._fields))
        elif isinstance(item, list):
            parts.append(f"[{len(item)}]")
            stack.extend(reversed(item))
        else:
            parts.append(repr(item))
    return " ".join(parts)
