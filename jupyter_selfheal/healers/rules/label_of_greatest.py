"""PDA179: a row asked for by the greatest value, not by its label."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

LABEL = {"max": "idxmax", "min": "idxmin"}
TABLES = ("DataFrame", "Series", "GeoDataFrame")

OF_PLACE = {"argmax": "idxmax", "argmin": "idxmin"}
"""What gives the label where the other gives the place."""


class LabelOfGreatest(Rule):
    """Find the row of the greatest value, or of the smallest, by its label.

    **Failure** `KeyError: 8` at `sales.loc[sales["sold"].max(), "town"]`, where no row has that label, or at `sales.loc[sales["sold"].argmax()]`.

    **Fix** `sales.loc[sales["sold"].idxmax(), "town"]`.

    **Fix safety** Safe for `argmax` of a column, which gave the label before pandas 1.0 and is no label since. Else unsafe: where several rows have the value, it gives the first. Silent where the greatest has a name of its own, and where it is asked of other values than the table's own.
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
                case ast.Call(ast.Attribute(of, "argmax" | "argmin" as word) as method, [], []):
                    if context.describe_all([of], calls=True)[0].is_a("pandas.Series"):
                        yield self.patch(
                            context.replace_here((*context.find_attribute_span(method), OF_PLACE[word])),
                            f"Use `{OF_PLACE[word]}`",
                            f"`{word}` gives the place since pandas 1.0, and `{node.value.attr}` takes the label, which it gave before.",
                            applicability=Applicability.SAFE,
                            why="The row's label is what the indexer takes (https://pandas.pydata.org/docs/whatsnew/v1.0.0.html).",
                            prior=0.93,
                        )
                    return
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
