"""TYP106: a list as a dictionary's key or a set's member."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules._live import Spot, chain, describe, spots
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.model import Applicability, Patch

FROZEN = {"list": "tuple", "set": "frozenset", "ndarray": "tuple"}


class Unhashable(Rule):
    """Use a tuple as key or member.

    **Failure** `TypeError: unhashable type: 'list'` at `d[[1, 2]]`, `seen.add(row)`, `{[1]: 2}`, `set(rows)`.

    **Fix** A literal `[1, 2]` becomes `(1, 2)`; a variable `tuple(row)`; members of `set(rows)` become tuples; a set becomes a
    `frozenset`.

    **Fix safety** Safe: only what can be hashed can be a key, and the tuple of the same items is the same key.
    """

    code = "TYP106"
    name = "unhashable key or member"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "A tuple of the same items is the key that the list was meant to be."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        found = re.search(r"unhashable type: '(\w+)'", scene.failure.evalue)
        if not found or found[1] not in FROZEN:
            return
        for spot in spots(scene, ast.Subscript, ast.Call, ast.Dict, ast.Set, ast.Compare):
            for node in _keys(spot.node):
                text = _hashable(scene, spot, node, found[1])
                if text:
                    yield self.patch(
                        self.replace(scene, spot.cell_id, [(*spot.span(node), text)]),
                        f"Use `{text}` as key",
                        f"A `{found[1]}` can change and is no key.",
                        prior=0.88,
                    )
                    return


def _keys(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Subscript):
        return [node.slice]
    if isinstance(node, ast.Dict):
        return [k for k in node.keys if k is not None]
    if isinstance(node, ast.Set):
        return list(node.elts)
    if isinstance(node, ast.Compare):
        return [node.left]
    return list(node.args) if isinstance(node, ast.Call) else []


def _hashable(scene: Scene, spot: Spot, node: ast.expr, kind: str) -> str:
    text = spot.text(node)
    if kind == "list" and isinstance(node, ast.List):
        return f"({text[1:-1].strip()},)" if len(node.elts) == 1 else f"({text[1:-1]})"
    if isinstance(node, ast.Set) and kind == "set":
        return f"frozenset({text})"
    name = chain(node, spot.source)
    thing = describe(scene, name) if name else None
    if thing is not None and thing.type == kind:
        if isinstance(spot.node, ast.Call) and isinstance(spot.node.func, ast.Name):
            return f"map({FROZEN[kind]}, {name})" if spot.node.func.id in ("set", "frozenset", "Counter") else ""
        return f"{FROZEN[kind]}({name})"
    return ""
