"""KEY123: values that are looked up in a dictionary whose keys are of another type."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.healers.rules.key_of_another_type import WRITTEN
from jupyter_selfheal.healers.rules.lost_write import MISSING
from jupyter_selfheal.model import Applicability, Failure, FailureKind, Patch


class MappedByOtherType(Rule):
    """Look a column's values up in the type that the keys have.

    **Failure** `AssertionError`, or a message about missing values, where a column comes of `df["item"].map(prices)`, whose keys are texts (`"101"`) and the items numbers, or the
    other way round: nothing meets, and every value is missing.

    **Fix** `df["item"].astype(str).map(prices)`; `.astype(int)` for keys that are whole numbers. The cells that made the column run again.

    **Fix safety** Safe: no value is a key as it is, and every one is in the other type. Silent where one is missing in both, or a text has zeros in front (`"007"`), and where the name had another dictionary that has the values.
    """

    code = "KEY123"
    name = "mapping by another type"
    stage = Stage.LIBRARY
    enames = frozenset({"AssertionError", "ValueError", "TypeError", "IntCastingNaNError", "MissingDataError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "No value is a key as it is, and each is one in the other type."

    def matches(self, failure: Failure) -> bool:
        is_wrong = failure.kind is FailureKind.MISSED or failure.ename == "AssertionError"
        return super().matches(failure) and (is_wrong or MISSING.search(failure.evalue) is not None)

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            for node in ast.walk(statement) if isinstance(statement, ast.Assign) else ():
                match node:
                    case ast.Call(ast.Attribute(column, "map"), [ast.Name(table)], []):
                        text = src.extract_text(source, column)
                        kind = _choose_type(context, text, table)
                        if kind and _is_found_nowhere(context, statement, table):
                            end = src.find_span(source, column)[1]
                            yield (end, end, f".astype({kind})"), f"{text}.astype({kind}).map({table})"

        edits, shown = mend_above(context, find)
        if edits:
            yield self.patch(
                edits,
                f"Use `{shown}`",
                "The keys are of another type than the values: nothing is found, and all that comes of it is missing.",
                prior=0.93,
            )


def _is_found_nowhere(context: RuleContext, statement: ast.stmt, table: str) -> bool:
    """True where the column that the statement makes is missing as a whole, or the name never had another dictionary: what was looked up in that one may be found."""
    match statement:
        case ast.Assign([ast.Subscript(ast.Name(), ast.Constant()) as target]):
            if context.is_true(f"({ast.unparse(target)}).isna().all()"):
                return True
    return (
        sum(isinstance(n, ast.Name) and n.id == table and isinstance(n.ctx, ast.Store) for n in context.walk_notebook())
        == 1
    )


def _choose_type(context: RuleContext, column: str, table: str) -> str:
    """``str`` or ``int``, which makes a key of each value of a column of which none is one; empty where neither does."""
    live = context.describe_all([column, table])
    if not live[0].is_a("pandas.Series") or not live[1].is_a("builtins.dict"):
        return ""
    if not context.is_true(
        f"len({column}) > 0 and not ({column}).isin(list({table})).any() and ({column}).notna().all()"
    ):
        return ""
    texts = f"({column}).astype(str)"
    keys = f"{{type(k).__name__ for k in {table}}}"
    if context.is_true(f"{keys} == {{'str'}} and ({column}).dtype.kind in 'iu' and {texts}.isin(list({table})).all()"):
        return "str"
    is_number = f"{texts}.str.fullmatch({WRITTEN.pattern!r}).all()"
    return (
        "int"
        if context.is_true(f"{keys} == {{'int'}} and {is_number} and ({column}).astype(int).isin(list({table})).all()")
        else ""
    )
