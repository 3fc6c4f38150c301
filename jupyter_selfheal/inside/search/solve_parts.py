"""Several functions, each with checks of its own: one is mended after the other, those first that call none of the others.

All edits of all functions at once are far too many. But what the checks of one function say does not hang on the others: as soon as all of
its checks pass it is left as it is, and the next one is gone on with, which may call it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType

from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.combine_changes import Frontier
from jupyter_selfheal.inside.search.confined_forks import run_in_fork
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import Result

WAIT = 30.0
"""Seconds on the clock for looking at what the checks run."""
KEPT, ALIKE = 4, 2
"""States that are gone on from in the next function, and those of them under which the same checks pass."""
EACH, PAIRS = 1_200, 800
"""Changes that are tried on top of these for one function, and pairs of likely ones."""


def mend_parts(
    frontier: Frontier,
    runner: Runner,
    base: Result,
    steps: int,
    partial: Sequence[Candidate],
    screen: Callable[[Iterator[Candidate], int], bool],
) -> None:
    """Mend the parts of a program one after the other."""
    PartSolver(frontier, base, partial, screen).solve(find_parts(runner, base, steps))


@dataclass(frozen=True, slots=True)
class Part:
    """Checks (a mask, in the order in which they run) and the statements that may be changed for them: none that earlier parts have."""

    checks: int
    units: frozenset[int]


def find_parts(runner: Runner, base: Result, steps: int) -> list[Part]:
    """The parts of a program in the order in which they are mended; nothing where fewer than two of them fail."""
    program = runner.program
    files = {f"<selfheal:{n}>": n for n, unit in enumerate(program.units) if unit.mutable}
    if len(files) < 2:
        return []

    def look() -> list[list[int]]:
        ran: list[list[int]] = []
        here: set[int] = set()

        def note_call(frame: FrameType, event: str, arg: object) -> None:
            code = frame.f_code
            if code.co_filename in files and code.co_name != "<module>":
                here.add(files[code.co_filename])

        def end_check(passed: bool) -> None:
            ran.append(sorted(here))
            here.clear()

        runner.on_record = end_check
        sys.settrace(note_call)
        try:
            runner.run({}, steps)
        finally:
            sys.settrace(None)
        return ran

    kept = runner.on_record
    ran = run_in_fork(look, WAIT)
    runner.on_record = kept  # for where there are no forks
    if not isinstance(ran, list) or len(ran) != base.failed + base.passed:
        return []
    return _group_checks([frozenset(units) for units in ran], base.mask)


def _group_checks(ran: Sequence[frozenset[int]], passing: int) -> list[Part]:
    masks: dict[frozenset[int], int] = {}
    for n, units in enumerate(ran):
        masks[units] = masks.get(units, 0) | 1 << n
    parts: list[Part] = []
    known: frozenset[int] = frozenset()
    for units in sorted(masks, key=lambda u: (len(u), sorted(u))):
        parts.append(Part(masks[units], units - known or units))
        known |= units
    return parts if sum(bool(part.checks & ~passing) for part in parts) > 1 else []


class PartSolver:
    """Mends the parts of a program. ``screen`` runs candidates, so many at most, and says whether one passes all checks; ``partial`` are
    those that are known to gain something."""

    def __init__(
        self,
        frontier: Frontier,
        base: Result,
        partial: Sequence[Candidate],
        screen: Callable[[Iterator[Candidate], int], bool],
    ) -> None:
        self.frontier, self.base, self.partial, self.screen = frontier, base, partial, screen
        self.units: frozenset[int] = frozenset()
        """Those of the parts so far."""

    def solve(self, parts: Sequence[Part]) -> None:
        """Go through the parts for as long as there is a state under which all checks of those before pass."""
        states: list[Candidate | None] = [None]
        solved = 0
        for part in parts:
            self.units |= part.units
            found = self._mend(part, solved, states)
            if not found:
                return
            states, solved = found, solved | part.checks

    def _mend(self, part: Part, solved: int, states: Sequence[Candidate | None]) -> list[Candidate | None]:
        """The states under which the checks of this part pass too; nothing where there are none, or all checks pass."""
        wanted = solved | part.checks
        fits = [s for s in states if not wanted & ~(s.result if s else self.base).mask]
        if fits:
            return fits
        begun = [s for s in states if s]
        tries: list[Callable[[], Iterator[Candidate]]] = [
            lambda: self._unite_known(part, begun),
            lambda: self.frontier.expand(begun, part.units),
            lambda: self.frontier.expand(self._list_nearest(part, solved), part.units),
            lambda: self._pair(part, states),
            lambda: self._write_anew(part, states),
        ]
        if not begun and (known := self._choose(wanted)):
            return known
        for attempt in tries:
            if self.screen(attempt(), EACH * KEPT):
                return []
            if chosen := self._choose(wanted):
                return chosen
        return []

    def _choose(self, wanted: int) -> list[Candidate | None]:
        """The likeliest states under which these checks pass, few of those under which the same ones do."""
        fits = [c for c in self.partial if not wanted & ~c.result.mask and c.texts.keys() <= self.units]
        return list(_take_unlike(sorted(fits, key=lambda c: (-c.weight, c.rank)), KEPT))

    def _list_nearest(self, part: Part, solved: int) -> list[Candidate]:
        """The states under which most checks of the part pass, and all of those before it."""
        near = [
            c
            for c in self.partial
            if not solved & ~c.result.mask and c.texts.keys() <= self.units and c.texts.keys() & part.units
        ]
        near.sort(key=lambda c: (-(c.result.mask & part.checks).bit_count(), -c.weight, c.rank))
        return list(_take_unlike(near, 2 * KEPT))

    def _unite_known(self, part: Part, states: Sequence[Candidate]) -> Iterator[Candidate]:
        """What is known to mend the part by itself, on top of each state."""
        alone = [
            c for c in self.partial if not part.checks & ~c.result.mask and c.texts.keys() <= part.units and c.spliced
        ]
        alone.sort(key=lambda c: (-c.weight, c.rank))
        for state in states:
            for other in alone[:KEPT]:
                if state.spliced and (united := self.frontier.unite_candidates((state, other))) is not None:
                    yield united

    def _pair(self, part: Part, states: Sequence[Candidate | None]) -> Iterator[Candidate]:
        for state in states[:ALIKE]:
            yield from self.frontier.pair_likeliest(PAIRS, part.units, state)

    def _write_anew(self, part: Part, states: Sequence[Candidate | None]) -> Iterator[Candidate]:
        for state in states[:1]:
            yield from self.frontier.maker.make_new_bodies(part.units, state)


def _take_unlike(states: Sequence[Candidate], most: int) -> Iterator[Candidate]:
    taken: dict[int, int] = {}
    for state in states:
        alike = taken.get(state.result.mask, 0)
        if alike < ALIKE and sum(taken.values()) < most:
            taken[state.result.mask] = alike + 1
            yield state
