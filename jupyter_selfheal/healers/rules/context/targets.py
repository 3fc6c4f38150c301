"""What a model is fitted to, read off the calls that fit it and the live values of what they are given."""

from __future__ import annotations

import ast

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext

_PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load)
_KEPT = ("ravel", "flatten", "to_numpy", "squeeze")
_TWO = "(lambda v: v.size > 2 and v.size == v.shape[0] and len(set(v.ravel().tolist())) == 2)(__import__('numpy').asarray({}))"


def is_fitted_to_two_classes(context: RuleContext, call: ast.Call) -> bool:
    """Whether the model that a call makes is fitted to a target of two classes, in every place that tells what it is fitted to, here and below.

    ``model.fit(x, y)`` tells it, and so do values of two kinds that a call gets with the model (``cross_val_score(model, x, y)``): enough for what raises where it is not so."""
    name = next((n.targets[0] for n in context.walk(ast.Assign) if n.value is call and len(n.targets) == 1), None)
    codes = [context.source, *(c.source for c in context.notebook.list_code_after(context.failure.cell_id))]
    if not isinstance(name, ast.Name):
        return False
    told: list[bool] = []
    for code in codes:
        for node in src.walk(code):
            if not isinstance(node, ast.Call):
                continue
            if _is_fit(node, name.id):
                told.append(len(node.args) > 1 and _has_two(context, code, node.args[1]))
            elif any(isinstance(a, ast.Name) and a.id == name.id for a in node.args):
                told += [True for a in node.args if _has_two(context, code, a)]
    return bool(told) and all(told)


def _is_fit(call: ast.Call, name: str) -> bool:
    func = call.func
    return isinstance(func, ast.Attribute) and func.attr == "fit" and src.find_root_name(func.value) == name


def _has_two(context: RuleContext, code: str, value: ast.expr) -> bool:
    """Whether a plain expression has two different values now."""
    calls = [n for n in ast.walk(value) if isinstance(n, ast.Call)]
    is_kept = all(
        isinstance(c.func, ast.Attribute) and c.func.attr in _KEPT and not c.args and not c.keywords for c in calls
    )
    if not is_kept or not all(isinstance(n, (*_PLAIN, ast.Call)) for n in ast.walk(value)):
        return False
    return context.is_true(_TWO.format(src.extract_text(code, value)))
