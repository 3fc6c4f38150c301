"""The effects: what each command does, and the events that come of it.

It has two hands: :mod:`.trial_states` runs patches (each in :mod:`.trials`), :mod:`.advisers` asks healers, the judge and
the critic.

Whatever may block (a healer, a trial) runs on a thread of its own (:mod:`.cancellation`), so that a cancellation is obeyed
at once; what a thread that was left behind still returns is not looked at, and what it cost counts as spent at its worst.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from jupyter_selfheal.loop import commands as do
from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.loop import stability
from jupyter_selfheal.loop.advisers import Advisers
from jupyter_selfheal.loop.cancellation import Cancelled, run_cancellable
from jupyter_selfheal.loop.repeated_trials import RepeatedTrials
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.loop.trial_states import CHEAP, TrialStates
from jupyter_selfheal.model import Case, Decision, Proposal, Start, Trial
from jupyter_selfheal.ports import HealDependencies

T = TypeVar("T")


class CommandRunner:
    """Performs commands for one heal. ``asking`` is True while a person is being asked."""

    def __init__(
        self, case: Case, parts: HealDependencies, cancel: threading.Event, baseline: Trial | None = None
    ) -> None:
        self.case = case
        self.parts = parts
        self.config = parts.config
        self.cancel = cancel
        self.asking = False
        self._baseline = baseline
        self._began = time.monotonic()
        self._states = TrialStates(parts, cancel)
        self._advisers = Advisers(parts, self._states, cancel)
        self._repeated = RepeatedTrials(self._states, parts, self._find_missed_expectation)

    def close(self) -> None:
        """Let go of the states that were made on the way; the caller's own are the caller's."""
        self._repeated.close()
        self._states.close()

    def build_start_event(self, run: str, unproven: str) -> ev.Started:
        """The first event of a run."""
        starts = self.parts.starts
        if not (starts.before or starts.after):
            unproven = unproven or "there is no kernel to try it in"
        return ev.Started(
            run=run,
            case=self.case,
            config=self.config,
            healers=self._advisers.healers,
            paid=self._advisers.list_paid(self.case),
            session_spent=self.parts.session_spent,
            unproven=unproven,
            can_make_anew=starts.anew is not None and bool(starts.before),
            is_exact=all(kernel.is_exact for kernel in (*starts.before, *starts.after)),
        )

    def perform(self, command: do.Command, dossier: Dossier) -> Iterator[ev.Event]:
        """Do what the command says; yield each event as it comes up. Raises :class:`Cancelled`."""
        if self.cancel.is_set() and not isinstance(command, do.Close):
            raise Cancelled
        match command:
            case do.RunBaseline():
                yield self._run_baseline(dossier)
            case do.JudgeCell():
                yield from self._advisers.judge_cell(command, dossier)
            case do.Diagnose(case):
                _, facts = self._states.prepare_states(dossier)
                yield ev.DiagnosisMade(self._run_cancellable(lambda: self.parts.diagnoser.diagnose(case, facts)))
            case do.PriceCall(who):
                yield ev.Priced(who, self._advisers.price_call(who, dossier))
            case do.AskHealer():
                yield from self._advisers.ask_healer(command, dossier)
            case do.CheckCapabilities():
                yield from self._advisers.check_capabilities(command, dossier)
            case do.TryPatches(patches):
                yield from self._states.try_patches(patches, dossier.case)
            case do.Score():
                yield from self._advisers.judge_trials(command, dossier)
            case do.Derive(patch_id):
                yield ev.Derived(patch_id)
            case do.Repeat(patch):
                repeats = self._run_cancellable(lambda: self._repeated.measure(dossier, patch))
                yield ev.Repeated(patch.id, repeats)
            case do.Propose(proposal):
                yield ev.ProposalMade(self._complete_proposal(proposal, dossier))
            case do.AskDecision(proposal):
                yield ev.Decided(self._ask_person(lambda: self.parts.approver.decide(proposal)))
            case do.Pause(why, reason):
                yield ev.PausedForUserAction(why, reason, dossier.account.spent)
            case do.AskToContinue(why, reason):
                last = dossier.proposals[-1] if dossier.proposals else None
                spent = dossier.account.spent
                yield ev.Decided(
                    self._ask_person(lambda: self.parts.approver.decide_after_pause(why, reason, last, spent))
                )
            case do.Close(reason, detail):
                yield ev.Ended(reason, detail)

    def _run_baseline(self, dossier: Dossier) -> ev.BaselineRan:
        case, known = dossier.case, self._baseline
        anew = stability.choose_next_run(dossier, self.config) or 0
        if known is None or dossier.baselines or not stability.is_conclusive(case):
            known = self._run_cancellable(lambda: self._repeated.run_baseline(dossier, anew))
        return ev.BaselineRan(known, self._find_missed_expectation(case, known) or "", anew)

    def _find_missed_expectation(self, case: Case, trial: Trial) -> str | None:
        """Why a trial misses the user's oracle; None where it does not, where there is none, or where the cell failed."""
        return self.parts.scorer.find_missed_expectation(case, trial) if trial.ran and case.oracle else None

    def _complete_proposal(self, proposal: Proposal, dossier: Dossier) -> Proposal:
        """The proposal with the best patch proven from the other start, where that is cheap, and its time."""
        notes, proven, resumed = proposal.notes, proposal.proven_from, proposal.resumed
        other = self._states.find_other_start(proven)
        best = proposal.candidates[0]
        if other and best.trial.seconds <= CHEAP and self._states.tells_more(dossier.case, other):
            again, _ = self._run_cancellable(
                lambda: self._states.run_trial(dossier.case, best.patch, other, is_last=True)
            )
            missed = self._find_missed_expectation(dossier.case, again)
            if again.ran and not missed:
                proven = (*proven, self._states.find_start(other))
                resumed = (again,) if proven[-1] is Start.AFTER_FAILURE else ()
            else:
                notes = (*notes, _explain_other_start(self._states.find_start(other), missed or "", again))
        questions = proposal.questions
        if (
            self.parts.questions
            and len(proposal.candidates) > 1
            and not (questions and best.verdict.score < self.config.accept)
        ):
            ask = self.parts.questions
            asked = self._run_cancellable(lambda: ask(dossier.case, proposal.candidates))
            questions = (*asked, *questions) if not questions or any(q.blocks for q in asked) else questions
        seconds = time.monotonic() - self._began
        return replace(proposal, proven_from=proven, resumed=resumed, notes=notes, questions=questions, seconds=seconds)

    # --- waiting ----------------------------------------------------------------------------------------------------

    def _ask_person(self, ask: Callable[[], Decision]) -> Decision:
        self.asking = True
        try:
            decision = ask()
        finally:
            self.asking = False
        if self.cancel.is_set():
            raise Cancelled
        return decision

    def _run_cancellable(self, call: Callable[[], T]) -> T:
        return run_cancellable(call, self.cancel)


def _explain_other_start(start: Start, missed: str, trial: Trial) -> str:
    """What it means for the user that the best patch, which runs from one start, does not from the other."""
    if start is not Start.AFTER_FAILURE:
        return f"Not proven {start.value}: {missed or trial.failed_by}"
    how = f"does not give what is expected: {missed}" if missed else f"still fails: {trial.failed_by}"
    return f"Run the whole cell: what is left of it alone, from where it failed, {how}"
