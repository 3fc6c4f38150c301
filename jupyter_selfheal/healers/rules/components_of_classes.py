"""SKL132: more components than classes leave room for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.model import Applicability, Patch

SOURCE = "https://scikit-learn.org/stable/whats_new/v0.23.html"


class ComponentsOfClasses(Rule):
    """Ask linear discriminant analysis for as many components as there can be.

    **Failure** `ValueError: n_components cannot be larger than min(n_features, n_classes - 1)` at `LinearDiscriminantAnalysis(n_components=2)` of two classes.

    **Fix** `n_components=None`, which is the greatest number that there can be. The cells that made the estimator run again.

    **Fix safety** Safe: before scikit-learn 0.23 this number was taken with a warning, so the result is the same. Unsafe where a second component is read (`x[:, 1]`): there never was one. Silent where several may be meant.
    """

    code = "SKL132"
    name = "components of classes"
    stage = Stage.CHANGELOG
    enames = frozenset({"ValueError"})
    message = re.compile(r"^n_components cannot be larger than min\(n_features, n_classes - 1\)")
    applicability = Applicability.SAFE
    why = f"Until scikit-learn 0.23 as many components were taken as there are ({SOURCE})."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for view in context.look_upwards():
            calls = [c for c in view.walk(ast.Call) if read_last_name(c.func) == "LinearDiscriminantAnalysis"]
            given = [k.value for c in calls if (k := find_keyword(c, "n_components")) is not None]
            if not given:
                continue
            given = [v for v in given if getattr(v, "value", None) != 1]  # one is never too many
            if len(given) != 1:
                return
            edits = change_and_replay(context, {view.cell_id: [(*view.span(v), "None") for v in given]})
            if edits:
                is_read = any(
                    _reads_second(context.view_cell(c.id)) for c in context.notebook.cells if c.kind == "code"
                )
                yield self.patch(
                    edits,
                    "Use `n_components=None`: as many as there can be",
                    "Classes can be told apart in one dimension less than there are classes.",
                    applicability=Applicability.UNSAFE if is_read else Applicability.SAFE,
                    why="The notebook reads a second component somewhere, and there may be one only."
                    if is_read
                    else self.why,
                    prior=0.6 if is_read else 0.9,
                )
            return


def _reads_second(view: RuleContext) -> bool:
    """Whether a cell takes the second column of something: `x[:, 1]`."""
    return any(
        isinstance(n.slice, ast.Tuple) and len(n.slice.elts) == 2 and getattr(n.slice.elts[1], "value", None) == 1
        for n in view.walk(ast.Subscript)
    )
