"""API215: statsmodels' autoregression, whose lags are given to the model now."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Edit, Patch

SUCCESSOR = "statsmodels.tsa.ar_model.AutoReg"
TRENDS = {"'c'": "", "'nc'": ", trend='n'", "'n'": ", trend='n'"}
"""What the fit was told of a trend, as the model is told it now."""


@dataclass(frozen=True, slots=True)
class _Fit:
    """Where a model is fitted, and the name that the fitted one gets (empty: none)."""

    call: ast.Call
    name: str


class LagsOfAutoregression(Rule):
    """Give an autoregression its lags where it is made.

    **Failure** `NotImplementedError: AR has been removed from statsmodels and replaced with statsmodels.tsa.ar_model.AutoReg`, since 0.13.

    **Fix** `AutoReg(series, lags=3).fit()` for `AR(series).fit(maxlag=3)`, in a chain or by a name; without `maxlag` the number that `AR` took by itself,
    `round(12 * (len(series) / 100) ** (1 / 4))`. `fitted.k_ar` becomes `len(fitted.ar_lags)`.

    **Fix safety** Safe: both estimate by least squares on the same lags (`method="cmle"`, the default). Silent where the fit is told another method or a criterion
    by which lags are chosen, where the model is fitted twice, and where it is made of anything but a series.
    """

    code = "API215"
    name = "lags of an autoregression"
    stage = Stage.CHANGELOG
    enames = frozenset({"NotImplementedError"})
    message = re.compile(r"\bAR has been removed from statsmodels")
    applicability = Applicability.SAFE
    why = (
        "Both estimate by least squares on the same lags (https://www.statsmodels.org/stable/release/version0.11.html)."
    )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        call = next((c for c in context.list_calls_at_failure() if read_last_name(c.func) == "AR"), None)
        known = context.reference(SUCCESSOR)
        if call is None or known is None or len(call.args) != 1 or call.keywords:
            return
        if not context.describe_all([call.func], calls=True)[0].path.startswith("statsmodels."):
            return
        fit = _find_fit(context, call)
        lags = _write_lags(context, call, fit.call) if fit is not None else None
        if fit is None or lags is None:
            return
        series = context.text(call.args[0])
        splices: list[Splice] = [
            (*context.span(call), f"{known[0]}({series}, {lags})"),
            (context.span(fit.call.func)[1], context.span(fit.call)[1], "()"),
            *context.add_imports([known[1]] if known[1] else []),
        ]
        if context.span(fit.call)[0] == context.span(call)[0]:  # a chain: one text for both
            splices[:2] = [(*context.span(fit.call), f"{known[0]}({series}, {lags}).fit()")]
        yield self.patch(
            _replace_reads(context, fit.name, splices),
            "Use `AutoReg`, with the lags where it is made",
            "statsmodels 0.13 has no `AR` any more.",
            prior=0.93,
        )


def _find_fit(context: RuleContext, call: ast.Call) -> _Fit | None:
    """The one fit of the model: chained on to it, or by the name that it is given."""
    parents = src.read(context.source).parents
    parent = parents.get(call)
    if isinstance(parent, ast.Attribute):
        fit = parents.get(parent)
        return _Fit(fit, _find_name(parents.get(fit))) if isinstance(fit, ast.Call) and parent.attr == "fit" else None
    model = _find_name(parent)
    if not model or not _is_fitted_once(context, model):
        return None
    fits = [
        c for c in context.walk(ast.Call) if read_last_name(c.func) == "fit" and context.text(c.func) == f"{model}.fit"
    ]
    return _Fit(fits[0], _find_name(parents.get(fits[0]))) if fits else None


def _is_fitted_once(context: RuleContext, model: str) -> bool:
    """True where a name is bound and fitted once in the cell, and not fitted below before it is another model's."""
    made, fitted = re.compile(rf"\b{model}\s*=(?!=)"), re.compile(rf"\b{model}\.fit\(")
    below = (c.source for c in context.notebook.list_code_after(context.cell_id))
    same = "\n".join(itertools.takewhile(lambda source: made.search(source) is None, below))
    once = len(made.findall(context.source)) == len(fitted.findall(context.source)) == 1
    return once and fitted.search(same) is None


def _find_name(node: ast.AST | None) -> str:
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    return target.id if isinstance(target, ast.Name) else ""


def _write_lags(context: RuleContext, call: ast.Call, fit: ast.Call) -> str | None:
    """The lags and the trend as the model takes them; None where the fit is told what the model does not do."""
    given = {k.arg: context.text(k.value) for k in fit.keywords}
    if fit.args:
        given["maxlag"] = context.text(fit.args[0])
    maxlag, trend = given.pop("maxlag", "None"), given.pop("trend", "'c'").replace('"', "'")
    known = {
        "method": "'cmle'",
        "ic": "None",
        "disp": given.get("disp", ""),
        "transparams": given.get("transparams", ""),
    }
    if (
        len(fit.args) > 1
        or trend not in TRENDS
        or any(known.get(str(n)) != v.replace('"', "'") for n, v in given.items())
    ):
        return None
    series = call.args[0]
    if maxlag == "None" and not isinstance(series, ast.Name | ast.Attribute | ast.Subscript):
        return None
    default = f"round(12 * (len({context.text(series)}) / 100) ** (1 / 4))"
    return f"lags={default if maxlag == 'None' else maxlag}{TRENDS[trend]}"


def _replace_reads(context: RuleContext, fitted: str, splices: list[Splice]) -> Iterator[Edit]:
    """The edits of the failing cell, and of those that read how many lags the fitted model has."""
    for cell in (c for c in context.notebook.cells if c.kind == "code"):
        view = context.view_cell(cell.id)
        reads = [n for n in view.walk(ast.Attribute) if n.attr == "k_ar" and fitted and view.text(n.value) == fitted]
        changes = [(*view.span(n), f"len({fitted}.ar_lags)") for n in reads]
        own = splices if cell.id == context.cell_id else []
        if changes or own:
            yield from view.replace(cell.id, [*own, *changes])
