"""SKL128: the loss of a gradient boosting regressor, which is no attribute any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

_METRICS = {"squared_error": "mean_squared_error", "absolute_error": "mean_absolute_error"}
"""By the estimator's ``loss``, what ``loss_(y, predicted)`` reckoned."""


class LossOfBoosting(Rule):
    """Reckon the loss of a gradient boosting regressor by the metric that it was.

    **Failure** `AttributeError: 'GradientBoostingRegressor' object has no attribute 'loss_'`, from `model.loss_(y_test, predicted)` in the well-known plot of the deviance.

    **Fix** `mean_squared_error(y_test, predicted)`, or `mean_absolute_error` where the estimator's `loss` is that, for each such call in the cell.

    **Fix safety** Safe: until scikit-learn 1.3 the call reckoned just this mean. Silent for other losses, for weights, and for a classifier, whose loss is none of predictions.
    """

    code = "SKL128"
    name = "loss of a boosting regressor"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    message = re.compile(r"'GradientBoostingRegressor' object has no attribute 'loss_'")
    applicability = Applicability.SAFE
    restores = "scikit-learn 1.3"
    why = "Until scikit-learn 1.3 `loss_` of a regressor was this metric (https://scikit-learn.org/stable/whats_new/v1.1.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        splices: list[Splice] = []
        metrics: list[str] = []
        for call in context.walk(ast.Call):
            if not (isinstance(call.func, ast.Attribute) and call.func.attr == "loss_") or len(call.args) != 2:
                continue
            metric = "" if call.keywords else _find_metric(context, context.read_plain_chain(call.func.value) or "")
            if metric:
                splices.append((*context.span(call.func), metric))
                metrics.append(metric)
        if splices:
            imports = [f"from sklearn.metrics import {metric}" for metric in dict.fromkeys(metrics)]
            yield self.patch(
                context.replace(context.cell_id, [*context.add_imports(imports), *splices]),
                f"Reckon the loss by `{metrics[0]}`",
                "A gradient boosting regressor no longer has `loss_`.",
                prior=0.92,
            )


def _find_metric(context: RuleContext, owner: str) -> str:
    info = context.describe(owner) if owner else None
    if info is None or not info.is_a("GradientBoostingRegressor"):
        return ""
    return next((metric for loss, metric in _METRICS.items() if context.is_true(f"{owner}.loss == {loss!r}")), "")
