"""SKL110: probabilities given where classes are compared, and an estimator that transforms before it is fitted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import last_name
from jupyter_selfheal.model import Applicability, Patch

MIX = re.compile(r"can't handle a mix of (?:binary|multiclass) and continuous")
TWO_COLUMNS = re.compile(r"should be a 1d array, got an array of shape \(\d+, 2\)")
CURVES = frozenset(
    {
        "roc_curve",
        "precision_recall_curve",
        "det_curve",
        "average_precision_score",
        "brier_score_loss",
        "calibration_curve",
    }
)
UNFITTED = re.compile(r"instance is not fitted yet")


class ProbabilitiesForClasses(Rule):
    """Call the method of an estimator that gives what is asked for.

    **Failure** `ValueError: Classification metrics can't handle a mix of multiclass and continuous-multioutput targets` at
    `accuracy_score(y, model.predict_proba(X))`; `NotFittedError: This StandardScaler instance is not fitted yet` at
    `StandardScaler().transform(X)`.

    Also `ValueError: y should be a 1d array, got an array of shape (60, 2) instead` at `roc_curve(y, model.predict_proba(X))`.

    **Fix** `accuracy_score(y, model.predict(X))`; `StandardScaler().fit_transform(X)`; `roc_curve(y, model.predict_proba(X)[:, 1])`.

    **Fix safety** Safe: a metric of classes compares classes, which `predict` gives; an estimator that is made in the very expression cannot
    have been fitted before; a curve of two classes is of the second one's probability. Silent on estimators that have a name.
    """

    code = "SKL110"
    name = "method of an estimator"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "NotFittedError"})
    applicability = Applicability.SAFE
    why = "One method of the estimator alone gives what is asked for here."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        evalue = context.failure.evalue
        if TWO_COLUMNS.search(evalue):
            yield from self._take_second(context)
            return
        old, new = ("predict_proba", "predict") if MIX.search(evalue) else ("transform", "fit_transform")
        if old == "transform" and not UNFITTED.search(evalue):
            return
        for call in context.calls_at_failure():
            callee = call.func
            if not isinstance(callee, ast.Attribute) or callee.attr != old:
                continue
            if old == "transform" and not (isinstance(callee.value, ast.Call) and len(call.args) == 1):
                continue
            if not context.is_true(f"hasattr({context.text(callee.value)}, {new!r})"):
                continue
            cause = (
                "A metric of classes compares classes, not their probabilities."
                if new == "predict"
                else "The estimator has seen no data yet."
            )
            yield self.patch(
                context.replace_here((*context.attribute_span(callee), new)), f"Call `{new}`", cause, prior=0.93
            )
            return

    def _take_second(self, context: RuleContext) -> Iterator[Patch]:
        """The column of the second class, where both are given to a curve or score of two classes."""
        for call in context.calls_at_failure():
            named = [k.value for k in call.keywords if k.arg in ("y_score", "y_prob", "y_proba")]
            scores = [*call.args[1:2], *named]
            if last_name(call.func) not in CURVES or len(scores) != 1:
                continue
            given, text = scores[0], context.text(scores[0])
            is_asked = isinstance(given, ast.Call) and last_name(given.func) == "predict_proba"
            rows = f"({text}).ndim == 2 and ({text}).shape[1] == 2 and (abs(({text}).sum(axis=1) - 1) < 1e-6).all()"
            if is_asked or context.is_true(rows):
                end = context.span(given)[1]
                yield self.patch(
                    context.replace_here((end, end, "[:, 1]")),
                    "Give the probability of the second class: `[:, 1]`",
                    "The two columns are the probabilities of both classes.",
                    prior=0.93,
                )
                return
