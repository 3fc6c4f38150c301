"""STA107: an estimator that a cell below fits, or none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.parts_of_split import find_split
from jupyter_selfheal.model import Applicability, Cell, Move, Patch

OTHER_DATA = re.compile(r"test|valid|holdout|new|unseen|future", re.IGNORECASE)
"""Names of data that nothing is to be fitted to."""

TRAINING = re.compile(r"(?:^|[Xxy]|[^A-Za-z])(?:[Tt]rain(?:ing|set|data)?|TRAIN)(?![a-z])")
"""The training part by its name, but not `strain` or `trainees`."""

ASKED = frozenset({"predict", "score", "predict_proba", "decision_function"})
"""What is asked of a model that is fitted."""

RESULTS = frozenset({"params", "summary", "summary2", "pvalues", "tvalues", "rsquared", "rsquared_adj", "resid", "fittedvalues", "aic", "bic", "conf_int", "bse"})  # fmt: skip
"""What the results of statsmodels' models have, and the models have not."""


class FittedBelow(Rule):
    """Move the cell that fits an estimator above the one that uses it, or fit a transformer with what it transforms.

    **Failure** `NotFittedError: This LinearRegression instance is not fitted yet`, where a cell below calls `model.fit(…)`; `AttributeError: 'OLS' object has no
    attribute 'params'` of a model of statsmodels that nothing fits.

    **Fix** `model = sm.OLS(y, X).fit()`. That cell moves directly above the failing one. Where no cell fits a scaler or such, `scaler.transform(x)` becomes `scaler.fit_transform(x)`, and a model is fitted to the training part of the notebook's split.

    **Fix safety** Safe where the cell reads only what is there already, and no cell that it passes binds or changes what it reads
    or makes, and for `fit_transform` of the training part of the notebook's split, or of what is named so. Unsafe where it fits to all rows what a split took apart; silent where the failing statement stands below the fit once more, as it shows what
    is there before. Unsafe for `fit_transform` of anything else and a model's `fit`, as other data may be what it is to be fitted to; silent of it for test data, and for a transformer that needs `y`.
    """

    code = "STA107"
    name = "estimator fitted below"
    stage = Stage.STATE
    enames = frozenset({"NotFittedError", "AttributeError"})
    applicability = Applicability.SAFE
    why = "The cell that fits it reads only what is there, and passes no cell that has to do with it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "AttributeError":
            yield from self._fit_model(context)
            return
        calls = context.list_calls_at_failure()
        names = [
            c.func.value.id for c in calls if isinstance(c.func, ast.Attribute) and isinstance(c.func.value, ast.Name)
        ]
        for name in dict.fromkeys(names):
            below = context.notebook.list_code_after(context.failure.cell_id)
            at = next((n for n, c in enumerate(below) if _fits_estimator(c.source, name)), -1)
            if at >= 0 and _is_asked_again(context, below[at:]):
                return  # before the fit it shows that there is none yet
            if at >= 0 and _may_move(context, below[at], below[:at], name):
                name_of_cell = context.notebook.name_cell(below[at].id)
                is_other = _fits_whole(context, below[at], name)
                yield self.patch(
                    (Move(below[at].id, context.failure.cell_id),),
                    f"Move {name_of_cell} above this one",
                    f"`{name}` isn't fitted yet: {name_of_cell}, below, does that.",
                    applicability=Applicability.UNSAFE if is_other else Applicability.SAFE,
                    why="It is fitted there to all rows, and asked here about a part of them."
                    if is_other
                    else self.why,
                    prior=0.6 if is_other else 0.9,
                )
                return
        yield from self._fit_here(context, calls)
        yield from self._fit_to_training_part(context, calls)

    def _fit_to_training_part(self, context: RuleContext, calls: list[ast.Call]) -> Iterator[Patch]:
        """``model.fit(X_train, y_train)`` above the statement that asks `model` about `X_test`."""
        split, statement = find_split(context), context.failing_statement
        cells = [context.source_of(c.id) for c in context.notebook.cells if c.kind == "code"]
        data, labels = (split.data.get("train"), split.labels.get("train")) if split is not None else (None, None)
        for call in calls if data and labels and statement is not None else ():
            func = call.func
            if not (isinstance(func, ast.Attribute) and func.attr in ASKED and isinstance(func.value, ast.Name)):
                continue
            name, live = func.value.id, context.describe_all([func.value])[0]
            is_own = live.is_a("sklearn.base.ClassifierMixin", "sklearn.base.RegressorMixin")
            is_top = statement is not None and statement in context.tree.body
            if not is_own or not is_top or statement is None or any(_mentions_fit(source, name) for source in cells):
                return
            line = f"{name}.fit({data}, {labels})"
            at = src.find_offset(context.source, statement.lineno, 0)
            yield self.patch(
                context.replace_here((at, at, f"{line}\n")),
                f"Fit it first: `{line}`",
                f"`{name}` isn't fitted: nothing in the notebook does that.",
                applicability=Applicability.UNSAFE,
                why="It may be meant to be fitted to other data.",
                prior=0.6,
            )
            return

    def _fit_model(self, context: RuleContext) -> Iterator[Patch]:
        """``model = sm.OLS(y, X)`` above `model.params`: statsmodels' models have results only once they are fitted."""
        owner, wrong = context.owner, context.attribute
        if not owner.module.startswith("statsmodels.") or "fit" not in owner.attributes or wrong not in RESULTS:
            return
        for node in context.list_failing_nodes(ast.Attribute):
            if isinstance(node.value, ast.Call):
                end = context.span(node.value)[1]
                yield self.patch(
                    context.replace_here((end, end, ".fit()")),
                    f"Fit it: `{owner.type}(…).fit().{wrong}`",
                    f"Only what `fit` gives has `{wrong}`.",
                    why="The model alone has no results, and it has no name by which anything else could fit it.",
                    prior=0.92,
                )
                return
            name = node.value.id if isinstance(node.value, ast.Name) else ""
            made = context.find_last_assignment(name) if name else None
            cells = [context.source_of(c.id) for c in context.notebook.cells if c.kind == "code"]
            if made is None or not isinstance(made.node.value, ast.Call) or any(f"{name}.fit" in s for s in cells):
                return
            end = src.find_span(made.source, made.node.value)[1]
            yield self.patch(
                context.replace(made.cell_id, [(end, end, ".fit()")]),
                f"Fit it: `{name} = {owner.type}(…).fit()`",
                f"`{name}` is a model that isn't fitted, and only what `fit` gives has `{wrong}`.",
                why="The model alone has no results, and nothing in the notebook fits it.",
                prior=0.92,
            )
            return

    def _fit_here(self, context: RuleContext, calls: list[ast.Call]) -> Iterator[Patch]:
        """Fit a transformer that nothing fits to what it is given to transform."""
        cells = [context.source_of(c.id) for c in context.notebook.cells if c.kind == "code"]
        for call in calls:
            func = call.func
            if not (isinstance(func, ast.Attribute) and func.attr == "transform" and isinstance(func.value, ast.Name)):
                continue
            name = func.value.id
            is_asked = len(call.args) == 1 and not call.keywords and not OTHER_DATA.search(context.text(call.args[0]))
            if not is_asked or any(_mentions_fit(source, name) for source in cells):
                return
            signature = context.signature(f"{name}.fit")
            needed = [p.name for p in signature.parameters if not p.has_default and p.name != "X"] if signature else []
            live = context.describe_all([func.value])[0]
            is_selector = any(
                p.startswith("sklearn.feature_selection.") for p in live.mro
            )  # it takes `y=None` and may not do without
            is_transformer = live.is_a("sklearn.base.TransformerMixin") and not is_selector
            if signature is None or needed or not is_transformer:
                return
            split = find_split(context)
            given = context.text(call.args[0])
            is_training = (
                given == split.data.get("train")
                if split is not None
                else bool(TRAINING.search(src.find_root_name(call.args[0])))
            )
            yield self.patch(
                context.replace(context.cell_id, [(*context.find_attribute_span(func), "fit_transform")]),
                f"Use `{name}.fit_transform(…)`",
                f"`{name}` isn't fitted: nothing in the notebook does that.",
                applicability=Applicability.SAFE if is_training else Applicability.UNSAFE,
                why="It is the training part, and nothing else is to be fitted to."
                if is_training
                else "It may be meant to be fitted to other data.",
                prior=0.9 if is_training else 0.6,
            )
            return


