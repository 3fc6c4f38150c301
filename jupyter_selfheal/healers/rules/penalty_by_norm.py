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

POWERS = {"Ridge": "", "RidgeCV": "", "Lasso": " ** 0.5"}
"""By which power of the number of rows the penalty grows, where columns are divided by their deviation and not by their norm."""
_OWN_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)  # fmt: skip
ASKED = frozenset({"fit", "predict", "score"})
"""What a pipeline does as the model itself did."""
WEIGHTS = {
    "coef_": "{0}[-1].coef_ / {0}[0].scale_",
    "intercept_": "{0}[-1].intercept_ - {0}[-1].coef_ / {0}[0].scale_ @ {0}[0].mean_",
    "alpha_": "{0}[-1].alpha_ / len({1})",
}
"""What the model gave in units of the columns as they are, of a pipeline that scales them."""


class PenaltyByNorm(Rule):
    """Scale the columns before the model, and its penalty with them.

    **Failure** `TypeError: Ridge.__init__() got an unexpected keyword argument 'normalize'`, since scikit-learn 1.2.

    **Fix** `make_pipeline(StandardScaler(), Ridge(alpha=0.5 * len(X_train)))` for `Ridge(alpha=0.5, normalize=True)` that is fitted to `X_train`, and
    `len(X_train) ** 0.5` for `Lasso`: a column's norm is its deviation times the root of the number of rows, as scikit-learn's own message said.

    **Fix safety** Safe where the notebook fits the model once, in the block of statements that makes it, to rows that no statement between names, where the
    penalty is a number, and nothing is asked but predictions, scores and weights: these are what they were (`model.coef_` becomes `model[-1].coef_ / model[0].scale_`, as
    a column's weight was per unit of the column). So is a chain (`Ridge(normalize=True).fit(rows, y).predict(rows)`), whose rows stand in it, a loop that sets the penalty
    (`model.set_params(ridge__alpha=a * len(X))`), and `RidgeCV` without folds, which scaled the columns once for all rows. Where the rows have no name, those of `y` are counted.
    Unsafe where the fit stands elsewhere (a function, another
    cell), as there may be other rows by then, and where the model, or what `fit` gives back, is used otherwise too: in a cross-validation the folds have fewer
    rows. Silent without an intercept, for which `normalize` did nothing, for several penalties of one model, for a
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
        splices = {
            cell: list(_rewrite_reads(context.source_of(cell), nodes, rows)) for cell, nodes in model.reads.items()
        }
        for cell, values in model.sets.items():
            step = f"{read_last_name(call.func).lower()}__"
            splices.setdefault(cell, []).extend(
                _rewrite_settings(context, cell, values, (step, _write_factor(call, rows)))
            )
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
    given to), and by cell where it reads its weights and sets its penalty."""

    made: ast.Assign | None
    fits: tuple[ast.Call, ...]
    uses: frozenset[str]
    reads: Mapping[str, list[ast.Attribute]] = field(default_factory=dict)
    sets: Mapping[str, list[ast.keyword]] = field(default_factory=dict)


