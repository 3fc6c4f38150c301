"""Does a condition ask a method that nobody calls? ``if not self.is_empty:`` never holds, and ``if a.isdigit:`` always does."""

from __future__ import annotations

import ast

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.search.text_methods import QUESTIONS
from jupyter_selfheal.model import Case


def find_uncalled_question(case: Case, source: str) -> str:
    """A method of a text, or of its own class, that a condition asks without calling it: ``if not self.is_empty:`` never holds; empty without one."""
    nodes = [
        n for text in (source, *(c.source for c in case.notebook.cells if c.kind == "code")) for n in src.walk(text)
    ]
    own = {n.name for n in nodes if isinstance(n, ast.FunctionDef)}  # a property of a class, of another cell too
    own |= {n.attr for n in nodes if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)}
    for asked in (part for node in src.walk(source) for part in _list_asked(node)):
        if isinstance(asked, ast.Attribute) and asked.attr in QUESTIONS - own:
            return ast.unparse(asked)
    for node in src.walk(source):
        if not isinstance(node, ast.ClassDef):
            continue
        methods = {n.name for n in node.body if isinstance(n, ast.FunctionDef) and not n.decorator_list}
        stored = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)}
        for asked in (part for n in ast.walk(node) for part in _list_asked(n)):
            if (
                isinstance(asked, ast.Attribute)
                and asked.attr in methods - stored
                and ast.unparse(asked.value) == "self"
            ):
                return ast.unparse(asked)
    return ""


def _list_asked(node: ast.AST) -> list[ast.expr]:
    """What a node asks whether it holds."""
    if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
        return [node.test]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [node.operand]
    return node.values if isinstance(node, ast.BoolOp) else []
