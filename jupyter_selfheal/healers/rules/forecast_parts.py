"""API210: a forecast of statsmodels, taken apart as the old ARIMA gave it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class ForecastParts(Rule):
    """Ask for the forecast, its standard error and its interval by name.

    **Failure** `ValueError: too many values to unpack (expected 3)` at `fc, se, conf = fit.forecast(15)`; `TypeError: Unknown keyword
    arguments: ['alpha']` with `alpha=0.05`.

    **Fix** `forecast = fit.get_forecast(15)` above, and `fc, se, conf = np.asarray(forecast.predicted_mean),
    np.asarray(forecast.se_mean), np.asarray(forecast.conf_int(alpha=0.05))`.

    **Fix safety** Safe: these are the three arrays that the removed ARIMA's `forecast` gave. Silent for anything but a result of statsmodels.
    """

    code = "API210"
    name = "parts of a forecast"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError"})
    message = re.compile(r"values to unpack|Unknown keyword arguments: \['alpha'\]")
    applicability = Applicability.SAFE
    why = "The removed ARIMA gave these three (https://www.statsmodels.org/stable/release/version0.12.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        node = context.failing_statement
        call = node.value if isinstance(node, ast.Assign) else None
        if (
            not isinstance(node, ast.Assign)
            or not isinstance(call, ast.Call)
            or not isinstance(call.func, ast.Attribute)
        ):
            return
        target = node.targets[-1]
        if call.func.attr != "forecast" or not isinstance(target, ast.Tuple) or len(target.elts) != 3:
            return
        model = context.text(call.func.value)
        live = context.describe_all([call.func.value])[0]
        known = context.reference("numpy.asarray")
        if (
            not live.home.startswith("statsmodels.")
            or not context.is_true(f"hasattr({model}, 'get_forecast')")
            or known is None
        ):
            return
        name = next(
            n
            for n in ("forecast", "forecast_result", "forecast_of_model")
            if n not in context.known_names or n == "forecast_of_model"
        )
        alpha = next((context.text(k) for k in call.keywords if k.arg == "alpha"), "")
        given = [context.text(a) for a in (*call.args, *(k for k in call.keywords if k.arg != "alpha"))]
        parts = [f"{known[0]}({name}.{p})" for p in ("predicted_mean", "se_mean", f"conf_int({alpha})")]
        start = context.span(node)[0]
        above = f"{name} = {model}.get_forecast({', '.join(given)})\n{' ' * node.col_offset}"
        yield self.patch(
            context.replace_here(
                (start, start, above), (*context.span(call), ", ".join(parts)), *context.add_imports([known[1]])
            ),
            f"Take the parts from `{model}.get_forecast(…)`",
            "`forecast` gives the predicted values only.",
            prior=0.92,
        )
