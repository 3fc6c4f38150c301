"""A slip that is mended in all its places, of which one alone meets every check: the checks say nothing for the others."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_selfheal.inside.search.candidates import Candidate

NEEDLESS = 0.5
"""What a slip counts of one of its places that meets the checks by itself."""


def weigh_needless_places(plausible: Sequence[Candidate]) -> None:
    """``month >= name`` beside ``count >= 1``, for ``==`` in both, where ``count >= 1`` alone meets the checks, is less likely than that by itself, and no
    slip that all checks speak for: it counts as several changes.

    Where several functions have the slip, the places of one are weighed against each other: the sibling may have it, too, and not be checked.
    """
    single = [c for c in plausible if len(c.texts) == 1 and c.spliced and not c.follows]
    for slip in [c for c in plausible if c.is_slip]:
        for part in single:
            unit = next(iter(part.texts))
            edits, own = set(slip.spliced.get(unit, ())), set(part.spliced.get(unit, ()))
            if own < edits:
                slip.weight, slip.is_slip = min(slip.weight, NEEDLESS * part.weight), False
