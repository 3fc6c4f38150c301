"""API211: an exponential smoothing that is not told where its initial values come from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import is_truth, read_last_name
from jupyter_selfheal.model import Applicability, Patch

MODELS = ("Holt", "SimpleExpSmoothing")


class InitialValues(Rule):
    """Say that the initial values are estimated.

    **Failure** `TypeError: initialization_method must be a string`, from `Holt(sales).fit()` of statsmodels.

    **Fix** `Holt(sales, initialization_method="estimated").fit()`.

    **Fix safety** Safe: until statsmodels 0.12 `fit` estimated the initial level and trend with the rest, and this is what `ExponentialSmoothing`
    does by itself now. Chained with `fit(…, optimized=False)` it is `"legacy-heuristic"`, "the same values used in statsmodels 0.11 and earlier". Silent where
    another `fit` of the cell is told not to optimise, or one is given initial values.
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
        fixed = _list_fixed(context)
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
            way = "legacy-heuristic" if call in fixed else "estimated"
            splices.append((end, end, f', initialization_method="{way}"'))
        told = [
            k.arg or ""
            for c in context.walk(ast.Call)
            if read_last_name(c.func) == "fit" and not (isinstance(c.func, ast.Attribute) and c.func.value in fixed)
            for k in c.keywords
        ]
        if splices and not any(word == "optimized" or word.startswith("initial") for word in told):
            yield self.patch(
                context.replace_here(*splices),
                f"Add `{splices[0][2][2:]}`",
                "The model is not told where its initial level and trend come from.",
                prior=0.92,
            )


def _list_fixed(context: RuleContext) -> list[ast.expr]:
    """The models that are fitted where they are made, and told not to optimise: ``SimpleExpSmoothing(x).fit(0.6, optimized=False)``."""
    found: list[ast.expr] = []
    for call in context.walk(ast.Call):
        words = {k.arg: k.value for k in call.keywords}
        told = words.get("optimized")
        is_fixed = is_truth(told, False)
        if is_fixed and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
            found += [] if any((k or "").startswith("initial") for k in words) else [call.func.value]
    return found
