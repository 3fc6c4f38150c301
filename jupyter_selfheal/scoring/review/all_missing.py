"""REV201: what a cell computed is NaN throughout."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Doubt
from jupyter_selfheal.scoring.review.context import Check, ReviewedCell
from jupyter_selfheal.scoring.review.context.code import find_column_target, is_plain, list_columns_read

_MEANT = re.compile(
    r"\b(nan|NaN|NAN|NA|NaT|None|NULL|reindex|full|full_like|empty|empty_like|masked|mask|where)\b|read_\w+|load"
)
"""A value whose code has one of these may be meant to be missing, or comes from a file."""

ADVICE = (
    "Look at the step before: an index or keys that do not match, a `map` without these keys, a window longer than the data, or texts "
    "read as numbers all give NaN."
)


class AllMissing(Check):
    """A column, series or array that a cell computes holds nothing but NaN.

    **Doubt** The cell computes `df["c"] = …` or a series or array of two or more values, and every value is missing after the cell.

    **Silent** On columns that came empty from a file; where the code itself says `NaN`, `None`, `where`, `reindex` or makes an empty
    place to be filled; where what it is computed from is NaN throughout already; on single numbers.

    **What to do** Compare the indexes, the keys or the types of what it is computed from.
    """

    code = "REV201"
    name = "NaN throughout"

    def review_cell(self, cell: ReviewedCell) -> Iterator[Doubt]:
        targets: dict[str, ast.stmt] = {}
        sources: dict[str, list[str]] = {}
        for statement in cell.body:
            target = _find_target(statement)
            if (
                target is None
                or not isinstance(statement, ast.Assign)
                or src.find_root_name(src.parse_expression(target)) in cell.rebound
            ):
                continue
            targets.pop(target, None)
            if _is_computed(statement.value):
                targets[target] = statement
                sources[target] = [s for s in _list_sources(statement.value) if s != target]
        if not targets:
            return
        missing = cell.ask("review_values", "list_missing", targets={t: sources[t] for t in targets})
        for target, count in missing.items() if isinstance(missing, dict) else ():
            what = f"All {count} values of `{target}` are missing (NaN) after this line."
            yield cell.build_doubt(self.code, targets[target], what, ADVICE)


def _find_target(statement: ast.stmt) -> str | None:
    if find_column_target(statement) is not None:
        return ast.unparse(statement.targets[0])  # type: ignore[attr-defined]
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def _is_computed(value: ast.expr) -> bool:
    """Whether something is computed from something, and nothing says that it may be missing."""
    has_work = any(isinstance(n, ast.Call | ast.BinOp) for n in ast.walk(value))
    return has_work and not _MEANT.search(ast.unparse(value)) and not _is_empty_place(value)


def _is_empty_place(value: ast.expr) -> bool:
    """``pd.Series(index=days)``: a place that is filled later."""
    return isinstance(value, ast.Call) and not value.args and ast.unparse(value.func).endswith(("Series", "DataFrame"))


def _list_sources(value: ast.expr) -> list[str]:
    """Columns and names that the value is computed from."""
    names = [n.id for n in ast.walk(value) if isinstance(n, ast.Name)]
    return list(dict.fromkeys([*list_columns_read(value), *names, *_list_items(value)]))


def _list_items(value: ast.expr) -> list[str]:
    return [ast.unparse(n) for n in ast.walk(value) if isinstance(n, ast.Subscript) and is_plain(n)]
