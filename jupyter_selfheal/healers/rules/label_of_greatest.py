"""PDA179: a row asked for by the greatest value, not by its label."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import find_attribute_span
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.model import Applicability, Patch

LABEL = {"max": "idxmax", "min": "idxmin"}
TABLES = ("DataFrame", "Series", "GeoDataFrame")

OF_PLACE = {"argmax": "idxmax", "argmin": "idxmin"}
"""What gives the label where the other gives the place."""
PLACED = frozenset({"iloc", "iat", "index", "values", "array", "to_numpy", "tolist"})
"""What takes a place in its brackets."""


class LabelOfGreatest(Rule):
    """Find the row of the greatest value, or of the smallest, by its label.

    **Failure** `KeyError: 8` at `sales.loc[sales["sold"].max(), "town"]`, where no row has that label, or at `sales.loc[sales["sold"].argmax()]`;
    `KeyError: 2` at `totals[best]`, where a cell above has `best = totals.argmax()`.

    **Fix** `sales.loc[sales["sold"].idxmax(), "town"]`.

    **Fix safety** Safe for `argmax` of a column, which gave the label before pandas 1.0 and is no label since. Else unsafe: where several rows have the value, it gives the first. Silent where the greatest has a name of its own, where the place is read as one anywhere (`totals.iloc[best]`), and where it is asked of other values than the table's own.
    """

    code = "PDA179"
    name = "greatest value for its label"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError"})
    applicability = Applicability.UNSAFE
    why = "Several rows may have that value, of which this is the first."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            asked = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            if isinstance(asked, ast.Name):
                yield from self._mend_above(context, node, asked.id)
                return
            if not (isinstance(node.value, ast.Attribute) and node.value.attr in ("loc", "at")):
                continue
            table = context.read_plain_chain(node.value.value)
            match asked:
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

    def _mend_above(self, context: RuleContext, node: ast.Subscript, name: str) -> Iterator[Patch]:
        """``best = totals.idxmax()`` above ``totals[best]``: the place of the greatest was its label when the notebook was written."""
        assignment = context.find_last_assignment(name)
        if assignment is None or len(context.list_binding_cells(name, context.notebook.cells)) > 1:
            return
        match assignment.node.value:
            case ast.Call(ast.Attribute(of, "argmax" | "argmin" as word) as method, [], []):
                series = src.extract_text(assignment.source, of)
            case _:
                return
        owner = context.text(node.value).removesuffix(".loc").removesuffix(".at")
        series_and_owner = context.describe_all([series, owner])
        if not (series_and_owner[0].is_a("pandas.Series") and series_and_owner[1].is_a("pandas.NDFrame")):
            return
        if any(_is_taken_for_place(n, name) for n in context.walk_notebook()):
            return
        start, end = find_attribute_span(assignment.source, method)
        is_place = f"({series}).{word}() == {name}"
        has_label = f"({series}).index.is_unique and ({series}).{OF_PLACE[word]}() in ({owner}).index"
        if not context.is_true(f"{is_place} and {has_label}"):
            return
        edits = change_and_replay(context, {assignment.cell_id: [(start, end, OF_PLACE[word])]})
        if edits:
            yield self.patch(
                edits,
                f"Use `{OF_PLACE[word]}`",
                f"`{word}` gives the place since pandas 1.0, and `{context.text(node)}` takes the label, which it gave before.",
                applicability=Applicability.SAFE,
                why="No row has the place for its label, and the label that it gave before is one (https://pandas.pydata.org/docs/whatsnew/v1.0.0.html).",
                prior=0.93,
            )


def _is_taken_for_place(node: ast.AST, name: str) -> bool:
    """``prices.iloc[best]``, ``prices.values[best]``: who wrote that knew that it is a place."""
    if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute | ast.Call)):
        return False
    of = node.value.func if isinstance(node.value, ast.Call) else node.value
    is_read = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node.slice))
    return is_read and isinstance(of, ast.Attribute) and of.attr in PLACED
