"""What a reading holds that comes to nothing: whoever wrote the cell meant something by it, and the one output does not tell what."""

from __future__ import annotations

import ast

from jupyter_selfheal.inside.parsing import parse_module, parse_tree
from jupyter_selfheal.inside.tree_names import list_read_names

RESULTS = frozenset(
    {"abs", "float", "int", "len", "list", "max", "min", "reversed", "round", "sorted", "str", "sum", "tuple"}
)
"""Builtins that are called for what they give, and for nothing else."""


def find_idle_part(source: str, used: frozenset[str]) -> str:
    """The first part of a source that nothing comes of, in words; empty where there is none. ``used`` are names that other cells read."""
    tree = parse_module(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.BoolOp) and (idle := _find_constant(node.values)):
            return f"`{idle}` by itself asks nothing, and may be meant as a part of a comparison"
        if isinstance(node, ast.Expr) and _is_idle(node.value, source):
            text = " ".join((ast.get_source_segment(source, node) or "").split())[:60]
            return f"nothing comes of `{text}`, which may be meant otherwise"
        if isinstance(node, ast.AnnAssign) and node.value is None and _is_prose(node.annotation):
            return f"nothing comes of `{ast.unparse(node)[:60]}`, which may be meant otherwise"
    read = list_read_names(tree) | used
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) and not _is_plain(node.value) else ()
        for target in targets:
            if isinstance(target, ast.Name) and target.id not in read:
                return f"`{target.id}` is computed and never read, and may be meant where another value is"
    return ""


def _is_prose(annotation: ast.expr) -> bool:
    """``Output: "as shown below"``: a text that names no type."""
    if not isinstance(annotation, ast.Constant) or not isinstance(annotation.value, str):
        return False
    try:
        parse_tree(annotation.value, "eval")
    except (SyntaxError, ValueError):
        return True
    return False


def _is_idle(value: ast.expr, source: str) -> bool:
    if isinstance(value, ast.Constant):
        text = ast.get_source_segment(source, value) or ""
        return not (value.value is ... or (isinstance(value.value, str) and text.startswith(('"""', "'''"))))
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in RESULTS
    return not isinstance(value, ast.Await | ast.Yield | ast.YieldFrom)


def _find_constant(values: list[ast.expr]) -> str:
    """The number or text that is asked as if it were a condition: ``x > 5 and 10``. The last value of ``name or 'nobody'`` is a default."""
    asked = values if all(isinstance(v, ast.Compare | ast.Constant) for v in values) else values[:-1]
    constants = [v for v in asked if isinstance(v, ast.Constant) and not isinstance(v.value, bool)]
    return ast.unparse(constants[0]) if constants else ""


def _is_plain(value: ast.expr) -> bool:
    """A constant, what is read, or what ``print`` gives: a name for it alone is no computation."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id in ("input", "print")
    return isinstance(value, ast.Constant)
