"""What the checks share: how a failure is left alone, and where it is."""

from __future__ import annotations

from typing import Protocol

from jupyter_selfheal.healers.rules._rule import Scene
from jupyter_selfheal.model import Cell, Diagnosis, Locus


class Remedies(Protocol):
    """Whoever knows whether the notebook itself can be mended."""

    def has_remedy(self, scene: Scene) -> bool: ...

    def has_safe_remedy(self, scene: Scene) -> bool: ...


def left_alone(
    cause: str, reason: str, advice: str, locus: Locus = Locus.ENVIRONMENT, confidence: int = 95
) -> Diagnosis:
    return Diagnosis(cause=cause, locus=locus, confidence=confidence, leave_alone=reason, advice=advice)


def cell_of(scene: Scene) -> Cell:
    at = scene.notebook.index(scene.failure.cell_id)
    return scene.notebook.cells[at] if at >= 0 else Cell(scene.failure.cell_id, scene.source)


def line_of(scene: Scene) -> str:
    _, source, line = scene.place()
    lines = source.splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else source
