"""SKL131: a table with several columns of one name, given to an estimator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

METHODS = frozenset({
    "fit", "fit_transform", "fit_predict", "fit_resample", "transform", "predict", "predict_proba", "decision_function", "score",
})  # fmt: skip
"""Methods of estimators that are given a table of samples (https://scikit-learn.org/stable/developers/develop.html)."""

OF_NAMES = frozenset({"set_output", "feature_names_in_", "get_feature_names_out"})
"""What hangs on the names of columns."""


class ColumnsOfOneName(Rule):
    """Give an estimator the values of a table in which a name stands twice.

    **Failure** `DuplicateError: Expected unique column names, got …` at `model.fit(x_train, y_train)`, where `pd.concat([data, dummies], axis=1)` has columns of both.

    **Fix** `model.fit(x_train.to_numpy(), y_train)`, and so for every such table in the cell.

    **Fix safety** Safe: the estimator gets the same values in the same order, as it did before scikit-learn read the names of columns. That columns are there twice stays as it is. Unsafe where the notebook asks an estimator for names.
    """

    code = "SKL131"
    name = "columns of one name"
    stage = Stage.LIBRARY
    enames = frozenset({"DuplicateError", "ValueError"})
    message = re.compile(r"^Expected unique column names")
    applicability = Applicability.SAFE
    why = "The estimator gets the same values in the same order; only the names of columns are not read."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        calls = [c for c in context.walk(ast.Call) if isinstance(c.func, ast.Attribute) and c.func.attr in METHODS]
        given = [a for c in (*calls, *context.list_calls_at_failure()) for a in c.args if isinstance(a, ast.Name)]
        doubled = {n for n in {a.id for a in given} if _has_columns_of_one_name(context, n)}
        places = sorted({context.span(a)[1] for a in given if a.id in doubled})
        if not places:
            return
        of_names = any(n.attr in OF_NAMES for n in context.walk_notebook() if isinstance(n, ast.Attribute))
        shown = ", ".join(f"`{n}.to_numpy()`" for n in sorted(doubled))
        yield self.patch(
            context.replace_here(*((end, end, ".to_numpy()") for end in places)),
            f"Give the values alone: {shown}",
            "Several columns have one name, and the estimator asks for names that are told apart.",
            applicability=Applicability.UNSAFE if of_names else Applicability.SAFE,
            why="The notebook asks for the names of columns, which are lost." if of_names else self.why,
            prior=0.6 if of_names else 0.9,
        )


def _has_columns_of_one_name(context: RuleContext, name: str) -> bool:
    keys = context.keys(name)
    return keys is not None and keys.is_table and context.is_true(f"not {name}.columns.is_unique")
