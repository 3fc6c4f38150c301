"""SKL110: probabilities given where classes are compared, and an estimator that transforms before it is fitted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

MIX = re.compile(r"can't handle a mix of (?:binary|multiclass) and continuous")
UNFITTED = re.compile(r"instance is not fitted yet")


class ProbabilitiesForClasses(Rule):
    """Call the method of an estimator that gives what is asked for.

    **Failure** `ValueError: Classification metrics can't handle a mix of multiclass and continuous-multioutput targets` at
    `accuracy_score(y, model.predict_proba(X))`; `NotFittedError: This StandardScaler instance is not fitted yet` at
    `StandardScaler().transform(X)`.

    **Fix** `accuracy_score(y, model.predict(X))`; `StandardScaler().fit_transform(X)`.

    **Fix safety** Safe: a metric of classes compares classes, which `predict` gives; an estimator that is made in the very expression cannot
    have been fitted before. Silent on estimators that have a name.
    """

    code = "SKL110"
    name = "method of an estimator"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "NotFittedError"})
    applicability = Applicability.SAFE
    why = "One method of the estimator alone gives what is asked for here."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        evalue = context.failure.evalue
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
