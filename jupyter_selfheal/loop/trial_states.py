"""The states that a heal tries patches from, and the trials in them.

:mod:`.runner` asks for a trial or a state; which one that is, what is kept of it and what is closed is decided here. A single
trial is :func:`.trials.run_trial`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace

from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.loop import plan
from jupyter_selfheal.loop.cancellation import TICK, Cancelled, run_cancellable
from jupyter_selfheal.loop.observed_calls import CallObserver
from jupyter_selfheal.loop.repeats import is_untouched
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.loop.threads import open_pool
from jupyter_selfheal.loop.trials import build_request, build_sandbox, run_trial, run_trial_in_two
from jupyter_selfheal.model import JSON, Case, FailureKind, Keep, Patch, Start, Step, Trial
from jupyter_selfheal.ports import Facts, HealDependencies, RunsAhead, Starts, TrialKernel

CHEAP = 5.0
"""Seconds up to which the best patch is also proven from the other start."""

FEW = 2
"""Patches tried at once of which the states behind them are kept."""


class NoFacts:
    """Of a state that is not at hand."""

    def ask(self, source: str, argument: JSON = None) -> JSON:
        return None


class TrialStates:
    """The states before and after the failure, and those that a heal makes on the way, behind patches that got further.

    Whatever blocks is left behind once ``cancel`` is set. Close it to let go of what was made; the caller's states are the
    caller's.
    """

    def __init__(self, parts: HealDependencies, cancel: threading.Event) -> None:
        self._parts = parts
        self._cancel = cancel
        self._calls = CallObserver(build_sandbox(parts.config))
        self._current: tuple[str, Starts, Facts] = ("", parts.starts, parts.facts)
        self._here: tuple[TrialKernel, ...] = ()
        self._kept: dict[str, TrialKernel] = {}
        self._pool = open_pool(parts.config.parallel, "selfheal-trial")

    def close(self) -> None:
        """Idempotent."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._close_states()

    def run_trial(
        self,
        case: Case,
        patch: Patch,
        kernel: TrialKernel,
        keep: Keep = Keep.NEVER,
        first: tuple[Step, ...] = (),
        is_last: bool = False,
    ) -> tuple[Trial, TrialKernel | None]:
        """One trial of a patch of the reported case, with the calls made again that it may change."""
        parts, start = self._parts, self.find_start(kernel)
        asks_calls = kernel is parts.starts.best and not first
        calls = self._calls.build_probe(case, patch, kernel) if asks_calls else None
        request = build_request(case, patch, start, parts.scorer, parts.config, first=first, calls=calls)
        request = replace(request, keep=keep, is_last=is_last)
        leave_behind = parts.starts.leave_behind if start is Start.BEFORE_CELL and keep is Keep.ON_FAILURE else None
        if leave_behind is not None and calls is None and not plan.list_requirements(patch):
            return run_trial_in_two(patch, kernel, request, start=start, leave_behind=leave_behind)
        trial, kept = run_trial(patch, kernel, request, start=start, install=parts.install)
        return self._calls.add_recorded_steps(trial), kept

    def try_patches(self, patches: tuple[Patch, ...], case: Case) -> Iterator[ev.TrialEnded]:
        """Several at once; each result is an event as soon as it is there.

        Where they are few, the states in which they fail are kept: what comes up there may be healed next. That of one which runs
        is left to whoever may go on from there; where nobody does it is not kept, as that costs as much as the trial.
        """
        kernel = self._parts.starts.best
        keep = Keep.ON_FAILURE if len(patches) <= FEW else Keep.NEVER
        for old in self._kept.values():
            old.close()
        self._kept = {}
        if len(patches) == 1:
            self._prove_from_other_start(case, patches[0])
        left = {self._pool.submit(self.run_trial, case, patch, kernel, keep): patch for patch in patches}
        try:
            while left:
                done, _ = wait(left, timeout=TICK, return_when=FIRST_COMPLETED)
                if self._cancel.is_set():
                    raise Cancelled
                for future in done:
                    patch, (trial, kept) = left.pop(future), future.result()
                    if kept is not None:
                        self._kept[patch.id] = kept
                    yield ev.TrialEnded(patch.id, trial)
        finally:
            for future in left:
                future.cancel()
                future.add_done_callback(_close_kept)

    def _prove_from_other_start(self, case: Case, patch: Patch) -> None:
        """Begin, beside its first trial, the one that follows where the only patch that is tried runs: it will most likely be proposed."""
        other = self.find_other_start((self.find_start(self._parts.starts.best),))
        if (
            isinstance(other, RunsAhead)
            and case.failure.seconds <= CHEAP
            and not plan.list_requirements(patch)
            and self.tells_more(case, other)
        ):
            parts = self._parts
            request = build_request(case, patch, self.find_start(other), parts.scorer, parts.config)
            other.run_ahead(replace(request, is_last=True))

    def tells_more(self, case: Case, other: TrialKernel) -> bool:
        """Whether a trial from the other start is another one: where the cell came to nothing, what is left of it is all of it."""
        return case.failure.is_aside or self.find_start(other) is not Start.AFTER_FAILURE or not is_untouched(case)

    def prepare_states(self, dossier: Dossier) -> tuple[Starts, Facts]:
        """The states and facts of the failure at hand. Behind a patch that is the state in which that patch failed."""
        at = dossier.derived[-1] if dossier.derived else ""
        if self._current[0] != at:
            kept = self._kept.pop(at, None)
            self._close_states()
            if kept is None and not _leaves_nothing(dossier):
                case, base, best = dossier.case, dossier.current.base, self._parts.starts.best
                _, kept = run_cancellable(
                    lambda: self.run_trial(case, base, best, Keep.ALWAYS), self._cancel, _close_state
                )
            self._here = (kept,) if kept else ()
            facts_for = self._parts.facts_for
            facts = facts_for(kept) if kept and facts_for else NoFacts()
            self._current = (at, Starts(self._parts.starts.before, self._here), facts)
        return self._current[1], self._current[2]

    def find_start(self, kernel: TrialKernel) -> Start:
        """What a state is to the failing cell."""
        after = any(kernel is k for k in (*self._parts.starts.after, *self._here, *self._kept.values()))
        return Start.AFTER_FAILURE if after else Start.BEFORE_CELL

    def find_other_start(self, proven: tuple[Start, ...]) -> TrialKernel | None:
        """A state of the caller's from which nothing was proven yet and somebody may go on; None where nothing was proven at all."""
        given = self._parts.starts
        starts = (*given.before, *(given.after if given.goes_on_after or not given.before else ()))
        return next((k for k in starts if self.find_start(k) not in proven), None) if proven else None

    def _close_states(self) -> None:
        """Close every state that was kept on the way: those behind patches, and that of the failure at hand."""
        for kernel in (*self._kept.values(), *self._here):
            kernel.close()
        self._kept, self._here = {}, ()


def _leaves_nothing(dossier: Dossier) -> bool:
    """Whether the patch ended the process of its trial, or was cut off: to run it again would take as long, and end so again."""
    return dossier.is_exact and dossier.current.failure.kind in (FailureKind.TIMED_OUT, FailureKind.DIED)


def _close_kept(future: Future[tuple[Trial, TrialKernel | None]]) -> None:
    """A trial that nobody waits for any more leaves no state behind."""
    if not future.cancelled() and future.exception() is None:
        _close_state(future.result())


def _close_state(result: tuple[Trial, TrialKernel | None]) -> None:
    """Let go of the state that a trial kept, if it did."""
    if result[1] is not None:
        result[1].close()
