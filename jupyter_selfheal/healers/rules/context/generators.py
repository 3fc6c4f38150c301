"""Generators that are asked for their next item."""

from __future__ import annotations

import ast

from jupyter_selfheal.healers.rules.context.rule_context import RuleContext


def is_asked_for_next(call: ast.AST) -> bool:
    """``next(g)``."""
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "next"


def is_stepped_again(context: RuleContext, text: str) -> bool:
    """True where several `next` ask the same function, or one in a loop: each would begin anew if each called it."""
    asked = [n for n in context.walk_notebook() if is_asked_for_next(n) and isinstance(n, ast.Call) and n.args]
    return sum(ast.unparse(n.args[0]) == text for n in asked) > 1 or any(
        n.lineno <= context.line <= (n.end_lineno or n.lineno) for n in context.walk(ast.For, ast.While)
    )
