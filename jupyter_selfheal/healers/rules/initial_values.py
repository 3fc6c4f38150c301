"""API211: an exponential smoothing that is not told where its initial values come from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MODELS = ("Holt", "SimpleExpSmoothing")


class InitialValues(Rule):
    """Say that the initial values are estimated.

    **Failure** `TypeError: initialization_method must be a string`, from `Holt(sales).fit()` of statsmodels.

    **Fix** `Holt(sales, initialization_method="estimated").fit()`.

    **Fix safety** Safe: until statsmodels 0.12 `fit` estimated the initial level and trend with the rest, and this is what `ExponentialSmoothing`
    does by itself now. Silent where `fit` is told not to optimise or is given initial values: these were not estimated then.
    """

    code = "API211"
    name = "initial values of a smoothing"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = re.compile(r"initialization_method must be a string")
    applicability = Applicability.SAFE
    why = "`fit` estimated them until statsmodels 0.12 (https://www.statsmodels.org/stable/release/version0.12.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        splices = []
        for call in context.walk(ast.Call):
            given = [k.arg or "initial" for k in call.keywords]
            if (
                read_last_name(call.func) not in MODELS
                or len(call.args) != 1
                or any(k.startswith("initial") for k in given)
            ):
                continue
            if not context.describe_all([call.func])[0].path.startswith("statsmodels."):
                continue
            end = context.span(call)[1] - 1
            splices.append((end, end, ', initialization_method="estimated"'))
        told = [k.arg or "" for c in context.walk(ast.Call) if read_last_name(c.func) == "fit" for k in c.keywords]
        if splices and not any(word == "optimized" or word.startswith("initial") for word in told):
            yield self.patch(
                context.replace_here(*splices),
                'Add `initialization_method="estimated"`',
                "The model is not told where its initial level and trend come from.",
                prior=0.92,
            )
