"""A fault that is made on purpose, and what was seen of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of a fault.

    ``right`` says whether that is what had to come of it. ``lost`` names what the user had before and has no longer (the state of
    the kernel, a file, an event of the journal, money beyond the budget). ``orphans`` counts processes that were left running.
    """

    what: str
    right: bool
    lost: tuple[str, ...] = ()
    orphans: int = 0

    @property
    def has_passed(self) -> bool:
        """True where all is as it had to be."""
        return self.right and not self.lost and not self.orphans


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, what must come of it in one sentence, and how it is made.

    ``make`` gets an empty folder that is removed afterwards. ``kind`` is where the fault sits: money, model, service, trial, run.
    """

    name: str
    kind: str
    expected: str
    make: Callable[[Path], Seen]
