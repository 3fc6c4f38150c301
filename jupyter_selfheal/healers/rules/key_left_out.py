"""KEY126: a column that an earlier step of the same chain left out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import quote_alike
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Applicability, Patch

STEPS = frozenset({"sort_values", "sort_index", "head", "tail", "nlargest", "nsmallest", "query", "copy", "reset_index", "round", "astype", "sample"})  # fmt: skip
"""Methods of a table that keep its columns, and whose rows do not hang on columns that they do not name."""


class KeyLeftOut(Rule):
    """Keep the column of a table by which the same chain groups or sorts it, or that the table was grouped by.

    **Failure** `KeyError: 'region'` at `sales[["day", "amount"]].sort_values("day").groupby("region")`, where `sales` has that column.

    `KeyError: 'region'` at `sums["region"]`, where `sums = sales.groupby("region").sum().reset_index(drop=True)`.

    **Fix** `sales[["day", "amount", "region"]]…`; `….reset_index()`. Where it is sorted by the column, the columns are chosen behind that: `sales.sort_values("region")[["day", "amount"]]`.

    **Fix safety** Safe: the chain begins with that table, or was grouped by the column. Silent where a step between them may hang on which columns there are
    (`dropna`), or reduces them (`groupby`).
    """

    code = "KEY126"
    name = "column that a chain left out"
    enames = frozenset({"KeyError"})
    applicability = Applicability.SAFE
    why = "The table that the chain begins with has the column, and the chain asks for it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        named_all = re.match(r"\"None of \['([^']+)'\] are in the columns", context.failure.evalue)
        key = named_all[1] if named_all else context.failure.evalue.strip("'\"")
        if (kept := self._keep_group(context, key)) is not None:
            yield kept
            return
        for call in context.list_failing_nodes(ast.Call):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            named = [
                n.value
                for g in (*call.args, *(k.value for k in call.keywords))
                for n in ast.walk(g)
                if isinstance(n, ast.Constant)
            ]
            chosen = _find_selection(call.func.value)
            if key not in named or chosen is None or call.func.attr not in ("groupby", "sort_values"):
                continue
            base = context.read_plain_chain(chosen.value)
            keys = context.keys(base) if base else None
            if keys is None or key not in keys.columns:
                return
            columns = chosen.slice
            assert isinstance(columns, ast.List)
            cause = f"`{base}` has the column {key!r}, which `{context.text(columns)}` leaves out."
            if call.func.attr == "groupby":
                end = context.span(columns.elts[-1])[1]
                edits = context.replace_here((end, end, f", {quote_alike(key, context.source)}"))
                yield self.patch(edits, f"Keep the column {key!r}", cause, prior=0.93)
            elif chosen is call.func.value:
                start, end = context.span(chosen.value)[1], context.span(chosen)[1]
                at = context.span(call)[1]
                edits = context.replace_here((start, end, ""), (at, at, context.source[start:end]))
                yield self.patch(edits, f"Sort by {key!r} before the columns are chosen", cause, prior=0.93)
            return

    def _keep_group(self, context: RuleContext, key: str) -> Patch | None:
        """``reset_index(drop=True)`` of what was grouped by the column: its index is the column."""
        asked = [n for n in context.list_failing_nodes(ast.Call, ast.Subscript) if _names_text(n, key)]
        for name in (n for whole in asked for n in ast.walk(whole) if isinstance(n, ast.Name)):
            home = context.find_last_assignment(name.id)
            for call in ast.walk(home.node.value) if home is not None else ():
                match call:
                    case ast.Call(ast.Attribute(made, "reset_index"), [], [ast.keyword("drop", ast.Constant(True))]):
                        grouped = [g for g in ast.walk(made) if isinstance(g, ast.Call) and _names_text(g, key)]
                    case _:
                        continue
                if home is not None and any(read_called_name(g) in ("groupby", "set_index") for g in grouped):
                    start, end = src.find_span(home.source, made)[1], src.find_span(home.source, call)[1]
                    return self.patch(
                        context.replace(home.cell_id, [(start, end, ".reset_index()")]),
                        f"Keep the column {key!r}: `reset_index()`",
                        f"The rows of `{name.id}` belong to {key!r} each, which `drop=True` throws away.",
                        why="The table was grouped by the column, and the cell asks for it.",
                        prior=0.93,
                    )
        return None


def _names_text(node: ast.AST, text: str) -> bool:
    """Whether a call or an index names the text itself, alone or in a list."""
    given = [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []
    given += [node.slice] if isinstance(node, ast.Subscript) else []
    parts = (e for g in given for e in (g.elts if isinstance(g, ast.List | ast.Tuple) else (g,)))
    return any(isinstance(e, ast.Constant) and e.value == text for e in parts)


def _find_selection(node: ast.expr) -> ast.Subscript | None:
    """The columns that are chosen at the beginning of a chain: ``t[["a", "b"]]`` of ``t[["a", "b"]].sort_values("a").head()``."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in STEPS:
        node = node.func.value
    match node:
        case ast.Subscript(slice=ast.List(elts=[_, *_] as elts)) if all(isinstance(e, ast.Constant) for e in elts):
            return node
    return None
