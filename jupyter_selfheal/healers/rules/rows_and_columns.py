"""PDA175: rows and columns that are chosen together without `loc`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

COUNTED = "A slice of places leaves its end out, and one of labels holds it."


class RowsAndColumns(Rule):
    """Choose rows and columns together with `.loc`.

    **Failure** `InvalidIndexError` (until pandas 1.4 `TypeError: unhashable type: 'Series'`) at `homes[homes.rooms > 3, "price"]`.

    **Fix** `homes.loc[homes.rooms > 3, "price"]`, `visits.loc["2024-05-02":"2024-05-04", "n"]`, `summary.loc["max", "price"]`.

    **Fix safety** Safe: the first index is one truth value for each row, a slice or the label of a row, and the second names columns of the table. Unsafe for a slice of rows that have numbers. Silent for anything else.
    """

    code = "PDA175"
    name = "rows and columns without loc"
    stage = Stage.LIBRARY
    enames = frozenset({"InvalidIndexError", "TypeError", "KeyError"})
    applicability = Applicability.SAFE
    why = "The first index can only mean rows, and the names are columns of the table."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_at_failure(ast.Subscript):
            table = context.read_plain_chain(node.value)
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
            keys = context.keys(table) if table and len(parts) == 2 else None
            if table is None or keys is None or keys.type != "DataFrame":
                continue
            rows, columns = parts
            if _is_whole(columns) and isinstance(rows, ast.List):
                rows, columns = columns, rows  # `df[["a", "b"], :]`
            named = columns.elts if isinstance(columns, ast.List) else [columns]
            if not named or not all(isinstance(n, ast.Constant) and n.value in keys.columns for n in named):
                continue
            if not _chooses_rows(context, rows, table, keys.length):
                continue
            at = context.span(node.value)[1]
            turned = [(*context.span(node.slice), f":, {context.text(columns)}")] if rows is not parts[0] else []
            counted = isinstance(rows, ast.Slice) and context.is_true(
                f"({table}).index.inferred_type in ('integer', 'floating', 'mixed-integer-float', 'boolean')"
            )
            if counted and not _is_whole(rows) and isinstance(node.ctx, ast.Load):
                yield self._take_places(context, node, rows, columns)
            yield self.patch(
                context.replace_here((at, at, ".loc"), *turned),
                f"Use `{table}.loc[…, {context.text(columns)}]`",
                "Rows and columns are chosen together with `loc`.",
                applicability=Applicability.UNSAFE if counted and not _is_whole(rows) else Applicability.SAFE,
                why=COUNTED if counted and not _is_whole(rows) else self.why,
                prior=0.6 if counted and not _is_whole(rows) else 0.93,
            )
            return

    def _take_places(self, context: RuleContext, node: ast.Subscript, rows: ast.expr, columns: ast.expr) -> Patch:
        text = f"{context.text(node.value)}[{context.text(rows)}][{context.text(columns)}]"
        return self.patch(
            context.replace_here((*context.span(node), text)),
            f"Use `{text}`",
            "Rows and columns are chosen one after the other, or together with `loc`.",
            applicability=Applicability.UNSAFE,
            why=COUNTED,
            prior=0.65,
        )


def _is_whole(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None


def _chooses_rows(context: RuleContext, rows: ast.expr, table: str, length: int) -> bool:
    """Whether an index is a slice or the label of a row, or has one truth value for each row."""
    if isinstance(rows, ast.Slice):
        return True
    if isinstance(rows, ast.Constant):
        label = repr(rows.value)
        return context.is_true(f"{label} in ({table}).index and {label} not in ({table}).columns")
    live = context.describe_all([rows], calls=True)[0]
    return live.is_a("pandas.Series", "numpy.ndarray") and live.dtype in ("bool", "boolean") and live.length == length
