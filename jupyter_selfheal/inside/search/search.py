"""The search: look, propose, screen, rank. ``probe`` is what a trial kernel calls."""

from __future__ import annotations

import contextlib
import itertools
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jupyter_selfheal.inside.search import patience, seen
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.combine_changes import (
    EARLY_PAIRS,
    EDITS,
    Frontier,
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
from jupyter_selfheal.inside.search.measure_checks import WAIT, find_memory, measure_passing
from jupyter_selfheal.inside.search.pair_on_singles import PAIRS, STATES, pair_on_singles
from jupyter_selfheal.inside.search.process_pool import Pool
from jupyter_selfheal.inside.search.program import REPLAY, Program, fingerprint, import_ahead, read_program
from jupyter_selfheal.inside.search.replay import drop_replay, measure_replay
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import OK, TIME, Result
from jupyter_selfheal.inside.search.screen_candidates import Screen
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
        self.net = TimeNet(seconds, most)
        self.runner = Runner(program, ns)
        self.sight = Sight(Result(1, 0))
        self.maker = Maker(program, ns, hints, self.sight)
        self.screen = Screen(self.runner, self.maker, self.net, int(seconds * STEPS_PER_SECOND), jobs)
        self.replay = 0
        self.limit = patience.MOST_STEPS
        self.seen_calls: list[dict[str, Any]] = []

    def run(self) -> dict[str, Any]:
        """Search, and say what was found."""
        screen = self.screen
        self.sight = trace_program(self.runner, patience.TRACED)
        self.seen_calls = seen.record(self.ns, self.program.callers)
        self.sight.calls = seen.add_inputs(self.sight.calls, self.seen_calls, self.runner)
        screen.base = base = self.sight.result
        if base.failed == 0:
            return self._build_report("nothing fails here")
        self.runner.counter.counts_all_calls |= self.sight.foreign > base.steps
        is_endless = base.status != OK and seems_endless(self.runner)
        self._set_limits(base, is_endless)
        maker = self.maker = screen.maker = Maker(self.program, self.ns, self.hints, self.sight)
        most_singles = patience.count_singles(self.sight.suspicion, self.seconds, is_endless)
        singles = maker.make_singles()
        frontier = Frontier(maker, screen.base.mask, self._look_at_states)
        if screen.counts_all:
            screen.pause = patience.ENOUGH_SINGLES
            singles = self._screen_singles(singles, frontier, patience.UNITED_AFTER[0] if is_endless else most_singles)
            self._finish_what_was_cut()
            screen.pause = 1.0
            if not screen.plausible and base.failed > 1:
                mend_parts(frontier, self.runner, screen.base, self.limit, screen.partial, self._screen_more)
            self._combine_edits(frontier, patience.FIRST_ROUNDS)
            if not screen.plausible and base.failed > 1:
                self._screen_more(frontier.pair_likeliest(EARLY_PAIRS), EARLY_PAIRS)
        self._try_ever_longer(singles, most_singles)
        if not screen.counts_all and not screen.plausible and base.failed > 1:
            screen.pause = 0.95
            screen.try_candidates(iter(list_likeliest(screen.candidates)), self.limit, again=True, count=True)
        self._combine_edits(frontier, EDITS * patience.ROUNDS_AGAIN)
        left = 0 if screen.is_spent() else len(maker.changes) - most_singles
        if not screen.plausible and (base.failed > 1 or base.passed):
            rare = (frontier.pair_on_nearest(screen.partial), maker.make_new_bodies()) if base.failed > 1 else ()
            pairs = frontier.pair_likeliest() if base.failed > 1 else frontier.pair_likeliest(EARLY_PAIRS)
            self._try_what_is_rare(itertools.chain(*rare, pairs))
        screen.take_far_fetched()
        return self._build_report(
            ""
            if screen.plausible
            else patience.describe_failure(screen.base, screen.partial, left, self.net.unfound, len(screen.groundless))
        )

    def _set_limits(self, base: Result, is_endless: bool) -> None:
        """How many steps and how much memory a candidate may take, by what the program takes as it is."""
        screen = self.screen
        screen.overhead += self.sight.copying
        least = max(2 * measure_passing(self.runner), patience.count_least(base, is_endless))
        self.limit = max(min(least, MOST), 2 * self.replay)
        self._prepare_counting()
        screen.memory = find_memory(self.runner, self.limit) if self.limit <= patience.MOST_STEPS else MOST_MEMORY
        for n, code in enumerate(self.runner.codes):
            screen.seen.add(hash((n, fingerprint(code))))

    def _try_ever_longer(self, singles: Iterator[Candidate], most_singles: int) -> None:
        """Try the single changes in parts, and after each part those again that were cut, with more time."""
        screen = self.screen
        longer_times = LONGER_COUNTED if screen.counts_all else LONGER
        ends = [share for share, _, _ in longer_times[1:]] + [1.0]
        for (share, longer, most), end in zip(longer_times, ends, strict=True):
            screen.pause = share
            singles = screen.try_candidates(singles, self.limit, most=most_singles)
            late = self._select_late(most)
            if late and screen.plausible:
                screen.pause, screen.found_at = 1.0, screen.spent
                own = AGAIN if screen.base.status == TIME else max(AGAIN, 5 * screen.base.steps)
                self._screen_longer(late, min(own, LONGEST))
            elif late:
                screen.pause = (share + end) / 2
                self._screen_longer(late, min(self.limit * longer, LONGEST))
            almost = self._select_late(ALMOST)
            if almost and not screen.plausible:
                self._screen_longer(almost, LONGEST)
            if screen.plausible:
                break

    def _prepare_counting(self) -> None:
        """Run all checks for every candidate, even after one that loops, where they are quick: each tells what it gains."""
        if self.screen.base.failed > 1 and self.limit <= patience.MOST_STEPS:
            self.runner.patient = True
            reply = run_in_fork(lambda: self.runner.run({}, self.limit).list_fields(), WAIT)
            self.screen.counts_all = isinstance(reply, list) and reply[0] > 1
            self.runner.patient = self.screen.counts_all
            if self.screen.counts_all and isinstance(reply, list):
                self.screen.base = Result(*reply)

    def _screen_singles(self, singles: Iterator[Candidate], frontier: Frontier, most: int) -> Iterator[Candidate]:
        """Try single changes, and now and then what some that are known mend together, and the likeliest pairs. Gives what is left."""
        screen = self.screen
        united = 0
        for after in patience.UNITED_AFTER:
            singles = screen.try_candidates(singles, self.limit, most=min(after, most) + united)
            if screen.plausible or after >= most:
                break
            before = len(screen.candidates)
            screen.try_candidates(frontier.unite_all(screen.partial, screen.base.failed), self.limit)
            screen.try_candidates(frontier.go_beside(screen.partial, bool(screen.plausible)), self.limit)
            united += len(screen.candidates) - before
            self._finish_what_was_cut(patience.FIRST_FINISHED)
        return screen.try_candidates(singles, self.limit, most=most + united)

    def _screen_more(self, source: Iterator[Candidate], most: int) -> bool:
        """Try so many further candidates; whether the search is at its end with that."""
        self.screen.try_candidates(source, self.limit, most=len(self.screen.candidates) + most)
        return bool(self.screen.plausible) or self.screen.is_spent()

    def _combine_edits(self, frontier: Frontier, most: int) -> None:
        """Several edits: unions of changes that make other checks pass, then further changes on the best of what there is.

        Ends after ``most`` rounds, or when ``ROUNDS_AGAIN`` of them brought nothing nearer: what is to be expected of more is little.
        """
        screen = self.screen
        if screen.plausible or screen.base.failed < 2:
            return
        screen.pause = 1.0
        screen.try_candidates(frontier.unite(screen.partial, is_first=True), self.limit)
        self._finish_what_was_cut()
        screen.pause = 1.0
        idle = 0
        for n in range(most):
            states = frontier.take_states(screen.partial)
            if screen.plausible or not states or idle == patience.ROUNDS_AGAIN or screen.is_spent():
                return
            before = _measure_reach(screen.partial)
            self._screen_more(frontier.expand(states), patience.count_further(self.seconds))
            if n == 0 and not screen.plausible:
                screen.try_candidates(frontier.unite(screen.partial), self.limit)
            if n == 0 and not screen.plausible:
                self._screen_more(pair_on_singles(frontier, screen.partial), STATES * PAIRS)
            idle = 0 if _measure_reach(screen.partial) < before else idle + 1

    def _try_what_is_rare(self, source: Iterator[Candidate]) -> None:
        """New bodies and pairs of likely changes, for as long as the whole search stays below its seconds and they take few of them."""
        cpu = self.net.measure_cpu()
        if cpu < self.seconds:
            self.net.ends_at = min(cpu + patience.LAST_SECONDS, self.seconds, self.net.most)
            self.screen.steps = min(
                self.screen.steps, self.screen.spent + int(patience.LAST_SECONDS * STEPS_PER_SECOND)
            )
            self.screen.try_candidates(source, self.limit, most=patience.LAST)

    def _look_at_states(self, states: Sequence[Candidate]) -> list[Seen]:
        """Which lines are suspicious with each candidate's changes, and which parameters are empty where a check then fails."""
        changed = [{n: (state.texts[n], code) for n, code in state.codes.items()} for state in states]
        return look_again(self.runner, min(self.limit, patience.LOOK), changed, self.sight)

    def _finish_what_was_cut(self, most: int = sys.maxsize) -> None:
        """Give those candidates time against which nothing else speaks: every check that came to an end passes, and more do than before. Where
        it is ``most`` of them, not to their end."""
        self.screen.pause = patience.ENOUGH_FINISHED
        for round_ in (0, 1, 2) if most == sys.maxsize else (0,):
            chosen, steps = choose_unfinished(self.screen.late, self.screen.base, self.limit, round_, most)
            if chosen and not self.screen.plausible:
                ranks = {c.rank for c in chosen}
                self.screen.late = [c for c in self.screen.late if c.rank not in ranks]
                self._screen_longer(chosen, steps)

    def _screen_longer(self, chosen: list[Candidate], steps: int) -> None:
        """Try candidates that were cut again, but for those that are seen not to end where that is worth a look."""
        for candidate in chosen:
            self.maker.compile_alone(candidate)
        screen = self.screen
        may_end = drop_endless(
            self.runner, chosen, steps, screen.late, lambda: self.net.has_caught(bool(screen.plausible))
        )
        screen.try_candidates(iter(may_end), steps, again=True)

    def _select_late(self, most: int) -> list[Candidate]:
        """Candidates that were cut and are tried again; the others of them are not."""
        late, self.screen.late = self.screen.late, []
        return select_late(late, self.screen.plausible, most, self.screen.counts_all, self.sight.result.failed == 1)

    def _build_report(self, why: str) -> dict[str, Any]:
        patches: list[dict[str, Any]] = []
        questions: list[dict[str, Any]] = []
        if self.screen.plausible:
            seen.set_back_contradicting(self.screen.plausible, self.runner, self.seen_calls)
            seen.set_back_unmet(self.screen.plausible, self.runner)
            rushed = patience.RUSHED if self.screen.is_rushed else ""
            pool = Pool(self.runner, self.limit, 1, self.screen.jobs, self.screen.alone)
            patches, questions = rank_found(
                self.screen.plausible, self.maker, pool, rushed, lambda: self.net.has_caught(True)
            )
        return {
            "patches": patches, "questions": questions, "why": why, "tried": self.screen.tried, "plausible": len(self.screen.plausible),
            "first": min((c.rank for c in self.screen.plausible), default=0), "cpu": round(self.net.measure_cpu(), 3),
            "steps": self.screen.spent,
            "baseline": {"failed": self.screen.base.failed, "passed": self.screen.base.passed, "status": self.screen.base.status},
        }  # fmt: skip


def _measure_reach(partial: Sequence[Candidate]) -> tuple[int, int]:
    """Less is better: the fewest checks that fail, and how many edits (negative) got ever further."""
    return min(c.result.failed for c in partial), -max(c.edits for c in partial)


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
