"""KEY107: a key or a column that is written without its quotes."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.aggregates import AGGREGATES, AGGREGATING
from jupyter_selfheal.healers.rules.context.edits import quote_alike
from jupyter_selfheal.healers.rules.near_value import COLOURS, find_paragraph
from jupyter_selfheal.model import Applicability, Patch

_BY_COLUMN = frozenset(
    {"groupby", "sort_values", "set_index", "value_counts", "drop_duplicates", "explode", "nlargest", "nsmallest", "pop", "hist", "boxplot"}
)  # fmt: skip
"""Methods of a table whose arguments are columns: of `fillna(mean)`, `to_csv(name)` and `assign(total=price)` a text is another value."""
_COLUMN_KEYWORDS = frozenset(
    {"by", "on", "left_on", "right_on", "subset", "columns", "index", "values", "id_vars", "value_vars", "column", "x", "y"}
)  # fmt: skip
_AGGREGATES = AGGREGATES.difference(dir(builtins)) | {"mode"}
"""Names that pandas knows as texts, and Python does not as functions."""


class BareKey(Rule):
    """Quote a key that is written as a name.

    **Failure** `NameError: name 'age' is not defined` at `person[age]`, `df[["name", age]]` or `df.groupby(age)`.

    **Fix** `person["age"]`, `person.age` where it is an object's; `df.pivot_table(…, aggfunc=mean)` and `.agg(mean)`, where nothing is called so, become `aggfunc="mean"` and `.agg("mean")`. So do the words that a function's documentation
    lists for a keyword, and colours: `merge(…, how="left")`, `drop("age", axis="columns")`, `plot(…, color="red")`.

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
        if name in _AGGREGATES:
            yield from self._quote_aggregate(context, name)
        for node in (n for n in context.list_failing_nodes(ast.Name) if n.id == name):
            if _is_option(context, node, parents):
                new = quote_alike(name, context.source)
                yield self.patch(
                    context.replace_here((*context.span(node), new)),
                    f"Write `{new}`",
                    f"`{name}` is one of the texts that are taken here, and no variable.",
                    why="The function's own documentation lists the text, and the notebook has no such variable.",
                    prior=0.96,
                )
                return
            inner: ast.AST = node
            outer = parents.get(node)
            if isinstance(outer, ast.List | ast.keyword):
                inner, outer = outer, parents.get(outer)
            owner: ast.expr | None = None
            if isinstance(outer, ast.Subscript) and outer.slice is inner:
                owner = outer.value
            elif isinstance(outer, ast.Call) and isinstance(outer.func, ast.Attribute) and _takes_column(outer, inner):
                owner = outer.func.value
            chain = context.read_plain_chain(owner) if owner is not None else None
            if isinstance(outer, ast.Subscript) and _has_value_alone(context, chain, name):
                yield self._read_attribute(context, outer, name)
                return
            keys = context.keys(chain) if chain else None
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

    def _read_attribute(self, context: RuleContext, node: ast.Subscript, name: str) -> Patch:
        """``person[age]`` of an object: ``person.age``."""
        owner = context.text(node.value)
        return self.patch(
            context.replace_here((context.span(node.value)[1], context.span(node)[1], f".{name}")),
            f"Write `{owner}.{name}`",
            f"`{name}` is an attribute of `{owner}`, not a variable.",
            why="The object has an attribute of just this name and no items, and the notebook has no such variable.",
            prior=0.95,
        )

    def _quote_aggregate(self, context: RuleContext, name: str) -> Iterator[Patch]:
        """``aggfunc=mean``, ``.agg([min, mean])``, ``.agg({"age": mean})``: all places of the statement."""
        nodes = [n for n in context.list_failing_nodes(ast.Name) if n.id == name]
        if not nodes or not all(_is_aggregate(src.read(context.source).parents, n) for n in nodes):
            return
        new = quote_alike(name, context.source)
        yield self.patch(
            context.replace_here(*((*context.span(n), new) for n in nodes)),
            f"Write `{new}`",
            f"pandas knows `{name}` by its name; nothing else here is called so.",
            why="pandas takes the name as a text, and the notebook has no such function.",
            prior=0.95,
        )


def _has_value_alone(context: RuleContext, chain: str | None, name: str) -> bool:
    """Whether something has an attribute of this name that is no method, and no items."""
    return chain is not None and context.is_true(
        f"not callable(getattr({chain}, {name!r}, print)) and not hasattr(type({chain}), '__getitem__')"
    )


def _is_option(context: RuleContext, node: ast.Name, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether a keyword's value is a text that the function's documentation lists (``how=left``, ``axis=columns``), or a colour (``color=red``)."""
    keyword = parents.get(node)
    call = parents.get(keyword) if isinstance(keyword, ast.keyword) else None
    if not isinstance(keyword, ast.keyword) or not isinstance(call, ast.Call) or not keyword.arg:
        return False
    if context.describe_all([call.func], calls=True)[0].path.startswith("__main__"):
        return False
    if keyword.arg.endswith("color") or keyword.arg == "c":
        return node.id in COLOURS
    known = context.signature(call.func, calls=True)
    told = find_paragraph(known.documentation, keyword.arg) if known is not None else ""
    return re.search(rf"""(['"]){node.id}\1|\{{[^{{}}]*\b{node.id}\b[^{{}}]*\}}""", told) is not None


def _is_aggregate(parents: Mapping[ast.AST, ast.AST], node: ast.AST) -> bool:
    """True where a name stands for a function that aggregates: alone, in a list, or as a value of a dictionary."""
    inner, outer = node, parents.get(node)
    while isinstance(outer, ast.List | ast.Tuple) or (isinstance(outer, ast.Dict) and inner in outer.values):
        inner, outer = outer, parents.get(outer)
    if isinstance(outer, ast.keyword):
        return outer.arg == "aggfunc" or (outer.arg == "func" and _is_aggregate(parents, outer))
    if not isinstance(outer, ast.Call) or inner not in outer.args:
        return False
    return isinstance(outer.func, ast.Attribute) and outer.func.attr in AGGREGATING


def _takes_column(call: ast.Call, given: ast.AST) -> bool:
    """True where what is given to a method of a table, by position or by keyword, is a column's name."""
    if isinstance(given, ast.keyword):
        return given.arg in _COLUMN_KEYWORDS
    return given is not call.func and isinstance(call.func, ast.Attribute) and call.func.attr in _BY_COLUMN
