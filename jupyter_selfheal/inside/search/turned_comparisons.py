"""A comparison that is turned round, ``<=`` for ``>=``: was it the direction, or were the two branches exchanged?

The first is mended by ``>=``, the second by ``>``; they differ where the two sides are equal, and no check that both meet tells which.
"""

from __future__ import annotations

from collections.abc import Mapping

from jupyter_selfheal.inside.search.candidates import Candidate

_TURNED = {"<": ((">", ">="), (">=", ">")), ">": (("<", "<="), ("<=", "<"))}
"""By where a comparison pointed: what stands in its place, and the same but for equal sides."""


def is_turned_otherwise(one: Candidate, other: Candidate, old_texts: Mapping[int, str]) -> bool:
    """Whether each of two candidates turns the same comparison round, and they differ in equal sides alone."""
    edits = [_find_only_edit(candidate) for candidate in (one, other)]
    if edits[0] is None or edits[1] is None or edits[0][:3] != edits[1][:3]:
        return False
    unit, start, end, new = edits[0]
    old = old_texts[unit][start:end].strip()
    return old in ("<", "<=", ">", ">=") and (new.strip(), edits[1][3].strip()) in _TURNED[old[0]]


def _find_only_edit(candidate: Candidate) -> tuple[int, int, int, str] | None:
    """(unit, start, end, new text) of a candidate's edit; None where it has several."""
    edits = [(unit, *edit) for unit, found in candidate.spliced.items() for edit in found]
    return edits[0] if len(edits) == 1 and candidate.edits == 1 else None
