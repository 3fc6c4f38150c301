"""``%heal ahead``: the cells below are run in copies of the user's state, before the user comes to them.

In order, each from the state that the one above left; what a trial writes is thrown away. The first cell that fails is
healed there by the free healers, and what follows runs from the healed state. What cannot be run unasked is not, and from there
on nothing is known: a cell below may need it.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.loop import capabilities, progress
from jupyter_selfheal.loop.consent import find_capabilities
from jupyter_selfheal.loop.plan import build_trial_steps
from jupyter_selfheal.loop.trials import build_sandbox
from jupyter_selfheal.messages import NOT_KNOWN, WILL_FAIL, WILL_RUN, Forecast, Foreseen, LookAhead
from jupyter_selfheal.model import (
    Case,
    Cell,
    Choice,
    Cost,
    Decision,
    Ending,
    Failure,
    Keep,
    Notebook,
    Patch,
    Probe,
    Proposal,
    Reason,
    Role,
    Run,
    Sandbox,
    Start,
    Step,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.ports import Starts, TrialKernel
from jupyter_selfheal.surfaces.worker.journals import find_free_name
from jupyter_selfheal.surfaces.worker.running_heal import shorten_search
from jupyter_selfheal.surfaces.worker.states import connect_states

NOT_COPIED = "the kernel cannot be copied now, so no cell was run"

ABOVE = "a cell above it was not run"
FAILS_ABOVE = "a cell above it will fail"

IF_RIGHT = "if the fix above is right"

MOST_HEALED = 8
"""Failures that one look heals, each in the state that the fixes above it leave; a notebook with more is healed as a whole sooner."""

CELL_SECONDS = 10.0
"""How long a cell may take in a copy where somebody waits; what takes longer is not known. Where nobody does, all of the cells share
:data:`IDLE_SECONDS`: what goes behind all else takes long on a busy machine."""

IDLE_SECONDS, IDLE_MEMORY_MB, IDLE_NICENESS = 60.0, 1024, 15
"""What a look that nobody waits for may take: seconds for all of the cells, memory beyond what the kernel has, and how far it
goes behind whatever else the machine has to do (https://man7.org/linux/man-pages/man2/setpriority.2.html)."""

_ASKS = re.compile(r"\b(?:input|getpass)\s*\(")

_OUTSIDE = {
    capabilities.NETWORK: "it uses the network",
    capabilities.SUBPROCESS: "it starts another program",
    capabilities.INSTALLATION: "it installs something",
    capabilities.CREDENTIALS: "it asks for credentials",
}


class Look:
    """One look at the cells below. :meth:`stop` ends it from another thread; ``report`` takes what is known so far."""

    def __init__(self, message: LookAhead, report: Callable[[Foreseen], None] = lambda foreseen: None) -> None:
        self.message = message
        self._report = report
        self._cancel = threading.Event()
        self._walk: _Walk | None = None

    def run(self) -> Foreseen:
        """A forecast for each of the cells; of one that was stopped, those that were known."""
        message = self.message
        with connect_states(message.states) as starts, contextlib.ExitStack() as closing:
            if not starts.before:
                return Foreseen(message.run, notes=(NOT_COPIED,))
            if message.is_idle:
                _give_way()
            self._walk = _Walk(message, starts.before[0], closing, self._cancel)
            if message.is_idle:
                self._walk.give_way()
            known: tuple[Forecast, ...] = ()
            for forecast in self._walk.list_forecasts():
                known = (*known, forecast)
                if message.is_idle:
                    self._report(Foreseen(message.run, known, is_done=False))
            return Foreseen(message.run, known)

    def stop(self) -> None:
        """End it: what runs in a copy is killed. May be called on any thread, and before it began."""
        self._cancel.set()
        if self._walk is not None:
            self._walk.close_states()


def look_ahead(message: LookAhead) -> Foreseen:
    """A forecast for each of the cells."""
    return Look(message).run()


def _give_way() -> None:
    """Let this thread, and those it starts, go behind whatever the user runs."""
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), IDLE_NICENESS)


def find_reason_not_to_run(cell: Cell) -> str:
    """Why a cell is not run unasked, not even in a copy; empty where it may be."""
    if cell.skip or cell.expensive:
        return "it is marked as expensive" if cell.expensive else "it is marked to be skipped"
    if "raises-exception" in cell.tags:
        return "it is meant to fail"
    if _ASKS.search(cell.source):
        return "it asks for input"
    outside = find_capabilities(cell.source)
    return next((why for capability, why in _OUTSIDE.items() if capability in outside), "")