def _name_doubt(context: RuleContext, call: ast.Call, model: _Model, rows: str) -> str:
    """Why predictions and scores may not be what they were; empty where they are."""
    others = sorted(use for use in model.uses if use not in ASKED)
    if others:
        return f"The model is used otherwise too ({others[0]}): folds have fewer rows, and a pipeline is no such model."
    if not _is_fitted_beside(context, model, rows):
        return f"The model may be fitted to other rows than `{rows}` has where it is made."
    penalty = _find_penalty(call)
    is_choice = read_last_name(call.func) == "RidgeCV"
    if penalty is not None and not is_choice and context.number(penalty) is None:
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
    blocks = [b for n in context.walk(ast.AST) if isinstance(b := getattr(n, "body", None), list) and model.made in b]
    while node is not None and not isinstance(node, _OWN_SCOPES):
        if any(node in block for block in blocks):
            break
        node = parents.get(node)
    else:
        return False  # which is called who knows when
    block = next(b for b in blocks if node in b)
    first, last = block.index(model.made), block.index(node)
    between = [n for s in block[first + 1 : last] for n in ast.walk(s)]
    around = ast.walk(node) if isinstance(node, ast.For | ast.While | ast.If | ast.With) else ()
    named = [n for n in around if isinstance(n, ast.Name) and n.id == rows]
    is_given = all(isinstance(parents.get(n), ast.Call) and isinstance(n.ctx, ast.Load) for n in named)
    return first < last and is_given and not any(isinstance(n, ast.Name) and n.id == rows for n in between)


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
    sets: dict[str, list[ast.keyword]] = {}
    fitted = _find_names_of_fitted(context, target.id)
    for cell in (c for c in context.notebook.cells if c.kind == "code"):
        reading = src.read(context.source_of(cell.id))
        for node in src.walk(context.source_of(cell.id)):
            if isinstance(node, ast.arg) and node.arg in {target.id, *fitted}:
                uses.add(f"a parameter is named {node.arg}")  # by which any model may be read
            if not isinstance(node, ast.Name) or node.id not in {target.id, *fitted}:
                continue
            parent = reading.parents.get(node)
            owner = reading.parents.get(parent) if parent is not None else None
            if not isinstance(node.ctx, ast.Load):
                if node.id == target.id and (node.lineno != target.lineno or cell.id != context.cell_id):
                    return None  # another model by the same name
            elif isinstance(parent, ast.Attribute) and parent.attr in WEIGHTS and isinstance(parent.ctx, ast.Load):
                reads.setdefault(cell.id, []).append(parent)
            elif isinstance(parent, ast.Attribute) and (given := _read_penalty_set(reading, parent)) is not None:
                sets.setdefault(cell.id, []).append(given)
            elif isinstance(parent, ast.Attribute):
                uses.add(parent.attr)
                if parent.attr == "fit" and isinstance(owner, ast.Call) and owner.func is parent:
                    fits.append(owner)
                    uses |= _list_uses_of_fitted(reading, owner, fitted)
            elif not isinstance(parent, ast.Expr):
                uses.add(ast.unparse(parent)[:40] if parent is not None else target.id)
    return _Model(made[0], tuple(fits), frozenset(uses), reads, sets)


def _find_names_of_fitted(context: RuleContext, name: str) -> frozenset[str]:
    """The names that are bound once in the notebook, and that to what ``name.fit(…)`` gives back: the model itself."""
    bound: list[str] = []
    fitted: set[str] = set()
    for cell in (c for c in context.notebook.cells if c.kind == "code"):
        for node in src.walk(context.source_of(cell.id)):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                bound.append(node.id)
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=other)],
                    value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="fit")),
                ) if owner == name != other:
                    fitted.add(other)
    return frozenset(n for n in fitted if bound.count(n) == 1)


def _read_penalty_set(reading: src.Source, method: ast.Attribute) -> ast.keyword | None:
    """What a statement ``model.set_params(alpha=…)`` gives, and nothing else with it."""
    call = reading.parents.get(method)
    if method.attr != "set_params" or not isinstance(call, ast.Call) or call.func is not method or call.args:
        return None
    is_alone = len(call.keywords) == 1 and call.keywords[0].arg == "alpha"
    return call.keywords[0] if is_alone and isinstance(reading.parents.get(call), ast.Expr) else None


def _rewrite_settings(
    context: RuleContext, cell: str, given: Iterable[ast.keyword], form: tuple[str, str]
) -> Iterator[Splice]:
    """The penalty of the model behind the scaling, which a pipeline names with its step."""
    step, factor = form
    source = context.source_of(cell)
    for keyword in given:
        value = src.extract_text(source, keyword.value)
        is_simple = isinstance(keyword.value, ast.Name | ast.Constant | ast.Call | ast.Subscript | ast.Attribute)
        yield (*src.find_span(source, keyword), f"{step}alpha={value if is_simple else f'({value})'} * {factor}")


