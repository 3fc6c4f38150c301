"""PDA170: a column that is filled by labels which its table does not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.model import Applicability, Patch


class OtherLabels(Rule):
    """Fill a column value by value where the labels do not meet.

    **Failure** `AssertionError`, or another result than the expected one, where the values come from `df["y"] = s`, the rows of `df` and `s` have no label in common, and the whole column is
    missing.

    **Fix** `df["y"] = s.to_numpy()`, also in cells above. The cells that made the table run again.

    **Fix safety** Unsafe: whether the rows are in the same order stands nowhere. Silent where a label is common to both, where the labels of what is given have a meaning (they are not
    counted), and where its rows were sorted: then they are to be looked up.
    """

    code = "PDA170"
    name = "column of other labels"
    stage = Stage.LIBRARY
    enames = frozenset({"AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.UNSAFE
    why = "There is one value for each row; whether they are in the same order stands nowhere."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            match statement:
                case ast.Assign(
                    targets=[ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(column)))],
                    value=ast.Name() | ast.Subscript() | ast.Attribute() as given,
                ):
                    pass
                case _:
                    return
            text = src.extract_text(source, given)
            kinds = context.describe_all([table, text])
            if not kinds[0].is_a("pandas.DataFrame") or not kinds[1].is_a("pandas.Series"):
                return
            rows = f"len({table}) == len({text}) > 0 and not set({table}.index) & set({text}.index)"
            lost = f"{table}[{column!r}].isna().all() and {text}.notna().all()"
            counted = f"type({text}.index).__name__ == 'RangeIndex'"
            if context.is_true(f"{rows} and {lost} and {counted}"):
                end = src.find_span(source, given)[1]
                yield (end, end, ".to_numpy()"), f"{text}.to_numpy()"

        edits, shown = mend_above(context, find)
        if edits:
            yield self.patch(
                edits,
                f"Fill the column value by value: `{shown}`",
                "The rows of the table and of the column have no label in common, so that nothing is filled in.",
                prior=0.9,
            )
