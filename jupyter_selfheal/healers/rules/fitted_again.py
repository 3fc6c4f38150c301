"""SKL127: a transformer that is fitted again to what a model is asked about, or left out before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch, RunCells

ASKING = frozenset({"predict", "predict_proba", "predict_log_proba", "decision_function", "score", "transform"})
"""What is asked of something that was fitted."""

HARMLESS = ASKING | {"print", "len", "type", "display", "shape"}
"""Calls that learn nothing from what they are given."""

ONE = re.compile(r"raw text documents expected, string object|array of shape \(\) instead")
"""What is said of one value in place of several."""

VECTORIZERS = (
    "sklearn.feature_extraction.text.CountVectorizer",
    "sklearn.feature_extraction.text.TfidfVectorizer",
)


class FittedAgain(Rule):
    """Transform new data by the transformer that was fitted to the training data.

    **Failure** `ValueError: X has 2 features, but MultinomialNB is expecting 5 features as input` at `model.predict(vectorizer.fit_transform(new))`, or where a line above made the table so;
    `ValueError: Expected 2D array, got 1D array instead` at `model.predict(["a text"])`.

    **Fix** `vectorizer.transform(new)`; `vectorizer.transform(["a text"])` for `vectorizer.transform("a text")`; `model.predict(vectorizer.transform(["a text"]))`.

    **Fix safety** Safe: an earlier statement fitted the same transformer, and with it the columns are those that the model was fitted to. A vectorizer is put before texts where the notebook
    has one alone that makes as many columns as the model takes. Unsafe where another model is fitted to the same columns by their name. Silent where nothing fitted the transformer before.
    """

    code = "SKL127"
    name = "transformer fitted again"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(
        r"X has \d+ features, but \w+ is expecting \d+ features|Expected 2D array, got (?:1D|scalar) array|could not convert string to float"
        r"|Iterable over raw text documents expected, string object received|y should be a 1d array, got an array of shape \(\) instead"
    )
    applicability = Applicability.SAFE
    why = "What was fitted first makes the columns that the model knows."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in ASKING or not call.args:
                continue
            data = call.args[0]
            if ONE.search(context.failure.evalue):
                if call.func.attr == "transform" and len(call.args) == 1:
                    yield self.patch(
                        context.replace_here((*context.span(data), f"[{context.text(data)}]")),
                        f"Give it `[{context.text(data)}]`",
                        f"`{context.text(call.func)}` takes several values, and gets one.",
                        why="A list of the one value is what it can be given.",
                        prior=0.95,
                    )
                return
            if "is expecting" in context.failure.evalue:
                yield from self._keep_fit(context, data)
            else:
                yield from self._vectorize(context, call.func.value, data)
            return

    def _keep_fit(self, context: RuleContext, data: ast.expr) -> Iterator[Patch]:
        """``transform`` for the second ``fit_transform``."""
        view, made, home = context, _find_fit(data), None
        if made is None and isinstance(data, ast.Name) and (home := context.find_last_assignment(data.id)) is not None:
            view, made = context.view_cell(home.cell_id), _find_fit(home.node.value)
        if made is None or not isinstance(made.func, ast.Attribute) or len(made.args) != 1 or made.keywords:
            return
        owner = view.read_plain_chain(made.func.value)
        live = context.describe(owner) if owner else None
        if owner is None or live is None or not live.is_a("sklearn.base.BaseEstimator"):
            return
        if not _is_fitted_before(context, view, owner, made):
            return
        edits = view.replace(view.cell_id, [(*view.find_attribute_span(made.func), "transform")])
        needed = () if view.cell_id == context.failure.cell_id else context.list_cells_to_rerun(view.cell_id)
        is_fitted_to = home is not None and _trains(context, data)
        yield self.patch(
            (RunCells(needed), *edits) if needed else edits,
            f"Use `{owner}.transform(…)`",
            f"`{owner}` is fitted to other data here, and makes other columns than the model was fitted to.",
            applicability=Applicability.UNSAFE if is_fitted_to else Applicability.SAFE,
            why="Another model is fitted to them: it may be the one that is meant." if is_fitted_to else self.why,
            prior=0.6 if is_fitted_to else 0.93,
        )

    def _vectorize(self, context: RuleContext, model: ast.expr, data: ast.expr) -> Iterator[Patch]:
        """The vectorizer that the model's columns were made by, before texts."""
        chain, text = context.read_plain_chain(model), context.operand(data)
        is_one = (
            isinstance(data, ast.JoinedStr)
            or (isinstance(data, ast.Constant) and isinstance(data.value, str))
            or context.is_true(f"isinstance({text}, str)")
        )
        values = f"__import__('numpy').ravel({text}).tolist()"
        if chain is None or not (
            is_one or context.is_true(f"len({values}) and all(isinstance(_, str) for _ in {values})")
        ):
            return
        names = [n for n, (kind, _) in context.state.names.items() if kind in ("CountVectorizer", "TfidfVectorizer")]
        lives = context.describe_all(names)
        fitting = [
            name
            for name, live in zip(names, lives, strict=True)
            if live.is_a(*VECTORIZERS) and context.is_true(f"len({name}.vocabulary_) == {chain}.n_features_in_")
        ]
        if len(fitting) != 1 or not (is_one or context.is_true(f"__import__('numpy').ndim({text}) == 1")):
            return
        others = _transforms_by_another(context, fitting[0])
        new = f"{fitting[0]}.transform({f'[{context.text(data)}]' if is_one else context.text(data)})"
        yield self.patch(
            context.replace_here((*context.span(data), new)),
            f"Give it `{new}`",
            f"`{chain}` was fitted to the columns of `{fitting[0]}`, and gets texts.",
            applicability=Applicability.UNSAFE if others else Applicability.SAFE,
            why="What it makes may have been transformed once more before the fit."
            if others
            else "No other vectorizer makes as many columns as the model takes.",
            prior=0.6 if others else 0.93,
        )


