"""PDA123: a column whose texts were replaced by numbers, and which pandas 3 no longer makes a column of numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.lost_writes import find_lost_downcasts, turns_texts_to_numbers
from jupyter_selfheal.healers.rules.context.nodes import is_truth, read_literal
from jupyter_selfheal.healers.rules.context.replay import change_and_replay, list_statements_above
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE
from jupyter_selfheal.model import Applicability, Patch

HOLDS_NUMBERS = "{0}.dtype == object and __import__('pandas').api.types.infer_dtype({0}) in ('integer', 'floating', 'mixed-integer-float')"
"""Of a column: it is one of objects, each of which is a number."""


class LostDowncast(Rule):
    """Make a column of numbers of one whose texts were replaced by numbers.

    **Failure** `ValueError: Unknown label type: unknown`, `Pandas data cast to numpy dtype of object`, `TypeError: no numeric data to
    plot`, below `df["c"] = df["c"].replace({"no": 0, "yes": 1})`. Since pandas 3.0 the result keeps the dtype object.

    **Fix** `df["c"] = df["c"].replace({"no": 0, "yes": 1}).infer_objects()`, of a table that is changed in place `df[list(df)] = df.infer_objects()` below, in every such statement that the failing cell's values come
    from. So is a column of objects that holds nothing but numbers below the last `df.loc[mask, "c"] = 1`, which pandas before 1.0 made numbers of.
    The cells that made them run again, from the first on.

    **Fix safety** Safe: it is what pandas did itself until 3.0, and its release notes name this call for who wants that.
    """

    code = "PDA123"
    name = "numbers in a column of objects"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError", "DataError", "UFuncTypeError"})
    message = re.compile(
        r"Unknown label type|dtype of object|no numeric data|dtype\('O'\)|dtype: object|object dtype|dtype object|dtype->object|type object"
        r"|which has no callable \w+ method"
    )
    applicability = Applicability.SAFE
    restores = "pandas 3.0"
    why = "Until pandas 3.0 `replace` did so by itself (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        splices, shown = list_lost_downcasts(context)
        if not splices:
            return
        edits = change_and_replay(context, splices)
        if edits:
            yield self.patch(
                edits,
                f"Make numbers of `{shown}` after its texts are replaced",
                "Since pandas 3.0, a column whose texts are replaced by numbers stays a column of objects.",
                prior=0.88,
            )


def list_lost_downcasts(context: RuleContext) -> tuple[dict[str, list[Splice]], str]:
    """By cell, what makes numbers again of texts that are replaced by numbers, in the cells that the failing cell's values come from; and the first
    of what is assigned. Nothing before pandas 3, which did so by itself."""
    splices: dict[str, list[Splice]] = {}
    shown = ""
    written: dict[tuple[str, str], int] = {}
    for cell_id, source, statement in list_statements_above(context):
        if column := _name_column_given_number(source, statement):
            written[cell_id, column] = src.find_span(source, statement)[1]
        for assigned, splice in find_lost_downcasts(source, statement):
            splices.setdefault(cell_id, []).append(splice)
            shown = shown or src.extract_text(source, assigned.targets[0])
        table = _name_table_replaced_in_place(statement)
        if table and context.describe_all([table])[0].is_a("pandas.DataFrame"):
            end = src.find_span(source, statement)[1]
            # its columns are set, as the table itself may stand in a list
            splices.setdefault(cell_id, []).append((end, end, f"\n{table}[list({table})] = {table}.infer_objects()"))
            shown = shown or table
    for (cell_id, column), end in written.items():
        if context.is_true(HOLDS_NUMBERS.format(column)):
            splices.setdefault(cell_id, []).append((end, end, f"\n{column} = {column}.infer_objects()"))
            shown = shown or column
    return (splices, shown) if splices and (context.number(RELEASE) or 0) >= 3 else ({}, "")


def _name_table_replaced_in_place(statement: ast.stmt) -> str:
    """``df`` of the statement ``df.replace({"no": 0}, inplace=True)``; empty where a statement is another one."""
    match statement:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=table), attr="replace"), keywords=given) as call
        ):
            names = {k.arg: k.value for k in given}
            is_told = is_truth(names.get("inplace"), True) and "regex" not in names
            return table if is_told and turns_texts_to_numbers(call) else ""
    return ""


def _name_column_given_number(source: str, statement: ast.stmt) -> str:
    """``df["c"]`` of ``df.loc[mask, "c"] = 1``, a statement for itself on its line; empty where a statement is another one."""
    match statement:
        case ast.Assign(
            targets=[
                ast.Subscript(
                    value=ast.Attribute(value=ast.Name(id=table), attr="loc"),
                    slice=ast.Tuple(elts=[_, ast.Constant(value=str()) as name]),
                )
            ],
            value=value,
            col_offset=0,
        ) if type(read_literal(value)[1]) in (int, float):
            return f"{table}[{src.extract_text(source, name)}]"
    return ""
