"""SKL115: `grid_scores_` of a search, which is `cv_results_` now."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import attributes_named
from jupyter_selfheal.model import Applicability, Patch

PARTS = {"parameters": 0, "mean_validation_score": 1, "cv_validation_scores": 2}
"""What an entry of `grid_scores_` had, by the place of each."""


class ScoresOfSearch(Rule):
    """Put together from `cv_results_` what `grid_scores_` held.

    **Failure** `AttributeError: 'GridSearchCV' object has no attribute 'grid_scores_'`.

    **Fix** `zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], …)` in a loop, a list of it elsewhere: for each candidate
    its parameters, the mean score, and the score of each split. In the same cell, `score.mean_validation_score` becomes `score[1]`.

    **Fix safety** Safe: each entry was such a triple, in the same order. (With `iid=True` the mean was weighted by the sizes of the splits, which are
    mostly equal.) Silent where the search has no `cv_results_` (it was not fitted), for other objects, and for an entry whose name is read
    for something else too.
    """

    code = "SKL115"
    name = "scores of a search"
    stage = Stage.CHANGELOG
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "The same parameters, mean and scores of each split, in the same order (https://scikit-learn.org/stable/whats_new/v0.18.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        missed = next((n for n in context.failing_nodes(ast.Attribute) if n.attr == "grid_scores_"), None)
        known = context.reference("numpy.transpose")
        if missed is None or known is None or not context.plain_chain(missed.value):
            return
        search = context.text(missed.value)
        if not context.is_true(f"hasattr({search}, 'cv_results_') and 'mean_test_score' in {search}.cv_results_"):
            return
        parts = _list_parts(context)
        if parts is None:
            return
        looped = {iterated for iterated, _ in _list_loops(context)}
        results, splits = f"{search}.cv_results_", f'{search}.cv_results_[f"split{{k}}_test_score"]'
        entries = (
            f'zip({results}["params"], {results}["mean_test_score"], '
            f"{known[0]}([{splits} for k in range({search}.n_splits_)]))"
        )
        uses = [n for n in attributes_named(context.tree, "grid_scores_") if context.text(n.value) == search]
        splices: list[Splice] = [(*context.span(n), entries if n in looped else f"list({entries})") for n in uses]
        yield self.patch(
            context.replace_here(*splices, *parts, *context.add_imports([known[1]])),
            "Read the scores from `cv_results_`",
            "`grid_scores_` was removed in scikit-learn 0.20: `cv_results_` holds the same values.",
            prior=0.92,
        )


def _list_parts(context: RuleContext) -> list[Splice] | None:
    """What parts of an entry become; None where the name of an entry is that of something else too."""
    reads = [n for name in PARTS for n in attributes_named(context.tree, name) if isinstance(n.value, ast.Name)]
    entries = {n.value.id for n in reads if isinstance(n.value, ast.Name) and n.attr != "parameters"}
    own = [n for n in reads if isinstance(n.value, ast.Name) and n.value.id in entries | _list_loop_names(context)]
    others = [n for n in context.walk(ast.Attribute) if isinstance(n.value, ast.Name) and n.value.id in entries]
    if any(n.attr not in PARTS for n in others):
        return None
    return [(*context.span(n), f"{context.text(n.value)}[{PARTS[n.attr]}]") for n in own]


def _list_loop_names(context: RuleContext) -> set[str]:
    """Names that a loop gives to the entries."""
    loops = [t for i, t in _list_loops(context) if isinstance(i, ast.Attribute) and i.attr == "grid_scores_"]
    return {target.id for target in loops if isinstance(target, ast.Name)}


def _list_loops(context: RuleContext) -> list[tuple[ast.expr, ast.expr]]:
    """What each loop goes through, and what it names."""
    return [
        *((n.iter, n.target) for n in context.walk(ast.For)),
        *((n.iter, n.target) for n in context.walk(ast.comprehension)),
    ]
