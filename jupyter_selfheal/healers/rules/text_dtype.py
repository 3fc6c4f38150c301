"""PDA125: a question for columns of dtype object, which columns of text no longer are since pandas 3."""

from __future__ import annotations

from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE, list_asked_downcasts, list_text_questions
from jupyter_selfheal.healers.rules.lost_write import LostWrite, list_lost_writes, may_come_of_a_table
from jupyter_selfheal.model import Applicability, Failure, Patch


class TextDtype(Rule):
    """Count columns of text where the code asks for columns of dtype object.

    **Failure** Any that comes of columns that were not chosen, often many cells below: `ValueError: could not convert string to
    float: 'male'`. Since pandas 3.0 the dtype of text is `str`: `df[c].dtype == "object"` and `df.dtypes[df.dtypes != "object"]` no longer
    mean it.

    **Fix** `df[c].dtype in ('object', 'str')`, `df.dtypes.astype(str).isin(['object', 'str'])`, in every such question that the failing cell's
    values come from; with them the writes into columns that are lost since the same release, and `.infer_objects()` behind a `replace` of texts by numbers in the same
    statement, where there are any. The cells that
    made the values run again, from the first on.

    **Fix safety** Safe: it says the same of every column as `== "object"` did until pandas 3.0, and the failing cell runs with it and did not
    without. Silent where nothing above asks for the dtype object.
    """

    code = "PDA125"
    name = "question for the dtype of text"
    stage = Stage.LIBRARY
    enames = LostWrite.enames | {"DTypePromotionError", "numpy.exceptions.DTypePromotionError"}
    kinds = LostWrite.kinds
    applicability = Applicability.SAFE
    restores = "pandas 3.0"
    why = "Until pandas 3.0 the columns of text were of dtype object (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and may_come_of_a_table(failure)

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        questions = list_text_questions(context)
        if not questions or (context.number(RELEASE) or 0) < 3:
            return
        writes = list_lost_writes(context)
        splices: dict[str, list[Splice]] = {}
        for cell_id, splice in (*questions, *list_asked_downcasts(context), *((w.cell_id, w.splice) for w in writes)):
            splices.setdefault(cell_id, []).append(splice)
        more = f" (and {len(questions) - 1} more)" if len(questions) > 1 else ""
        title = f"Ask for text too: `{questions[0].splice[2]}`{more}"
        cause = "Since pandas 3.0, columns of text are of dtype `str`, not `object`: the question no longer finds them."
        if writes:
            title += f"; write into `{writes[0].table}` itself: `{writes[0].shown}`"
            cause += " A write into one of its columns changes a copy, too."
        if edits := change_and_replay(context, splices):
            level = None if all(w.is_sure for w in writes) else Applicability.UNSAFE
            yield self.patch(edits, title, cause, applicability=level, prior=0.9)
