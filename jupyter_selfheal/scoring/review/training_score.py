"""REV203: a perfect score, of a model that was asked about nothing but what it was trained on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import list_names, read_called_name
from jupyter_selfheal.model import Doubt
from jupyter_selfheal.scoring.review.context import Check, ReviewedCell
from jupyter_selfheal.scoring.review.context.code import is_plain

_METRICS = frozenset({"accuracy_score", "r2_score", "f1_score", "roc_auc_score", "balanced_accuracy_score"})

_HELD_OUT = re.compile(
    r"train_test_split|cross_val|KFold|ShuffleSplit|GridSearchCV|RandomizedSearchCV|oob_score|LeaveOneOut"
    r"|\w_(test|val|valid|holdout)\b|\btest_(x|y|X|Y|data|set|df|features|labels|images)\b|\b[Tt]raining"
)
"""Signs that the notebook knows of data held out, or calls the score what it is."""
_IMPORT = re.compile(r"^(?:from [\w.]+ )?import \w[^(\n]*$|^from [\w.]+ import \([^)]*\)", re.MULTILINE)
"""Lines that hold nothing out yet."""


class TrainingScore(Check):
    """A score of exactly 1.0, on the data that the model was trained on.

    **Doubt** The notebook calls `model.fit(X, y)`, then `model.score(X, y)` (or a metric of `y` and `model.predict(X)`) with the same
    data, that gives exactly 1.0, and nothing in the notebook holds data out.

    **Silent** Where the notebook splits its data or validates across folds, or calls the score one of training; below 1.0; with
    other data.

    **What to do** Hold some data out, and score on that.
    """

    code = "REV203"
    name = "perfect score on the training data"

    def review_cell(self, cell: ReviewedCell) -> Iterator[Doubt]:
        scores = [n for s in cell.body for n in ast.walk(s) if isinstance(n, ast.Call) and _is_score(n)]
        if not scores or any(_HELD_OUT.search(_IMPORT.sub("", c.source)) for c in cell.notebook.cells):
            return
        fits = _collect_fits(cell)
        for call in scores:
            model, data = _find_scored(call)
            same = model and data and data in fits.get(model, ())
            if not same or list_names(call) & cell.rebound:
                continue
            if cell.ask("review_values", "evaluate_score", text=ast.unparse(call)) == 1.0:
                what = f"`{cell.extract_text(call)}` is exactly 1.0, on the data that `{model}` was trained on."
                advice = "Score on data held out: `train_test_split` or `cross_val_score`."
                yield cell.build_doubt(self.code, call, what, advice)
                return


def _is_score(call: ast.Call) -> bool:
    name = read_called_name(call)
    return len(call.args) == 2 and (name in _METRICS or (name == "score" and isinstance(call.func, ast.Attribute)))


def _find_scored(call: ast.Call) -> tuple[str, tuple[str, str] | None]:
    """(model, (X, y)) of a score; nothing where that is more than names and columns."""
    first, second = call.args
    if isinstance(call.func, ast.Attribute) and call.func.attr == "score":
        if is_plain(call.func.value) and is_plain(first) and is_plain(second):
            return ast.unparse(call.func.value), (ast.unparse(first), ast.unparse(second))
        return "", None
    predicted = second
    if (
        isinstance(predicted, ast.Call)
        and isinstance(predicted.func, ast.Attribute)
        and predicted.func.attr == "predict"
        and len(predicted.args) == 1
        and is_plain(first)
        and is_plain(predicted.args[0])
        and is_plain(predicted.func.value)
    ):
        return ast.unparse(predicted.func.value), (ast.unparse(predicted.args[0]), ast.unparse(first))
    return "", None


def _collect_fits(cell: ReviewedCell) -> dict[str, set[tuple[str, str]]]:
    """What each model was fitted on, up to this cell, while neither the model nor the data is bound anew."""
    fits: dict[str, set[tuple[str, str]]] = {}
    for other in (*cell.notebook.list_code_before(cell.cell.id), cell.cell):
        tree = None if src.is_foreign(other.source) else src.parse(other.source)
        for statement in tree.body if tree is not None else ():
            bound = src.collect_names([statement]).binds
            for model, data in list(fits.items()):
                fits[model] = {pair for pair in data if not bound & _list_names(*pair)}
            for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call)):
                if isinstance(call.func, ast.Attribute) and call.func.attr == "fit" and len(call.args) == 2:
                    model = _find_model(statement, call)
                    fits.setdefault(model, set()).add((ast.unparse(call.args[0]), ast.unparse(call.args[1])))
    return fits


def _find_model(statement: ast.stmt, call: ast.Call) -> str:
    """``m`` of ``m.fit(X, y)`` and of ``m = Model().fit(X, y)``."""
    if isinstance(statement, ast.Assign) and statement.value is call and len(statement.targets) == 1:
        return ast.unparse(statement.targets[0])
    return ast.unparse(call.func.value)  # type: ignore[attr-defined]


def _list_names(*texts: str) -> set[str]:
    return {n.id for text in texts for n in ast.walk(src.parse_expression(text)) if isinstance(n, ast.Name)}
