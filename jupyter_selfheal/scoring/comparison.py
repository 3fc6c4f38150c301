"""How the output of a cell compares with the stored one: the one rule for outputs (docs/scoring.md)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from jupyter_selfheal.scoring.output_text import (
    is_number,
    split_tokens,
)

CONSTANTS = frozenset({"True", "False", "None"})
_COMMONPLACE = CONSTANTS | {"0", "0.0", "1", "1.0"}
"""What alone any program soon gives."""


class Match(StrEnum):
    """How an output compares with the stored one: the one rule for outputs (docs/scoring.md)."""

    NOT_ASKED = "nothing to compare"
    """Nothing is stored that could decide, or the cell's markers say so."""
    SAME = "same"
    FORM = "differs in form only"
    VALUE = "differs in value"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the outputs of a cell compare with the stored ones.

    ``similarity`` (0–1) is the share of equal tokens among those that the cell computed (of all where none was); ``weight`` the
    number of tokens that the stored output pins down, ``computed`` those of them that the cell must have computed; ``worded`` says
    that nothing differs but numbers, ``built`` that the same values are shown in one collection that is not written so in the cell. ``stored`` and ``got`` are the texts to show side by side.
    """

    match: Match
    similarity: float = 1.0
    weight: int = 0
    stored: str = ""
    got: str = ""
    computed: int = 1
    worded: bool = False
    built: bool = False

    @property
    def can_decide(self) -> bool:
        """Whether something is stored that could decide."""
        return self.match is not Match.NOT_ASKED

    @property
    def same(self) -> bool:
        """Whether the output is as stored."""
        return self.match is Match.SAME

    @property
    def tells(self) -> bool:
        """Whether it says more of what was computed than nearly any program would give: not ``Done``, and not one ``0`` or ``True`` alone."""
        if self.computed > 1:
            return True
        values = [t for t in split_tokens(self.stored) if is_number(t) or t in CONSTANTS]
        return bool(self.computed) and (len(values) != 1 or values[0] not in _COMMONPLACE)

    @property
    def differs(self) -> bool:
        """Whether it shows another value than the stored one."""
        return self.match is Match.VALUE


NOTHING = Comparison(Match.NOT_ASKED)
