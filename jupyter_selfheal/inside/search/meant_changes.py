"""Which changes of a reading speak for themselves: without them the cell fails, or does what nobody means. The others are guesses that the output is right with."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import Change

NEEDED = frozenset({"name", "failing", "whole"})
"""Kinds of changes without which a cell mostly fails."""


def is_meant(change: Change, fails_without: bool, fails_with: Callable[[Sequence[Edit]], bool]) -> bool:
    """Whether a change mends what nobody means, so that more speaks for it than the output.

    ``fails_without``: the cell raises an error without the change. ``fails_with`` says whether it does with other edits: what is read is meant as a
    whole number where no other number does (``range(n)``), as the next one may have a point.
    """
    if change.kind in ("name", "senseless"):
        return True
    if not fails_without or change.kind not in NEEDED:
        return False
    floats = [(start, end, re.sub(r"^int\b", "float", new)) for start, end, new in change.edits]
    return change.kind == "failing" or fails_with(floats)


def describe_guess(words: str) -> str:
    """What may be meant as well: the cell without the change."""
    return f'without "{words}" the cell parses too, and prints something else'


def writes_datum(source: str, change: Change) -> bool:
    """Whether all that a change does is to give a variable another literal."""
    if len(change.edits) != 1:
        return False
    start, end, new = change.edits[0]
    before = source[source.rfind("\n", 0, start) + 1 : start]
    is_whole = re.fullmatch(r"\s*\w+ *= *", before) is not None and source[end : end + 1] in ("\n", "")
    return is_whole and re.fullmatch(r"[-\d.]+|'.*'|\".*\"", new) is not None
