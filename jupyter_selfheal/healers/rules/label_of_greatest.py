"""PDA179: a row asked for by the greatest value, not by its label."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

LABEL = {"max": "idxmax", "min": "idxmin"}
TABLES = ("DataFrame", "Series", "GeoDataFrame")


class LabelOfGreatest(Rule):
    """Find the row of the greatest value, or of the smallest, by its label.

    **Failure** `KeyError: 8` at `sales.loc[sales["sold"].max(), "town"]`, where no row has that label.

    **Fix** `sales.loc[sales["sold"].idxmax(), "town"]`.

    **Fix safety** Unsafe: where several rows have the value, it gives the first. Silent where the greatest has a name of its own, and where it is asked of other values than the table's own.
    """

    code = "PDA179"
    name = "greatest value for its label"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError"})
    applicability = Applicability.UNSAFE
    why = "Several rows may have that value, of which this is the first."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            if not (isinstance(node.value, ast.Attribute) and node.value.attr in ("loc", "at")):
                continue
            key = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            table = context.read_plain_chain(node.value.value)
            match key:
                case ast.Call(ast.Attribute(of, "max" | "min" as word) as method, [], []) if table is not None:
                    is_own = context.text(of).startswith((f"{table}[", f"{table}.")) or context.text(of) == table
                    live = context.describe(table)
                    if not is_own or live is None or live.type not in TABLES:
                        return
                    yield self.patch(
                        context.replace_here((*context.find_attribute_span(method), LABEL[word])),
                        f"Use `{LABEL[word]}`",
                        f"`{word}` gives the value, and `{node.value.attr}` takes the label of its row.",
                        prior=0.85,
                    )
                    return
