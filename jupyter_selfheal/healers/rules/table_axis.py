"""PDA114: a table's method that went along the rows where the columns were meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._live import keys
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Site
from jupyter_selfheal.model import Applicability, Patch

NO_ATTRIBUTE = re.compile(r"'Series' object has no attribute '(\w+)'")


class TableAxis(Rule):
    """Drop columns as columns, and apply a function of rows to rows.

    **Failure** `KeyError: "['tmp'] not found in axis"` at `df.drop("tmp")`, where `tmp` is a column; `KeyError: 'w'` in the function
    given to `df.apply`, where `w` is a column.

    **Fix** `df.drop(columns="tmp")`; `df.apply(f, axis=1)`.

    **Fix safety** Safe: every name is a column and none is a row's label, so that the other axis can only have been meant.
    """

    code = "PDA114"
    name = "rows taken for columns"
    enames = frozenset({"KeyError", "AttributeError"})
    applicability = Applicability.SAFE
    why = "The names are columns of the live table, and none is a label of a row."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        site = Site.of(scene)
        if site is None:
            return
        if "not found in axis" in scene.failure.evalue:
            yield from self._dropped(site)
        else:
            yield from self._applied(scene)

    def _dropped(self, site: Site) -> Iterator[Patch]:
        for call in site.calls()[:3]:
            if (
                not _is_method(call, "drop")
                or len(call.args) != 1
                or _given(call, "axis", "columns", "index", "labels")
            ):
                continue
            names = _texts(call.args[0])
            if not names or not _are_columns(site, call, names):
                continue
            start = src.span(site.source, call.args[0])[0]
            edits = self.replace(site.scene, site.cell_id, [(start, start, "columns=")])
            yield self.patch(edits, "Drop columns", f"{', '.join(names)}: columns, not labels of rows.", prior=0.9)
            return

    def _applied(self, scene: Scene) -> Iterator[Patch]:
        found = NO_ATTRIBUTE.search(scene.failure.evalue)
        name = found[1] if found else scene.failure.evalue.strip("'\"")
        statement = scene.failing_statement()
        if statement is None or src.is_foreign(scene.source):
            return
        site = Site(scene, scene.failure.cell_id, scene.source, scene.tree, scene.failure.line)
        for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call)):
            if (
                _is_method(call, "apply")
                and call.args
                and not _given(call, "axis")
                and _are_columns(site, call, [name])
            ):
                end = src.span(scene.source, call)[1] - 1
                comma = "" if scene.source[:end].rstrip().endswith(",") else ", "
                edits = self.replace(scene, scene.failure.cell_id, [(end, end, f"{comma}axis=1")])
                yield self.patch(
                    edits, "Apply it to rows", f"`{name}` is a column: the function reads rows.", prior=0.9
                )
                return


def _is_method(call: ast.Call, name: str) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == name


def _given(call: ast.Call, *names: str) -> bool:
    return len(call.args) > 1 or any(k.arg in names or k.arg is None for k in call.keywords)


def _texts(node: ast.expr) -> list[str]:
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    found = [i.value for i in items if isinstance(i, ast.Constant) and isinstance(i.value, str)]
    return found if len(found) == len(items) else []


def _are_columns(site: Site, call: ast.Call, names: list[str]) -> bool:
    assert isinstance(call.func, ast.Attribute)
    found = keys(site.scene, site.text(call.func.value))
    return found is not None and all(n in found.columns and n not in found.index for n in names)
