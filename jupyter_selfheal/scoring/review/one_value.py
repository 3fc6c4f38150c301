"""REV202: a column says no for every row, since it asks for a text that its source never holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.model import Doubt
from jupyter_selfheal.scoring.review.context import Check, ReviewedCell
from jupyter_selfheal.scoring.review.context.code import find_column_target, is_plain


class OneValue(Check):
    """A column of one value, because it asks for a text that the column it asks never holds: `df["sex"] == "Female"`.

    **Doubt** The cell sets a column to `==`, `!=` or `.isin` of another one, by itself or within `np.where` or `.astype`; that other
    column holds two or more texts, none of them the one that is asked for, and so every row says the same.

    **Silent** On columns that are set to one constant; on comparisons by size, which may hold for nobody; where the text is there; on
    columns of many texts, unless one differs in case or space alone.

    **What to do** Write the text as the column has it.
    """

    code = "REV202"
    name = "column of one value"

    def review_cell(self, cell: ReviewedCell) -> Iterator[Doubt]:
        for statement in cell.body:
            target = find_column_target(statement)
            if target is None or target[0] in cell.rebound:
                continue
            table, column, value = target
            asked = _find_asked(value)
            if asked is None:
                continue
            answer = cell.ask(
                "review_values",
                "describe_absent_text",
                target=f"{table}[{column!r}]",
                column=asked[0],
                texts=asked[1],
            )
            if isinstance(answer, dict):
                yield self._build_doubt(cell, statement, column, asked, answer)

    def _build_doubt(
        self,
        cell: ReviewedCell,
        statement: ast.stmt,
        column: str,
        asked: tuple[str, list[str]],
        answer: dict[str, object],
    ) -> Doubt:
        holds = ", ".join(map(repr, answer["holds"]))  # type: ignore[call-overload]
        texts = " or ".join(map(repr, asked[1][:3]))
        what = f"`{column}` is the same in all {answer['rows']} rows: `{asked[0]}` never is {texts}; it holds {holds}."
        near = answer.get("near")
        advice = (
            f"Write {near!r}." if near else "Check the text, or say in a comment that nobody is expected to have it."
        )
        return cell.build_doubt(self.code, statement, what, advice)


def _find_asked(value: ast.expr) -> tuple[str, list[str]] | None:
    """(column, texts) of ``df["c"] == "text"`` and its like; None for anything else."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr == "astype":
            return _find_asked(value.func.value)
        if value.func.attr == "where" and value.args and ast.unparse(value.func.value) in ("np", "numpy"):
            return _find_asked(value.args[0])
        if value.func.attr == "isin" and len(value.args) == 1 and isinstance(value.args[0], ast.List | ast.Tuple):
            texts = [e.value for e in value.args[0].elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
            whole = len(texts) == len(value.args[0].elts) and texts and is_plain(value.func.value)
            return (ast.unparse(value.func.value), texts) if whole else None
    if isinstance(value, ast.Compare) and len(value.ops) == 1 and isinstance(value.ops[0], ast.Eq | ast.NotEq):
        side, other = value.left, value.comparators[0]
        if isinstance(other, ast.Constant) and isinstance(other.value, str) and _is_column(side):
            return ast.unparse(side), [other.value]
    return None


def _is_column(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript | ast.Attribute) and is_plain(node)
