"""PDA105: rows taken by a date's text without ``.loc``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._edit import Splice
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Site, ask
from jupyter_selfheal.model import Applicability, Patch

DATED = ("DatetimeIndex", "PeriodIndex", "TimedeltaIndex")


class RowByLabel(Rule):
    """Take the rows of a date with ``.loc``.

    **Failure** `KeyError: '2013'` from `df['2013']`, where the table's index is of dates and no column has that name.

    **Fix** `df.loc['2013']`, for every such key of the same table in the cell.

    **Fix safety** Safe: no column has the name, the index is of dates, and rows are what pandas before 2.0 gave.
    """

    code = "PDA105"
    name = "rows by a date's text"
    enames = frozenset({"KeyError"})
    applicability = Applicability.SAFE
    why = "No column has this name and the index is of dates (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        site = Site.of(scene)
        if site is None:
            return
        for node in site.nodes(ast.Subscript):
            if not isinstance(node, ast.Subscript):
                continue
            key = site.live([node.slice], calls=True)[0]
            if not key.text or not key.text[:1].isdigit() or key.text not in scene.failure.evalue:
                continue
            table = ask(site.scene, "columns", expression=site.text(node.value), calls=True)
            if not table or not table["columns"] or key.text in table["columns"] or not table["index"].endswith(DATED):
                continue
            targets = [node, *_alike(site, node, table["columns"])]
            yield self.patch(
                self.replace(scene, site.cell_id, _located(site, targets)),
                f"Write `{site.text(node.value)}.loc[{site.text(node.slice)}]`",
                f"`{site.text(node)}` looks for a column; rows of the date were meant.",
                prior=0.9,
            )
            return


def _alike(site: Site, node: ast.Subscript, columns: list[object]) -> list[ast.Subscript]:
    """Other subscripts of the same table by a date's text."""
    text = site.text(node.value)
    return [
        other
        for other in ast.walk(site.tree)
        if isinstance(other, ast.Subscript)
        and other is not node
        and site.text(other.value) == text
        and isinstance(other.slice, ast.Constant)
        and isinstance(other.slice.value, str)
        and other.slice.value[:1].isdigit()
        and other.slice.value not in columns
    ]


def _located(site: Site, targets: list[ast.Subscript]) -> list[Splice]:
    ends = [src.span(site.source, target.value)[1] for target in targets]
    return [(end, end, ".loc") for end in ends]
