"""SKL113: a score of two classes, asked for several."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import append_argument
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

SCORES = frozenset(
    {"precision_score", "recall_score", "f1_score", "fbeta_score", "jaccard_score", "precision_recall_fscore_support"}
)
WAYS = (("weighted", 0.7), ("macro", 0.5), ("micro", 0.4))
"""Ways to average, likeliest first: the first is what scikit-learn did by itself with several classes until 0.17."""


class SeveralClassesAveraged(Rule):
    """Say how a score is averaged over several classes.

    **Failure** `ValueError: Target is multiclass but average='binary'. Please choose another average setting` at `precision_score(truth, guess)`.

    **Fix** `average="weighted"`, which scikit-learn took by itself until 0.17; `"macro"` and `"micro"` after it.

    **Fix safety** Unsafe: each way gives another number; a stored output tells which was meant. Silent where `average=` is given.
    """

    code = "SKL113"
    name = "score of several classes"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(r"Target is multiclass but average='binary'")
    applicability = Applicability.UNSAFE
    why = "Each way to average gives another number; until 0.17 scikit-learn took 'weighted'."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if read_last_name(call.func) not in SCORES or any(k.arg in ("average", None) for k in call.keywords):
                continue
            for way, prior in WAYS:
                yield self.patch(
                    context.replace_here(append_argument(context.source, call, f'average="{way}"')),
                    f'Add `average="{way}"`',
                    "There are more than two classes: it must be said how their scores are averaged.",
                    prior=prior,
                )
            return