@dataclass(slots=True)
class _Walk:
    """Goes down the cells; ``state`` is what the cells above have left."""

    message: LookAhead
    state: TrialKernel
    closing: contextlib.ExitStack
    cancel: threading.Event
    unknown: str = ""
    """Why nothing can be said of the cells that are left."""
    healed: int = 0
    is_sure: bool = True
    """Whether each of these fixes would be applied by itself."""
    notebook: Notebook = field(init=False)
    """With the fixes in it that the cells below go on from."""
    began: float = field(default_factory=time.monotonic)
    states: list[TrialKernel] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.notebook = self.message.notebook

    def list_forecasts(self) -> Iterator[Forecast]:
        """A forecast for each cell, as soon as it is known; none after the word to stop."""
        for cell_id in self.message.cell_ids:
            forecast = None if self.cancel.is_set() else self._look_at(self.notebook.cell(cell_id))
            if forecast is None or self.cancel.is_set():
                return
            yield forecast

    def give_way(self) -> None:
        """Go on from a state whose trials go behind whatever the user runs."""
        _, kept = self._run_steps((Probe(probe_source("probes.give_way"), IDLE_NICENESS, "niceness"),))
        self.state = kept or self.state

    def close_states(self) -> None:
        """Let go of every state; what runs there ends."""
        for state in (self.state, *self.states):
            state.close()

    def _look_at(self, cell: Cell) -> Forecast:
        why = self.unknown or find_reason_not_to_run(cell) or self._find_limit()
        if why:
            self.unknown = self.unknown or ABOVE
            return Forecast(cell.id, NOT_KNOWN, why)
        seconds = self.cell_seconds
        trial, kept = self._run_steps((Run(cell.source, cell.id, Role.CELL),))
        case = Case(Failure(cell.id, cell.source), self.notebook, cell.oracle)
        failure = progress.find_failure(case, cell.source, trial, None)
        if failure is None and trial.ran and kept is not None:
            self.state = kept
            return Forecast(cell.id, WILL_RUN, "" if self.is_sure else IF_RIGHT)
        why = _find_doubt(failure, trial, seconds)
        if why or failure is None:
            self.unknown = ABOVE
            return Forecast(cell.id, NOT_KNOWN, why)
        is_enough = self.healed >= MOST_HEALED
        patch, proposal = (None, ()) if is_enough else self._heal_failure(replace(case, failure=failure), kept)
        self.unknown = "" if patch is not None else FAILS_ABOVE
        self.healed += 1
        return Forecast(cell.id, WILL_FAIL, failure.headline, patch.title if patch else "", proposal)

    def _find_limit(self) -> str:
        """Why no further cell is run; empty where one may be."""
        is_over = self.message.is_idle and time.monotonic() - self.began > IDLE_SECONDS
        return f"the cells above it took over {IDLE_SECONDS:g} s" if is_over else ""

    def _heal_failure(self, case: Case, after: TrialKernel | None) -> tuple[Patch | None, tuple[Proposal, ...]]:
        """Heal the failure by the free healers and go on from the healed state. The fix, and all that there is to show of it."""
        config = shorten_search(to_free(self.message.config))
        best = _Best(config.accept if self.message.is_idle else 0.0, config.accept)
        starts = Starts((self.state,), (after,) if after is not None else ())
        with JsonlJournal.create(
            find_free_name(self.message.run), notebook=case.notebook.path, config=config
        ) as journal:
            engine.heal(
                case, starts, config=config, approver=best, journal=journal, cancel=self.cancel, run=journal.path.stem
            )
        for patch in best.patches:
            trial, kept = self._run_steps(build_trial_steps(case, patch, Start.BEFORE_CELL))
            if trial.ran and kept is not None:
                self.state, self.notebook = kept, case.notebook.apply(patch)
                self.is_sure = self.is_sure and best.is_sure
                return patch, tuple(best.proposals)
        return None, ()

    def _run_steps(self, steps: tuple[Step, ...]) -> tuple[Trial, TrialKernel | None]:
        request = TrialRequest(steps, timeout=self.cell_seconds, keep=Keep.ALWAYS, sandbox=self._build_sandbox())
        trial, kept = self.state.run(request)
        if kept is not None:
            self.states.append(kept)
            self.closing.callback(kept.close)
        return trial, kept

    @property
    def cell_seconds(self) -> float:
        """How long the next cell may take."""
        left = self.began + IDLE_SECONDS - time.monotonic() if self.message.is_idle else 0.0
        return max(CELL_SECONDS, left)

    def _build_sandbox(self) -> Sandbox:
        sandbox = build_sandbox(to_free(self.message.config))
        if not self.message.is_idle:
            return sandbox
        return replace(sandbox, memory_mb=min(sandbox.memory_mb or IDLE_MEMORY_MB, IDLE_MEMORY_MB))


def _find_doubt(failure: Failure | None, trial: Trial, seconds: float) -> str:
    """Why a trial that did not end well (it had so many seconds) says nothing of the cell; empty where it does."""
    if trial.ending is Ending.TIMED_OUT:
        return f"it took over {seconds:.0f} s"
    if failure is not None and failure.ename in ("MemoryError", "_ArrayMemoryError"):
        return "it needs more memory than a copy may take"
    if failure is None or trial.ending is not Ending.FINISHED or trial.blocked:
        return "the copy may not do what it does"
    return ""


@dataclass(slots=True)
class _Best:
    """An approver that takes down the best patch of the first proposal, and ends the heal: where nobody asked for the look one that
    would be applied by itself; else any that nothing speaks against, which the table then calls a fix to check."""

    accept: float
    sure: float
    is_sure: bool = True
    patches: list[Patch] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)

    def decide(self, proposal: Proposal) -> Decision:
        best = proposal.candidates[:1]
        self.proposals.append(proposal)
        if proposal.proven_from and not proposal.blocking and not proposal.needs_consent:
            self.patches += [c.patch for c in best if c.verdict.plausible and c.verdict.score >= self.accept]
            self.is_sure = all(c.verdict.score >= self.sure for c in best)
        return Decision(Choice.STOP)

    def decide_after_pause(self, why: str, reason: Reason, proposal: Proposal | None, cost: Cost) -> Decision:
        return Decision(Choice.STOP)


def to_free(config: HealConfig) -> HealConfig:
    """The settings, with nothing that is paid and nothing that leaves the machine."""
    return config.with_(healers=tuple(h for h in config.healers if h != "language_model"), offline=True)
