"""The search: look, propose, screen, rank. ``probe`` is what a trial kernel calls."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import astuple
from typing import Any

from jupyter_selfheal.inside.search import seen
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.combine_changes import EDITS, Frontier, Suspicion
from jupyter_selfheal.inside.search.localise_faults import Sight, trace_program
from jupyter_selfheal.inside.search.process_pool import DEPTH, HAS_FORKS, Job, Pool, read_cpu_time, run_in_fork
from jupyter_selfheal.inside.search.program import REPLAY, Program, fingerprint, hard_codes, read_program
from jupyter_selfheal.inside.search.ranking import PLAUSIBLE, Ranking
from jupyter_selfheal.inside.search.replay import drop_replay, measure_replay
from jupyter_selfheal.inside.search.run_candidate import LOOPS, OK, TIME, Result, Runner

LEAST, MOST = 0.01, 0.1
"""CPU seconds for a candidate while screening: twice what its passing checks take, within these."""
TRACED = 0.2
"""CPU seconds the program may take as it is, until a check of it counts as looping."""
LONGER = ((0.15, 15.0, 150), (0.4, 100.0, 40), (0.7, 250.0, 20), (0.85, 250.0, 20))
"""(share, longer, most): after that share of the CPU time single changes pause, and ``most`` candidates that were cut after
they had passed some checks are tried again with a limit so many times longer, for half of the time to the next pause; what is
left at the end is for two changes."""
LONGEST, ALMOST = 3.0, 6
"""CPU seconds that no candidate exceeds, given to the few that passed most before they were cut a second time."""
GUESSES = 2
"""And of those, how many that had passed nothing."""
GO_ON, CUT, GO_ON_SECONDS = 800, 25, 2.0
"""Candidates tried after the first plausible one, so that there is something to rank: they are counted, one that is cut for time as
so many, so that a busy machine gives the same answer. The CPU seconds are for programs that take long."""
LATE_AFTER = 12
"""Candidates cut for time that are tried again once something is plausible."""
LIKELIER = 3
"""And of those that were cut before they had passed anything."""
LINES = 200_000
"""Lines of the program after which a candidate that is tried again loops, once something is plausible; more where the program
runs many as it is."""
SLOW = 100
"""How many times longer than any other such a candidate may compute: its loops are counted."""
COUNTED = 1500
"""Single changes whose passed checks are counted, to find those that a second change may complete."""
ENOUGH_SINGLES = 0.5
"""Share of the CPU time after which several edits are tried, where every candidate tells which checks it makes pass."""
ENOUGH_FINISHED = 0.7
"""And the share after which those are left that were cut while all their other checks passed."""
LONGER_COUNTED = ((0.85, 8.0, 40), (0.95, 60.0, 5))
"""As ``LONGER``, after the first rounds of several edits."""
FIRST_ROUNDS, ROUNDS_AGAIN = 2, 2
"""Rounds of several edits before what was cut is tried again; and rounds without a gain after which there is no more."""
ROUNDS = 1_000_000
"""Rounds of ``while`` loops for each CPU second that a candidate may take."""
LOOK = 0.3
"""CPU seconds for looking at what fails in a state of several edits."""
CLOCK = 3.0
"""Seconds on the clock for each CPU second: on a busy machine the search ends by the clock."""
VARIED = 3
"""Failing checks that one literal written into the code does not make pass unless it belongs there."""


class Search:
    """One search over a program in a live namespace. ``seconds`` bounds its CPU time, forks included."""

    def __init__(
        self, program: Program, ns: dict[str, Any], seconds: float, jobs: int, hints: Mapping[str, Any]
    ) -> None:
        self.program, self.ns, self.seconds, self.hints = program, ns, seconds, hints
        self.jobs = jobs or (len(os.sched_getaffinity(0)) if HAS_FORKS else 1)
        self.began = read_cpu_time()
        self.started = time.monotonic()
        self.runner = Runner(program, ns)
        self.alone = not _can_copy(self.runner)
        self.seen: set[int] = set()
        self.candidates: list[Candidate] = []
        self.plausible: list[Candidate] = []
        self.partial: list[Candidate] = []
        self.late: list[Candidate] = []
        self.tried = 0
        self.found_at = 0.0
        self.limit = LEAST
        self.replay = 0.0
        self.counts_all = False
        self.base = Result(1, 0)
        self.pause, self.given = 1.0, 0.0
        self.sight = Sight(Result(1, 0))
        self.maker = Maker(program, ns, hints, self.sight)
        self.seen_calls: list[dict[str, Any]] = []

    def run(self) -> dict[str, Any]:
        """Search, and say what was found."""
        self.sight = trace_program(self.runner, TRACED)
        self.seen_calls = seen.record(self.ns, self.program.callers)
        self.sight.calls = seen.add_inputs(self.sight.calls, self.seen_calls, self.runner)
        self.base = base = self.sight.result
        if base.failed == 0:
            return self._build_report("nothing fails here")
        self.limit = max(self._measure_own_time(), 2 * self.replay)
        self._prepare_counting()
        for n, code in enumerate(self.runner.codes):
            self.seen.add(hash((n, fingerprint(code))))
        maker = self.maker = Maker(self.program, self.ns, self.hints, self.sight)
        singles = maker.make_singles()
        frontier = Frontier(maker, self.base.mask, self._look_at_state)
        if self.counts_all:
            self.pause = ENOUGH_SINGLES
            self._screen(singles, self.limit)
            self._finish_what_was_cut()
            self._combine(frontier, FIRST_ROUNDS)
        longer_times = LONGER_COUNTED if self.counts_all else LONGER
        ends = [share for share, _, _ in longer_times[1:]] + [1.0]
        for (share, longer, most), end in zip(longer_times, ends, strict=True):
            self.pause = share
            self._screen(singles, self.limit)
            late = self._select_late(most)
            if late and self._read_time_left() > 0 and self.plausible:
                self.pause, self.found_at = 1.0, read_cpu_time()
                lines = LINES if self.base.status == TIME else max(LINES, 5 * self.sight.lines)
                self._screen(iter(late), min(self.limit * SLOW, LONGEST), again=True, lines=lines)
            elif late and self._read_time_left() > 0:
                self.pause = (share + end) / 2
                self._screen(iter(late), min(self.limit * longer, LONGEST), again=True)
            almost = self._select_late(ALMOST)
            if almost and not self.plausible and self._read_time_left() > 0:
                self._screen(iter(almost), LONGEST, again=True)
            if self.plausible:
                break
        if not self.counts_all and not self.plausible and base.failed > 1:
            self.pause = 0.95
            self._screen(iter(self._list_likeliest()), self.limit, again=True, count=True)
        self._combine(frontier, EDITS * ROUNDS_AGAIN)
        return self._build_report("" if self.plausible else self._describe_failure())

    def _describe_failure(self) -> str:
        """How near the search came, where nothing passes."""
        if not self.partial:
            return "no candidate passes" + (", and none makes a failing check pass" if self.base.failed > 1 else "")
        best = min(self.base.failed, *(c.result.failed for c in self.partial))
        return f"no candidate passes: of {self.base.failed} failing checks the best leaves {best}"

    def _prepare_counting(self) -> None:
        """Run all checks for every candidate, even after one that loops, where they are quick: each tells what it gains."""
        if self.base.failed > 1 and self.limit <= LEAST:
            self.runner.patient = True
            reply = run_in_fork(
                lambda: astuple(self.runner.run({}, TRACED, rounds=self._count_rounds(self.limit))), 20.0
            )
            self.counts_all = isinstance(reply, list) and reply[0] > 1
            self.runner.patient = self.counts_all
            if self.counts_all and isinstance(reply, list):
                self.base = Result(*reply)

    def _count_rounds(self, seconds: float) -> int:
        """Rounds of loops for so many CPU seconds."""
        return int(ROUNDS * seconds)

    def _combine(self, frontier: Frontier, most: int) -> None:
        """Several edits: unions of changes that make other checks pass, then further changes on the best of what there is.

        Ends after ``most`` rounds, or when ``ROUNDS_AGAIN`` of them brought nothing nearer: what is to be expected of more is little.
        """
        self.pause = 1.0
        if self.plausible or self.base.failed < 2 or self._read_time_left() <= 0:
            return
        self._screen(frontier.unite(self.partial), self.limit)
        idle = 0
        for _ in range(most):
            states = frontier.take_states(self.partial)
            if self.plausible or not states or idle == ROUNDS_AGAIN or self._read_time_left() <= 0:
                return
            before = min(c.result.failed for c in self.partial)
            self._screen(frontier.expand(states), self.limit)
            idle = 0 if min(c.result.failed for c in self.partial) < before else idle + 1

    def _look_at_state(self, state: Candidate) -> Suspicion:
        """Which lines are suspicious with a candidate's changes; as it was where its run does not come back."""

        def look() -> list[Any]:
            changed = {n: (state.texts[n], code) for n, code in state.codes.items()}
            sight = trace_program(self.runner, LOOK, changed, self._count_rounds(self.limit))
            return [[unit, list(lines.items())] for unit, lines in sight.suspicion.items()]

        reply = run_in_fork(look, 20.0)
        return {unit: dict(lines) for unit, lines in reply} if isinstance(reply, list) else self.sight.suspicion

    def _measure_own_time(self) -> float:
        """CPU seconds for a candidate, by what the program takes as it is.

        From now on cheap and failing asserts go first, unless they then come out differently: they have side effects.
        """
        costs, failing = self._measure_checks()
        passing = sum(cost for unit, cost in costs.items() if unit not in failing)
        self.runner.sort_checks(costs, failing)
        if failing and self._measure_checks()[1] != failing:
            self.runner.order.sort()
        return min(max(2 * passing, LEAST), MOST)

    def _measure_checks(self) -> tuple[dict[int, float], frozenset[int]]:
        """CPU seconds of each unit's checks, and the units with a failing one (a fork runs them; nothing where it dies)."""

        def run_once() -> list[Any]:
            costs: dict[int, float] = {}
            failing: set[int] = set()
            last = [time.process_time()]

            def note(passed: bool) -> None:
                now = time.process_time()
                costs[self.runner.at] = costs.get(self.runner.at, 0.0) + now - last[0]
                last[0] = now
                if not passed:
                    failing.add(self.runner.at)

            before = self.runner.on_record, self.runner.patient
            self.runner.on_record, self.runner.patient = note, True
            self.runner.run({}, TRACED)
            self.runner.on_record, self.runner.patient = before  # for where there are no forks
            return [list(costs.items()), sorted(failing)]

        reply = run_in_fork(run_once, 20.0)
        return (dict(reply[0]), frozenset(reply[1])) if isinstance(reply, list) else ({}, frozenset())

    def _finish_what_was_cut(self) -> None:
        """Give those candidates time against which nothing else speaks: every check that came to an end passes, and more do than before."""
        cut = [c for c in self.late if c.result.failed == 1 and c.result.passed > self.base.passed]
        if cut and not self.plausible:
            self.late = [c for c in self.late if c not in cut]
            self.pause = ENOUGH_FINISHED
            self._screen(iter(sorted(cut, key=lambda c: (-c.result.passed, -c.weight))[:ALMOST]), LONGEST, again=True)

    def _select_late(self, most: int) -> list[Candidate]:
        """Candidates that were cut: those that had passed most, or, where something is plausible, the likelier ones."""
        late, self.late = [c for c in self.late if c.given < LONGEST], []
        if not self.plausible:
            if self.counts_all:  # a check that failed before it was cut fails with more time, too
                late = [c for c in late if c.result.failed <= LOOPS]
            promising = sorted((c for c in late if c.result.passed), key=lambda c: (-c.result.passed, -c.weight))
            others = [c for c in late if not c.result.passed and self.sight.result.failed == 1]
            most_of_others = most if most > ALMOST else GUESSES
            return [*promising, *sorted(others, key=lambda c: -c.weight)[:most_of_others]][:most]
        best = max(c.weight for c in self.plausible)
        likelier = sorted((c for c in late if c.weight >= best), key=lambda c: -c.weight)
        passed = [c for c in likelier if c.result.passed]
        return passed[:LATE_AFTER] + [c for c in likelier if not c.result.passed][:LIKELIER]

    def _read_time_left(self) -> float:
        """Seconds left: of the CPU's, and of the clock's, which a busy machine uses up first."""
        clock = CLOCK * self.seconds - (time.monotonic() - self.started)
        return min(self.seconds - (read_cpu_time() - self.began), clock)

    def _list_likeliest(self) -> list[Candidate]:
        """Single changes that pass something, for counting how many checks each passes; best first."""
        singles = [c for c in self.candidates if c.result.passed and c.edits == 1]
        return sorted(singles, key=lambda c: -c.weight)[:COUNTED]

    # --- screening ---

    def _screen(
        self, source: Iterator[Candidate], seconds: float, again: bool = False, count: bool = False, lines: int = 0
    ) -> None:
        """Run candidates; a failing check ends one at once, unless all its checks are to be counted."""
        count, self.given = count or self.counts_all, seconds
        limit = self.base.failed if count else 1
        known = self.base.mask if self.counts_all else 0
        rounds = 0 if lines else self._count_rounds(seconds)
        depth = 0 if again else DEPTH
        first = len(self.candidates)
        self.runner.patient = self.counts_all and not lines
        pool = Pool(self.runner, seconds, limit, self.jobs, self.alone, depth, lines, rounds or sys.maxsize, known)
        jobs = self._make_jobs(source, again)
        for index, result in pool.collect_results(jobs, lambda: self._is_over(pool.first_open, again)):
            self._note_result(self.candidates[index], result, count)
        self.tried += pool.tried
        for candidate in self.candidates[first:]:
            if not candidate.result.passed and candidate.result.status == OK:
                candidate.codes, candidate.texts = {}, {}  # nothing goes on from it: there are many
        if not again:
            self._keep_first()

    def _note_result(self, candidate: Candidate, result: Result, count: bool) -> None:
        """Keep what passes, what gains something, and what was cut."""
        candidate.result, candidate.given = result, max(candidate.given, self.given)
        if result.plausible:
            old = [self.program.units[n].text for n in candidate.texts]
            if self.base.failed >= VARIED or not hard_codes(self.program, list(candidate.texts.values()), old):
                self.plausible.append(candidate)
                self.found_at = self.found_at or read_cpu_time()
        elif result.status in ("time", "deep"):
            # how long a statement of an earlier cell takes is known: what takes far longer does not end
            if self.program.units[candidate.unit].role != REPLAY:
                self.late.append(candidate)
        elif count and result.status == OK and result.passed > (candidate.parent or self.base).passed:
            self.partial.append(candidate)

    def _keep_first(self) -> None:
        """Only what an unhurried search by one process would have come to: which fork is done first is chance."""
        self.plausible.sort(key=lambda c: c.rank)
        if self.plausible:
            last = self._find_last()
            self.plausible = [c for c in self.plausible if c.rank <= last][:PLAUSIBLE]

    def _find_last(self) -> int:
        """Rank of the last candidate to be tried, as far as results are known: with more of them it only comes nearer."""
        first = min(c.rank for c in self.plausible)
        last = first + GO_ON
        for cut in sorted(c.rank for c in self.late if c.rank > first):
            if cut > last:
                break
            last = max(last - CUT + 1, cut)
        return last

    def _has_enough(self) -> bool:
        """True where something is plausible and enough was tried after it, or much is."""
        if not self.plausible:
            return False
        return len(self.plausible) >= PLAUSIBLE or len(self.candidates) >= self._find_last()

    def _make_jobs(self, source: Iterator[Candidate], again: bool) -> Iterator[Job]:
        for candidate in source:
            if not again and self._has_enough():
                return
            if len(candidate.codes) < len(candidate.texts):
                continue
            key = hash(tuple(sorted((n, fingerprint(code)) for n, code in candidate.codes.items())))
            single = hash((candidate.unit, fingerprint(candidate.codes[candidate.unit])))
            if not again and (key in self.seen or (len(candidate.codes) == 1 and single in self.seen)):
                continue
            self.seen.update((key, single) if len(candidate.codes) == 1 else (key,))
            candidate.rank = candidate.rank or len(self.candidates) + 1
            self.candidates.append(candidate)
            yield len(self.candidates) - 1, candidate.codes

    def _is_over(self, first_open: float, again: bool) -> bool:
        """Whether screening ends or pauses. ``first_open`` is the first candidate of those begun that may not have been tried yet.

        The clock ends a search, and decides nothing else in it. Candidates that come before a plausible one are tried, however
        late the fork is that has them: the first to be plausible is then the same on every machine.
        """
        if self._read_time_left() <= 0:
            return True
        if not self.plausible:
            return read_cpu_time() - self.began >= self.pause * self.seconds
        if first_open < min(c.rank for c in self.plausible):
            return False
        if read_cpu_time() - self.found_at > max(GO_ON_SECONDS, 0.25 * (self.found_at - self.began)):
            return True
        return not again and min(first_open, len(self.candidates)) >= self._find_last()

    # --- ranking ---

    def _build_report(self, why: str) -> dict[str, Any]:
        patches: list[dict[str, Any]] = []
        questions: list[dict[str, Any]] = []
        if self.plausible:
            budget = min(2.0, max(self.seconds - (read_cpu_time() - self.began), 0.3))
            seen.set_back_contradicting(self.plausible, self.runner, self.seen_calls)
            patches, questions = Ranking(self.plausible, self.runner, self.sight, budget, self.maker).rank()
        base = self.base
        return {
            "patches": patches, "questions": questions, "why": why, "tried": self.tried, "plausible": len(self.plausible),
            "first": min((c.rank for c in self.plausible), default=0), "cpu": round(read_cpu_time() - self.began, 3),
            "baseline": {"failed": base.failed, "passed": base.passed, "status": base.status},
        }  # fmt: skip


def _can_copy(runner: Runner) -> bool:
    """True where what candidates may change can be copied cheaply."""
    import copy

    began = time.process_time()
    try:
        copy.deepcopy(runner.copied)
    except Exception:
        return False
    return time.process_time() - began < 0.01


@contextlib.contextmanager
def _skip_sleep() -> Iterator[None]:
    """``time.sleep`` returns at once: a sleeping candidate uses no CPU time, by which it would be cut."""
    sleep, time.sleep = time.sleep, lambda seconds, /: None
    try:
        yield
    finally:
        time.sleep = sleep


def probe(shell: Any, last: Any, argument: Mapping[str, Any]) -> dict[str, Any]:
    """Search for the program of ``argument`` in the shell's namespace."""
    import warnings

    with warnings.catch_warnings(), _skip_sleep():
        warnings.simplefilter("ignore")
        program = read_program(argument)
        took = measure_replay(Runner(program, shell.user_ns)) if any(u.role == REPLAY for u in program.units) else None
        if took is None:
            program = drop_replay(program)
        search = Search(program, shell.user_ns, argument["seconds"], argument.get("jobs", 0), argument.get("hints", {}))
        search.replay = took or 0.0
        return {**search.run(), "replayed": took is not None}
