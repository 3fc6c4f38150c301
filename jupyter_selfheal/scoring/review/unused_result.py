"""REV101: what a statement computes is thrown away."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Cell, Doubt
from jupyter_selfheal.scoring.review.context import Check, ReviewedCell
from jupyter_selfheal.scoring.review.context.code import (
    find_displayed,
    has_cell_magic,
    is_magic_line,
    is_plain,
    walk_top_level,
)

_TABLE = frozenset(
    {"dropna", "fillna", "drop", "rename", "reset_index", "set_index", "sort_values", "sort_index", "replace", "astype",
     "drop_duplicates", "assign", "reindex", "round", "clip", "ffill", "bfill", "merge", "melt", "explode", "shift"}
)  # fmt: skip
_TEXT = frozenset(
    {"strip", "lstrip", "rstrip", "lower", "upper", "replace", "title", "capitalize", "casefold", "swapcase", "split",
     "rsplit", "splitlines", "removeprefix", "removesuffix", "zfill", "ljust", "rjust", "center", "expandtabs"}
)  # fmt: skip

WITHOUT_EFFECT = {
    "DataFrame": _TABLE,
    "Series": _TABLE,
    "Index": _TABLE,
    "StringMethods": _TEXT,
    "str": _TEXT,
    "ndarray": frozenset({"astype", "reshape", "flatten", "ravel", "transpose", "round", "clip", "copy"}),
    "set": frozenset({"union", "intersection", "difference", "symmetric_difference"}),
    "frozenset": frozenset({"union", "intersection", "difference", "symmetric_difference"}),
}
"""Methods that change nothing: their value is all they give, by the kind of the object."""


_SHOWN = frozenset(
    {"shape", "columns", "index", "dtypes", "dtype", "T", "size", "ndim", "head", "tail", "describe", "sample"}
)
"""What is only asked for to be looked at."""


class UnusedResult(Check):
    """A statement whose result nobody uses: `df.dropna()`, `name.strip()`, `xs.sort` without brackets.

    **Doubt** A method that changes nothing is called on a text, table, array or set, and its value is neither stored nor shown; or
    a method is named and not called. What the object is, is asked of the state after the cell.

    **Silent** On the last expression of a cell, which is shown; with `inplace=True`; below `%%timeit` and its like; in `try`
    blocks, where something may be called for its error; on objects of other classes; in notebooks that show values in the middle
    of a cell (a line `df`, `df.shape` or `df.head()`), as some are set up to do.

    **What to do** Store the value (`df = df.dropna()`), or add the brackets.
    """

    code = "REV101"
    name = "unused result"

    def review_cell(self, cell: ReviewedCell) -> Iterator[Doubt]:
        source = cell.cell.source
        if has_cell_magic(source) or any(_shows_in_the_middle(c) for c in cell.notebook.cells):
            return
        shown = find_displayed(cell.cell, cell.body)
        statements = [
            s
            for s in walk_top_level(cell.body)
            if isinstance(s, ast.Expr) and s is not shown and not is_magic_line(source, s)
        ]
        calls = {s: owner for s in statements if (owner := _find_owner(s.value)) is not None}
        names = [s for s in statements if isinstance(s.value, ast.Attribute) and is_plain(s.value)]
        texts = [ast.unparse(o) for o in calls.values()] + [ast.unparse(s.value) for s in names]
        kinds = cell.ask("review_kinds", "list_kinds", texts=texts) if texts else None
        if not isinstance(kinds, dict):
            return
        for statement, owner in calls.items():
            method = statement.value.func.attr  # type: ignore[attr-defined]
            if src.find_root_name(owner) in cell.rebound or method not in WITHOUT_EFFECT.get(
                kinds.get(ast.unparse(owner), ""), frozenset()
            ):
                continue
            target = ast.unparse(owner).removesuffix(".str")
            yield cell.build_doubt(
                self.code,
                statement,
                f"`{cell.extract_text(statement)}` has no effect: `{method}` returns a new value, and nobody uses it.",
                f"Store it: `{target} = …`; or delete the line.",
            )
        for statement in names:
            text = ast.unparse(statement.value)
            if kinds.get(text) == "method" and src.find_root_name(statement.value) not in cell.rebound:
                what = f"`{text}` is named and not called, so the line does nothing."
                yield cell.build_doubt(self.code, statement, what, f"Call it: `{text}()`.")


def _shows_in_the_middle(cell: Cell) -> bool:
    """Whether somebody who wrote this cell takes every expression in it to be shown, not the last alone."""
    if "ast_node_interactivity" in cell.source:
        return True
    tree = src.parse(cell.source) if cell.kind == "code" and not src.is_foreign(cell.source) else None
    bare = [s.value for s in (tree.body if tree is not None else ())[:-1] if isinstance(s, ast.Expr)]
    return any(
        isinstance(value, ast.Name | ast.Subscript)
        or (isinstance(value, ast.Attribute) and value.attr in _SHOWN)
        or (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _SHOWN)
        for value in bare
    )


def _find_owner(value: ast.expr) -> ast.expr | None:
    """What a method that may have no effect is called on, where that only reads; None for anything else."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or not is_plain(value.func.value):
        return None
    if any(value.func.attr in methods for methods in WITHOUT_EFFECT.values()) and not any(
        k.arg in ("inplace", "out", None) for k in value.keywords
    ):
        return value.func.value
    return None
