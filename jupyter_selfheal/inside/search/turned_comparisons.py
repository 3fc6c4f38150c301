"""Two changes of one comparison that meet the same checks, and are as likely whatever their weights say.

A comparison is turned round, ``<=`` for ``>=``: was it the direction, or were the two branches exchanged? The first is mended by
``>=``, the second by ``>``; they differ where the two sides are equal, and no check that both meet tells which. An equality gets
another number, ``balance == -1`` for ``balance == 0``: ``balance < 0`` holds for that number too, and for all that come after it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jupyter_selfheal.inside.search.candidates import Candidate

_UP, _DOWN = ((">", ">="), (">=", ">")), (("<", "<="), ("<=", "<"))
_TURNED: Mapping[str, tuple[tuple[str, str], ...]] = {"<": _UP, "<=": _UP, ">": _DOWN, ">=": _DOWN, "==": (), "!=": ()}
"""By how a comparison asked: what stands in its place where it is turned round, and the same but for equal sides."""
_LIMITS = ("<", "<=", ">", ">=")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


Place = tuple[int, int]
"""A unit, and where in its text."""
Edit = tuple[int, int, int, str]
"""A unit, from where to where, and what stands there then."""


def list_turned(candidates: Sequence[Candidate], old_texts: Mapping[int, str]) -> list[tuple[int, int]]:
    """Pairs of candidates by their places: the first turns a comparison round, or puts another number into an equality, and the second changes the
    same comparison so that it is as likely.

    Edits are brought together by where they stand, so that no pair is looked at whose edits are of two comparisons.
    """
    signs, numbers = dict[Place, list[tuple[int, Edit]]](), dict[Place, list[int]]()
    for n, candidate in enumerate(candidates):
        if (edit := _find_only_edit(candidate)) is None:
            continue
        unit, start, end, new = edit
        text = old_texts[unit]
        if text[start:end].strip() in _TURNED and new.strip() in _TURNED:
            behind = end + len(text[end:]) - len(text[end:].lstrip())
            signs.setdefault((unit, behind), []).append((n, edit))
        elif _NUMBER.fullmatch(text[start:end]) and _NUMBER.fullmatch(new.strip(" ()")):
            numbers.setdefault((unit, start), []).append(n)
    pairs = []
    for place, edits in signs.items():
        limits = [(m, edit) for m, edit in edits if edit[3].strip() in _LIMITS]
        pairs += [(k, m) for k, one in edits for m, other in limits if _is_turned_otherwise(one, other, old_texts)]
        equalities = [m for m, edit in limits if _read_old(edit, old_texts) in ("==", "!=")]
        pairs += [(k, m) for k in numbers.get(place, ()) for m in equalities]
    return pairs


def _is_turned_otherwise(one: Edit, other: Edit, old_texts: Mapping[int, str]) -> bool:
    """Whether both turn the same limit round, and they differ in equal sides alone."""
    old = _read_old(one, old_texts)
    return one[:3] == other[:3] and old in _LIMITS and (one[3].strip(), other[3].strip()) in _TURNED[old]


def _read_old(edit: Edit, old_texts: Mapping[int, str]) -> str:
    unit, start, end, _ = edit
    return old_texts[unit][start:end].strip()


def _find_only_edit(candidate: Candidate) -> Edit | None:
    """(unit, start, end, new text) of a candidate's edit; None where it has several."""
    edits = [(unit, *edit) for unit, found in candidate.spliced.items() for edit in found]
    return edits[0] if len(edits) == 1 and candidate.edits == 1 else None
