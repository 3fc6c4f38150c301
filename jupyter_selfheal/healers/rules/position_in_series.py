"""PDA104: an integer in brackets that meant a position of a Series."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._edit import Splice
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Site, ask
from jupyter_selfheal.model import Applicability, Patch

LABELLED = ("int64", "int32", "uint64", "float64")


class PositionInSeries(Rule):
    """Take an item of a Series by its position with ``.iloc``.

    **Failure** `KeyError: 0` from `s[0]`, where the index of `s` holds no integers: pandas 3 reads every key as a label.

    **Fix** `s.iloc[0]`, for every integer key of the same Series in the cell.

    **Fix safety** Safe where the live index is not of numbers, because an integer could mean nothing but a position. Unsafe for
    a negative key on an index of numbers (`s[-1]`), which never worked but can mean nothing else. Silent where the number
    may be a label that is missing.
    """

    code = "PDA104"
    name = "position in a Series"
    enames = frozenset({"KeyError", "IndexError"})
    applicability = Applicability.SAFE
    why = "The live index holds no numbers, so that the integer can only be a position (pandas 3.0 release notes)."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        if not scene.failure.evalue.strip().lstrip("-").strip("[]").replace(",", "").replace(" ", "").isdigit():
            return
        site = Site.of(scene)
        if site is None:
            return
        for node in site.nodes(ast.Subscript):
            if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.expr):
                continue
            table = ask(site.scene, "columns", expression=site.text(node.value), calls=True)
            if not table or table["columns"] or not _is_position(site, node.slice):
                continue
            numbers = table["index_dtype"] in LABELLED
            negative = scene.failure.evalue.strip().startswith("-")
            if numbers and not (negative and "RangeIndex" in table["index"]):
                continue
            splices = [s for other in _same(site, node) for s in _indexed(site, other)]
            yield self.patch(
                self.replace(scene, site.cell_id, splices),
                f"Write `{site.text(node.value)}.iloc[{site.text(node.slice)}]`",
                f"`{site.text(node)}` looks for a label; the position was meant.",
                applicability=Applicability.UNSAFE if numbers else Applicability.SAFE,
                why="A negative number is no label of this index." if numbers else self.why,
                prior=0.75 if numbers else 0.9,
            )
            return


def _is_position(site: Site, key: ast.expr) -> bool:
    live = site.live([key], calls=True)[0]
    if live.is_a("builtins.bool"):
        return False
    if live.is_a("builtins.int", "numpy.integer"):
        return True
    return isinstance(key, ast.List) and bool(key.elts) and all(_is_position(site, e) for e in key.elts)


def _same(site: Site, node: ast.Subscript) -> list[ast.Subscript]:
    text = site.text(node.value)
    return [
        n
        for n in ast.walk(site.tree)
        if isinstance(n, ast.Subscript)
        and (
            n is node
            or (
                site.text(n.value) == text
                and isinstance(n.slice, ast.Constant | ast.UnaryOp)
                and _is_position(site, n.slice)
            )
        )
    ]


def _indexed(site: Site, node: ast.Subscript) -> list[Splice]:
    end = src.span(site.source, node.value)[1]
    return [(end, end, ".iloc")]
