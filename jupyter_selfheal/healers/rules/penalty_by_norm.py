"""SKL116: a penalised linear model that divided each column by its norm."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import is_truth, read_last_name
from jupyter_selfheal.model import Applicability, Patch

POWERS = {"Ridge": "", "Lasso": " ** 0.5"}
"""By which power of the number of rows the penalty grows, where columns are divided by their deviation and not by their norm."""
ASKED = frozenset({"fit", "predict", "score"})
"""What a pipeline does as the model itself did."""
WEIGHTS = {
    "coef_": "{0}[-1].coef_ / {0}[0].scale_",
    "intercept_": "{0}[-1].intercept_ - {0}[-1].coef_ / {0}[0].scale_ @ {0}[0].mean_",
}
"""What the model gave in units of the columns as they are, of a pipeline that scales them."""


class PenaltyByNorm(Rule):
    """Scale the columns before the model, and its penalty with them.

    **Failure** `TypeError: Ridge.__init__() got an unexpected keyword argument 'normalize'`, since scikit-learn 1.2.

    **Fix** `make_pipeline(StandardScaler(), Ridge(alpha=0.5 * len(X_train)))` for `Ridge(alpha=0.5, normalize=True)` that is fitted to `X_train`, and
    `len(X_train) ** 0.5` for `Lasso`: a column's norm is its deviation times the root of the number of rows, as scikit-learn's own message said.

    **Fix safety** Safe where the notebook fits the model once, in the block of statements that makes it, to rows that no statement between names, where the
    penalty is a number, and nothing is asked but predictions, scores and weights: these are what they were (`model.coef_` becomes `model[-1].coef_ / model[0].scale_`, as
    a column's weight was per unit of the column). So is a chain (`Ridge(normalize=True).fit(rows, y).predict(rows)`), whose rows stand in it. Unsafe where the fit stands elsewhere (a function, another
    cell), as there may be other rows by then, and where the model, or what `fit` gives back, is used otherwise too: in a cross-validation the folds have fewer
    rows. Silent without an intercept, for which `normalize` did nothing, for several penalties, for a
    `precompute` that was made of columns as they are, and for classes that are not scikit-learn's.
    """

    code = "SKL116"
    name = "penalty by norm"
    stage = Stage.CHANGELOG
    enames = frozenset({"TypeError"})
    message = re.compile(r"unexpected keyword argument 'normalize'")
    applicability = Applicability.SAFE
    why = "Predictions, scores and weights are the same: the penalty grows by the number of rows, as scikit-learn's message said."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        call = next((c for c in context.list_calls_at_failure() if read_last_name(c.func) in POWERS), None)
        known = [context.reference(f"sklearn.{n}") for n in ("pipeline.make_pipeline", "preprocessing.StandardScaler")]
        if call is None or None in known or not _is_of_sklearn(context, call):
            return
        model = _find_chained(context, call) or _find_model(context, call)
        rows = _find_rows(context, model) if model is not None else ""
        text = _write_model(context, call, rows) if rows else None
        if model is None or text is None:
            return
        pipe, scaler = (k for k in known if k is not None)
        doubt = _name_doubt(context, call, model, rows)
        splices = {cell: list(_rewrite_reads(context.source_of(cell), nodes)) for cell, nodes in model.reads.items()}
        splices.setdefault(context.cell_id, []).extend(
            [(*context.span(call), f"{pipe[0]}({scaler[0]}(), {text})"), *context.add_imports([pipe[1], scaler[1]])]
        )
        yield self.patch(
            [edit for cell, changes in splices.items() for edit in context.replace(cell, changes)],
            f"Scale the columns, and the penalty by `len({rows})`",
            "Since scikit-learn 1.2, linear models no longer divide the columns by their norm themselves.",
            applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
            why=doubt or self.why,
            prior=0.7 if doubt else 0.93,
        )  # fmt: skip


def _is_of_sklearn(context: RuleContext, call: ast.Call) -> bool:
    return context.describe_all([call.func], calls=True)[0].path.startswith("sklearn.")


@dataclass(frozen=True, slots=True)
class _Model:
    """The statement that makes a model (none in a chain), what it is fitted to, what the notebook asks of it (``alpha``, or the function that it is
    given to), and where it reads its weights, by cell."""

    made: ast.Assign | None
    fits: tuple[ast.Call, ...]
    uses: frozenset[str]
    reads: Mapping[str, list[ast.Attribute]] = field(default_factory=dict)


def _name_doubt(context: RuleContext, call: ast.Call, model: _Model, rows: str) -> str:
    """Why predictions and scores may not be what they were; empty where they are."""
    others = sorted(use for use in model.uses if use not in ASKED)
    if others:
        return f"The model is used otherwise too ({others[0]}): folds have fewer rows, and a pipeline is no such model."
    if not _is_fitted_beside(context, model, rows):
        return f"The model may be fitted to other rows than `{rows}` has where it is made."
    penalty = _find_penalty(call)
    if penalty is not None and context.number(penalty) is None:
        return "That the penalty is one number is not known."
    return (
        "What is computed ahead is for columns as they are."
        if any(k.arg == "precompute" for k in call.keywords)
        else ""
    )


def _is_fitted_beside(context: RuleContext, model: _Model, rows: str) -> bool:
    """Whether the fit stands behind the constructor, in the same block of statements, and none between them names the rows."""
    if model.made is None:
        return True
    parents = src.read(context.source).parents
    node: ast.AST | None = model.fits[0]
    while isinstance(node, ast.Call | ast.Attribute):
        node = parents.get(node)
    for block in (getattr(n, "body", None) for n in context.walk(ast.AST)):
        if isinstance(block, list) and model.made in block and node in block:
            between = block[block.index(model.made) + 1 : block.index(node)]
            fit_is_below = block.index(model.made) < block.index(node)
            return fit_is_below and not any(
                isinstance(n, ast.Name) and n.id == rows for s in between for n in ast.walk(s)
            )
    return False


def _find_chained(context: RuleContext, call: ast.Call) -> _Model | None:
    """Of ``Ridge(…).fit(rows, y)``, of which no name is kept: what is asked at once."""
    reading = src.read(context.source)
    method = reading.parents.get(call)
    fit = reading.parents.get(method) if isinstance(method, ast.Attribute) and method.attr == "fit" else None
    if not isinstance(fit, ast.Call) or fit.func is not method:
        return None
    return _Model(None, (fit,), frozenset(_list_uses_of_fitted(reading, fit)))


def _find_model(context: RuleContext, call: ast.Call) -> _Model | None:
    """Where the failing call stands in ``name = Ridge(…)``, and nothing else binds that name."""
    made = [n for n in context.walk(ast.Assign) if n.value is call]
    target = made[0].targets[0] if made and len(made[0].targets) == 1 else None
    if not isinstance(target, ast.Name):
        return None
    fits: list[ast.Call] = []
    uses: set[str] = set()
    reads: dict[str, list[ast.Attribute]] = {}
    for cell in (c for c in context.notebook.cells if c.kind == "code"):
        reading = src.read(context.source_of(cell.id))
        for node in src.walk(context.source_of(cell.id)):
            if isinstance(node, ast.arg) and node.arg == target.id:
                uses.add(f"a parameter is named {target.id}")  # by which any model may be read
            if not isinstance(node, ast.Name) or node.id != target.id:
                continue
            parent = reading.parents.get(node)
            if not isinstance(node.ctx, ast.Load):
                if node.lineno != target.lineno or cell.id != context.cell_id:
                    return None  # another model by the same name
            elif isinstance(parent, ast.Attribute) and parent.attr in WEIGHTS and isinstance(parent.ctx, ast.Load):
                reads.setdefault(cell.id, []).append(parent)
            elif isinstance(parent, ast.Attribute):
                uses.add(parent.attr)
                owner = reading.parents.get(parent)
                if parent.attr == "fit" and isinstance(owner, ast.Call) and owner.func is parent:
                    fits.append(owner)
                    uses |= _list_uses_of_fitted(reading, owner)
            elif not isinstance(parent, ast.Expr):
                uses.add(ast.unparse(parent)[:40] if parent is not None else target.id)
    return _Model(made[0], tuple(fits), frozenset(uses), reads)


def _rewrite_reads(source: str, nodes: Iterable[ast.Attribute]) -> Iterator[Splice]:
    """The weights of the model behind the scaling, per unit of the columns as they are."""
    parents = src.read(source).parents
    for node in nodes:
        text = WEIGHTS[node.attr].format(src.extract_text(source, node.value))
        is_whole = isinstance(parents.get(node), ast.Call | ast.keyword | ast.Assign | ast.Expr)
        is_callee = isinstance(parent := parents.get(node), ast.Call) and parent.func is node
        yield (*src.find_span(source, node), text if is_whole and not is_callee else f"({text})")


def _list_uses_of_fitted(reading: src.Source, fit: ast.Call) -> set[str]:
    """What is asked of the fitted model that ``fit`` gives back: nothing by a statement of its own, or by one that chains on to what a pipeline does too."""
    parent = reading.parents.get(fit)
    if isinstance(parent, ast.Expr):
        return set()
    if isinstance(parent, ast.Attribute):
        return {parent.attr} if parent.attr != "fit" else {"fit again"}
    return {ast.unparse(parent)[:40]} if parent is not None else {"fit"}


def _find_rows(context: RuleContext, model: _Model) -> str:
    """The name of the rows that a model is fitted to; empty where that happens not once, or they are not there yet."""
    if len(model.fits) != 1 or len(model.fits[0].args) != 2 or model.fits[0].keywords:
        return ""
    rows = model.fits[0].args[0]
    if not isinstance(rows, ast.Name) or context.describe_all([rows.id])[0].length < 0:
        return ""
    if model.made is None:
        return rows.id
    bound = [n for n in context.walk(ast.Name) if n.id == rows.id and not isinstance(n.ctx, ast.Load)]
    below = [src.find_names(context.source_of(c.id)) for c in context.notebook.list_code_after(context.cell_id)]
    is_changed = any(n.lineno >= context.line for n in bound) or any(rows.id in n.binds | n.changes for n in below)
    return "" if is_changed else rows.id  # there may be other rows by then


def _find_penalty(call: ast.Call) -> ast.expr | None:
    return next(iter(call.args), None) or next((k.value for k in call.keywords if k.arg == "alpha"), None)


def _write_model(context: RuleContext, call: ast.Call, rows: str) -> str | None:
    """The call without ``normalize``, and with the penalty that says the same of scaled columns; None where there is no such one."""
    given = {k.arg: k.value for k in call.keywords}
    normalize = given.pop("normalize", None)
    if not is_truth(normalize, True) or {"fit_intercept", None} & set(given):
        return None
    first = _find_penalty(call)
    given.pop("alpha", None)
    is_several = first is not None and context.describe_all([first])[0].type and context.number(first) is None
    if len(call.args) > 1 or isinstance(first, ast.Starred) or is_several:
        return None
    if not isinstance(given.get("precompute", normalize), ast.Constant):
        return None  # a matrix of the columns as they are, not scaled
    number = isinstance(first, ast.Constant)
    alpha = f"{context.text(first) if number else context.operand(first)} * " if first is not None else ""
    rest = [f"{name}={context.text(value)}" for name, value in given.items()]
    penalty = f"alpha={alpha}len({rows}){POWERS[read_last_name(call.func)]}"
    return f"{context.text(call.func)}({', '.join([penalty, *rest])})"
