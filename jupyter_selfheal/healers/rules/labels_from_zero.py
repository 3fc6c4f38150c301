"""SKL133: labels that are not the numbers from 0 on, for a classifier of XGBoost."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name
from jupyter_selfheal.model import Applicability, Edit, Patch

SHOWN_BY = frozenset({"print", "display", "plot_importance", "plot_tree", "to_graphviz", "type", "repr", "str"})
"""Functions that ask a model nothing about labels."""
OTHER_SCORES = re.compile(
    r"\bscoring\s*=(?!=)(?!\s*['\"](?:accuracy|balanced_accuracy|roc_auc|roc_auc_ovr|neg_log_loss|f1_macro|f1_micro|f1_weighted)['\"])"
)
"""Scores that may ask for the label 1."""
NAMED_BY_MODEL = frozenset({"classes_", "n_classes_", "save_model", "decision_function"})


class LabelsFromZero(Rule):
    """Number the labels for a model, and name them again in what it predicts.

    **Failure** `ValueError: Invalid classes inferred from unique values of 'y'.  Expected: [0 1], got [-1  1]` at `xgb.fit(X_train, y_train)`, also inside of a search.

    **Fix** `xgb_labels = LabelEncoder()` above, `xgb.fit(X_train, xgb_labels.fit_transform(y_train))`, and wherever the model is asked below `xgb_labels.inverse_transform(xgb.predict(X_test))`
    and `xgb.score(X_test, xgb_labels.transform(y_test))`.

    **Fix safety** Safe: XGBoost before 1.6 did just that by itself. Unsafe where the model is used in another way too (in a list, in a function), where a score may ask for the label 1, and where `use_label_encoder` is named:
    who turned it off had labels from 0 on. Silent on a model without a name, and in a function.
    """

    code = "SKL133"
    name = "labels from 0 on"
    stage = Stage.CHANGELOG
    enames = frozenset({"ValueError"})
    message = re.compile(r"Invalid classes inferred from unique values of `y`")
    applicability = Applicability.SAFE
    restores = "xgboost 1.6"
    why = "XGBoost before 1.6 numbered the classes by itself, and named them again in what it predicted (https://xgboost.readthedocs.io/en/stable/changes/v1.6.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        statement, known = context.failing_statement, context.reference("sklearn.preprocessing.LabelEncoder")
        if statement is None or known is None or context.cell_id != context.failure.cell_id:
            return
        for call in context.list_calls_at_failure():
            if not (isinstance(call.func, ast.Attribute) and call.func.attr == "fit" and len(call.args) > 1):
                continue
            if not isinstance(call.func.value, ast.Name):
                return
            model = call.func.value.id
            named = f"{model}_labels"
            while context.is_bound_anywhere(named):
                named += "_"
            uses = _Uses(model, named)
            edits = list[Edit]()
            for cell_id in (context.cell_id, *(c.id for c in context.notebook.list_code_after(context.cell_id))):
                view = context.view_cell(cell_id)
                splices = uses.read_cell(view, statement if cell_id == context.cell_id else None)
                if cell_id == context.cell_id:
                    at = context.span(statement)[0]
                    imports = context.add_imports([known.import_line])
                    above = "".join(text for start, _, text in imports if start == at)
                    made = (at, at, f"{above}{named} = {known.text}()\n")
                    splices = [*(s for s in imports if s[0] != at), made, *splices]
                edits += context.replace(cell_id, splices)
                if uses.is_over:
                    break
            doubt = ""
            cells = (c.source for c in context.notebook.cells if c.kind == "code")
            if any(OTHER_SCORES.search(text) or "use_label_encoder" in text for text in cells):
                doubt = "A score may ask for the label 1, or the model be told that its labels are numbers from 0 on."
            if uses.other:
                doubt = f"`{model}` is used in another way, too: `{uses.other}`."
            yield self.patch(
                edits,
                f"Number the labels for `{model}`: `{named}.fit_transform({context.text(call.args[1])})`",
                "XGBoost takes labels that are the numbers from 0 on, since 1.6.",
                applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                why=doubt or self.why,
                prior=0.6 if doubt else 0.9,
            )
            return


class _Uses:
    """What a model is asked from its fitting on, until its name is bound anew."""

    def __init__(self, model: str, named: str) -> None:
        self._model, self._named = model, named
        self.other = ""
        """A use that is none of those known."""
        self.is_over = False

    def read_cell(self, view: RuleContext, first: ast.stmt | None) -> list[Splice]:
        """The splices of a cell, from its statement ``first`` on where that is given."""
        start = view.span(first)[0] if first is not None else 0
        parents = src.read(view.source).parents
        splices = list[Splice]()
        for statement in (s.node for s in src.list_statements(view.source)):
            if view.span(statement)[0] < start:
                continue
            uses = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == self._model]
            for node in uses:
                if isinstance(node.ctx, ast.Load):
                    splices += self._read_use(view, node, parents)
            if any(not isinstance(n.ctx, ast.Load) for n in uses):
                self.is_over = True
                break
        return splices

    def _read_use(self, view: RuleContext, model: ast.expr, parents: dict[ast.AST, ast.AST]) -> Iterator[Splice]:
        asked = parents.get(model)
        if isinstance(asked, ast.Attribute) and asked.attr == "best_estimator_":
            yield from self._read_use(view, asked, parents)
            return
        call = parents.get(asked) if isinstance(asked, ast.Attribute) else None
        method = asked.attr if isinstance(asked, ast.Attribute) else ""
        is_asked = method in ("fit", "score", "predict")
        if is_asked and isinstance(call, ast.Call) and call.func is asked and not _is_in_function(call, parents):
            yield from self._change_call(view, call, method, parents)
            return
        is_shown = isinstance(asked, ast.Call) and model in asked.args and read_last_name(asked.func) in SHOWN_BY
        is_other_part = method and not is_asked and method not in NAMED_BY_MODEL
        if is_shown or is_other_part or isinstance(asked, ast.Expr):
            return
        self.other = view.text(asked) if isinstance(asked, ast.expr) else view.text(model)

    def _change_call(
        self, view: RuleContext, call: ast.Call, method: str, parents: dict[ast.AST, ast.AST]
    ) -> Iterator[Splice]:
        start, end = view.span(call)
        if method == "predict":
            yield (start, start, f"{self._named}.inverse_transform(")
            yield (end, end, ")")
            is_reckoned = isinstance(
                parents.get(call), ast.BinOp
            )  # `model.predict(X) + 1`: numbers from 0 on are meant
            if is_reckoned or any(k.arg == "output_margin" for k in call.keywords):
                self.other = view.text(call)
            return
        if len(call.args) < 2:
            self.other = view.text(call)
            return
        yield from self._encode(view, call.args[1], "fit_transform" if method == "fit" else "transform")
        tested = find_keyword(call, "eval_set")
        for pair in tested.value.elts if tested is not None and isinstance(tested.value, ast.List | ast.Tuple) else ():
            if isinstance(pair, ast.Tuple) and len(pair.elts) == 2:
                yield from self._encode(view, pair.elts[1], "transform")
        if tested is not None and not isinstance(tested.value, ast.List | ast.Tuple):
            self.other = view.text(tested.value)
        if method == "fit" and not isinstance(parents.get(call), ast.Expr):
            yield from self._read_use(view, call, parents)

    def _encode(self, view: RuleContext, labels: ast.expr, how: str) -> Iterator[Splice]:
        start, end = view.span(labels)
        yield (start, start, f"{self._named}.{how}(")
        yield (end, end, ")")


def _is_in_function(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    above: ast.AST | None = node
    while above is not None and not isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        above = parents.get(above)
    return above is not None
