"""API210: a forecast of statsmodels, taken apart as the old ARIMA gave it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import change_and_replay, list_statements_above
from jupyter_selfheal.healers.rules.position_in_series import is_forecast_of_old
from jupyter_selfheal.model import Applicability, Patch

FLOAT = re.compile(
    r"float\w*'? (?:object )?(?:has no|is not)|invalid index to scalar variable|too many indices for array|0-dimensional|must have same first dimension"
)
"""What is said of one of three numbers where it is taken for an array."""


ERROR = re.compile(r"(?:^|_)(?:se|s?err?|std|stderr|std_?err(?:or)?|sigma|errors?)(?:_|$)", re.I)
INTERVAL = re.compile(r"(?:^|_)(?:conf|ci|conf_?int|int|intervals?|bounds?)(?:_|$)", re.I)
BOUND = re.compile(r"(?:^|_)(?:lo|low(?:er)?|lwr|mid|hi|high(?:er)?|up|upr|upper|min|max)(?:_|\d|$)", re.I)
"""Names for the second and the third of what the old one gave, and for three forecasts."""


class _Parts(NamedTuple):
    """A statement that takes a forecast apart: its cell, the cell's source, the statement, and the call."""

    cell_id: str
    source: str
    node: ast.Assign
    call: ast.Call
    model: str


class ForecastParts(Rule):
    """Ask for the forecast, its standard error and its interval by name.

    **Failure** `ValueError: too many values to unpack (expected 3)` at `fc, se, conf = fit.forecast(15)`; `TypeError: Unknown keyword
    arguments: ['alpha']` with `alpha=0.05`. `fc, se, conf = fit.forecast(3)` does not fail: it gives three numbers, of which what is below fails
    (`object of type 'float' has no len()`). `KeyError: 0` at `fit.forecast(15)[0]`, in a notebook that imports the removed ARIMA.

    **Fix** `forecast = fit.get_forecast(15)` above, and `fc, se, conf = np.asarray(forecast.predicted_mean),
    np.asarray(forecast.se_mean), np.asarray(forecast.conf_int(alpha=0.05))`; the cells below it run again.

    **Fix safety** Safe: these are the three arrays that the removed ARIMA's `forecast` gave. Where nothing failed at once the names must say so (an
    error in the second place and an interval in the third), as three steps may be meant. Silent where a name says a bound (`low`, `ci_upper`), and for
    anything but a result of statsmodels.
    """

    code = "API210"
    name = "parts of a forecast"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError", "IndexError", "AttributeError", "KeyError"})
    message = re.compile(rf"^[012]$|values to unpack|Unknown keyword arguments: \['alpha'\]|{FLOAT.pattern}")
    applicability = Applicability.SAFE
    why = "The removed ARIMA gave these three (https://www.statsmodels.org/stable/release/version0.12.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "KeyError":
            yield from self._take_one_part(context)
            return
        parts = _find_parts(context)
        known = context.reference("numpy.asarray")
        if parts is None or known is None or (known[1] and parts.cell_id != context.cell_id):
            return
        splices = [*_write_parts(context, parts, known[0]), *context.add_imports([known[1]])]
        edits = (
            context.replace_here(*splices)
            if parts.cell_id == context.cell_id
            else change_and_replay(context, {parts.cell_id: splices})
        )
        if edits:
            yield self.patch(
                edits,
                f"Take the parts from `{parts.model}.get_forecast(…)`",
                "`forecast` gives the predicted values only.",
                prior=0.92,
            )

    def _take_one_part(self, context: RuleContext) -> Iterator[Patch]:
        """``model.forecast(5)[0]``, which were the forecasts: an array."""
        known = context.reference("numpy.asarray")
        for node in context.list_failing_nodes(ast.Subscript) if known is not None else ():
            match node:
                case ast.Subscript(
                    value=ast.Call(func=ast.Attribute(value=model)) as call, slice=ast.Constant(value=0)
                ):
                    live = context.describe_all([model])[0]
                    if is_forecast_of_old(context, call) and live.home.startswith("statsmodels.") and known is not None:
                        text = f"{known[0]}({context.text(call)})"
                        yield self.patch(
                            context.replace_here((*context.span(node), text), *context.add_imports([known[1]])),
                            f"Use `{text}`",
                            "`forecast` gives the predicted values only, and gave them first of three.",
                            prior=0.92,
                        )
                    return


def _find_parts(context: RuleContext) -> _Parts | None:
    """The failing statement, or the one whose three numbers the failing cell reads: ``fc, se, conf = fit.forecast(3)``."""
    is_late = FLOAT.search(context.failure.evalue) is not None
    here = [(context.cell_id, context.source, context.failing_statement)]
    statements = list(list_statements_above(context)) if is_late else here
    read = {n.id for n in src.walk(context.failure.source) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    for cell_id, source, node in statements:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        call, target = node.value, node.targets[-1]
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "forecast":
            continue
        if not isinstance(target, ast.Tuple) or not _are_of_old(target, read if is_late else None):
            continue
        model = src.extract_text(source, call.func.value)
        live = context.describe_all([model])[0]
        if live.home.startswith("statsmodels.") and context.is_true(f"hasattr({model}, 'get_forecast')"):
            return _Parts(cell_id, source, node, call, model)
    return None


def _are_of_old(target: ast.Tuple, read: set[str] | None) -> bool:
    """True where names may be those of the three parts; they must say so where it is only what reads one of them that fails (``read``)."""
    names = [e.id if isinstance(e, ast.Name) else "" for e in target.elts]
    if len(names) != 3 or any(map(BOUND.search, names)):
        return False
    return read is None or bool(ERROR.search(names[1]) and INTERVAL.search(names[2]) and not read.isdisjoint(names))


def _write_parts(context: RuleContext, parts: _Parts, as_array: str) -> list[Splice]:
    names = ("forecast", "forecast_result", "forecast_of_model")
    bound = {n.id for n in ast.walk(parts.node) if isinstance(n, ast.Name)}
    name = next((n for n in names if n not in context.known_names and n not in bound), names[-1])
    text = {k.arg or "": src.extract_text(parts.source, k) for k in parts.call.keywords}
    alpha = text.pop("alpha", "")
    given = [*(src.extract_text(parts.source, a) for a in parts.call.args), *text.values()]
    values = [f"{as_array}({name}.{p})" for p in ("predicted_mean", "se_mean", f"conf_int({alpha})")]
    start = src.find_span(parts.source, parts.node)[0]
    above = f"{name} = {parts.model}.get_forecast({', '.join(given)})\n{' ' * parts.node.col_offset}"
    return [(start, start, above), (*src.find_span(parts.source, parts.call), ", ".join(values))]