def _find_fit(node: ast.expr) -> ast.Call | None:
    """The one ``fit_transform`` in an expression: ``vectorizer.fit_transform(texts).toarray()``."""
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    found = [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "fit_transform"]
    return found[0] if len(found) == 1 else None


def _trains(context: RuleContext, data: ast.expr) -> bool:
    """Whether the name of the data is handed to anything that may train by it (`fit_predict`, `cross_val_score`): the second fit may be meant for that."""
    calls = [n for n in context.walk_notebook() if isinstance(n, ast.Call)]
    return isinstance(data, ast.Name) and any(
        read_last_name(c.func) not in HARMLESS
        and any(getattr(a, "id", "") == data.id for a in (*c.args, *(k.value for k in c.keywords)))
        for c in calls
    )


def _transforms_by_another(context: RuleContext, vectorizer: str) -> bool:
    """Whether something else than the vectorizer transforms data in the notebook."""
    calls = (n.func for n in context.walk_notebook() if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute))
    return any(f.attr in ("transform", "fit_transform") and ast.unparse(f.value) != vectorizer for f in calls)


def _is_fitted_before(context: RuleContext, view: RuleContext, owner: str, again: ast.Call) -> bool:
    """Whether a statement above the second fit fits the same transformer, and none between makes another of its name."""
    above = [c.source for c in context.notebook.list_code_before(view.cell_id)]
    here = [s.node for s in src.list_statements(view.source) if (s.node.end_lineno or 0) < again.lineno]
    statements = [*(s.node for source in above for s in src.list_statements(source)), *here]
    for statement in reversed(statements):
        fits = [
            n.func.value
            for n in ast.walk(statement)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in ("fit", "fit_transform")
        ]
        if any(ast.unparse(f) == owner for f in fits):
            return True
        if owner in src.collect_names([statement]).binds:
            return False
    return False
