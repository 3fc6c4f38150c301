"""Which changes of a reading speak for themselves: without them the cell fails, or does what nobody means. The others are guesses that the output is right with."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import Change

COUNTED_ON = "a variable is to count on"
"""The words of ``total =+ 1`` as ``total += 1``: nobody means the former, though it runs."""
_NAMES = re.compile(r"` is (?:read as )?`|` is what is read$|` is not imported$")
"""In the words of a change that gives a name that nothing binds: the cell fails without it, whatever it prints."""
_NEEDED = re.compile(rf"{_NAMES.pattern}|^what is read is no |^a number is added to a text$")
"""In the words of those without which a cell mostly fails, too."""
_MEANT = re.compile(rf"{_NAMES.pattern}|^{COUNTED_ON}$|^`\w+` is not called$")
"""In the words of those without which a cell fails or does what nobody means: ``if letter.isupper:`` always holds."""
_AS_NUMBER = re.compile(r"^what is read is no (whole )?number yet$")
_MEANT_OF_FAILING = re.compile(rf"{_AS_NUMBER.pattern}|^a number is added to a text$")
"""In the words of those that are meant where the cell raises an error without them."""


def are_needed(words: Sequence[str]) -> bool:
    """Whether a cell mostly fails without any of the changes that say so."""
    return all(map(_NEEDED.search, words))


def is_meant(change: Change, fails_without: bool, fails_with: Callable[[Sequence[Edit]], bool]) -> bool:
    """Whether a change mends what nobody means, so that more speaks for it than the output.

    ``fails_without``: the cell raises an error without the change. ``fails_with`` says whether it does with other edits: what is read is meant as a
    whole number where no other number does (``range(n)``), as the next one may have a point.
    """
    if _MEANT.search(change.words):
        return True
    if not fails_without or not (said := _MEANT_OF_FAILING.search(change.words)):
        return False
    return not said[1] or fails_with(
        [(start, end, re.sub(r"^int\b", "float", new)) for start, end, new in change.edits]
    )


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