def _rewrite_reads(source: str, nodes: Iterable[ast.Attribute], rows: str) -> Iterator[Splice]:
    """The weights of the model behind the scaling, per unit of the columns as they are."""
    parents = src.read(source).parents
    for node in nodes:
        text = WEIGHTS[node.attr].format(src.extract_text(source, node.value), rows)
        is_whole = isinstance(parents.get(node), ast.Call | ast.keyword | ast.Assign | ast.Expr)
        is_callee = isinstance(parent := parents.get(node), ast.Call) and parent.func is node
        yield (*src.find_span(source, node), text if is_whole and not is_callee else f"({text})")


def _list_uses_of_fitted(reading: src.Source, fit: ast.Call, fitted: frozenset[str] = frozenset()) -> set[str]:
    """What is asked of the fitted model that ``fit`` gives back: nothing by a statement of its own, by one that names it only, or that chains on to what a pipeline does too."""
    parent = reading.parents.get(fit)
    is_named = isinstance(parent, ast.Assign) and {read_last_name(t) for t in parent.targets} <= fitted
    if isinstance(parent, ast.Expr) or is_named:
        return set()
    if isinstance(parent, ast.Attribute):
        return {parent.attr} if parent.attr != "fit" else {"fit again"}
    return {ast.unparse(parent)[:40]} if parent is not None else {"fit"}


def _find_rows(context: RuleContext, model: _Model) -> str:
    """The name of the rows that a model is fitted to, or else of as many targets; empty where that happens not once, or they are not there yet."""
    if len(model.fits) != 1 or len(model.fits[0].args) != 2 or model.fits[0].keywords:
        return ""
    named = [n for n in model.fits[0].args if isinstance(n, ast.Name)]
    rows = next((n for n in named if context.describe_all([n.id])[0].length >= 0), None)
    if rows is None:
        return ""
    if model.made is None:
        return rows.id
    bound = [n for n in context.walk(ast.Name) if n.id == rows.id and not isinstance(n.ctx, ast.Load)]
    below = [src.find_names(context.source_of(c.id)) for c in context.notebook.list_code_after(context.cell_id)]
    is_changed = any(n.lineno >= context.line for n in bound) or any(rows.id in n.binds | n.changes for n in below)
    return "" if is_changed else rows.id  # there may be other rows by then


def _find_penalty(call: ast.Call) -> ast.expr | None:
    names = {"alpha", "alphas"}
    return next(iter(call.args), None) or next((k.value for k in call.keywords if k.arg in names), None)


def _write_factor(call: ast.Call, rows: str) -> str:
    return f"len({rows}){POWERS[read_last_name(call.func)]}"


def _write_model(context: RuleContext, call: ast.Call, rows: str) -> str | None:
    """The call without ``normalize``, and with the penalty that says the same of scaled columns; None where there is no such one."""
    given = {k.arg: k.value for k in call.keywords}
    normalize = given.pop("normalize", None)
    if not is_truth(normalize, True) or {"fit_intercept", "cv", None} & set(given) or len(call.args) > 1:
        return None
    first = _find_penalty(call)
    given = {name: value for name, value in given.items() if value is not first}
    penalty = _write_penalty(context, call, first, _write_factor(call, rows))
    if penalty is None or not isinstance(given.get("precompute", normalize), ast.Constant):
        return None  # or a matrix of the columns as they are, not scaled
    rest = [f"{name}={context.text(value)}" for name, value in given.items()]
    return f"{context.text(call.func)}({', '.join([penalty, *rest])})"


def _write_penalty(context: RuleContext, call: ast.Call, given: ast.expr | None, factor: str) -> str | None:
    """The argument that says how much weights cost: one number, or of ``RidgeCV`` those among which it chooses; None where it is not known."""
    is_choice = read_last_name(call.func) == "RidgeCV"
    if given is None:
        return None if is_choice else f"alpha={factor}"
    kind = context.describe_all([given])[0].type
    if is_choice:
        if kind == "ndarray":
            return f"alphas={context.operand(given)} * {factor}"
        return f"alphas=[each * {factor} for each in {context.text(given)}]" if kind in {"list", "tuple"} else None
    if isinstance(given, ast.Starred) or (kind and context.number(given) is None):
        return None
    is_number = isinstance(given, ast.Constant)
    return f"alpha={context.text(given) if is_number else context.operand(given)} * {factor}"
