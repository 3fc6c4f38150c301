"""The effects: what each command does, and the events that come of it.

Whatever may block (a healer, a trial) runs on a thread of its own, so that a cancellation is obeyed at once; what a
thread that was left behind still returns is not looked at, and what it cost counts as spent at its worst.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TypeVar

from jupyter_selfheal.errors import InfrastructureError, ProviderError
from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.loop import evidence, limits
from jupyter_selfheal.loop.away import TICK, Cancelled, away
from jupyter_selfheal.loop.capabilities import INSTALLATION
from jupyter_selfheal.loop.clearance import added_capabilities
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.loop.trials import run_trial
from jupyter_selfheal.model import (
    BASELINE,
    JSON,
    Case,
    Cost,
    Decision,
    Keep,
    Patch,
    Proposal,
    Reason,
    Start,
    Trial,
)
from jupyter_selfheal.ports import Answer, Facts, Healer, Parts, Scorer, Starts, TrialKernel

log = logging.getLogger(__name__)

T = TypeVar("T")

CHEAP = 5.0
"""Seconds up to which the best patch is also proven from the other start."""


FEW = 2
"""Patches tried at once of which the states behind them are kept."""


class NoFacts:
    """Of a state that is not at hand."""

    def ask(self, source: str, argument: JSON = None) -> JSON:
        return None


class Bench:
    """Performs commands for one heal. ``asking`` is True while a person is being asked."""

    def __init__(self, case: Case, parts: Parts, cancel: threading.Event, baseline: Trial | None = None) -> None:
        self.case = case
        self.parts = parts
        self.config = parts.config
        self.cancel = cancel
        self.asking = False
        self._baseline = baseline
        self._began = time.monotonic()
        self._scene: tuple[str, Starts, Facts] = ("", parts.starts, parts.facts)
        self._here: tuple[TrialKernel, ...] = ()
        self._kept: dict[str, TrialKernel] = {}
        self._pool = ThreadPoolExecutor(self.config.parallel, thread_name_prefix="selfheal-trial")
        self._healers: dict[str, Healer] = {h.name: h for h in parts.healers if not (h.paid and self.config.offline)}

    def close(self) -> None:
        """Let go of the states that were made on the way; the caller's own are the caller's."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._let_go()

    def started(self, run: str, unproven: str) -> ev.Started:
        """The first event of a run."""
        starts = self.parts.starts
        if not (starts.before or starts.after):
            unproven = unproven or "there is no kernel to try it in"
        paid = tuple(name for name, healer in self._healers.items() if healer.paid)
        if limits.costs(self.parts.scorer.worst_case(self.case, 1)) and not self.config.offline:
            paid = (*paid, ev.JUDGE)
        return ev.Started(
            run=run,
            case=self.case,
            config=self.config,
            healers=tuple(self._healers),
            paid=paid,
            session_spent=self.parts.session_spent,
            unproven=unproven,
        )

    def perform(self, command: ev.Command, dossier: Dossier) -> Iterator[ev.Event]:
        """Do what the command says; yield each event as it comes up. Raises :class:`Cancelled`."""
        if self.cancel.is_set() and not isinstance(command, ev.Close):
            raise Cancelled
        match command:
            case ev.RunBaseline():
                yield self._run_baseline(dossier)
            case ev.Diagnose(case):
                _, facts = self._at(dossier)
                yield ev.DiagnosisMade(self._away(lambda: self.parts.diagnoser.diagnose(case, facts)))
            case ev.PriceCall(who):
                yield ev.Priced(who, self._worst(who, dossier))
            case ev.AskHealer():
                yield from self._ask(command, dossier)
            case ev.Screen(patches):
                yield ev.Screened(self._screened(patches, dossier.case))
            case ev.TryPatches(patches):
                yield from self._try(patches, dossier.case)
            case ev.Score():
                yield from self._score(command, dossier)
            case ev.Derive(patch_id):
                yield ev.Derived(patch_id)
            case ev.Propose(proposal):
                yield ev.ProposalMade(self._completed(proposal, dossier))
            case ev.AskDecision(proposal):
                yield ev.Decided(self._person(lambda: self.parts.approver.decide(proposal)))
            case ev.Pause(why, reason):
                yield ev.PausedForUserAction(why, reason, dossier.account.spent)
            case ev.AskToContinue(why):
                last = dossier.proposals[-1] if dossier.proposals else None
                spent = dossier.account.spent
                yield ev.Decided(self._person(lambda: self.parts.approver.paused(why, last, spent)))
            case ev.Close(reason, detail):
                yield ev.Ended(reason, detail)

    def _screened(self, patches: tuple[Patch, ...], case: Case) -> dict[str, tuple[str, ...]]:
        """What the patches add; installing is no news where the user allowed it."""
        allowed = {INSTALLATION} if self.config.install else set()
        found = {p.id: tuple(c for c in added_capabilities(case, p) if c not in allowed) for p in patches}
        return {patch_id: names for patch_id, names in found.items() if names}

    # --- trials -----------------------------------------------------------------------------------------------------

    def _run_baseline(self, dossier: Dossier) -> ev.BaselineRan:
        case, known = dossier.case, self._baseline
        if known is None or dossier.baselines:
            known = self._away(lambda: self.trial(case, BASELINE, self.parts.starts.best)[0])
        return ev.BaselineRan(known, self.parts.scorer.missed(case, known) if known.ran and case.oracle else "")

    def trial(
        self, case: Case, patch: Patch, kernel: TrialKernel, keep: Keep = Keep.NEVER
    ) -> tuple[Trial, TrialKernel | None]:
        """One trial of a patch of the reported case."""
        parts = self.parts
        start = self._start_of(kernel)
        return run_trial(
            case, patch, kernel, start=start, scorer=parts.scorer, config=self.config, install=parts.install, keep=keep
        )

    def _try(self, patches: tuple[Patch, ...], case: Case) -> Iterator[ev.TrialEnded]:
        """Several at once; each result is an event as soon as it is there.

        Where they are few, the states in which they fail are kept: what comes up there may be healed next.
        """
        kernel = self.parts.starts.best
        keep = Keep.ALWAYS if len(patches) <= FEW else Keep.NEVER
        for old in self._kept.values():
            old.close()
        self._kept = {}
        left = {self._pool.submit(self.trial, case, patch, kernel, keep): patch for patch in patches}
        try:
            while left:
                done, _ = wait(left, timeout=TICK, return_when=FIRST_COMPLETED)
                if self.cancel.is_set():
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

    def _at(self, dossier: Dossier) -> tuple[Starts, Facts]:
        """The states and facts of the failure at hand. Behind a patch that is the state in which that patch failed."""
        at = dossier.derived[-1] if dossier.derived else ""
        if self._scene[0] != at:
            kept = self._kept.pop(at, None)
            self._let_go()
            if kept is None:
                case, base, best = dossier.case, dossier.current.base, self.parts.starts.best
                _, kept = self._away(lambda: self.trial(case, base, best, Keep.ALWAYS))
            self._here = (kept,) if kept else ()
            facts_for = self.parts.facts_for
            facts = facts_for(kept) if kept and facts_for else NoFacts()
            self._scene = (at, Starts(self.parts.starts.before, self._here), facts)
        return self._scene[1], self._scene[2]

    def _let_go(self) -> None:
        """Close every state that was kept on the way: those behind patches, and that of the failure at hand."""
        for kernel in (*self._kept.values(), *self._here):
            kernel.close()
        self._kept, self._here = {}, ()

    def _completed(self, proposal: Proposal, dossier: Dossier) -> Proposal:
        """The proposal with the best patch proven from the other start, where that is cheap, and its time."""
        notes, proven = proposal.notes, proposal.proven_from
        other = self._other_start(proven)
        best = proposal.candidates[0]
        if other and best.trial.seconds <= CHEAP:
            again, _ = self._away(lambda: self.trial(dossier.case, best.patch, other))
            missed = self.parts.scorer.missed(dossier.case, again) if again.ran and dossier.case.oracle else ""
            if again.ran and not missed:
                proven = (*proven, self._start_of(other))
            else:
                notes = (*notes, f"not proven {self._start_of(other).value}: {missed or _why(again)}")
        questions = proposal.questions
        if self.parts.questions and not questions and len(proposal.candidates) > 1:
            questions = self.parts.questions(dossier.case, proposal.candidates)
        seconds = time.monotonic() - self._began
        return replace(proposal, proven_from=proven, notes=notes, questions=questions, seconds=seconds)

    def _start_of(self, kernel: TrialKernel) -> Start:
        return Start.BEFORE_CELL if any(kernel is k for k in self.parts.starts.before) else Start.AFTER_FAILURE

    def _other_start(self, proven: tuple[Start, ...]) -> TrialKernel | None:
        starts = (*self.parts.starts.before, *self.parts.starts.after)
        return next((k for k in starts if self._start_of(k) not in proven), None) if proven else None

    # --- healers and judges -----------------------------------------------------------------------------------------

    def _worst(self, who: str, dossier: Dossier) -> Cost:
        if who == ev.JUDGE:
            waiting = sum(a.verdict is None for a in dossier.archive)
            return self.parts.scorer.worst_case(dossier.case, waiting)
        return self._healers[who].worst_case(dossier.current, dossier.archive)

    def _ask(self, command: ev.AskHealer, dossier: Dossier) -> Iterator[ev.Event]:
        """Set the money aside, ask, settle. A healer that fails ends its own path, not the heal."""
        healer, name = self._healers.get(command.healer), command.healer
        if healer is None:
            yield ev.HealerFailed(name, Reason.INFRASTRUCTURE, "is not available any more")
            return
        starts, facts = self._at(dossier)
        reservation = f"{name}-{len(dossier.account.reserved)}-{dossier.calls}" if healer.paid else ""
        if reservation:
            yield ev.Reserved(reservation, name, command.worst)
        try:
            answer: Answer = self._away(lambda: healer.propose(command.case, starts, facts, dossier.archive))
        except InfrastructureError as error:
            failed, cost = ev.HealerFailed(name, Reason.INFRASTRUCTURE, str(error)), _charged(error, command.worst)
        except Cancelled:
            raise
        except Exception as error:
            log.exception("the healer %s failed", name)
            failed = ev.HealerFailed(name, Reason.SELF_ERROR, f"{type(error).__name__}: {error}")
            cost = command.worst
        else:
            yield ev.Answered(name, answer, reservation)
            return
        if reservation:
            yield ev.Settled(reservation, cost)
        yield failed

    def _score(self, command: ev.Score, dossier: Dossier) -> Iterator[ev.Event]:
        """Judge what was tried, and rank everything that ever was."""
        baseline = evidence.baseline(dossier) or command.tried[0][1]
        reservation, note = "", ""
        scorer = self._free_scorer() if ev.JUDGE in dossier.paid and not command.paid else self.parts.scorer
        if scorer is not self.parts.scorer:
            note = "no model judged: the budget does not allow it"
        if command.paid and limits.costs(command.worst):
            reservation = f"{ev.JUDGE}-{len(dossier.archive)}-{len(dossier.account.reserved)}"
            yield ev.Reserved(reservation, ev.JUDGE, command.worst)
        history = tuple(a for a in dossier.archive if a.verdict)
        try:
            verdicts, cost = self._away(lambda: scorer.judge(dossier.case, baseline, command.tried, history))
        except ProviderError as error:
            if reservation:
                yield ev.Settled(reservation, _charged(error, command.worst))
            reservation, note = "", f"no model judged: {error}"
            scorer = self._free_scorer()
            verdicts, cost = scorer.judge(dossier.case, baseline, command.tried, history)
        known = [(a.patch, a.trial, a.verdict) for a in history if a.trial and a.verdict]
        every = [*known, *((p, t, v) for (p, t), v in zip(command.tried, verdicts, strict=True))]
        ranking = scorer.rank([(p, t) for p, t, _ in every], [v for _, _, v in every])
        record = getattr(scorer, "record", None)
        yield ev.Scored(verdicts, tuple(every[n][0].id for n in ranking), cost, reservation, note, record)

    def _free_scorer(self) -> Scorer:
        if self.parts.fallback_scorer is None:
            raise InfrastructureError("the judge cannot be asked, and there is no scorer without a model")
        return self.parts.fallback_scorer

    # --- waiting ----------------------------------------------------------------------------------------------------

    def _person(self, ask: Callable[[], Decision]) -> Decision:
        self.asking = True
        try:
            decision = ask()
        finally:
            self.asking = False
        if self.cancel.is_set():
            raise Cancelled
        return decision

    def _away(self, call: Callable[[], T]) -> T:
        return away(call, self.cancel)


def _charged(error: InfrastructureError, worst: Cost) -> Cost:
    """What a failed call cost: what the provider's adapter knows of it; its worst case where nobody can know."""
    if isinstance(error, ProviderError):
        return error.cost or (worst if error.kind == "timeout" else Cost(calls=1))
    return worst


def _close_kept(future: Future[tuple[Trial, TrialKernel | None]]) -> None:
    """A trial that nobody waits for any more leaves no state behind."""
    if not future.cancelled() and future.exception() is None and (kept := future.result()[1]) is not None:
        kept.close()


def _why(trial: Trial) -> str:
    """How a trial failed, in a few words."""
    for step in trial.steps:
        for error in step.errors:
            return f"{error.ename}: {error.evalue}"[:200]
    return trial.detail or trial.ending.value
