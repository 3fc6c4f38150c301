"""PDA123: a column whose texts were replaced by numbers, and which pandas 3 no longer makes a column of numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.lost_writes import turns_texts_to_numbers
from jupyter_selfheal.healers.rules.context.replay import change_and_replay, list_statements_above
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE
from jupyter_selfheal.model import Applicability, Patch


class LostDowncast(Rule):
    """Make a column of numbers of one whose texts were replaced by numbers.

    **Failure** `ValueError: Unknown label type: unknown`, `Pandas data cast to numpy dtype of object`, `TypeError: no numeric data to
    plot`, below `df["c"] = df["c"].replace({"no": 0, "yes": 1})`. Since pandas 3.0 the result keeps the dtype object.

    **Fix** `df["c"] = df["c"].replace({"no": 0, "yes": 1}).infer_objects()`, in every such assignment that the failing cell's values come
    from. The cells that made them run again, from the first on.

    **Fix safety** Safe: it is what pandas did itself until 3.0, and its release notes name this call for who wants that.
    """

    code = "PDA123"
    name = "numbers in a column of objects"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError", "DataError", "UFuncTypeError"})
    message = re.compile(
        r"Unknown label type|dtype of object|no numeric data|dtype\('O'\)|dtype: object|object dtype|dtype object|dtype->object|type object"
    )
    applicability = Applicability.SAFE
    restores = "pandas 3.0"
    why = "Until pandas 3.0 `replace` did so by itself (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        splices: dict[str, list[Splice]] = {}
        shown = ""
        for cell_id, source, statement in list_statements_above(context):
            for node in ast.walk(statement):
                if not isinstance(node, ast.Assign):
                    continue
                call = node.value
                if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                    continue
                in_place = any(k.arg in ("inplace", "regex") for k in call.keywords)
                if call.func.attr == "replace" and turns_texts_to_numbers(call) and not in_place:
                    end = src.find_span(source, call)[1]
                    splices.setdefault(cell_id, []).append((end, end, ".infer_objects()"))
                    shown = shown or src.extract_text(source, node.targets[0])
        if not splices or (context.number(RELEASE) or 0) < 3:
            return
        edits = change_and_replay(context, splices)
        if edits:
            yield self.patch(
                edits,
                f"Make numbers of `{shown}` after its texts are replaced",
                "Since pandas 3.0, a column whose texts are replaced by numbers stays a column of objects.",
                prior=0.88,
            )
