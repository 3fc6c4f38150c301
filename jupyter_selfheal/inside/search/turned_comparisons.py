"""Two changes of one comparison that meet the same checks, and are as likely whatever their weights say.

A comparison is turned round, ``<=`` for ``>=``: was it the direction, or were the two branches exchanged? The first is mended by
``>=``, the second by ``>``; they differ where the two sides are equal, and no check that both meet tells which. An equality gets
another number, ``balance == -1`` for ``balance == 0``: ``balance < 0`` holds for that number too, and for all that come after it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from jupyter_selfheal.inside.search.candidates import Candidate

_TURNED = {"<": ((">", ">="), (">=", ">")), ">": (("<", "<="), ("<=", "<"))}
"""By where a comparison pointed: what stands in its place, and the same but for equal sides."""
_LIMITS = ("<", "<=", ">", ">=")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def is_turned_otherwise(one: Candidate, other: Candidate, old_texts: Mapping[int, str]) -> bool:
    """Whether each of two candidates turns the same comparison round, and they differ in equal sides alone."""
    edits = [_find_only_edit(candidate) for candidate in (one, other)]
    if edits[0] is None or edits[1] is None or edits[0][:3] != edits[1][:3]:
        return False
    unit, start, end, new = edits[0]
    old = old_texts[unit][start:end].strip()
    return old in _LIMITS and (new.strip(), edits[1][3].strip()) in _TURNED[old[0]]


def is_limit_instead(one: Candidate, other: Candidate, old_texts: Mapping[int, str]) -> bool:
    """Whether a candidate puts another number into an equality of which the other one makes a limit."""
    edits = [_find_only_edit(candidate) for candidate in (one, other)]
    if edits[0] is None or edits[1] is None or edits[0][0] != edits[1][0]:
        return False
    unit, start, end, new = edits[0]
    _, first, last, sign = edits[1]
    text = old_texts[unit]
    is_number = bool(_NUMBER.fullmatch(text[start:end]) and _NUMBER.fullmatch(new.strip(" ()")))
    is_beside = last <= start and not text[last:start].strip()
    return is_number and is_beside and text[first:last].strip() in ("==", "!=") and sign.strip() in _LIMITS


def _find_only_edit(candidate: Candidate) -> tuple[int, int, int, str] | None:
    """(unit, start, end, new text) of a candidate's edit; None where it has several."""
    edits = [(unit, *edit) for unit, found in candidate.spliced.items() for edit in found]
    return edits[0] if len(edits) == 1 and candidate.edits == 1 else None
