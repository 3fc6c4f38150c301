"""SKL110: probabilities given where classes are compared, and an estimator that transforms before it is fitted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.healers.rules.context.rule_context import Assignment
from jupyter_selfheal.model import Applicability, Edit, Patch

MIX = re.compile(r"can't handle a mix of (?:binary|multiclass) and continuous")
TWO_COLUMNS = re.compile(r"should be a 1d array, got an array of shape \(\d+, 2\)")
CURVES = frozenset(
    {
        "roc_curve",
        "precision_recall_curve",
        "det_curve",
        "average_precision_score",
        "brier_score_loss",
        "calibration_curve",
        "roc_auc_score",
    }
)
CLASSES_GIVEN = re.compile(
    r"needs to be of shape `\(n_samples, n_classes\)`|dtype='numeric' is not compatible with arrays of bytes/strings|"
    r"^could not convert string to float: np\.str_|^multi_class must be in \('ovo', 'ovr'\)|pos_label=1 is not a valid label"
)
SCORES = frozenset({"roc_auc_score", "average_precision_score", "log_loss", "brier_score_loss", "top_k_accuracy_score"})
"""Metrics of probabilities (https://scikit-learn.org/stable/modules/model_evaluation.html)."""
OF_CLASSES = frozenset(
    {"accuracy_score", "balanced_accuracy_score", "classification_report", "cohen_kappa_score", "confusion_matrix", "f1_score", "fbeta_score",
     "hamming_loss", "jaccard_score", "matthews_corrcoef", "precision_recall_fscore_support", "precision_score", "recall_score", "zero_one_loss"}
)  # fmt: skip
"""Metrics that compare classes (https://scikit-learn.org/stable/modules/model_evaluation.html#classification-metrics)."""
UNFITTED = re.compile(r"instance is not fitted yet")
NOT_FITTED_TO = re.compile(r"(?i)(?<![a-z])(?:test|val|valid|validation|new|unseen|holdout)(?![a-z])")
"""Words for data that a transformer is not fitted to."""


class ProbabilitiesForClasses(Rule):
    """Call the method of an estimator that gives what is asked for.

    **Failure** `ValueError: Classification metrics can't handle a mix of multiclass and continuous-multioutput targets` at
    `accuracy_score(y, model.predict_proba(X))`; `NotFittedError: This StandardScaler instance is not fitted yet` at
    `StandardScaler().transform(X)`.

    There the probabilities may have a name (`p = model.predict_proba(X)[:, 1]` above): it is made by `predict`, if nothing else reads it, or the metric is
    given `model.predict(X)`, unless model or data are others by then.

    Also `ValueError: y should be a 1d array, got an array of shape (60, 2) instead` at `roc_curve(y, model.predict_proba(X))`, and what `roc_auc_score`, `log_loss` and others of probabilities say where they are given classes.

    **Fix** `accuracy_score(y, model.predict(X))`; `StandardScaler().fit_transform(X)`; `roc_curve(y, model.predict_proba(X)[:, 1])`; `roc_auc_score(y, model.predict_proba(X), multi_class="ovr")` for `predict`.

    **Fix safety** Safe: a metric of classes compares classes, which `predict` gives; an estimator that is made in the very expression cannot
    have been fitted before (unsafe where another one of its class is made in the notebook, or the data are called by a word for tests or new ones: the one that was fitted to the training data may be meant); a curve of two classes is of the second one's probability. Unsafe for probabilities in place of classes: another metric may be meant. Silent on estimators that have a name.
    """

    code = "SKL110"
    name = "method of an estimator"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "NotFittedError"})
    applicability = Applicability.SAFE
    why = "One method of the estimator alone gives what is asked for here."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        evalue = context.failure.evalue
        if TWO_COLUMNS.search(evalue):
            yield from self._take_second(context)
            return
        if CLASSES_GIVEN.search(evalue):
            yield from self._ask_for_probabilities(context)
            return
        old, new = ("predict_proba", "predict") if MIX.search(evalue) else ("transform", "fit_transform")
        if old == "transform" and not UNFITTED.search(evalue):
            return
        for call in context.list_calls_at_failure():
            callee = call.func
            if not isinstance(callee, ast.Attribute) or callee.attr != old:
                continue
            if old == "transform" and not (isinstance(callee.value, ast.Call) and len(call.args) == 1):
                continue
            if not context.is_true(f"hasattr({context.text(callee.value)}, {new!r})"):
                continue
            cause = (
                "A metric of classes compares classes, not their probabilities."
                if new == "predict"
                else "The estimator has seen no data yet."
            )
            doubt = old == "transform" and _is_fitted_elsewhere(context, call)
            yield self.patch(
                context.replace_here((*context.find_attribute_span(callee), new)),
                f"Call `{new}`",
                cause,
                applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                why="One that was fitted to the training data may be meant." if doubt else self.why,
                prior=0.6 if doubt else 0.93,
            )
            return
        if new == "predict":
            yield from self._predict_above(context)

    def _predict_above(self, context: RuleContext) -> Iterator[Patch]:
        """Classes in place of probabilities that a name holds: where it is made, if nothing reads them as probabilities; else here."""
        for name in dict.fromkeys(n.id for n in context.list_failing_nodes(ast.Name)):
            made = context.find_last_assignment(name)
            call = _find_probabilities(made.node.value) if made is not None else None
            if made is None or call is None or not isinstance(call.func, ast.Attribute):
                continue
            owner = src.extract_text(made.source, call.func.value)
            if not context.is_true(f"hasattr({owner}, 'predict')"):
                continue
            start = src.find_span(made.source, call.func.value)[1]
            end = src.find_span(made.source, made.node.value)[1]
            given = made.source[src.find_span(made.source, call.func)[1] : src.find_span(made.source, call)[1]]
            edits: tuple[Edit, ...] = ()
            if _is_read_as_classes(context, name):
                edits = change_and_replay(context, {made.cell_id: [(start, end, f".predict{given}")]})
            elif not _is_changed_since(context, made, call):
                uses = [context.span(n) for n in context.list_failing_nodes(ast.Name) if getattr(n, "id", "") == name]
                edits = tuple(context.replace_here(*((*u, f"{owner}.predict{given}") for u in uses)))
            if edits:
                cause = f"`{name}` holds probabilities, and a metric of classes compares classes."
                yield self.patch(edits, f"Compare what `{owner}.predict` gives", cause, prior=0.92)
                return

    def _take_second(self, context: RuleContext) -> Iterator[Patch]:
        """The column of the second class, where both are given to a curve or score of two classes."""
        for call in context.list_calls_at_failure():
            named = [k.value for k in call.keywords if k.arg in ("y_score", "y_prob", "y_proba")]
            scores = [*call.args[1:2], *named]
            if read_last_name(call.func) not in CURVES or len(scores) != 1:
                continue
            given, text = scores[0], context.text(scores[0])
            is_asked = isinstance(given, ast.Call) and read_last_name(given.func) == "predict_proba"
            rows = f"({text}).ndim == 2 and ({text}).shape[1] == 2 and (abs(({text}).sum(axis=1) - 1) < 1e-6).all()"
            if is_asked or context.is_true(rows):
                end = context.span(given)[1]
                yield self.patch(
                    context.replace_here((end, end, "[:, 1]")),
                    "Give the probability of the second class: `[:, 1]`",
                    "The two columns are the probabilities of both classes.",
                    prior=0.93,
                )
                return

    def _ask_for_probabilities(self, context: RuleContext) -> Iterator[Patch]:
        """``model.predict_proba(X)`` for ``model.predict(X)``, also under a name, where a metric of probabilities was given classes."""
        for call in context.list_calls_at_failure():
            scores = [
                *call.args[1:2],
                *(k.value for k in call.keywords if k.arg in ("y_score", "y_pred", "y_proba", "y_prob")),
            ]
            metric = read_last_name(call.func)
            if metric not in SCORES or len(scores) != 1:
                continue
            made = context.find_last_assignment(scores[0].id) if isinstance(scores[0], ast.Name) else None
            asked, source = (made.node.value, made.source) if made is not None else (scores[0], context.source)
            if (
                not isinstance(asked, ast.Call)
                or not isinstance(asked.func, ast.Attribute)
                or asked.func.attr != "predict"
            ):
                return
            model = src.extract_text(source, asked.func.value)
            if (made is not None and _is_changed_since(context, made, asked)) or not context.is_true(
                f"hasattr({model}, 'predict_proba')"
            ):
                return
            given = source[src.find_span(source, asked.func)[1] : src.find_span(source, asked)[1]]
            is_binary = metric != "log_loss" and context.is_true(f"len({model}.classes_) == 2")
            new = f"{model}.predict_proba{given}{'[:, 1]' * is_binary}"
            at = context.span(call)[1] - 1
            ways = [(at, at, ', multi_class="ovr"')] if context.failure.evalue.startswith("multi_class") else []
            yield self.patch(
                context.replace_here((*context.span(scores[0]), new), *ways),
                f"Give probabilities: `{new}`",
                f"`{metric}` is of probabilities, and `predict` gives classes.",
                applicability=Applicability.UNSAFE,
                why="Another metric may be meant, one of classes.",
                prior=0.7,
            )
            return


