"""KEY118: a metric of Keras under the name that its history had for it before 2.3."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

SHORT = {
    "acc": ("accuracy", "binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy"),
    "mse": ("mean_squared_error",), "mae": ("mean_absolute_error",), "mape": ("mean_absolute_percentage_error",),
    "accuracy": ("acc",), "mean_squared_error": ("mse",), "mean_absolute_error": ("mae",),
}  # fmt: skip
"""Names for one metric: Keras reported its own until 2.3, and reports what `compile` was given since."""


class MetricNames(Rule):
    """Read a metric by the name that the model was compiled with.

    **Failure** `KeyError: 'acc'` at `history.history["acc"]`.

    **Fix** `history.history["accuracy"]`, and `"val_accuracy"` for `"val_acc"`, in all of the cell's readings of that history.

    **Fix safety** Safe: the history has one name alone for the same metric. Silent for any other dictionary, and where the history has two of them.
    """

    code = "KEY118"
    name = "a metric by its old name"
    stage = Stage.CHANGELOG
    enames = frozenset({"KeyError"})
    applicability = Applicability.SAFE
    why = "Since Keras 2.3 a metric has the name that `compile` was given (https://github.com/keras-team/keras/releases/tag/2.3.0)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            if not isinstance(node, ast.Subscript) or not _is_history(context, node.value):
                continue
            text = context.text(node.value)
            held = context.keys(text)
            names = {str(k) for k in held.keys} if held is not None else set[str]()
            changes = {}
            for other in context.walk(ast.Subscript):
                key = other.slice.value if isinstance(other.slice, ast.Constant) else None
                if context.text(other.value) == text and isinstance(key, str) and (new := _find_name(key, names)):
                    mark = context.text(other.slice)[:1]
                    changes[other] = (*context.span(other.slice), f"{mark}{new}{mark}")
            if node in changes:
                yield self.patch(
                    context.replace_here(*changes.values()),
                    f"Read {changes[node][2]}",
                    f"The history has no {context.text(node.slice)}: the model was compiled with another name of that metric.",
                    prior=0.95,
                )
            return


def _is_history(context: RuleContext, node: ast.expr) -> bool:
    """Whether an expression is the dictionary of a history that `fit` gave: `history.history`, or a name for it."""
    if isinstance(node, ast.Attribute) and node.attr == "history":
        live = context.describe(node.value)
        return live is not None and live.type == "History"
    made = context.find_last_assignment(node.id) if isinstance(node, ast.Name) else None
    value = made[2].value if made is not None else None
    return isinstance(value, ast.Attribute) and value.attr == "history"


def _find_name(key: str, names: set[str]) -> str:
    """The only one of the names that is another one for the same metric; empty where there is none, or the key is there."""
    start = "val_" if key.startswith("val_") else ""
    found = [start + other for other in SHORT.get(key.removeprefix(start), ()) if start + other in names]
    return found[0] if len(found) == 1 and key not in names else ""
