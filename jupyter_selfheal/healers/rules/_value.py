"""Typed questions about values at the failure: texts, databases, what a library takes."""

from __future__ import annotations

from collections.abc import Iterable

from jupyter_selfheal.healers.rules._rule import Scene
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import JSON


def ask(scene: Scene, question: str, **argument: JSON) -> JSON:
    """The answer to one question of :data:`jupyter_selfheal.inside.probes.cell_values.QUESTIONS`, or None where it cannot be answered."""
    cell_id, _, line = scene.place()
    own = [f for f in scene.failure.frames if f.cell_id == cell_id and f.line == line]
    place: JSON = [own[-1].function if own else "<module>", line]
    return scene.facts.ask(probe_source("probes.cell_values"), {"question": question, "place": place, **argument})


def literal_in(scene: Scene, expression: str) -> str:
    """The type (``dict``, ``list`` …) of the Python literal that a text writes; empty where it is none."""
    found = ask(scene, "literal", expression=expression)
    return found if isinstance(found, str) else ""


def formats_of(scene: Scene, expression: str, formats: Iterable[str]) -> list[str]:
    """Which formats of dates fit every text that an expression is or holds."""
    return _names(ask(scene, "formats", expression=expression, formats=list(formats)))


def tables_of(scene: Scene) -> dict[str, list[str]]:
    """Tables of the open SQLite connections → their columns."""
    found = ask(scene, "tables")
    return {k: _names(v) for k, v in found.items()} if isinstance(found, dict) else {}


def properties_of(scene: Scene, name: str) -> list[str]:
    """Keywords that a class of Matplotlib takes (``Line2D``: color, linewidth …)."""
    return _names(ask(scene, "properties", name=name))


def _names(raw: JSON) -> list[str]:
    return [n for n in raw if isinstance(n, str)] if isinstance(raw, list) else []
