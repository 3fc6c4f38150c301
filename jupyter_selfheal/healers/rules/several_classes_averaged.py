"""SKL113: a score of two classes, asked for several."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import append_argument, quote_alike
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.written_before import find_older_use, ran_once
from jupyter_selfheal.model import Applicability, Patch

SCORES = frozenset(
    {"precision_score", "recall_score", "f1_score", "fbeta_score", "jaccard_score", "precision_recall_fscore_support"}
)
WAYS = (("weighted", 0.7), ("macro", 0.5), ("micro", 0.4))
"""Ways to average, likeliest first: the first is what scikit-learn did by itself with several classes until 0.17."""

RAN = "The cell ran under a scikit-learn that averaged several classes so by itself, as all did until 0.17."

LABELS = re.compile(r"pos_label=\d+ is not a valid label\W+It should be one of \[(.*?)\]")
"""What scikit-learn says of two classes that have names, where it is not told which of them is found."""
TEXT = re.compile(r"'([^']*)'")
POSITIVE = frozenset({"yes", "true", "y", "positive", "pos", "spam", "fraud", "malignant", "ja", "oui", "si"})


class SeveralClassesAveraged(Rule):
    """Say how a score is averaged over several classes.

    **Failure** `ValueError: Target is multiclass but average='binary'. Please choose another average setting` at `precision_score(truth, guess)`.

    **Fix** `average="weighted"`, which scikit-learn took by itself until 0.17; `"macro"` and `"micro"` after it.

    Of two classes with names (`pos_label=1 is not a valid label`) each as the one to be found: `pos_label="spam"`.

    **Fix safety** `"weighted"` is safe in a notebook of Python 2, or from before scikit-learn 0.18, with a run of the cell that came to its end: by itself
    nothing else was taken. Else unsafe: each way gives another number; a stored output tells which was meant. Silent where `average=` is given.
    """

    code = "SKL113"
    name = "score of several classes"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(rf"Target is multiclass but average='binary'|{LABELS.pattern}")
    applicability = Applicability.UNSAFE
    why = "Each way to average gives another number; until 0.17 scikit-learn took 'weighted'."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if told := LABELS.search(context.failure.evalue):
            yield from self._name_positive(context, TEXT.findall(told[1]))
            return
        for call in context.list_calls_at_failure():
            if read_last_name(call.func) not in SCORES or any(k.arg in ("average", None) for k in call.keywords):
                continue
            is_old = context.notebook.python.startswith("2.") or find_older_use(context, "sklearn", "0.18")
            is_known = is_old and ran_once(context) and read_last_name(call.func) != "jaccard_score"
            for way, prior in WAYS:
                sure = bool(is_known) and way == "weighted"
                yield self.patch(
                    context.replace_here(append_argument(context.source, call, f'average="{way}"')),
                    f'Add `average="{way}"`',
                    "There are more than two classes: it must be said how their scores are averaged.",
                    applicability=Applicability.SAFE if sure else None,
                    why=RAN if sure else self.why,
                    prior=0.92 if sure else prior,
                )
            return

    def _name_positive(self, context: RuleContext, labels: list[str]) -> Iterator[Patch]:
        """Each of two classes as the one that is to be found."""
        for call in context.list_calls_at_failure():
            if any(k.arg in ("pos_label", None) for k in call.keywords) or len(labels) != 2:
                continue
            if read_last_name(call.func) not in SCORES:
                continue
            for label in sorted(labels, key=lambda text: text.lower() not in POSITIVE):
                new = f"pos_label={quote_alike(label, context.source)}"
                yield self.patch(
                    context.replace_here(append_argument(context.source, call, new)),
                    f"Add `{new}`",
                    f"The classes are {labels[0]!r} and {labels[1]!r}: it must be said which of them is to be found.",
                    why="Either of the two may be the class that is to be found.",
                    prior=0.65 if label.lower() in POSITIVE else 0.55,
                )
            return
