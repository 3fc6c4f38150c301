"""SKL114: columns of text given to an estimator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.parts_of_split import find_split
from jupyter_selfheal.model import Patch

MESSAGE = re.compile(r"could not convert string to float: ")
KINDS = 12
"""Values of a column that are kinds of something; more are names or sentences."""


class TextFeatures(Rule):
    """Make columns of zeros and ones of a table's kinds before an estimator is fitted.

    **Failure** `ValueError: could not convert string to float: 'male'` at `model.fit(X, y)`.

    **Fix** `X = pd.get_dummies(df[["sex", "age"]])` where `X` is made, also above a `train_test_split`; the same with `drop_first=True`.

    **Fix safety** Unsafe: another encoding may be meant, or the column be left out. Silent where a column of text holds more than twelve different
    values, or numbers, and where nothing says how the table was made.
    """

    code = "SKL114"
    name = "columns of text for an estimator"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = MESSAGE
    why = "Another encoding may be meant, or the column be left out."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        dummies = context.reference("pandas.get_dummies")
        if dummies is None or dummies.import_line:
            return
        for call in context.list_calls_at_failure():
            if (
                not read_last_name(call.func).startswith("fit")
                or not call.args
                or not isinstance(call.args[0], ast.Name)
            ):
                continue
            table = _find_whole_table(context, call.args[0].id)
            home = context.find_last_assignment(table)
            if home is None or not _has_kinds(context, table):
                continue
            start, end = context.view_cell(home.cell_id).span(home.node.value)
            for n, more in enumerate(("", ", drop_first=True")):
                yield self.patch(
                    context.replace(home.cell_id, [(start, start, f"{dummies.text}("), (end, end, f"{more})")]),
                    f"Encode the kinds of `{table}`: `{dummies.text}(…{more})`",
                    f"`{table}` has columns of text, and the estimator takes numbers.",
                    prior=0.6 - n / 20,
                )
            return


def _find_whole_table(context: RuleContext, name: str) -> str:
    """The table that a part of a split is of; of anything else itself."""
    split = find_split(context)
    return split.data.get("all", name) if split is not None and name in split.data.values() else name


def _has_kinds(context: RuleContext, table: str) -> bool:
    """True for a table with columns of text that hold a few kinds, none of which is a number."""
    if not context.is_true(f"hasattr({table}, 'select_dtypes') and len({table}.columns) > 0"):
        return False
    texts = f"{table}.select_dtypes(exclude=['number', 'bool', 'datetime'])"
    few = f"{texts}.nunique().max() <= {KINDS} < {KINDS} + len({texts}.columns)"
    numbers = f"any(str(v).replace('.', '', 1).isdigit() for c in {texts}.columns for v in {table}[c].dropna().unique()[:{KINDS}])"
    return context.is_true(f"({few}) and not ({numbers})")
