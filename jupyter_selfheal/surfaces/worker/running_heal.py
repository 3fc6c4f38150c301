"""One heal of the session: its thread, the decisions that came for it, and its approver."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from jupyter_selfheal import engine, wire
from jupyter_selfheal import messages as m
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import SelfHealError
from jupyter_selfheal.journal.describe import describe_event, format_headline
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.journal.redact import redact
from jupyter_selfheal.loop.repeats import find_repeated_effects
from jupyter_selfheal.loop.spending import Spending
from jupyter_selfheal.loop.trial_states import CHEAP
from jupyter_selfheal.loop.trials import build_sandbox
from jupyter_selfheal.loop.warm_imports import find_first_imports, warm_imports
from jupyter_selfheal.model import Candidate, Choice, Cost, Decision, Outcome, Proposal, Reason, Trial
from jupyter_selfheal.ports import Starts, TrialKernel
from jupyter_selfheal.surfaces.worker.journals import find_free_name
from jupyter_selfheal.surfaces.worker.seen_run import build_seen_run
from jupyter_selfheal.surfaces.worker.stand_in import StandIn
from jupyter_selfheal.surfaces.worker.states import StateAhead, build_starts, connect_state, replace_states

log = logging.getLogger("jupyter_selfheal.surfaces.worker")

TICK = 0.05
"""Seconds after which whoever waits for the user looks whether the heal was cancelled."""

SEARCH_SECONDS = 10.0
"""CPU seconds of the search where no other number was set: somebody waits, and what it has not found by then it seldom finds."""

UNLIKELY_AFTER = 8.0
"""Seconds of work after which whoever waits is told that a fix is unlikely by now: of the fixes that the search showed first or second
in benchmarks/rows, 4 of 100 took more processor time."""
TRIALS = 4
"""Runs of the failing cell that a heal waits for, each as long as the cell ran."""
UNLIKELY = "Still looking, but a fix is unlikely by now: 96 of 100 are found sooner."

QUIET = frozenset(
    {"Priced", "Reserved", "Settled", "ProposalMade", "PausedForUserAction", "Decided", "Ended", "Started", "DiagnosisMade"}
)  # fmt: skip
"""Events without a progress line: another message says it, or it is bookkeeping."""


MANY_MODULES = 50
"""From how many modules that the cell loaded it is worth a copy to load them once for all of its trials."""


def shorten_search(config: HealConfig) -> HealConfig:
    """The settings with the shorter search of a live session, unless they say how long it may take."""
    is_set = config.search_seconds != HealConfig().search_seconds
    return config if is_set else config.with_(search_seconds=SEARCH_SECONDS)


class RunningHeal:
    """A heal from its message to ``Finished``.

    ``turn`` is held while it works, not while its user decides. ``on_end`` is called once, before ``Finished`` is sent. ``ahead`` is the
    state in which its cell runs already, if any.
    """

    def __init__(
        self,
        message: m.Heal,
        send: Callable[[m.FromWorker], None],
        turn: threading.Lock,
        on_end: Callable[[RunningHeal, Outcome], None],
        ahead: StateAhead | None = None,
    ) -> None:
        self.message = message
        self.run = message.run
        self._ahead = ahead
        self.cancel = threading.Event()
        self.decisions: queue.SimpleQueue[Decision] = queue.SimpleQueue()
        self.working = False
        self.waiting = False
        self.thread = threading.Thread(target=self._run_thread, name=f"selfheal-{message.run}", daemon=True)
        self._send = send
        self._turn = turn
        self._on_end = on_end
        self._kernels: tuple[TrialKernel, ...] = ()
        self._began = time.monotonic()
        self._tried = 0
        self._spending = Spending()
        self._stand_in = StandIn()
        self._telling = threading.Lock()
        """Held by who tells the card where the heal is, so that no word of a search comes behind the question that ended it."""

    # --- the approver ---

    def decide(self, proposal: Proposal) -> Decision:
        """See :class:`~jupyter_selfheal.ports.Approver`."""
        case = self.message.case
        repeats = {
            c.patch.id: effects
            for c in proposal.candidates
            if (effects := find_repeated_effects(case, c.patch, c.cells_run_again))
        }
        best = next((c for c in proposal.candidates[:1] if c.patch.id in repeats), None)
        reruns = self._run_again(best) if best else {}
        return self._ask_user(m.Proposed(self.run, self._stand_in.describe_proposal(proposal), repeats, reruns))

    def _run_again(self, best: Candidate) -> dict[str, Trial]:
        """What approving the best fix does: the whole cell run from after the failure, where what it did before stays done."""
        case, after = self.message.case, self.starts.after
        if not after or not best.trial.ran or case.failure.seconds + best.trial.seconds > CHEAP:
            return {}
        try:
            again = engine.prove_patch(case, best.patch, Starts(after), self.message.config)
        except SelfHealError as error:
            log.info("%s: not run again from after the failure: %s", self.run, error)
            return {}
        return {best.patch.id: again.trial}

    def decide_after_pause(self, why: str, reason: Reason, proposal: Proposal | None, cost: Cost) -> Decision:
        """See :class:`~jupyter_selfheal.ports.Approver`."""
        return self._ask_user(m.Paused(self.run, why, reason, cost, (proposal,) if proposal else ()))

    def _ask_user(self, question: m.Proposed | m.Paused) -> Decision:
        """Ask, and wait for the user; meanwhile another heal may work."""
        with self._telling:
            self.working, self.waiting = False, True
        self._turn.release()
        try:
            self._send(question)
            while not self.cancel.is_set():
                with contextlib.suppress(queue.Empty):
                    return self.decisions.get(timeout=TICK)
            raise KeyboardInterrupt
        finally:
            self._turn.acquire()
            self.working, self.waiting = True, False

    def take_decision(self, decision: Decision, states: tuple[m.StateAddress, ...] = ()) -> None:
        """The user's word came; ``states`` are where the heal goes on, where its own are gone.

        To stop is obeyed at once, also while nothing is asked: a model may answer after a minute.
        """
        if decision.choice is Choice.STOP and not self.waiting:
            self.cancel.set()
        try:
            replace_states(self._kernels, states)
        except SelfHealError as error:  # the heal meets that too, and says so
            log.error("%s: new states: %s", self.run, error)
        self.decisions.put(decision)

    # --- the work ---

    @property
    def starts(self) -> Starts:
        """The states that it works from."""
        return build_starts(self._kernels)

    def close_states(self) -> None:
        """Close the states. Idempotent; ends trials that run."""
        if not self.message.keep_states:
            for kernel in self._kernels:
                kernel.close()

    def _run_thread(self) -> None:
        outcome, journal = self._build_failed_outcome(Reason.SELF_ERROR, "it ended without saying why"), ""
        try:
            with self._turn, self.tell_in_time():
                outcome, journal = self._heal_case()
        except SelfHealError as error:
            log.error("%s: %s", self.run, error)
            outcome = self._build_failed_outcome(Reason.INFRASTRUCTURE, str(error))
        except BaseException as error:
            log.exception("healing %s", self.run)
            outcome = self._build_failed_outcome(Reason.SELF_ERROR, format_internal_error(error))
        finally:
            self.close_states()
            self._on_end(self, outcome)
            self._send(m.Finished(self.run, self._stand_in.explain_outcome(outcome), journal))

    def _heal_case(self) -> tuple[Outcome, str]:
        message = self.message
        unproven = message.unproven
        try:
            for address in self._stand_in.choose_states(message):
                known = self._ahead.take(address) if self._ahead is not None else None
                self._kernels = (*self._kernels, known or connect_state(address))
        except SelfHealError as error:
            self.close_states()
            self._kernels, unproven = (), str(error)
        if self._ahead is not None:
            self._ahead.close()
        config = shorten_search(message.config)
        if message.new_modules >= MANY_MODULES:
            self._warm_imports(config)
        with JsonlJournal.create(
            find_free_name(self.run), notebook=message.case.notebook.path, config=config
        ) as journal:
            outcome = engine.heal(
                message.case,
                self.starts,
                config=config,
                approver=self,
                journal=journal,
                cancel=self.cancel,
                run=journal.path.stem,
                unproven=unproven,
                listeners=(self._report_progress,),
                stand_ins=engine.StandIns(given=message.given),
                shared=engine.SharedByHeals(message.session_spent),
                baseline=build_seen_run(message.case.failure),
            )
            return outcome, str(journal.path)

    @contextlib.contextmanager
    def tell_in_time(self) -> Iterator[None]:
        """While it works: after a while it is said that a fix is unlikely by now. Not where a model is asked, which takes its time."""
        config, self.working = self.message.config, True
        trials = TRIALS * self.message.case.failure.seconds
        timer = threading.Timer(UNLIKELY_AFTER + trials, self.say_unlikely)
        timer.daemon = True
        if config.offline or "language_model" not in config.healers:
            timer.start()
        try:
            yield
        finally:
            timer.cancel()
            with self._telling:
                self.working = False

    def say_unlikely(self) -> None:
        """Tell whoever waits that a fix is unlikely by now; nothing where nobody waits for one."""
        with self._telling:
            if self.working and not self.waiting:
                seconds = time.monotonic() - self._began
                self._send(m.Progress(self.run, "Waiting", UNLIKELY, self._tried, self._spending.cost, seconds))

    def _warm_imports(self, config: HealConfig) -> None:
        """Have the trials go on from after the imports that the cell begins with; where that cannot be, each runs them."""
        for before in self.starts.before:
            try:
                warm = warm_imports(before, find_first_imports(self.message.case.failure.source), build_sandbox(config))
            except SelfHealError as error:
                log.info("%s: imports are not warmed: %s", self.run, error)
                continue
            if warm is not None:
                self._kernels = (warm, *(kernel for kernel in self._kernels if kernel is not before))
                before.close()

    def _report_progress(self, event: object) -> None:
        if self._spending.add_event(event):
            self._send(m.Spent(self.run, self._spending.cost))
        body = wire.encode(event)
        kind = str(body["$"])
        self._tried += kind == "TrialEnded"
        if kind not in QUIET and not (kind == "CapabilitiesChecked" and not body.get("capabilities")):
            text = redact(format_progress(kind, body) or describe_event(body)).splitlines()[0]
            seconds = time.monotonic() - self._began
            self._send(m.Progress(self.run, kind, text, self._tried, self._spending.cost, seconds))

    def _build_failed_outcome(self, reason: Reason, detail: str) -> Outcome:
        return Outcome(reason, self.message.case.failure, cost=self._spending.cost, detail=detail)


def format_progress(kind: str, body: Mapping[str, Any]) -> str:
    """What a person who waits is told of an event; empty: as the trace says it."""
    if kind == "Answered":
        ideas = len((body.get("answer") or {}).get("patches", ()))
        return "Trying 1 idea…" if ideas == 1 else f"Trying {ideas} ideas…" if ideas else "Looking further…"
    if kind == "TrialEnded":
        error = find_error(body.get("trial") or {})
        return f"An idea that does not work: {error}" if error else "An idea that runs: checking what it gives…"
    words = {
        "BaselineRan": "Looking for the cause…",
        "Scored": "Comparing what they give…",
        "Derived": "An idea that mends the first problem: going on with the next…",
    }
    return words.get(kind, "")


def find_error(trial: Mapping[str, Any]) -> str:
    """How a trial failed, in a few words; empty where it ran to its end."""
    for step in trial.get("steps", ()):
        for error in step.get("errors", ()):
            return format_headline(error)
    ending = str(trial.get("ending", "finished"))
    return "" if ending == "finished" else ending.replace("_", " ")


def format_internal_error(error: BaseException) -> str:
    """An error of ours in one line, with the file that has the rest."""
    return f"internal error: {type(error).__name__}: {error} (log: {find_log_path()})"


def find_log_path() -> str:
    """The file that stderr goes to, where that can be known."""
    try:
        path = Path(os.readlink("/proc/self/fd/2"))
    except OSError:
        return "the log of the extension"
    return str(path) if path.is_absolute() and path.is_file() else "stderr"
