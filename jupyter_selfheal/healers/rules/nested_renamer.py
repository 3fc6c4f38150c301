"""PDA106: names for aggregations given by a nested dictionary."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch


class NestedRenamer(Rule):
    """Name the results of an aggregation in the form that pandas takes now.

    **Failure** `SpecificationError: nested renamer is not supported`.

    **Fix** For one column `s.agg({'total': 'sum'})` → `s.agg(total='sum')` (or a list of pairs where a name is no identifier);
    for a table `{'a': {'total': 'sum'}}` → `{'a': [('total', 'sum')]}`, which gives the same two levels of columns.

    NumPy's `std` and `var` are written `'std'` and `'var'`: pandas took them for its own, which divide by one less, until 3.0, and calls them as they
    are since.

    **Fix safety** Safe: both forms give the columns that the dictionary gave.
    """

    code = "PDA106"
    name = "nested renamer"
    stage = Stage.LIBRARY
    enames = frozenset({"SpecificationError"})
    applicability = Applicability.SAFE
    why = "The form gives the columns that the dictionary gave (https://pandas.pydata.org/docs/whatsnew/v0.20.0.html, v1.0.0)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure()[:4]:
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("agg", "aggregate") or not call.args:
                continue
            live = context.describe_all([call.func.value], calls=True)[0]
            given = _find_dictionary(context, call.args[0])
            splices = _rewrite_aggregation(context, given, live, given is call.args[0]) if given is not None else []
            if splices:
                yield self.patch(
                    context.replace(context.cell_id, splices),
                    "Use named aggregations",
                    "Since pandas 1.0, a nested dictionary can't rename aggregations.",
                    prior=0.9,
                )
                return


def _find_dictionary(context: RuleContext, node: ast.expr) -> ast.Dict | None:
    """The dictionary display that is given, itself or by a name that the cell assigns and reads once."""
    if isinstance(node, ast.Dict):
        return node
    if isinstance(node, ast.Name) and sum(n.id == node.id for n in context.walk(ast.Name)) == 2:  # read here alone
        for other in ast.walk(context.tree):
            if (
                isinstance(other, ast.Assign)
                and isinstance(other.value, ast.Dict)
                and any(isinstance(t, ast.Name) and t.id == node.id for t in other.targets)
            ):
                return other.value
    return None


def _rewrite_aggregation(context: RuleContext, given: ast.Dict, live: ObjectInfo, inline: bool) -> list[Splice]:
    if any(isinstance(v, ast.Dict) for v in given.values):
        return [
            (*context.span(v), _write_pairs(context, v))
            for v in given.values
            if isinstance(v, ast.Dict) and None not in v.keys
        ]
    if None in given.keys or live.is_a("pandas.DataFrame", "pandas.DataFrameGroupBy"):
        return []
    names = [k.value if isinstance(k, ast.Constant) else None for k in given.keys]
    if inline and all(isinstance(n, str) and n.isidentifier() for n in names):
        start, end = context.span(given)
        text = ", ".join(f"{n!s}={_write_function(context, v)}" for n, v in zip(names, given.values, strict=True))
        return [(start, end, text)]
    return [(*context.span(given), _write_pairs(context, given))]


def _write_pairs(context: RuleContext, given: ast.Dict) -> str:
    parts = [
        f"({context.text(k)}, {_write_function(context, v)})"
        for k, v in zip(given.keys, given.values, strict=True)
        if k is not None
    ]
    return "[" + ", ".join(parts) + "]"


def _write_function(context: RuleContext, node: ast.expr) -> str:
    """A function as it is written; by name where pandas 1 took NumPy's for its own, and the two give different numbers."""
    live = context.describe_all([node])[0] if isinstance(node, ast.Name | ast.Attribute) else None
    own = {"numpy.std": "'std'", "numpy.var": "'var'"}.get(live.path, "") if live is not None else ""
    return own or context.text(node)
