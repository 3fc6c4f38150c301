"""Screening: candidates are run one after the other, and what passes, what gains something and what was cut are kept."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sys
from collections.abc import Iterator

from jupyter_selfheal.inside.search import patience
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.combine_changes import (
    count_raised,
    gains_something,
    is_sure_slip,
)
from jupyter_selfheal.inside.search.confined_forks import (
    HAS_FORKS,
    MOST_MEMORY,
    run_in_fork,
)
from jupyter_selfheal.inside.search.grounds import Grounds
from jupyter_selfheal.inside.search.hidden_reads import hides_missing
from jupyter_selfheal.inside.search.measure_checks import can_copy
from jupyter_selfheal.inside.search.process_pool import DEPTH, OVERHEAD, Job, Pool
from jupyter_selfheal.inside.search.program import REPLAY, hard_codes
from jupyter_selfheal.inside.search.ranking import PLAUSIBLE
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import OK, Result, find_last_failing
from jupyter_selfheal.inside.search.time_net import TimeNet

WAIT = 30.0
"""Seconds on the clock for a look at a candidate that passes."""
BEHIND = 0.1
"""What remains of the weight of one for which nothing speaks but that the cell runs, where stored outputs may still tell that it is right."""


FAR_FETCHED, NONSENSE = 0.2, 0.12
"""The weight of each of several edits, on the average, below which they are shown only where nothing else is found, and below which they are not shown.
Of forty programs of our own (1 December 2026) the least of a right one was 0.2, and mostly it was 0.3 and more."""


class Screen:
    """The candidates of one search so far, what came of them, and what they took of its ``steps``."""

    def __init__(self, runner: Runner, maker: Maker, net: TimeNet, steps: int, jobs: int) -> None:
        self.runner, self.maker, self.net, self.steps = runner, maker, net, steps
        self.jobs = jobs or (len(os.sched_getaffinity(0)) if HAS_FORKS else 1)
        self.alone = not can_copy(runner)
        self.base = Result(1, 0)
        """What the program gives as it is."""
        self.counts_all = False
        """Whether all checks are run for each candidate: each tells what it gains."""
        self.overhead = OVERHEAD
        self.memory = MOST_MEMORY
        self.seen: set[int] = set()
        self.kept: dict[int, int] = {}
        self.candidates: list[Candidate] = []
        self.plausible: list[Candidate] = []
        self.far_fetched: list[Candidate] = []
        """Those that pass by several edits of which each is unlikely: the search goes on."""
        self.partial: list[Candidate] = []
        """Those that gain something."""
        self.late: list[Candidate] = []
        """Those that were cut."""
        self.hiding: list[int] = []
        """The ranks of those that meet every check by not reading what is missing."""
        self.groundless: list[int] = []
        """The ranks of those for which nothing speaks but that the cell runs."""
        self.grounds = Grounds(runner.program, runner.ns)
        self.tried = self.found_at = self.begun = self.spent = 0
        self.is_rushed = False
        self.pause = 1.0
        """The share of the steps after which it pauses where nothing is plausible."""
        self.given = 0

    def take_far_fetched(self) -> None:
        """At the end, count what is far-fetched among what passes."""
        shown = [c for c in self.far_fetched if weigh_each(c) >= NONSENSE]
        if not self.plausible and not shown:
            self.groundless += [c.rank for c in self.far_fetched]
        for candidate in shown:
            candidate.weight *= self.grounds.weigh(candidate.texts)
        self.plausible = sorted([*self.plausible, *shown], key=lambda c: c.rank)[:PLAUSIBLE]
        self.far_fetched = []

    def is_spent(self) -> bool:
        """Whether the search ends: its steps are used up, the net has caught it, or all that passes hides what is wrong."""
        return self.spent >= self.steps or self._only_hides(len(self.candidates)) or self._is_caught()

    @property
    def _goes_on(self) -> bool:
        """Whether something passes, so that what is as likely comes after it: also where nothing speaks for what passes so far."""
        return bool(self.plausible or self.groundless)

    def _only_hides(self, tried: int) -> bool:
        """Whether as many were tried (``tried`` in all) after the first that only hides what is wrong as after one that passes, or there are as many
        without a ground as are looked at: what is right is seldom found later."""
        if self.plausible or not (self.hiding or self.groundless):
            return False
        if self.hiding and len(self.candidates) >= patience.find_last(self.hiding, []):
            return True
        return bool(self.groundless) and (
            len(self.groundless) >= PLAUSIBLE or tried >= patience.find_last(self.groundless, [])
        )

    def _is_caught(self) -> bool:
        """Whether the CPU time or the clock ends the search."""
        is_caught = self.net.has_caught(bool(self.plausible))
        self.is_rushed = self.is_rushed or is_caught
        return is_caught

    def try_candidates(
        self, source: Iterator[Candidate], steps: int, again: bool = False, count: bool = False, most: int = sys.maxsize
    ) -> Iterator[Candidate]:
        """Run candidates, until there are ``most`` in all; a failing check ends one at once, unless all its checks are to be counted. Gives
        what was not run."""
        if self._is_over(0, again) or (len(self.candidates) >= most and not self._goes_on):
            return source
        count, self.given = count or self.counts_all, steps
        limit = self.base.failed + self.counts_all if count else 1
        known = self.base.mask if self.counts_all else 0
        first = done = len(self.candidates)
        self.runner.patient = self.counts_all and not (again and self.plausible)
        pool = Pool(self.runner, steps, limit, self.jobs, self.alone, 0 if again else DEPTH, self.overhead, known)
        pool.raised, pool.memory = self._raised, MOST_MEMORY if again else self.memory
        pool.missing = self.base.missing if self.counts_all else 0
        pool.begun = 0 if again or self.plausible else self.begun
        pool.decided_after = find_last_failing(self.base) if self.counts_all else 0
        results = pool.collect_results(self._make_jobs(source, again, most), self._is_caught)
        with contextlib.closing(results):
            for index, result, cost in results:
                self.spent += cost
                done = index + 1
                if result is not None:
                    self._note_result(self.candidates[index], result, count)
                elif self._raised and is_sure_slip(self.candidates[index], self.base):
                    self._note_result(self.candidates[index], self.base, count)
                elif self.counts_all and self.candidates[index].edits == 1 and self.candidates[index].senseless:
                    self._note_senseless(self.candidates[index])
                if self._is_over(self.candidates[index].rank, again) or (done >= most and not self._goes_on):
                    break
        self.tried += done - first
        self.begun = max(self.begun, pool.begun)
        for candidate in self.candidates[first:done]:
            if not candidate.result.passed and candidate.result.status == OK and not self._gains(candidate):
                candidate.codes, candidate.texts = {}, {}  # nothing goes on from it: there are many
        left = self.candidates[done:]
        del self.candidates[done:]
        if not again:
            self._keep_first()
        rest = itertools.chain(left, source)
        brought_it = self._goes_on and done >= most and not self._only_hides(done)
        if brought_it:  # the last ones: what is as likely comes after them
            return self.try_candidates(rest, steps, again, count)
        return rest

    def _note_result(self, candidate: Candidate, result: Result, count: bool) -> None:
        """Keep what passes, what gains something, and what was cut."""
        candidate.result, candidate.given = result, max(candidate.given, self.given)
        if result.plausible:
            old = [self.runner.program.units[n].text for n in candidate.texts]
            told = self.base.failed < patience.VARIED and hard_codes(
                self.runner.program, list(candidate.texts.values()), old
            )
            if not told and self.maker.compile_kept(candidate, self.kept) and self._is_worth_showing(candidate):
                is_far_fetched = candidate.edits > 1 and weigh_each(candidate) < FAR_FETCHED
                if is_far_fetched and not self.plausible:
                    self.far_fetched.append(candidate)
                    return
                candidate.weight *= self.grounds.weigh(candidate.texts)
                self.plausible.append(candidate)
                self.found_at = self.found_at or self.spent
        elif result.status in ("time", "deep"):
            # how long a statement of an earlier cell takes is known: what takes far longer does not end
            if self.runner.program.units[candidate.unit].role != REPLAY:
                self.late.append(candidate)
            # one loop of several ends, or a check beside them passes
            if count and self.base.cut and self._gains(candidate) and self.maker.compile_kept(candidate, self.kept):
                self.partial.append(candidate)
        elif count and result.status == OK and self._gains(candidate) and self.maker.compile_kept(candidate, self.kept):
            self.partial.append(candidate)

    def _note_senseless(self, candidate: Candidate) -> None:
        """Keep one that mends what is senseless and makes no other check pass, unless one is lost: something else is wrong too."""
        reply = run_in_fork(lambda: self.runner.run(candidate.codes, self.given).list_fields(), WAIT)
        if isinstance(reply, list):
            self._note_result(candidate, Result(*reply), True)

    def _is_worth_showing(self, candidate: Candidate) -> bool:
        """Whether something speaks for one that passes, or stored outputs may; and it does not only keep what is missing from being read."""
        if not self.grounds.has_ground(candidate.texts, candidate.is_anew):
            if not self.runner.program.stored:
                self.groundless.append(candidate.rank)
                return False
            candidate.weight *= BEHIND
        return not self._hides_missing(candidate)

    def _hides_missing(self, candidate: Candidate) -> bool:
        """Whether a candidate only keeps from being read what was missing."""
        missing = self.maker.sight.missing
        if missing is None or missing.unit not in candidate.texts:
            return False
        look = functools.partial(hides_missing, self.runner, missing, candidate.texts, candidate.codes)
        if run_in_fork(look, WAIT) is not True:
            return False
        self.hiding.append(candidate.rank)
        return True

    @property
    def _raised(self) -> int:
        return count_raised(self.base, self.counts_all)

    def _gains(self, candidate: Candidate) -> bool:
        return gains_something(candidate, self.base, self._raised)

    def _keep_first(self) -> None:
        """The plausible candidates in their order, up to the last that is tried."""
        self.plausible.sort(key=lambda c: c.rank)
        if self.plausible:
            last = self._find_last()
            self.plausible = [c for c in self.plausible if c.rank <= last][:PLAUSIBLE]

    def _find_last(self) -> int:
        """Rank of the last candidate to be tried, as far as results are known: with more of them it only comes nearer."""
        return patience.find_last([c.rank for c in self.plausible], [c.rank for c in self.late])

    def _has_enough(self) -> bool:
        """True where something is plausible and enough was tried after it, or much is."""
        if not self.plausible:
            return False
        return len(self.plausible) >= PLAUSIBLE or len(self.candidates) >= self._find_last()

    def _make_jobs(self, source: Iterator[Candidate], again: bool, most: int) -> Iterator[Job]:
        while len(self.candidates) < most or self._goes_on:
            candidate = next(source, None)
            if candidate is None or (not again and self._has_enough()):
                return
            if candidate.rank and not again:  # made before a pause
                self.candidates.append(candidate)
                yield len(self.candidates) - 1, candidate.codes
                continue
            if len(candidate.codes) < len(candidate.texts):
                continue
            key = candidate.make_key()
            if not again and key in self.seen:
                continue
            self.seen.add(key)
            candidate.rank = candidate.rank or len(self.candidates) + 1
            self.candidates.append(candidate)
            yield len(self.candidates) - 1, candidate.codes

    def _is_over(self, rank: int, again: bool) -> bool:
        """Whether screening ends or pauses after the candidate of a rank: all before it have been tried."""
        if self.spent >= self.steps:
            self.is_rushed = self.is_rushed or bool(self.plausible)
            return True
        if not self.plausible:
            return self.spent >= self.pause * self.steps or self._only_hides(rank)
        if self.spent - self.found_at > max(patience.GO_ON_STEPS, self.found_at // 4):
            return True
        return not again and (rank >= self._find_last() or len(self.plausible) >= PLAUSIBLE)


def weigh_each(candidate: Candidate) -> float:
    """How likely each of a candidate's edits is, on the average (0–1)."""
    return float(candidate.weight ** (1 / candidate.edits))
