"""Runs a cell several times, as it is and with a patch, and varies what varies by chance.

How often is decided in :mod:`.stability` and :mod:`.sequential_test`; here it is done. Run *n* of the cell as it is and run *n* with
the patch begin alike, with the same seed or from the same state made anew: a patch that changes nothing then fails where
the cell fails.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.loop import evidence, progress, stability
from jupyter_selfheal.loop.sequential_test import MOST_PAIRS, is_cure
from jupyter_selfheal.loop.stability import RepeatPlan
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.loop.trial_states import TrialStates
from jupyter_selfheal.model import BASELINE, Case, Ending, Isolation, Patch, Probe, Repeats, Start, Step, Trial
from jupyter_selfheal.ports import HealDependencies, TrialKernel
from jupyter_selfheal.source.chance import Chance

SECONDS = 90.0
"""How long a patch is measured; what is not known by then is doubtful."""

AT_LEAST = 2
"""Runs of a patch, of each kind that is wanted, however long they take."""

_SEED = 7_000
"""The first of the seeds that runs are given: one that nobody chooses."""

MODULES = ("random", "numpy.random")
"""Modules of random numbers whose generators a copy of a process shares with it."""

_ENDED = "the heal has ended"

MissedExpectation = Callable[[Case, Trial], str | None]


class RepeatedTrials:
    """Measures patches of one heal. Close it: it holds states that were made anew.

    A heal that is cancelled leaves the thread behind that measures (see :func:`.run_cancellable`): that closes the state which it is
    making then, and makes no further one.
    """

    def __init__(self, states: TrialStates, parts: HealDependencies, find_missed: MissedExpectation) -> None:
        self._states = states
        self._parts = parts
        self._find_missed = find_missed
        self._anew: dict[tuple[int, bool], TrialKernel] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def close(self) -> None:
        """Let go of the states made anew. Idempotent."""
        with self._lock:
            self._is_closed = True
            states, self._anew = list(self._anew.values()), {}
        for state in states:
            state.close()

    def run_baseline(self, dossier: Dossier, anew: int) -> Trial:
        """One more run of the cell as it is: ``anew`` 0 from the state at hand, with another seed than the runs before it; n
        from the n-th state made anew. A state that cannot be had is a trial that was cancelled."""
        case, ran = dossier.case, sum(not b.anew for b in dossier.baselines)
        if not anew:
            # the first draws what the reported run drew: it must fail as that did
            seeds = self._build_seeding(stability.read_chance(case), ran) if ran else ()
            return self._states.run_trial(case, BASELINE, self._parts.starts.best, first=seeds)[0]
        try:
            state = self._open_anew(anew, stability.read_chance(case))
            return self._states.run_trial(case, BASELINE, state)[0]
        except KernelError as error:
            start = Start.BEFORE_CELL
            return Trial(BASELINE.id, (), Ending.CANCELLED, start, Isolation("none"), detail=str(error))

    def measure(self, dossier: Dossier, patch: Patch) -> Repeats:
        """How often the cell fails as it is, and with the patch."""
        plan = stability.plan_repeats(dossier, patch)
        assert plan is not None, "there is nothing to repeat"
        deadline = time.monotonic() + SECONDS
        repeats = replace(dossier.case.repeats, sources=dossier.case.repeats.sources or plan.chance.sources)
        repeats = self._measure_drawn(dossier, patch, plan, repeats, deadline)
        if not repeats.patched_failures:
            repeats = self._measure_anew(dossier, patch, plan, repeats, deadline)
        return replace(repeats, doubt=stability.find_doubt(plan, repeats))

    def _measure_drawn(
        self, dossier: Dossier, patch: Patch, plan: RepeatPlan, repeats: Repeats, deadline: float
    ) -> Repeats:
        """From the state at hand, with other seeds. Runs of the cell as it is that were made already are not made again."""
        known = sum(not b.anew for b in dossier.baselines)
        number = 0
        while number < plan.drawn or (plan.compared and not plan.anew and not _is_decided(repeats, number)):
            seeds = self._build_seeding(plan.chance, number)
            best = self._parts.starts.best
            repeats = self._run_pair(dossier.case, patch, best, repeats, seeds, with_baseline=number >= known)
            number += 1
            if repeats.patched_failures or (number >= AT_LEAST and time.monotonic() > deadline):
                break
        return repeats

    def _measure_anew(
        self, dossier: Dossier, patch: Patch, plan: RepeatPlan, repeats: Repeats, deadline: float
    ) -> Repeats:
        """From states made anew, as far as they can be had."""
        known = sum(bool(b.anew) and b.trial.ending is not Ending.CANCELLED for b in dossier.baselines)
        number, judged = 0, plan.chance.order and _is_accepted(dossier, patch, self._parts.config.accept)
        while number < plan.anew or (plan.compared and plan.anew and not _is_decided(repeats, number)):
            number += 1
            try:
                state = self._open_anew(number, plan.chance)
            except KernelError as refused:
                return replace(repeats, refused=str(refused))
            repeats = self._run_pair(
                dossier.case, patch, state, repeats, (), with_baseline=number > known, judged=judged
            )
            if plan.chance.order:
                repeats = replace(repeats, fresh=max(repeats.fresh, number))
            if repeats.patched_failures or (number >= AT_LEAST and time.monotonic() > deadline):
                break
        return repeats

    def _run_pair(
        self,
        case: Case,
        patch: Patch,
        state: TrialKernel,
        repeats: Repeats,
        first: tuple[Step, ...],
        *,
        with_baseline: bool,
        judged: bool = False,
    ) -> Repeats:
        if with_baseline:
            failed = self._fails_again(case, BASELINE, state, first)
            repeats = replace(repeats, runs=repeats.runs + 1, failures=repeats.failures + failed)
        failed = self._fails_again(case, patch, state, first, judged)
        return replace(
            repeats,
            patched_runs=repeats.patched_runs + 1,
            patched_failures=repeats.patched_failures + failed,
        )

    def _fails_again(
        self, case: Case, patch: Patch, state: TrialKernel, first: tuple[Step, ...], judged: bool = False
    ) -> bool:
        """Whether a run fails; where it is ``judged`` also whether it would not be accepted, as what it gives is not what is stored."""
        trial, _ = self._states.run_trial(case, patch, state, first=first)
        missed = self._find_missed(case, trial)
        if patch.is_empty:
            return progress.find_failure(case, case.failure.source, trial, missed) is not None
        if not trial.ran or missed is not None:
            return True
        scorer = self._parts.fallback_scorer if judged else None
        if scorer is None:
            return False
        (verdict,) = scorer.judge(case, trial, [(patch, trial)], ()).verdicts
        return verdict.score < self._parts.config.accept

    def _build_seeding(self, chance: Chance, number: int) -> tuple[Step, ...]:
        """The step that makes the next run draw otherwise. What the notebook seeds itself it means to be as it is."""
        modules = [name for name in MODULES if name not in chance.seeds]
        return (build_reseeding(number, modules),)

    def _open_anew(self, number: int, chance: Chance) -> TrialKernel:
        """The n-th state before the cell made anew; each is made once. Raises :class:`KernelError` where it cannot be had."""
        key = (number, chance.order)
        if self._is_closed:
            raise KernelError(_ENDED)
        if key in self._anew:
            return self._anew[key]
        make = self._parts.starts.anew
        if make is None:
            raise KernelError("here the cells above are not run again")
        state = make(number, chance.order)
        with self._lock:
            if not self._is_closed:
                self._anew[key] = state
                return state
        state.close()
        raise KernelError(_ENDED)


def build_reseeding(number: int, modules: Sequence[str] = MODULES) -> Probe:
    """The step that makes what comes after it draw otherwise, in the n-th way."""
    return Probe(probe_source("probes.reseed"), {"modules": list(modules), "seed": _SEED + number}, "reseed")


def _is_accepted(dossier: Dossier, patch: Patch, accept: float) -> bool:
    """Whether the patch is good enough by its own trial."""
    return any(c.patch.id == patch.id and c.verdict.score >= accept for c in evidence.list_candidates(dossier))


def _is_decided(repeats: Repeats, pairs: int) -> bool:
    return pairs >= MOST_PAIRS or is_cure(repeats.failures, repeats.runs, repeats.patched_runs)
