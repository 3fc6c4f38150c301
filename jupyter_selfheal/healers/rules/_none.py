"""Failures because something is None, and what is None in them."""

from __future__ import annotations

import ast

from jupyter_selfheal.healers.rules._live import survey
from jupyter_selfheal.healers.rules._rule import Scene, nodes_on_line
from jupyter_selfheal.model import Failure


def is_about_none(failure: Failure) -> bool:
    """True for the messages that name ``NoneType`` (or ``NoneType`` by its conversion)."""
    return "NoneType" in failure.evalue and failure.ename in ("AttributeError", "TypeError")


def none_names(scene: Scene) -> tuple[str, ...]:
    """Global names that are None and that the failing line reads, in order of appearance."""
    live = survey(scene)
    _, source, line = scene.place()
    node = scene.failing_statement()
    if scene.place()[0] != scene.failure.cell_id or node is None:
        found = [n.id for n in nodes_on_line(source, line) if isinstance(n, ast.Name)]
    else:
        found = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return tuple(n for n in dict.fromkeys(found) if live.names.get(n, ("",))[0] == "NoneType")