def _is_fitted_elsewhere(context: RuleContext, call: ast.Call) -> bool:
    """Whether another estimator of this class is made in the notebook, or the data are those that nothing is fitted to."""
    made = call.func.value if isinstance(call.func, ast.Attribute) else None
    kind = read_last_name(made.func) if isinstance(made, ast.Call) else ""
    calls = [n for n in context.walk_notebook() if isinstance(n, ast.Call) and read_last_name(n.func) == kind]
    return len(calls) > 1 or NOT_FITTED_TO.search(context.text(call.args[0]).replace("_", " ")) is not None


def _find_probabilities(value: ast.expr) -> ast.Call | None:
    """The call of ``model.predict_proba(X)``, and of one column of that."""
    while isinstance(value, ast.Subscript):
        value = value.value
    return value if isinstance(value, ast.Call) and read_last_name(value.func) == "predict_proba" else None


def _is_changed_since(context: RuleContext, made: Assignment, call: ast.Call) -> bool:
    """Whether what a call reads is bound anew or changed (fitted again) between where it stands and where it failed."""
    read = {n.id for n in ast.walk(call) if isinstance(n, ast.Name)}
    ids = [*(c.id for c in context.notebook.list_code_before(context.failure.cell_id)), context.failure.cell_id]
    for cell_id in ids[ids.index(made.cell_id) :]:
        first = made.node.lineno if cell_id == made.cell_id else 0
        end = context.failure.line if cell_id == context.failure.cell_id else 10**9
        nodes = [s.node for s in src.list_statements(context.source_of(cell_id)) if first < s.node.lineno < end]
        names = src.collect_names(nodes)
        if read & (names.binds | names.changes):
            return True
    return False


def _is_read_as_classes(context: RuleContext, name: str) -> bool:
    """True where every read of the name is an argument of a metric of classes."""
    for cell in (c for c in context.notebook.cells if c.kind == "code"):
        calls = [
            n
            for n in src.walk(context.source_of(cell.id))
            if isinstance(n, ast.Call) and read_last_name(n.func) in OF_CLASSES
        ]
        fine = {id(a) for call in calls for a in (*call.args, *(k.value for k in call.keywords))}
        for node in src.walk(context.source_of(cell.id)):
            if (
                isinstance(node, ast.Name)
                and node.id == name
                and isinstance(node.ctx, ast.Load)
                and id(node) not in fine
            ):
                return False
    return True
