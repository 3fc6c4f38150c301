"""Which reading of a cell that does not parse is meant, where the rules know several and what is expected comes of each."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Applicability, Candidate, Case, FailureKind, Patch, Question

NEAR = 0.15
"""How much less likely (by the rule that knows them) another reading may be and still be meant."""


def ask_about_reading(case: Case, tied: Sequence[Candidate]) -> Question | None:
    """``print(n)`` between two levels, a body of one line or of two: with both the output is right, and nothing says which is meant.

    Asked only of what a rule itself says may be read otherwise; the search compares its own readings before it proposes them.
    """
    if len(tied) < 2 or case.failure.kind is not FailureKind.SYNTAX:
        return None
    best = tied[0].patch
    if best.healer != "rules" or best.applicability is Applicability.SAFE:
        return None
    mine = _read_source(case, best)
    for other in (c.patch for c in tied[1:]):
        theirs = _read_source(case, other)
        near = other.healer == "rules" and abs(other.prior - best.prior) <= NEAR
        if near and src.canonicalise(mine) != src.canonicalise(theirs) and (labels := _name_lines(mine, theirs)):
            answers = {labels[0]: (best.id,), labels[1]: (other.id,)}
            return Question(f"Which is meant: {' or '.join(answers)}?", answers, blocks=True)
    return None


def _read_source(case: Case, patch: Patch) -> str:
    return patch.source_of(case.failure.cell_id, case.failure.source)


def _name_lines(one: str, other: str) -> tuple[str, str] | None:
    """The first line in which two readings differ, in the words of each: its text, or how far it stands to the right."""
    for mine, theirs in zip(one.split("\n"), other.split("\n"), strict=False):
        if mine.strip() != theirs.strip():
            return f"`{mine.strip()[:60]}`", f"`{theirs.strip()[:60]}`"
        if mine != theirs:
            widths = (len(text) - len(text.lstrip()) for text in (mine, theirs))
            first, second = (f"`{mine.strip()[:60]}` behind {n} blanks" for n in widths)
            return first, second
    return None
