"""SKL115: `grid_scores_` of a search, which is `cv_results_` now."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import list_attributes_named
from jupyter_selfheal.model import Applicability, Patch

PARTS = ("parameters", "mean_validation_score", "cv_validation_scores")
"""What an entry of `grid_scores_` had, a tuple with names."""


class ScoresOfSearch(Rule):
    """Put together from `cv_results_` what `grid_scores_` held.

    **Failure** `AttributeError: 'GridSearchCV' object has no attribute 'grid_scores_'`.

    **Fix** `zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], …)` in a loop that takes the entries apart; elsewhere a list of
    tuples with the names of the old ones: for each candidate its parameters, the mean score, and the score of each split.

    **Fix safety** Safe: each entry was such a tuple with these names, in the same order. (With `iid=True` the mean was weighted by the sizes of the
    splits, which are mostly equal.) Silent where the search has no `cv_results_` (it was not fitted), for other objects, and for an entry whose name
    is read for something else too.
    """

    code = "SKL115"
    name = "scores of a search"
    stage = Stage.CHANGELOG
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "The same parameters, mean and scores of each split, in the same order (https://scikit-learn.org/stable/whats_new/v0.18.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        missed = next((n for n in context.list_failing_nodes(ast.Attribute) if n.attr == "grid_scores_"), None)
        known, named = context.reference("numpy.transpose"), context.reference("collections.namedtuple")
        if missed is None or known is None or named is None or not context.read_plain_chain(missed.value):
            return
        search = context.text(missed.value)
        if not context.is_true(
            f"hasattr({search}, 'cv_results_') and {{'params', 'mean_test_score'}} <= {{*{search}.cv_results_}}"
        ):
            return
        if _has_other_part(context):
            return
        results, splits = f"{search}.cv_results_", f'{search}.cv_results_[f"split{{k}}_test_score"]'
        columns = (
            f'{results}["params"], {results}["mean_test_score"], '
            f"{known[0]}([{splits} for k in range({search}.n_splits_)])"
        )
        entries = f'map({named[0]}("Score", "{" ".join(PARTS)}"), {columns})'
        loops = {n.iter: n.target for n in context.walk(ast.For)}
        loops |= {n.iter: n.target for n in context.walk(ast.comprehension)}
        splices, imports = list[Splice](), [known[1]]
        for use in list_attributes_named(context.tree, "grid_scores_"):
            if context.text(use.value) != search:
                continue
            is_taken_apart = isinstance(loops.get(use), ast.Tuple | ast.List)
            imports += [] if is_taken_apart else [named[1]]
            written = f"zip({columns})" if is_taken_apart else entries if use in loops else f"list({entries})"
            splices.append((*context.span(use), written))
        yield self.patch(
            context.replace_here(*splices, *context.add_imports(imports)),
            "Read the scores from `cv_results_`",
            "`grid_scores_` was removed in scikit-learn 0.20: `cv_results_` holds the same values.",
            prior=0.92,
        )


def _has_other_part(context: RuleContext) -> bool:
    """Whether the name of an entry is that of something else too."""
    reads = [n for n in context.walk(ast.Attribute) if isinstance(n.value, ast.Name)]
    entries = {context.text(n.value) for n in reads if n.attr in PARTS[1:]}
    return any(n.attr not in PARTS for n in reads if context.text(n.value) in entries)
