"""PDA102: the ``.ix`` indexer, by label or by position."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage, Table
from jupyter_selfheal.healers.rules.context.edits import Splice, keep_outermost
from jupyter_selfheal.model import Applicability, Patch

NUMBERS = re.compile(r"u?int\d+|float\d+")
"""Of an index: what is asked of it by a number was a label."""


class IxIndexer(Rule):
    """Change ``.ix`` to ``.loc`` or ``.iloc``, as it would have chosen itself.

    **Failure** `AttributeError: 'DataFrame' object has no attribute 'ix'`.

    **Fix** Each axis by the rule of the old indexer: labels, and positions only where the axis is not itself of numbers. `.loc`
    where both axes are by label, `.iloc` where both are by position; where they differ, the position is looked up as a
    label (`df.index[0]`).

    **Fix safety** Safe: the live index and columns decide as `.ix` did (https://pandas.pydata.org/docs/whatsnew/v0.20.0.html,
    "Deprecate .ix").
    """

    code = "PDA102"
    name = ".ix indexer"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "The live axes decide between label and position as `.ix` did."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "'ix'" not in context.failure.evalue:
            return
        if not context.owner.is_a("pandas.DataFrame", "pandas.Series"):
            return
        splices: list[Splice] = []
        for node in ast.walk(context.tree):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "ix":
                splices += _rewrite_access(context, node, node.value)
        kept = keep_outermost(splices)
        if kept:
            yield self.patch(
                context.replace(context.cell_id, kept),
                "Change `.ix` to `.loc` or `.iloc`",
                "pandas 1.0 removed `.ix`.",
                prior=0.92,
            )


def _rewrite_access(context: RuleContext, node: ast.Subscript, access: ast.Attribute) -> list[Splice]:
    table = context.table(access.value)
    if not table:
        return []
    keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if len(keys) > 1 and "MultiIndex" in table.index_type and not any(isinstance(k, ast.Slice) for k in keys):
        levels = context.number(f"({context.text(access.value)}).index.nlevels")
        row = f"({context.text(node.slice)}) in ({context.text(access.value)}).index"
        if levels == len(keys) and context.is_true(row):  # `.ix` read such a key as one row's, where there is one
            return [(*context.find_attribute_span(access), "loc")]
    axes = [table.index_dtype, _find_dtype_of_columns(table)]
    kinds = [_classify_key(context, key, dtype) for key, dtype in zip(keys, axes, strict=False)]
    if len(keys) > 2 or "" in kinds:
        return []
    wanted = set(kinds) - {"any"}
    name = context.find_attribute_span(access)
    if wanted <= {"label"}:
        return [(*name, "loc")]
    if wanted == {"position"}:
        return [(*name, "iloc")]
    splices = [(*name, "loc")]
    for key, kind, axis in zip(keys, kinds, ("index", "columns"), strict=False):
        if kind == "position":
            start, end = context.span(key)
            splices.append((start, end, f"{context.text(access.value)}.{axis}[{context.source[start:end]}]"))
    return splices


def _find_dtype_of_columns(table: Table) -> str:
    return "int64" if table.columns and all(isinstance(c, int) for c in table.columns) else "object"


def _classify_key(context: RuleContext, key: ast.expr, dtype: str) -> str:
    """``label``, ``position``, ``any`` (a full slice) or "" where it cannot be told."""
    if isinstance(key, ast.Slice):
        bounds = [b for b in (key.lower, key.upper) if b is not None]
        if not bounds:
            return "any"
        kinds = {_classify_key(context, b, dtype) for b in bounds}
        return kinds.pop() if len(kinds) == 1 else ""
    live = context.describe_all([key], calls=True)[0]
    if live.is_a("builtins.int", "numpy.integer") and not live.is_a("builtins.bool"):
        return "label" if NUMBERS.fullmatch(dtype) else "position"
    if live.is_a("builtins.list", "numpy.ndarray") and isinstance(key, ast.List) and key.elts:
        kinds = {_classify_key(context, e, dtype) for e in key.elts}
        return kinds.pop() if len(kinds) == 1 else ""
    if "int" in live.dtype and not live.is_a("pandas.Series"):
        return "label" if NUMBERS.fullmatch(dtype) else "position"
    return "label" if live.mro else ""
