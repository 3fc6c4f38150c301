"""PDA143: what a function gave for groups, put into a column that it has no labels of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE
from jupyter_selfheal.model import Applicability, Patch


class GroupLabels(Rule):
    """Keep the rows' labels of what a function gives for groups.

    **Failure** `ValueError: Input X contains NaN`, or `TypeError: incompatible index of inserted column with frame index`, where the column was
    made by `df["share"] = df.groupby("city")["pay"].apply(lambda x: x / x.sum())`, maybe cells above: since pandas 2.0 the groups' keys
    are put before the labels, none of them is a row's, and the column is nothing but NaN.

    **Fix** `df.groupby("city", group_keys=False)["pay"].apply(…)`. The cells that made it run again.

    **Fix safety** Safe: until pandas 2.0 a function that kept the labels gave them back without keys. Silent where the column holds a value,
    and where `group_keys` is given.
    """

    code = "PDA143"
    name = "labels of a function for groups"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError", "IntCastingNaNError"})
    message = re.compile(
        r"contains NaN|incompatible index|non-finite|[Cc]annot convert|missing values|must not contain|infs or nans|All-NaN"
    )
    applicability = Applicability.SAFE
    why = "Until pandas 2.0 labels that the function keeps came back as they were (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            grouping = _find_grouping(statement)
            if grouping is None or not isinstance(statement, ast.Assign):
                return
            column = src.extract_text(source, statement.targets[0])
            if "incompatible index" in context.failure.evalue or context.is_true(f"{column}.isna().all()"):
                end = src.find_span(source, (*grouping.args, *(k.value for k in grouping.keywords))[-1])[1]
                yield (end, end, ", group_keys=False"), column

        edits, shown = mend_above(context, find)
        if edits and (context.number(RELEASE) or 0) >= 2:
            cause = f"`{shown}` is nothing but NaN: since pandas 2.0 what `apply` gives for groups has their keys before the rows' labels."
            yield self.patch(edits, f"Group with `group_keys=False` for `{shown}`", cause, prior=0.92)


def _find_grouping(statement: ast.stmt) -> ast.Call | None:
    """The call of `groupby` in ``df["c"] = df.groupby(…)….apply(f)``; None for anything else."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Subscript) or not isinstance(target.slice, ast.Constant):
        return None
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "apply"):
        return None
    owner = value.func.value
    grouping = owner.value if isinstance(owner, ast.Subscript | ast.Attribute) else owner
    if not (
        isinstance(grouping, ast.Call) and isinstance(grouping.func, ast.Attribute) and grouping.func.attr == "groupby"
    ):
        return None
    given = bool(grouping.args or grouping.keywords)
    return None if not given or any(k.arg == "group_keys" for k in grouping.keywords) else grouping
