"""SKL112: a transformer of the notebook with nothing to fit, which scikit-learn takes for one that is not fitted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.model import Applicability, Patch

BASES = ("TransformerMixin", "BaseEstimator")
MARK = "__sklearn_is_fitted__"


class StatelessTransformer(Rule):
    """Say of a transformer with nothing to fit that it is fitted.

    **Failure** `NotFittedError: This Pipeline instance is not fitted yet`, though it was fitted: its last step is a class of the notebook whose `fit`
    only returns `self`.

    **Fix** `def __sklearn_is_fitted__(self): return True` in that class; the cells that made the pipeline run again.

    **Fix safety** Safe: there is nothing to fit. Until scikit-learn 1.8 a pipeline did not ask its last step. Silent for a class whose `fit` does
    anything, and where nothing was fitted.
    """

    code = "SKL112"
    name = "transformer with nothing to fit"
    stage = Stage.LIBRARY
    enames = frozenset({"NotFittedError"})
    message = re.compile(r"This Pipeline instance is not fitted yet")
    applicability = Applicability.SAFE
    why = "Its `fit` only returns `self`, so that there is nothing to fit (https://scikit-learn.org/stable/whats_new/v1.8.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        splices: dict[str, list[Splice]] = {}
        names: list[str] = []
        sources = [(c, context.source_of(c)) for c in context.list_cells_upwards()]
        if not any(".fit(" in source or ".fit_transform(" in source for _, source in sources):
            return
        for cell_id, source in sources:
            tree = src.parse(source)
            for node in tree.body if tree is not None else []:
                if not (isinstance(node, ast.ClassDef) and _has_nothing_to_fit(node)):
                    continue
                last = node.body[-1]
                end = src.find_span(source, last)[1]
                indent = " " * last.col_offset
                text = f"\n\n{indent}def {MARK}(self):\n{indent}    return True  # there is nothing to fit"
                splices.setdefault(cell_id, []).append((end, end, text))
                names.append(node.name)
        edits = change_and_replay(context, splices, also=names) if splices else ()
        if edits:
            yield self.patch(
                edits,
                f"Say that `{names[0]}` is fitted: its `fit` has nothing to do",
                f"The pipeline ends with `{names[0]}`, which has no fitted attribute, and is taken for one that is not fitted.",
                prior=0.9,
            )


def _has_nothing_to_fit(node: ast.ClassDef) -> bool:
    """True for a transformer whose ``fit`` is ``return self``, and that does not say itself whether it is fitted."""
    bases = {ast.unparse(b).rpartition(".")[2] for b in node.bases}
    methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
    fit = methods.get("fit")
    if not bases & set(BASES) or fit is None or "transform" not in methods or MARK in methods:
        return False
    body = [s for s in fit.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return len(body) == 1 and isinstance(body[0], ast.Return) and ast.unparse(body[0]) == "return self"
