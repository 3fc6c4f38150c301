"""API221: the removed ARIMA of a series that it differenced itself, whose fitted values were those of the differences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name, read_literal
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.model import Applicability, Patch

OF_DIFFERENCES = frozenset({"fittedvalues", "resid"})
"""What the old results gave of the differences; forecasts and predictions of levels were of the series."""


class ArimaOfDifferences(Rule):
    """Fit the differences, as the removed ARIMA did.

    **Failure** `NotImplementedError: statsmodels.tsa.arima_model.ARMA and statsmodels.tsa.arima_model.ARIMA have been removed` at `model = ARIMA(series, order=(2, 1, 0))`,
    where the notebook reads nothing but `fittedvalues` and `resid` of what `model.fit()` gives.

    **Fix** `statsmodels.tsa.arima.model.ARIMA(series.diff().dropna(), order=(2, 0, 0))`. The new ARIMA of the series itself would run, have no constant, and give fitted values of another scale.

    **Fix safety** Unsafe, though the old class fitted just this model, with its constant, to the differences: of several optima the new one may find another. Silent where the results are asked for anything else (`forecast`, `predict`, `params`),
    where the order is not written out, and where there are other series or dates.
    """

    code = "API221"
    name = "ARIMA of differences"
    stage = Stage.CHANGELOG
    enames = frozenset({"NotImplementedError"})
    message = re.compile(r"statsmodels\.tsa\.arima_model\.ARIMA have")
    applicability = Applicability.UNSAFE
    why = "The new class may end at another optimum. The removed one fitted this model to the differences (https://www.statsmodels.org/stable/release/version0.12.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        new = context.reference("statsmodels.tsa.arima.model.ARIMA")
        for call in context.list_calls_at_failure():
            if read_last_name(call.func) != "ARIMA" or new is None:
                continue
            text = context.read_plain_chain(call.args[0]) if call.args else None
            order = _read_order(call)
            if text is None or order is None or not context.describe_all([text])[0].is_a("pandas.Series"):
                return
            fits = _find_fits(context, call)
            if not fits:
                return
            made = f"{new.text}({text}{'.diff()' * order[1]}.dropna(), order=({order[0]}, 0, {order[2]}))"
            imports = context.add_imports([new.import_line] if new.import_line else [])
            splices = {context.cell_id: [(*context.span(call), made), *imports]}
            for fit in fits:
                splices.setdefault(fit.cell_id, []).extend(_silence(context.view_cell(fit.cell_id), fit.value))
            yield self.patch(
                [e for cell_id, changes in splices.items() for e in context.replace(cell_id, changes)],
                f"Change `{context.text(call.func)}` to `{made}`",
                "`statsmodels.tsa.arima_model.ARIMA` was removed (statsmodels 0.14). It fitted the differences, and its fitted values are of these.",
                prior=0.95,
            )


def _silence(view: RuleContext, fit: ast.expr) -> Iterator[Splice]:
    """``fit(disp=0)`` without the word, which is not taken any more: nothing is printed anyway."""
    for keyword in fit.keywords if isinstance(fit, ast.Call) else ():
        if keyword.arg == "disp" and isinstance(fit, ast.Call) and read_literal(keyword.value)[1] in (0, -1):
            yield build_argument_splice(view, fit, keyword, "")


def _read_order(call: ast.Call) -> tuple[int, int, int] | None:
    """The order of ``ARIMA(series, order=(2, 1, 0))`` that differences; None for another one, and where more is given."""
    given = [*call.args[1:], *(k.value for k in call.keywords if k.arg == "order")]
    if len(given) != 1 or len(call.args) + len(call.keywords) != 2:
        return None
    match read_literal(given[0])[1]:
        case (int(p), 1 | 2 as d, int(q)):
            return p, d, q
    return None


class _Assigned(NamedTuple):
    cell_id: str
    name: str
    value: ast.expr


def _find_fits(context: RuleContext, call: ast.Call) -> list[_Assigned]:
    """What the fits of the model are assigned to, where nothing but what was of the differences is read of it; else nothing."""
    every = list(_list_assigned(context))
    here = [a for a in every if a.cell_id == context.cell_id]
    models = {a.name for a in here if _is_at(a.value, call)}
    is_one = all(sum(a.name == model for a in every) == 1 for model in models)
    fits = [a for a in (every if is_one else here) if _is_fit_of(a.value, call, models)]
    fitted = {a.name for a in fits}
    nodes = list(context.walk_notebook())
    reads = [
        n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in fitted
    ]
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id in fitted and isinstance(n.ctx, ast.Load)]
    is_once = all(sum(a.name == result for a in every) == 1 for result in fitted)
    return fits if is_once and 0 < len(uses) == len(reads) and OF_DIFFERENCES.issuperset(reads) else []


def _list_assigned(context: RuleContext) -> Iterator[_Assigned]:
    for cell_id in (c.id for c in context.notebook.cells if c.kind == "code"):
        for node in context.view_cell(cell_id).walk(ast.Assign):
            yield from (_Assigned(cell_id, t.id, node.value) for t in node.targets if isinstance(t, ast.Name))


def _is_at(node: ast.expr, call: ast.Call) -> bool:
    return isinstance(node, ast.Call) and (node.lineno, node.end_col_offset) == (call.lineno, call.end_col_offset)


def _is_fit_of(node: ast.expr, call: ast.Call, models: set[str]) -> bool:
    """True for ``model.fit(…)`` and ``ARIMA(…).fit(…)``."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "fit"):
        return False
    return _is_at(node.func.value, call) or (isinstance(node.func.value, ast.Name) and node.func.value.id in models)
