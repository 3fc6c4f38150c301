"""What a model is fitted to, read off the calls that fit it and the live values of what they are given."""

from __future__ import annotations

import ast

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.inside.tree_names import read_called_name

_PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load)
_KEPT = ("ravel", "flatten", "to_numpy", "squeeze")
_KINDS = "(lambda v: (lambda n: n if 2 * n <= v.size else 0)(len(set(v.ravel().tolist()))) if v.size > 3 and v.size == v.shape[0] else 0)(__import__('numpy').asarray({}))"
"""How many different values a row of values has, each of them twice on average; a row of names has none."""
_MOST_CLASSES = 50
"""What has more values than these is no target of a classifier."""


def is_fitted_to_two_classes(context: RuleContext, call: ast.Call) -> bool:
    """Whether the model that a call makes is fitted to a target of two classes, in every place that tells what it is fitted to, here and below.

    ``model.fit(x, y)`` tells it, also right where the model is made, and so do values of two kinds that a call gets with the model (``cross_val_score(model, x, y)``, ``evaluate(models, x, y)``) where it gets none
    of some more. The model may be an item of what is bound, a step of a pipeline, or a loop's variable.
    """
    codes = [context.source, *(c.source for c in context.notebook.list_code_after(context.failure.cell_id))]
    chained = next((n for n in context.walk(ast.Call) if _is_fit_of(n, call)), None)
    made = next((n.targets[0] for n in context.walk(ast.Assign) if call in ast.walk(n.value)), None)
    if not isinstance(made, ast.Name) and chained is None:
        return False
    names = _follow_name(codes, made.id) if isinstance(made, ast.Name) else set[str]()
    told = [_tells_two(context, context.source, chained)] if chained is not None else []
    for code in codes:
        for node in src.walk(code):
            if not isinstance(node, ast.Call):
                continue
            if _is_fit(node, names):
                told.append(_tells_two(context, code, node))
            elif any(isinstance(a, ast.Name) and a.id in names for a in node.args):
                kinds = {_count_kinds(context, code, a) for a in node.args} & set(range(2, _MOST_CLASSES))
                told += [kinds == {2}] if kinds else []
    return bool(told) and all(told)


def _follow_name(codes: list[str], first: str) -> set[str]:
    """The name and those of the loops' variables and searches that its model goes to."""
    names = {first}
    for code in codes:
        for node in src.walk(code):
            if isinstance(node, ast.For) and _mentions(node.iter, names):
                names |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
            elif isinstance(node, ast.Assign) and _makes_estimator(node.value) and _mentions(node.value, names):
                names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return names


def _makes_estimator(value: ast.expr) -> bool:
    """``GridSearchCV(model, …)``, ``make_pipeline(scaler, model)``, ``[model, other]``: what holds a model."""
    if isinstance(value, ast.List | ast.Tuple | ast.Dict):
        return True
    name = read_called_name(value) if isinstance(value, ast.Call) else ""
    return name[:1].isupper() or name == "make_pipeline"


def _mentions(value: ast.expr, names: set[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(value))


def _is_fit(call: ast.Call, names: set[str]) -> bool:
    func = call.func
    return isinstance(func, ast.Attribute) and func.attr == "fit" and src.find_root_name(func.value) in names


def _is_fit_of(call: ast.Call, model: ast.Call) -> bool:
    """``LogisticRegression(…).fit(x, y)``: whether a call fits the model where it is made."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "fit" and call.func.value is model


def _tells_two(context: RuleContext, code: str, fit: ast.Call) -> bool:
    return len(fit.args) > 1 and _count_kinds(context, code, fit.args[1]) == 2


def _count_kinds(context: RuleContext, code: str, value: ast.expr) -> int:
    """How many different values a plain expression has now; ``y[train]`` as many as ``y``. 0 where that is not known."""
    while isinstance(value, ast.Subscript) and not isinstance(value.slice, ast.Constant | ast.List):
        value = value.value
        value = value.value if isinstance(value, ast.Attribute) and value.attr in ("iloc", "loc") else value
    calls = [n for n in ast.walk(value) if isinstance(n, ast.Call)]
    is_kept = all(
        isinstance(c.func, ast.Attribute) and c.func.attr in _KEPT and not c.args and not c.keywords for c in calls
    )
    if not is_kept or not all(isinstance(n, (*_PLAIN, ast.Call)) for n in ast.walk(value)):
        return 0
    return int(context.number(_KINDS.format(src.extract_text(code, value))) or 0)
