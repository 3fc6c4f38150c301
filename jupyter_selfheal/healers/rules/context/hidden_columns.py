"""Columns that an attribute or a method of their table hides."""

from __future__ import annotations

import ast

from jupyter_selfheal.healers.rules.context.edits import quote_alike
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.healers.rules.context.spelling import is_plural


def list_meant_columns(context: RuleContext, node: ast.Attribute) -> tuple[str, ...]:
    """``rank`` for ``sales.rank`` of a table with a column of that name, which the method hides; ``mins`` for ``trips.min``."""
    table = context.table(node.value)
    columns = [c for c in (table.columns if table is not None else ()) if isinstance(c, str)]
    return (node.attr,) if node.attr in columns else tuple(c for c in columns if is_plural(node.attr, c))


def write_column(context: RuleContext, node: ast.Attribute, column: str) -> str:
    """``sales["rank"]`` for ``sales.rank``."""
    return f"{context.text(node.value)}[{quote_alike(column, context.source)}]"
