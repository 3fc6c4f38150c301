"""PDA161: columns of text that are chosen as columns of dtype object."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, quote_alike
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"'str' dtypes are (in|ex)cluded by select_dtypes when 'object' dtype is specified")


class ColumnsOfText(Rule):
    """Name the dtype of text where columns of dtype object are chosen.

    **Failure** `Pandas4Warning: For backward compatibility, 'str' dtypes are included by select_dtypes when 'object' dtype is specified`
    (`heal --warnings`).

    **Fix** `df.select_dtypes(include=["object", "str"])`, also for `exclude`.

    **Fix safety** Safe: it chooses the columns that are chosen without it until pandas 4. Silent where the dtypes are not written in the call.
    """

    code = "PDA161"
    name = "columns of text chosen as objects"
    stage = Stage.LIBRARY
    enames = frozenset({"Pandas4Warning"})
    message = MESSAGE
    warning = MESSAGE
    applicability = Applicability.SAFE
    why = "The message asks for it, and the same columns are chosen."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        for call in context.list_calls_at_failure() if match else ():
            if not isinstance(call.func, ast.Attribute) or call.func.attr != "select_dtypes" or match is None:
                continue
            place = 0 if match[1] == "in" else 1
            named = [k.value for k in call.keywords if k.arg == f"{match[1]}clude"]
            given = next(iter([*named, *call.args[place : place + 1]]), None)
            kinds = given.elts if isinstance(given, ast.List) else [given]
            if given is None or not any(_is_object(kind) for kind in kinds):
                return
            added = quote_alike("str", context.source)
            if isinstance(given, ast.List):
                end = context.span(given.elts[-1])[1]
                splices: list[Splice] = [(end, end, f", {added}")]
            else:
                splices = [(*context.span(given), f"[{context.text(given)}, {added}]")]
            yield self.patch(
                context.replace_here(*splices),
                f"Choose the dtype `{added}` too",
                "Since pandas 3, text has a dtype of its own, and from pandas 4 on `object` no longer stands for it.",
                prior=0.93,
            )
            return


def _is_object(kind: ast.expr | None) -> bool:
    is_text = isinstance(kind, ast.Constant) and kind.value in ("object", "O")
    return is_text or (isinstance(kind, ast.Name) and kind.id == "object")
