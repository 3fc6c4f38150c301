"""Syntax trees that are made on several threads at once."""

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
