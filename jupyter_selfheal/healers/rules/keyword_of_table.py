"""PDA193: a keyword of a table's method given to that of a column."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"Series\.sort_values\(\) got an unexpected keyword argument '(by)'|\(\) got an unexpected keyword argument '(axis)'"
)


class KeywordOfTable(Rule):
    """Leave out what only a table needs to be told.

    **Failure** `TypeError: Series.sort_values() got an unexpected keyword argument 'by'` at `df.groupby("shop")["price"].sum().sort_values(by="price")`,
    `<lambda>() got an unexpected keyword argument 'axis'` at `df["price"].apply(lambda p: p * 2, axis=1)`.

    **Fix** `.sort_values()`, `df["price"].apply(lambda p: p * 2)`; other arguments stay.

    **Fix safety** Safe: a column has one axis, and nothing to be sorted by but its own values, which are those of the column that `by=` names. Silent where `by=` names
    another column, and where `apply` is not a column's.
    """

    code = "PDA193"
    name = "keyword of a table"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "A column has one axis and its own values alone, so the keyword can say nothing else."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        keyword = next((g for g in match.groups() if g), "") if match else ""
        for call in context.list_calls_at_failure()[:4]:
            given = next((k for k in call.keywords if k.arg == keyword), None)
            method = call.func
            if given is None or not isinstance(method, ast.Attribute):
                continue
            fits = _names_itself(method.value, given.value) if keyword == "by" else _is_applied(context, method)
            if not fits:
                return
            yield self.patch(
                context.replace_here(_span_argument(context, call, given)),
                f"Leave out `{context.text(given)}`",
                f"`{read_last_name(method)}` of a column takes no `{keyword}`.",
                prior=0.95,
            )
            return


def _span_argument(context: RuleContext, call: ast.Call, keyword: ast.keyword) -> tuple[int, int, str]:
    """The splice that takes a keyword out of a call, with the comma before it, else the one behind."""
    parts = sorted((context.span(a) for a in (*call.args, *call.keywords)), key=lambda span: span[0])
    at = parts.index(context.span(keyword))
    if at:
        return parts[at - 1][1], parts[at][1], ""
    return parts[at][0], parts[at + 1][0] if len(parts) > 1 else parts[at][1], ""


def _is_applied(context: RuleContext, method: ast.Attribute) -> bool:
    """True for ``apply`` of a column."""
    return method.attr == "apply" and context.describe_all([method.value], calls=True)[0].is_a("pandas.Series")


def _names_itself(owner: ast.expr, by: ast.expr) -> bool:
    """``df.groupby("shop")["price"].sum()`` for ``by="price"``: the last column that was picked is the one named."""
    names = by.elts if isinstance(by, ast.List) else [by]
    name = names[0].value if len(names) == 1 and isinstance(names[0], ast.Constant) else None
    node: ast.expr = owner
    while True:
        match node:
            case ast.Call(ast.Attribute(inner)):
                node = inner
            case ast.Subscript(_, ast.Constant(column)) | ast.Attribute(_, column):
                return name is not None and column == name
            case _:
                return False
