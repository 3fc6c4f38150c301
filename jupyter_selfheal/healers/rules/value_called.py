"""ATT105: an attribute that is a value, called like a method."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._live import chain, describe, spots
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.model import Applicability, Failure, Patch


class ValueCalled(Rule):
    """Read an attribute that is a value without calling it.

    **Failure** `TypeError: 'tuple' object is not callable` at `df.shape()`, `'Index' object is not callable` at `df.columns()`.

    **Fix** The empty parentheses go: `df.shape`.

    **Fix safety** Safe: the attribute of the live object is a value that cannot be called, and the call passes nothing. Silent where
    arguments are given, and for attributes that a cell of the notebook sets.
    """

    code = "ATT105"
    name = "value called like a method"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "The attribute is a value that cannot be called, and nothing was passed to it."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and "object is not callable" in failure.evalue

    def propose(self, scene: Scene) -> Iterator[Patch]:
        for spot in spots(scene, ast.Call):
            call = spot.node
            if not isinstance(call, ast.Call) or call.args or call.keywords or not isinstance(call.func, ast.Attribute):
                continue
            text = chain(call.func, spot.source)
            thing = describe(scene, text) if text else None
            if thing is None or thing.callable or _is_set(scene, call.func.attr):
                continue
            edits = self.replace(scene, spot.cell_id, [(spot.span(call.func)[1], spot.span(call)[1], "")])
            if edits:
                yield self.patch(edits, f"Read `{text}` without calling it", f"`{text}` is a value.", prior=0.85)
            return


def _is_set(scene: Scene, attribute: str) -> bool:
    """True where a cell assigns to an attribute of this name: then a method may be hidden by it."""
    return any(
        isinstance(n, ast.Attribute) and n.attr == attribute and isinstance(n.ctx, ast.Store)
        for cell in scene.notebook.cells
        if cell.kind == "code"
        for n in ast.walk(src.parse(scene.source_of(cell.id)) or ast.Module([], []))
    )
