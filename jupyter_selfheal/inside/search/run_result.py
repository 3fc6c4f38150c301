"""What came of one run: how it ended, which checks passed, and when more of them would be no news."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

OK, TIME, DEEP = "ok", "time", "deep"


class Enough(BaseException):
    """So many checks failed that the candidate is no improvement."""


@dataclass(frozen=True, slots=True)
class Decided:
    """``after`` so many checks nothing that follows is news: each of those that failed before has run, and all others are ``known`` to pass
    (a mask). Where none of them passes now, no fewer than ``raised`` raise an error, and the same name is ``missing``, the candidate is no
    improvement."""

    after: int
    known: int = 0
    raised: int = 0
    missing: int = 0


NEVER_DECIDED = Decided(0)


@dataclass(frozen=True, slots=True)
class Result:
    """How many checks failed and passed, and how the run ended: ok, time, deep (recursion) or error.

    ``mask`` has a bit for each check that passed, in the order in which they ran; ``steps`` is what the run counts, and
    ``cut`` how many of the checks that failed did so because they did not come to an end, ``raised`` how many because of an exception.
    ``missing`` stands for the first name or attribute that a check did not find (0: none).
    """

    failed: int
    passed: int
    status: str = OK
    mask: int = 0
    steps: int = 0
    cut: int = 0
    raised: int = 0
    missing: int = 0

    def list_fields(self) -> list[Any]:
        """What one is made of again, in the order of its fields: ``astuple`` of dataclasses takes as long as a run."""
        return [self.failed, self.passed, self.status, self.mask, self.steps, self.cut, self.raised, self.missing]

    @property
    def plausible(self) -> bool:
        return self.failed == 0 and self.passed > 0 and self.status == OK

    def finds_name(self, before: int) -> bool:
        """Whether a name that was missing is missing no longer."""
        return before != 0 and self.missing != before


def find_last_failing(base: Result) -> int:
    """How many checks have run when all those have that failed."""
    return ((1 << (base.failed + base.passed)) - 1 & ~base.mask).bit_length()