def _is_asked_again(context: RuleContext, cells: tuple[Cell, ...]) -> bool:
    """Whether the failing statement stands in a cell from the fit on, too."""
    statement = context.failing_statement
    asked = ast.dump(statement) if statement is not None else ""
    return any(ast.dump(s.node) == asked for c in cells for s in src.list_statements(c.source))


def _fits_whole(context: RuleContext, cell: Cell, name: str) -> bool:
    """Whether an estimator is fitted to what a split took apart, training rows and test rows."""
    split = find_split(context)
    whole = split.data.get("all") if split is not None else None
    fits = [n for n in src.walk(cell.source) if isinstance(n, ast.Call) and src.find_root_name(n.func) == name]
    return whole is not None and any(isinstance(a, ast.Name) and a.id == whole for c in fits for a in c.args)


def _mentions_fit(source: str, name: str) -> bool:
    """True where a cell reads ``name.fit`` or such, or hands the estimator to something that may fit it."""
    found = (n for n in src.walk(source) if isinstance(n, ast.Attribute | ast.Call))
    return any(
        (isinstance(n, ast.Attribute) and "fit" in n.attr and isinstance(n.value, ast.Name) and n.value.id == name)
        or (
            isinstance(n, ast.Call)
            and any(isinstance(m, ast.Name) and m.id == name for a in (*n.args, *n.keywords) for m in ast.walk(a))
        )
        for n in found
    )


def _fits_estimator(source: str, name: str) -> bool:
    """True where a statement of the cell's top level calls ``name.fit``, and none binds the name."""
    calls = [n for s in src.list_statements(source) for n in ast.walk(s.node) if isinstance(n, ast.Call)]
    nodes = any(
        isinstance(c.func, ast.Attribute)
        and c.func.attr in ("fit", "fit_transform", "partial_fit")
        and isinstance(c.func.value, ast.Name)
        and c.func.value.id == name
        for c in calls
    )
    return nodes and name not in src.find_names(source).binds


def _may_move(context: RuleContext, cell: Cell, passed: tuple[Cell, ...], name: str) -> bool:
    mine = src.find_names(cell.source)
    above = [c.source for c in context.notebook.list_code_before(context.failure.cell_id)]
    known = frozenset().union(*(src.find_names(s).binds for s in above))
    if not mine.uses <= known:
        return False
    others = [src.find_names(c.source) for c in passed] + [src.find_names(context.failure.source)]
    return not any((o.binds | o.changes) & (mine.uses - {name}) or o.uses & mine.binds for o in others)
