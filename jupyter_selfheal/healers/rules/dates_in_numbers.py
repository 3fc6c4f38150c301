"""PDA158: days as `20240301` that `to_datetime` took for nanoseconds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay, list_statements_above
from jupyter_selfheal.healers.rules.context.value_types import DAY
from jupyter_selfheal.model import Applicability, Patch

FORMAT = ', format="%Y%m%d"'


class DatesInNumbers(Rule):
    """Read whole numbers like `20240301` as days.

    **Failure** A missed assert or expectation, or an error, where the values come from `pd.to_datetime(df["day"])` of whole numbers: it counts them as
    nanoseconds since 1970.

    **Fix** `pd.to_datetime(df["day"].astype(str), format="%Y%m%d")`, also cells above; without `astype` where values are missing. The cells that made the values run again.

    **Fix safety** Safe: each of the live dates is within a second of 1970 and its nanoseconds, read as digits, are a day of 1900 to 2099.
    Silent where one is not, and where a `format`, a `unit` or an `origin` is given. Where pandas warns of whole numbers that are read by a format
    (`heal --warnings`), their texts are given: safe, as that is what its message asks for; silent for a column of floats.
    """

    code = "PDA158"
    name = "days written as numbers"
    stage = Stage.LIBRARY
    enames = frozenset({"AssertionError", "KeyError", "ValueError", "IndexError", "TypeError", "ZeroDivisionError"})
    kinds = RAISED_OR_MISSED
    warning = re.compile("Parsing integer or float values with a format in to_datetime")
    applicability = Applicability.SAFE
    why = "Read as nanoseconds all of the dates are in the first second of 1970; read as digits each is a day."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.is_warning:
            yield from self._give_texts(context)
            return
        as_texts: dict[str, list[Splice]] = {}
        as_given: dict[str, list[Splice]] = {}
        for cell_id, source, statement in list_statements_above(context):
            value = getattr(statement, "value", None)
            if not isinstance(statement, ast.Assign) or not isinstance(value, ast.Call):
                continue
            target = statement.targets[0]
            is_plain = isinstance(target, ast.Name | ast.Subscript | ast.Attribute)
            is_read = read_last_name(value.func) == "to_datetime" and len(value.args) == 1 and _may_name_format(value)
            text = src.extract_text(source, target)
            if is_read and is_plain and context.is_true(_test_dates(text)):
                end = src.find_span(source, value.args[0])[1]
                as_given.setdefault(cell_id, []).append((end, end, FORMAT))
                whole = isinstance(value.args[0], ast.Name | ast.Subscript | ast.Attribute) and _is_whole(context, text)
                as_texts.setdefault(cell_id, []).append((end, end, ".astype(str)" * whole + FORMAT))
        # pandas 4 will no longer read numbers by a format; a column of numbers with a part is none of such texts
        for number, splices in enumerate((as_texts, as_given) if as_texts != as_given else (as_given,)):
            if splices and (edits := change_and_replay(context, splices)):
                yield self.patch(
                    edits,
                    'Read the dates with `format="%Y%m%d"`',
                    "`to_datetime` takes whole numbers for nanoseconds since 1970.",
                    prior=0.93 - number / 100,
                )

    def _give_texts(self, context: RuleContext) -> Iterator[Patch]:
        """The numbers of a call with a format as texts."""
        for call in context.list_calls_at_failure():
            if (
                read_last_name(call.func) != "to_datetime"
                or not call.args
                or not any(k.arg == "format" for k in call.keywords)
            ):
                continue
            live = context.describe_all([call.args[0]], calls=True)[0]
            if live.is_a("pandas.Series") and live.dtype.lower().startswith(("int", "uint")):
                text = f"{context.operand(call.args[0])}.astype(str)"
                yield self.patch(
                    context.replace_here((*context.span(call.args[0]), text)),
                    f"Give `{text}` to `to_datetime`",
                    "pandas 4 will take numbers for the time since 1970, whatever the format.",
                    why="The message asks for it, and the texts of whole numbers are their digits.",
                    prior=0.93,
                )
                return


def _is_whole(context: RuleContext, text: str) -> bool:
    """Whether the dates are a column without a gap."""
    return context.is_true(f"isinstance({text}, __import__('pandas').Series) and {text}.notna().all()")


def _may_name_format(call: ast.Call) -> bool:
    return not {k.arg for k in call.keywords} & {"format", "unit", "origin", None}


def _test_dates(text: str) -> str:
    """A condition that holds for live dates whose nanoseconds are days in digits."""
    numbers = f"__import__('pandas').Series({text}).dropna().astype('datetime64[ns]').astype('int64').astype(str)"
    return f"len({text}) and {numbers}.str.fullmatch({DAY!r}).all()"
