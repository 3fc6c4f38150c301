"""Candidates that are run again: those that were cut, for they took too many steps, with more of them; others to count what they pass."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.run_candidate import LOOPS
from jupyter_selfheal.inside.search.run_result import Result

LONGER = ((0.15, 20, 150), (0.4, 150, 40), (0.7, 500, 20), (0.85, 500, 20))
"""(share, longer, most): after that share of the steps single changes pause, and ``most`` candidates that were cut after
they had passed some checks are tried again with a limit so many times longer, for half of the steps to the next pause; what is
left at the end is for two changes."""
LONGEST, ALMOST = 15_000_000, 6
"""Steps that no candidate exceeds, given to the few that passed most before they were cut a second time."""
FINISHED, FINISHED_LONGER = 24, 10
"""Candidates that were cut while everything else passed: so many are tried again with a limit so many times longer, before ``ALMOST`` of them are
to their end."""
GUESSES = 2
"""And of those, how many that had passed nothing."""
LATE_AFTER = 12
"""Candidates that were cut and are tried again once something is plausible."""
LIKELIER = 3
"""And of those that were cut before they had passed anything."""
LONGER_COUNTED = ((0.85, 8, 40), (0.95, 60, 5))
"""As ``LONGER``, after the first rounds of several edits."""
AGAIN = 400_000
"""Steps after which a candidate that is tried again loops, once something is plausible; more where the program takes many as it is."""
COUNTED = 1500
"""Single changes whose passed checks are counted, to find those that a second change may complete."""


def list_unbeaten(late: Sequence[Candidate], passed: int) -> list[Candidate]:
    """Those of which every check that came to an end passes, and more than ``passed`` do; what passed most first."""
    unbeaten = [c for c in late if c.result.failed == c.result.cut and c.result.passed > passed and c.given < LONGEST]
    return sorted(unbeaten, key=lambda c: (-c.result.passed, c.edits, -c.weight))


def choose_unfinished(
    late: Sequence[Candidate], base: Result, limit: int, round_: int, most: int = FINISHED
) -> tuple[list[Candidate], int]:
    """Candidates against which nothing speaks but that they were cut, and the steps that they are given: in the first round (0) many, but no more
    than ``most``, and in the others few ever more."""
    unbeaten = list_unbeaten(late, base.passed)
    if round_ == 0:
        return _choose_either(unbeaten, late, base, min(most, FINISHED)), min(FINISHED_LONGER * limit, LONGEST)
    return unbeaten[:ALMOST], min(FINISHED_LONGER * FINISHED_LONGER * limit, LONGEST) if round_ == 1 else LONGEST


def _choose_either(
    unbeaten: Sequence[Candidate], late: Sequence[Candidate], base: Result, most: int
) -> list[Candidate]:
    """A third of what :func:`list_unbeaten` gives by what they passed, one by weight, as the checks that come first may be those that take long,
    and one of single changes that make more checks pass and none fail, with which a second change may mend the rest."""
    third = -(-most // 3)
    gaining = [c for c in late if c.parent is None and c.result.passed > base.passed and not base.mask & ~c.result.mask]
    chosen: dict[int, Candidate] = {c.rank: c for c in unbeaten[:third]}
    for others in (unbeaten, gaining):
        likelier = sorted(
            (c for c in others if c.rank not in chosen and c.given < LONGEST), key=lambda c: (c.edits, -c.weight)
        )
        chosen |= {c.rank: c for c in likelier[:third]}
    return list(chosen.values())


def select_likelier(late: Sequence[Candidate], weight: float) -> list[Candidate]:
    """Where something is plausible: what is as likely as that."""
    likelier = sorted((c for c in late if c.weight >= weight and c.given < LONGEST), key=lambda c: -c.weight)
    passed = [c for c in likelier if c.result.passed]
    return passed[:LATE_AFTER] + [c for c in likelier if not c.result.passed][:LIKELIER]


def select_promising(late: Sequence[Candidate], most: int, *, counts_all: bool, is_one: bool) -> list[Candidate]:
    """Where nothing is plausible: those that had passed most. ``counts_all`` where all checks of each were run, ``is_one`` where one
    check failed before."""
    late = [c for c in late if c.given < LONGEST]
    if counts_all:  # a check that failed before it was cut fails with more time, too
        late = [c for c in late if c.result.failed <= LOOPS or c.result.failed == c.result.cut]
    promising = sorted((c for c in late if c.result.passed), key=lambda c: (-c.result.passed, -c.weight))
    others = [c for c in late if not c.result.passed and is_one]
    most_of_others = most if most > ALMOST else GUESSES
    return [*promising, *sorted(others, key=lambda c: -c.weight)[:most_of_others]][:most]


def select_late(
    late: Sequence[Candidate], plausible: Sequence[Candidate], most: int, counts_all: bool, is_one: bool
) -> list[Candidate]:
    """Those that are tried again, as it is known by now."""
    if plausible:
        return select_likelier(late, max(c.weight for c in plausible))
    return select_promising(late, most, counts_all=counts_all, is_one=is_one)


def list_likeliest(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Single changes that pass something, for counting how many checks each passes; best first."""
    singles = [c for c in candidates if c.result.passed and c.edits == 1]
    return sorted(singles, key=lambda c: -c.weight)[:COUNTED]
