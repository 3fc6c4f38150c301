"""SKL120: scores on the training data, which a search of scikit-learn keeps only where it is asked to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, append_argument
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay, list_statements_above
from jupyter_selfheal.model import Applicability, Patch

SEARCHES = frozenset(
    {"GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV", "cross_validate"}
)
ASKED = "return_train_score"


class TrainScores(Rule):
    """Ask a search for its scores on the training data.

    **Failure** `KeyError: 'mean_train_score'` of `search.cv_results_`, also as a column of a table that was made of it; `KeyError: 'train_score'` of what `cross_validate` gives.

    **Fix** `GridSearchCV(model, grid, return_train_score=True)`, in every such call that the failing cell's values come from. The cells that fitted it run again.

    **Fix safety** Safe: until scikit-learn 0.21 they were computed unasked, and nothing else changes by them. Silent where a call says `return_train_score` itself,
    and for a class of another library, or of the notebook, by the same name.
    """

    code = "SKL120"
    name = "scores on the training data"
    stage = Stage.CHANGELOG
    enames = frozenset({"KeyError"})
    message = re.compile(r"'(?:(?:mean|std|split\d+)_)?train_score'")
    applicability = Applicability.SAFE
    restores = "scikit-learn 0.20"
    why = "Until scikit-learn 0.21 they were computed unasked (https://scikit-learn.org/stable/whats_new/v0.21.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        calls = [
            (cell_id, source, node)
            for cell_id, source, statement in list_statements_above(context)
            for node in ast.walk(statement)
            if isinstance(node, ast.Call) and read_last_name(node.func) in SEARCHES
        ]
        made = context.describe_all([ast.unparse(node.func) for *_, node in calls])
        if not all(one.path.startswith("sklearn.") for one in made):
            return
        if not calls or any(k.arg in (ASKED, None) for *_, node in calls for k in node.keywords):
            return
        splices: dict[str, list[Splice]] = {}
        for cell_id, source, node in calls:
            splices.setdefault(cell_id, []).append(append_argument(source, node, f"{ASKED}=True"))
        if edits := change_and_replay(context, splices):
            name = read_last_name(calls[0][2].func)
            yield self.patch(
                edits,
                f"Ask `{name}` for them: `{ASKED}=True`",
                f"`{name}` keeps scores on the training data only where it is asked to.",
                prior=0.9,
            )
