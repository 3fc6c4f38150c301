"""Patches that a coding agent wrote, put to the user like any other healer's."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_selfheal.model import Attempt, Case, Cost, Patch
from jupyter_selfheal.ports import Answer, Facts, Starts
from jupyter_selfheal.registry import AGENT


class GivenPatches:
    """Answers once, with what it was given. It claims nothing: its patches are trusted as far as their trials go."""

    name = AGENT
    paid = False

    def __init__(self, patches: Sequence[Patch]) -> None:
        self._patches = tuple(patches)

    def worst_case(self, case: Case, history: Sequence[Attempt]) -> Cost:
        """Nothing."""
        return Cost()

    def propose(self, case: Case, starts: Starts, facts: Facts, history: Sequence[Attempt]) -> Answer:
        """The given patches, for as long as none of them was tried."""
        known = {attempt.patch.id for attempt in history}
        return Answer(tuple(patch for patch in self._patches if patch.id not in known))
