"""What the checks share: how a failure is left alone, and where it is."""

from __future__ import annotations

import re
from typing import Protocol

from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.model import Cell, Diagnosis, Locus, Patch, SkipReason

TAG_IT = "Tag the cell `raises-exception` so that nbclient and nbval expect the error too."

TROUBLED = re.compile(
    r"\b(?:todo|fixme|why (?:am|are|do|does|is|this)|no idea|don'?t know|not sure|help|somehow|for some reason|i (?:keep|still|have)|my (?:error|code|bug)|"
    r"fix ?me|fix \w+ later|solved|fixed)\b|\?\?",
    re.IGNORECASE,
)
"""Words of somebody whom an error bothers: it is not shown to others."""


class Remedies(Protocol):
    """Whoever knows whether the notebook itself can be mended."""

    def has_remedy(self, context: RuleContext) -> bool: ...

    def has_safe_remedy(self, context: RuleContext) -> bool: ...

    def list_remedies(self, context: RuleContext) -> tuple[Patch, ...]: ...


def leave_alone(
    cause: str, reason: SkipReason, advice: str, locus: Locus = Locus.ENVIRONMENT, confidence: int = 95
) -> Diagnosis:
    """What must be left alone, why, and what a person can do."""
    return Diagnosis(cause=cause, locus=locus, confidence=confidence, skip_reason=reason, advice=advice)


def find_cell(context: RuleContext) -> Cell:
    """The failing cell as the notebook has it."""
    at = context.notebook.index(context.failure.cell_id)
    return context.notebook.cells[at] if at >= 0 else Cell(context.failure.cell_id, context.failure.source)


def read_line(context: RuleContext) -> str:
    """The line that failed; the whole source where it is not among its lines."""
    _, source, line = context.location
    lines = source.splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else source
