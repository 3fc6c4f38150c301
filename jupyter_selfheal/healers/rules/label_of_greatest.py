"""PDA179: a row asked for by the greatest value, not by its label."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import find_attribute_span
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.inside.tree_names import is_name
from jupyter_selfheal.model import Applicability, Patch

LABEL = {"max": "idxmax", "min": "idxmin"}
TABLES = ("DataFrame", "Series", "GeoDataFrame")

OF_PLACE = {"argmax": "idxmax", "argmin": "idxmin"}
"""What gives the label where the other gives the place."""
PLACED = frozenset({"iloc", "iat", "index", "values", "array", "to_numpy", "tolist"})
"""What takes a place in its brackets."""
SHOWING = frozenset({"print", "display", "str", "repr"})


class LabelOfGreatest(Rule):
    """Find the row of the greatest value, or of the smallest, by its label.

    **Failure** `KeyError: 8` at `sales.loc[sales["sold"].max(), "town"]`, where no row has that label, or at `sales.loc[sales["sold"].argmax()]`;
    `KeyError: 2` at `totals[best]`, where a cell above has `best = totals.argmax()`.

    **Fix** `sales.loc[sales["sold"].idxmax(), "town"]`.

    **Fix safety** Safe for `argmax` of a column, which gave the label before pandas 1.0 and is no label since. Else unsafe: where several rows have the value, it gives the first. Silent where the greatest has a name of its own, where the place is read as one anywhere (`totals.iloc[best]`, `names[best]` of a list, `best + 1`, `totals[best]` of rows in another order), and where it is asked of other values than the table's own.
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
        if any(_is_taken_for_place(n, name) for n in context.walk_notebook()) or not _are_labels_asked(context, name):
            return
        start, end = find_attribute_span(assignment.source, method)
        is_place = f"({series}).{word}() == {name}"
        has_label = f"({series}).index.is_unique and ({series}).{OF_PLACE[word]}() in ({owner}).index"
        if owner == context.text(node.value):  # `[…]` of a series took places, too, until pandas 3
            has_label += f" and ({series}).index.equals(({owner}).index)"
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
    """``prices.iloc[best]``, ``prices.values[best]``, ``prices[:best]``, ``best + 1``, ``plt.axvline(best)``: who wrote that may know that it is a place."""
    match node:
        case ast.Subscript(ast.Attribute(_, attr) | ast.Call(ast.Attribute(_, attr)), key) if attr in PLACED:
            return any(is_name(n, name) for n in ast.walk(key))
        case ast.BinOp(left=one, right=other):
            return is_name(one, name) or is_name(other, name)
        case ast.Compare(left=one, comparators=others):
            return any(is_name(n, name) for n in (one, *others))
        case ast.Slice(lower=lower, upper=upper):
            return is_name(lower, name) or is_name(upper, name)
        case ast.Call(func=func, args=args, keywords=given):
            is_shown = isinstance(func, ast.Name) and func.id in SHOWING
            is_shown = is_shown or (isinstance(func, ast.Attribute) and func.attr == "format")
            return not is_shown and any(is_name(n, name) for n in (*args, *(k.value for k in given)))
    return False


def _are_labels_asked(context: RuleContext, name: str) -> bool:
    """False where the name is an index of anything that has no labels: ``names[best]`` of a list."""
    owners = [
        ast.unparse(n.value).removesuffix(".loc").removesuffix(".at")
        for n in context.walk_notebook()
        if isinstance(n, ast.Subscript) and is_name(n.slice, name)
    ]
    return all(info.is_a("pandas.NDFrame") for info in context.describe_all(list(dict.fromkeys(owners))))
