"""What a text is that the notebook puts together of texts which are written down: ``BASE + "data/rivers.csv"``."""

from __future__ import annotations

import ast

from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.inside.tree_names import read_called_name

MOST_PARTS = 8
"""How deep parts of parts are read."""


def read_text(context: RuleContext, node: ast.expr, depth: int = MOST_PARTS) -> str | None:
    """The text that an expression is, by the code alone: a literal, a sum, an f-string or a join of such, and names that the notebook
    assigns such a text to, once and at the top level. None where any part of it is something else."""
    if depth == 0:
        return None
    parts: list[ast.expr] = []
    between = ""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name):
            value = _find_assigned(context, name)
            return read_text(context, value, depth - 1) if value is not None else None
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = [left, right]
        case ast.JoinedStr(values=values):
            parts = [v.value if isinstance(v, ast.FormattedValue) and _is_plain(v) else v for v in values]
        case ast.Call(args=[first, *rest], keywords=[]) if read_called_name(node) == "join" and _is_path_join(node):
            parts, between = [first, *rest], "/"
        case _:
            return None
    texts = [read_text(context, part, depth - 1) for part in parts]
    if between and any(not t or t.startswith("/") for t in texts):
        return None
    return None if None in texts else between.join(t.rstrip(between) if between else t for t in texts if t is not None)


def _is_plain(value: ast.FormattedValue) -> bool:
    return value.conversion == -1 and value.format_spec is None


def _is_path_join(call: ast.Call) -> bool:
    """True for ``os.path.join`` and ``posixpath.join``; ``", ".join`` puts together otherwise."""
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return owner in ("os.path", "path", "posixpath")


def _find_assigned(context: RuleContext, name: str) -> ast.expr | None:
    """What the notebook assigns to a name, where it binds it nowhere else."""
    views = list(context.look_upwards())
    stored = [n for view in views for n in view.walk(ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)]
    values = [
        n.value
        for view in views
        for n in view.walk(ast.Assign)
        if len(n.targets) == 1 and isinstance(n.targets[0], ast.Name) and n.targets[0].id == name
    ]
    return values[0] if len(values) == len(stored) == 1 else None
