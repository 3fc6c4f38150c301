"""ATT101: an attribute or method that is misspelt."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._edit import Splice, attribute_name_span
from jupyter_selfheal.healers.rules._live import Thing, chain, describe, is_call, spots, survey
from jupyter_selfheal.healers.rules._names import is_plain_slip
from jupyter_selfheal.healers.rules._near import distance, nearest, plain
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.model import Applicability, Patch


class MisspeltAttribute(Rule):
    """Use the attribute that the live object has.

    **Failure** `AttributeError`, where `dir()` of the very object that failed holds a name that differs in case, an
    underscore or a slip of the keys.

    **Fix** The attribute is spelt as the object has it, wherever the cell misspells it on the same expression.

    **Fix safety** Safe where it is one slip in five letters (or case and punctuation only) and only one attribute is so
    near; a method stays a method. Unsafe otherwise: what looks like a slip may be a method of another type or release.
    """

    code = "ATT101"
    name = "misspelt attribute"
    enames = frozenset({"AttributeError"})
    applicability = Applicability.UNSAFE
    why = "The attribute is near, but the one written may belong to another type or release."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        live = survey(scene)
        wrong, owner = live.attribute, live.owner
        if not wrong or owner is None or owner.is_none or wrong in owner.attributes:
            return  # an attribute that the object says it has (`.str` of numbers) is not misspelt
        spot = next((s for s in spots(scene, ast.Attribute) if getattr(s.node, "attr", "") == wrong), None)
        if spot is None or not isinstance(spot.node, ast.Attribute):
            return
        near = nearest(wrong, [a for a in owner.attributes if not a.startswith("_") or wrong.startswith("_")])
        for word in near if len(near) <= 2 else ():
            if not _can_be_used_so(scene, spot.source, spot.node, word):
                continue
            sure = len(near) == 1 and _is_slip(wrong, word, owner)
            yield self.patch(
                self.replace(scene, spot.cell_id, _spelt(spot.source, spot.node, word)),
                f"Write `.{word}` for `.{wrong}`",
                f"{_kind(owner)} has no `{wrong}`, but has `{word}`.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why="The object itself has one attribute that differs by a slip." if sure else self.why,
                prior=0.75 if sure else 0.45,
            )


def _is_slip(wrong: str, right: str, owner: Thing) -> bool:
    if plain(wrong) == plain(right):
        return True
    own = owner.module in ("__main__", "builtins") and not owner.is_module
    return is_plain_slip(wrong, right) and (own or (min(len(wrong), len(right)) >= 5 and distance(wrong, right) == 1))


def _can_be_used_so(scene: Scene, source: str, node: ast.Attribute, word: str) -> bool:
    """A called attribute must be callable, where that can be seen."""
    called = is_call(source, node)
    owner = chain(node.value, source)
    if not called or not owner:
        return True
    thing = describe(scene, f"{owner}.{word}")
    return thing is None or thing.callable


def _spelt(source: str, node: ast.Attribute, word: str) -> list[Splice]:
    owner = src.text_of(source, node.value)
    return [
        (*attribute_name_span(source, n), word)
        for n in src.walk(source)
        if isinstance(n, ast.Attribute) and n.attr == node.attr and src.text_of(source, n.value) == owner
    ]


def _kind(owner: Thing) -> str:
    if owner.is_module:
        return f"Module `{owner.name}`"
    return f"The class `{owner.name}`" if owner.is_class else f"A `{owner.type}`"
