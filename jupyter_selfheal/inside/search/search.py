"""The search: look, propose, screen, rank. ``probe`` is what a trial kernel calls."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jupyter_selfheal.inside.search import patience, seen
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.combine_changes import (
    EARLY_PAIRS,
    EDITS,
    Frontier,
    count_raised,
    gains_something,
)
from jupyter_selfheal.inside.search.complete_found import rank_found
from jupyter_selfheal.inside.search.confined_forks import (
    HAS_FORKS,
    MOST_MEMORY,
    limit_recursion,
    run_in_fork,
    skip_sleep,
)
from jupyter_selfheal.inside.search.count_steps import STEPS_PER_SECOND, pause_collection
from jupyter_selfheal.inside.search.cut_candidates import (
    AGAIN,
    ALMOST,
    LONGER,
    LONGER_COUNTED,
    LONGEST,
    choose_unfinished,
    list_likeliest,
    select_late,
)
from jupyter_selfheal.inside.search.endless_loops import drop_endless, seems_endless
from jupyter_selfheal.inside.search.localise_faults import Seen, Sight, look_again, trace_program
from jupyter_selfheal.inside.search.measure_checks import WAIT, can_copy, find_memory, measure_passing
from jupyter_selfheal.inside.search.process_pool import DEPTH, OVERHEAD, Job, Pool
from jupyter_selfheal.inside.search.program import REPLAY, Program, fingerprint, hard_codes, import_ahead, read_program
from jupyter_selfheal.inside.search.ranking import PLAUSIBLE
from jupyter_selfheal.inside.search.replay import drop_replay, measure_replay
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import OK, TIME, Result, find_last_failing
from jupyter_selfheal.inside.search.solve_parts import mend_parts
from jupyter_selfheal.inside.search.time_net import TimeNet

MOST = 400_000
"""Steps for a candidate while screening, at most: twice what its passing checks take, and no less than ``count_least``."""


class Search:
    """One search over a program in a live namespace. ``seconds`` bounds it, as steps: the same input gives the same answer, however
    busy the machine is. ``most`` are the CPU seconds that whoever asks has left."""

    def __init__(
        self,
        program: Program,
        ns: dict[str, Any],
        seconds: float,
        jobs: int,
        hints: Mapping[str, Any],
        most: float = math.inf,
    ) -> None:
        self.program, self.ns, self.seconds, self.hints = program, ns, seconds, hints
        self.jobs = jobs or (len(os.sched_getaffinity(0)) if HAS_FORKS else 1)
        self.steps = int(seconds * STEPS_PER_SECOND)
        self.spent = 0
        self.is_rushed = False
        self.net = TimeNet(seconds, most)
        self.runner = Runner(program, ns)
        self.alone = not can_copy(self.runner)
        self.seen: set[int] = set()
        self.candidates: list[Candidate] = []
        self.plausible: list[Candidate] = []
        self.partial: list[Candidate] = []
        self.late: list[Candidate] = []
        self.tried = self.found_at = self.begun = 0
        self.replay = 0
        self.limit = patience.MOST_STEPS
        self.overhead = OVERHEAD
        self.memory = MOST_MEMORY
        self.counts_all = False
        self.base = Result(1, 0)
        self.pause, self.given = 1.0, 0
        self.sight = Sight(Result(1, 0))
        self.maker = Maker(program, ns, hints, self.sight)
        self.seen_calls: list[dict[str, Any]] = []

    def run(self) -> dict[str, Any]:
        """Search, and say what was found."""
        self.sight = trace_program(self.runner, patience.TRACED)
        self.seen_calls = seen.record(self.ns, self.program.callers)
        self.sight.calls = seen.add_inputs(self.sight.calls, self.seen_calls, self.runner)
        self.base = base = self.sight.result
        if base.failed == 0:
            return self._build_report("nothing fails here")
        self.overhead += self.sight.copying
        self.runner.counter.counts_all_calls |= self.sight.foreign > base.steps
        is_endless = base.status != OK and seems_endless(self.runner)
        least = max(2 * measure_passing(self.runner), patience.count_least(base, is_endless))
        self.limit = max(min(least, MOST), 2 * self.replay)
        self._prepare_counting()
        self.memory = find_memory(self.runner, self.limit) if self.limit <= patience.MOST_STEPS else MOST_MEMORY
        for n, code in enumerate(self.runner.codes):
            self.seen.add(hash((n, fingerprint(code))))
        maker = self.maker = Maker(self.program, self.ns, self.hints, self.sight)
        most_singles = patience.count_singles(self.sight.suspicion, self.seconds, is_endless)
        singles = maker.make_singles()
        frontier = Frontier(maker, self.base.mask, self._look_at_states)
        if self.counts_all:
            self.pause = patience.ENOUGH_SINGLES
            singles = self._screen_singles(singles, frontier, patience.UNITED_AFTER[0] if is_endless else most_singles)
            self._finish_what_was_cut()
            self.pause = 1.0
            if not self.plausible and base.failed > 1:
                mend_parts(frontier, self.runner, self.base, self.limit, self.partial, self._screen_more)
            self._combine_edits(frontier, patience.FIRST_ROUNDS)
            if not self.plausible and base.failed > 1:
                self._screen_more(frontier.pair_likeliest(EARLY_PAIRS), EARLY_PAIRS)
        longer_times = LONGER_COUNTED if self.counts_all else LONGER
        ends = [share for share, _, _ in longer_times[1:]] + [1.0]
        for (share, longer, most), end in zip(longer_times, ends, strict=True):
            self.pause = share
            singles = self._screen_candidates(singles, self.limit, most=most_singles)
            late = self._select_late(most)
            if late and self.plausible:
                self.pause, self.found_at = 1.0, self.spent
                own = AGAIN if self.base.status == TIME else max(AGAIN, 5 * self.base.steps)
                self._screen_longer(late, min(own, LONGEST))
            elif late:
                self.pause = (share + end) / 2
                self._screen_longer(late, min(self.limit * longer, LONGEST))
            almost = self._select_late(ALMOST)
            if almost and not self.plausible:
                self._screen_longer(almost, LONGEST)
            if self.plausible:
                break
        if not self.counts_all and not self.plausible and base.failed > 1:
            self.pause = 0.95
            self._screen_candidates(iter(list_likeliest(self.candidates)), self.limit, again=True, count=True)
        self._combine_edits(frontier, EDITS * patience.ROUNDS_AGAIN)
        left = 0 if self._is_spent() else len(maker.changes) - most_singles
        if not self.plausible and (base.failed > 1 or base.passed > 1):
            rare = (frontier.pair_on_nearest(self.partial), maker.make_new_bodies()) if base.failed > 1 else ()
            pairs = frontier.pair_likeliest() if base.failed > 1 else frontier.pair_likeliest(EARLY_PAIRS)
            self._try_what_is_rare(itertools.chain(*rare, pairs))
        return self._build_report(
            "" if self.plausible else patience.describe_failure(self.base, self.partial, left, self.net.unfound)
        )

    def _prepare_counting(self) -> None:
        """Run all checks for every candidate, even after one that loops, where they are quick: each tells what it gains."""
        if self.base.failed > 1 and self.limit <= patience.MOST_STEPS:
            self.runner.patient = True
            reply = run_in_fork(lambda: self.runner.run({}, self.limit).list_fields(), WAIT)
            self.counts_all = isinstance(reply, list) and reply[0] > 1
            self.runner.patient = self.counts_all
            if self.counts_all and isinstance(reply, list):
                self.base = Result(*reply)

    def _screen_singles(self, singles: Iterator[Candidate], frontier: Frontier, most: int) -> Iterator[Candidate]:
        """Try single changes, and now and then what some that are known mend together, and the likeliest pairs. Gives what is left."""
        united = 0
        for after in patience.UNITED_AFTER:
            singles = self._screen_candidates(singles, self.limit, most=min(after, most) + united)
            if self.plausible or after >= most:
                break
            before = len(self.candidates)
            self._screen_candidates(frontier.unite_all(self.partial, self.base.failed), self.limit)
            self._screen_candidates(frontier.go_beside(self.partial, bool(self.plausible)), self.limit)
            united += len(self.candidates) - before
            self._finish_what_was_cut(patience.FIRST_FINISHED)
        return self._screen_candidates(singles, self.limit, most=most + united)

    def _screen_more(self, source: Iterator[Candidate], most: int) -> bool:
        """Try so many further candidates; whether the search is at its end with that."""
        self._screen_candidates(source, self.limit, most=len(self.candidates) + most)
        return bool(self.plausible) or self._is_spent()

    def _combine_edits(self, frontier: Frontier, most: int) -> None:
        """Several edits: unions of changes that make other checks pass, then further changes on the best of what there is.

        Ends after ``most`` rounds, or when ``ROUNDS_AGAIN`` of them brought nothing nearer: what is to be expected of more is little.
        """
        if self.plausible or self.base.failed < 2:
            return
        self.pause = 1.0
        self._screen_candidates(frontier.unite(self.partial, is_first=True), self.limit)
        self._finish_what_was_cut()
        self.pause = 1.0
        idle = 0
        for n in range(most):
            states = frontier.take_states(self.partial)
            if self.plausible or not states or idle == patience.ROUNDS_AGAIN or self._is_spent():
                return
            before = min(c.result.failed for c in self.partial)
            self._screen_more(frontier.expand(states), patience.count_further(self.seconds))
            if n == 0 and not self.plausible:
                self._screen_candidates(frontier.unite(self.partial), self.limit)
            idle = 0 if min(c.result.failed for c in self.partial) < before else idle + 1

    def _try_what_is_rare(self, source: Iterator[Candidate]) -> None:
        """New bodies and pairs of likely changes, for as long as the whole search stays below its seconds and they take few of them."""
        cpu = self.net.measure_cpu()
        if cpu < self.seconds:
            self.net.ends_at = min(cpu + patience.LAST_SECONDS, self.seconds, self.net.most)
            self.steps = min(self.steps, self.spent + int(patience.LAST_SECONDS * STEPS_PER_SECOND))
            self._screen_candidates(source, self.limit, most=patience.LAST)

    def _look_at_states(self, states: Sequence[Candidate]) -> list[Seen]:
        """Which lines are suspicious with each candidate's changes, and which parameters are empty where a check then fails."""
        changed = [{n: (state.texts[n], code) for n, code in state.codes.items()} for state in states]
        return look_again(self.runner, min(self.limit, patience.LOOK), changed, self.sight)

    def _finish_what_was_cut(self, most: int = sys.maxsize) -> None:
        """Give those candidates time against which nothing else speaks: every check that came to an end passes, and more do than before. Where
        it is ``most`` of them, not to their end."""
        self.pause = patience.ENOUGH_FINISHED
        for round_ in (0, 1, 2) if most == sys.maxsize else (0,):
            chosen, steps = choose_unfinished(self.late, self.base, self.limit, round_, most)
            if chosen and not self.plausible:
                ranks = {c.rank for c in chosen}
                self.late = [c for c in self.late if c.rank not in ranks]
                self._screen_longer(chosen, steps)

    def _screen_longer(self, chosen: list[Candidate], steps: int) -> None:
        """Try candidates that were cut again, but for those that are seen not to end where that is worth a look."""
        for candidate in chosen:
            self.maker.compile_alone(candidate)
        self._screen_candidates(iter(drop_endless(self.runner, chosen, steps, self.late)), steps, again=True)

    def _select_late(self, most: int) -> list[Candidate]:
        """Candidates that were cut and are tried again; the others of them are not."""
        late, self.late = self.late, []
        return select_late(late, self.plausible, most, self.counts_all, self.sight.result.failed == 1)

    def _is_spent(self) -> bool:
        """Whether the search ends: its steps are used up, or the net has caught it."""
        return self.spent >= self.steps or self._is_caught()

    def _is_caught(self) -> bool:
        """Whether the CPU time or the clock ends the search."""
        is_caught = self.net.has_caught(bool(self.plausible))
        self.is_rushed = self.is_rushed or is_caught
        return is_caught

    # --- screening ---

    def _screen_candidates(
        self, source: Iterator[Candidate], steps: int, again: bool = False, count: bool = False, most: int = sys.maxsize
    ) -> Iterator[Candidate]:
        """Run candidates, until there are ``most`` in all; a failing check ends one at once, unless all its checks are to be counted. Gives
        what was not run."""
        if self._is_over(0, again) or (len(self.candidates) >= most and not self.plausible):
            return source
        count, self.given = count or self.counts_all, steps
        limit = self.base.failed + self.counts_all if count else 1
        known = self.base.mask if self.counts_all else 0
        first = done = len(self.candidates)
        self.runner.patient = self.counts_all and not (again and self.plausible)
        pool = Pool(self.runner, steps, limit, self.jobs, self.alone, 0 if again else DEPTH, self.overhead, known)
        pool.raised, pool.memory = self._raised, MOST_MEMORY if again else self.memory
        pool.begun = 0 if again or self.plausible else self.begun
        pool.decided_after = find_last_failing(self.base) if self.counts_all else 0
        results = pool.collect_results(self._make_jobs(source, again, most), self._is_caught)
        with contextlib.closing(results):
            for index, result, cost in results:
                self.spent += cost
                done = index + 1
                if result is not None:
                    self._note_result(self.candidates[index], result, count)
                if self._is_over(self.candidates[index].rank, again) or (done >= most and not self.plausible):
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
        if self.plausible and done >= most:  # the last ones brought it: what is as likely comes after them
            return self._screen_candidates(rest, steps, again, count)
        return rest

    def _note_result(self, candidate: Candidate, result: Result, count: bool) -> None:
        """Keep what passes, what gains something, and what was cut."""
        candidate.result, candidate.given = result, max(candidate.given, self.given)
        if result.plausible:
            old = [self.program.units[n].text for n in candidate.texts]
            told = self.base.failed < patience.VARIED and hard_codes(self.program, list(candidate.texts.values()), old)
            if not told and self.maker.compile_kept(candidate, self.seen):
                self.plausible.append(candidate)
                self.found_at = self.found_at or self.spent
        elif result.status in ("time", "deep"):
            # how long a statement of an earlier cell takes is known: what takes far longer does not end
            if self.program.units[candidate.unit].role != REPLAY:
                self.late.append(candidate)
            # one loop of several ends, or a check beside them passes
            if count and self.base.cut and self._gains(candidate) and self.maker.compile_kept(candidate, self.seen):
                self.partial.append(candidate)
        elif count and result.status == OK and self._gains(candidate) and self.maker.compile_kept(candidate, self.seen):
            self.partial.append(candidate)

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
        while len(self.candidates) < most or self.plausible:
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
            return self.spent >= self.pause * self.steps
        if self.spent - self.found_at > max(patience.GO_ON_STEPS, self.found_at // 4):
            return True
        return not again and (rank >= self._find_last() or len(self.plausible) >= PLAUSIBLE)

    # --- ranking ---

    def _build_report(self, why: str) -> dict[str, Any]:
        patches: list[dict[str, Any]] = []
        questions: list[dict[str, Any]] = []
        if self.plausible:
            seen.set_back_contradicting(self.plausible, self.runner, self.seen_calls)
            seen.set_back_unmet(self.plausible, self.runner)
            rushed = patience.RUSHED if self.is_rushed else ""
            pool = Pool(self.runner, self.limit, 1, self.jobs, self.alone)
            patches, questions = rank_found(self.plausible, self.maker, pool, rushed, lambda: self.net.has_caught(True))
        return {
            "patches": patches, "questions": questions, "why": why, "tried": self.tried, "plausible": len(self.plausible),
            "first": min((c.rank for c in self.plausible), default=0), "cpu": round(self.net.measure_cpu(), 3),
            "steps": self.spent,
            "baseline": {"failed": self.base.failed, "passed": self.base.passed, "status": self.base.status},
        }  # fmt: skip


def probe(shell: Any, last: Any, argument: Mapping[str, Any]) -> dict[str, Any]:
    """Search for the program of ``argument`` in the shell's namespace."""
    import warnings

    # changes by the ten thousand are kept until the end: to look at them for garbage, again and again, takes a fifth of making them
    collection = pause_collection() if HAS_FORKS else contextlib.nullcontext()
    with warnings.catch_warnings(), skip_sleep(), limit_recursion(), collection:
        warnings.simplefilter("ignore")
        program = read_program(argument)
        import_ahead(program)
        took = measure_replay(Runner(program, shell.user_ns)) if any(u.role == REPLAY for u in program.units) else None
        if took is None:
            program = drop_replay(program)
        most = argument.get("most") or math.inf
        jobs, hints = argument.get("jobs", 0), argument.get("hints", {})
        search = Search(program, shell.user_ns, argument["seconds"], jobs, hints, most)
        search.replay = took or 0
        return {**search.run(), "replayed": took is not None}
