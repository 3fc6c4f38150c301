"""KEY107: a key or a column that is written without its quotes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import quote_alike
from jupyter_selfheal.model import Applicability, Patch

_BY_COLUMN = frozenset(
    {"groupby", "sort_values", "set_index", "value_counts", "drop_duplicates", "explode", "nlargest", "nsmallest", "pop", "hist", "boxplot"}
)  # fmt: skip
"""Methods of a table whose arguments are columns: of `fillna(mean)`, `to_csv(name)` and `assign(total=price)` a text is another value."""
_COLUMN_KEYWORDS = frozenset(
    {"by", "on", "left_on", "right_on", "subset", "columns", "index", "values", "id_vars", "value_vars", "column", "x", "y"}
)  # fmt: skip


class BareKey(Rule):
    """Quote a key that is written as a name.

    **Failure** `NameError: name 'age' is not defined` at `person[age]`, `df[["name", age]]` or `df.groupby(age)`.

    **Fix** `person["age"]`.

    **Fix safety** Safe: the very dictionary or table has a key or column of just this name, and no cell binds such a variable. Silent for
    methods whose arguments are no columns, as `df.fillna(mean)` and `df.assign(total=price)`.
    """

    code = "KEY107"
    name = "key without quotes"
    enames = frozenset({"NameError"})
    applicability = Applicability.SAFE
    why = "The object has a key of just this name, and the notebook no such variable."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.missing_name
        if not name or context.is_bound_anywhere(name):
            return
        parents = src.read(context.source).parents
        for node in (n for n in context.list_failing_nodes(ast.Name) if n.id == name):
            inner: ast.AST = node
            outer = parents.get(node)
            if isinstance(outer, ast.List | ast.keyword):
                inner, outer = outer, parents.get(outer)
            owner: ast.expr | None = None
            if isinstance(outer, ast.Subscript) and outer.slice is inner:
                owner = outer.value
            elif isinstance(outer, ast.Call) and isinstance(outer.func, ast.Attribute) and _takes_column(outer, inner):
                owner = outer.func.value
            keys = context.keys(owner) if owner is not None and context.read_plain_chain(owner) else None
            if keys is None or name not in (
                keys.columns if isinstance(outer, ast.Call) else (*keys.keys, *keys.columns)
            ):
                continue
            new = quote_alike(name, context.source)
            yield self.patch(
                context.replace_here((*context.span(node), new)),
                f"Write `{new}`",
                f"`{name}` is a key of `{context.text(owner) if owner else ''}`, not a variable.",
                prior=0.95,
            )
            return


def _takes_column(call: ast.Call, given: ast.AST) -> bool:
    """True where what is given to a method of a table, by position or by keyword, is a column's name."""
    if isinstance(given, ast.keyword):
        return given.arg in _COLUMN_KEYWORDS
    return given is not call.func and isinstance(call.func, ast.Attribute) and call.func.attr in _BY_COLUMN
