"""``%heal ahead``: the cells below are run in copies of the user's state, before the user comes to them.

In order, each from the state that the one above left; what a trial writes is thrown away. The first cell that fails is
healed there by the free healers, and what follows runs from the healed state. What cannot be run unasked is not, and from there
on nothing is known: a cell below may need it.
"""

from __future__ import annotations

import contextlib
import re
import threading
from dataclasses import dataclass, field, replace

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.loop import capabilities, progress
from jupyter_selfheal.loop.consent import find_capabilities
from jupyter_selfheal.loop.plan import build_trial_steps
from jupyter_selfheal.loop.trials import build_sandbox
from jupyter_selfheal.messages import Forecast, Foreseen, LookAhead
from jupyter_selfheal.model import (
    Case,
    Cell,
    Choice,
    Cost,
    Decision,
    Ending,
    Failure,
    Keep,
    Patch,
    Proposal,
    Role,
    Run,
    Start,
    Step,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.ports import Starts, TrialKernel
from jupyter_selfheal.surfaces.worker.journals import find_free_name
from jupyter_selfheal.surfaces.worker.states import connect_states

WILL_RUN, WILL_FAIL, NOT_KNOWN = "will run", "will fail", "not known"

NOT_COPIED = "the kernel cannot be copied now, so no cell was run"

ABOVE = "a cell above it was not run"

CELL_SECONDS = 10.0
"""How long a cell may take in a copy; what takes longer is not known."""

_ASKS = re.compile(r"\b(?:input|getpass)\s*\(")

_OUTSIDE = {
    capabilities.NETWORK: "it uses the network",
    capabilities.SUBPROCESS: "it starts another program",
    capabilities.INSTALLATION: "it installs something",
    capabilities.CREDENTIALS: "it asks for credentials",
}


def look_ahead(message: LookAhead) -> Foreseen:
    """A forecast for each of the cells."""
    with connect_states(message.states) as starts, contextlib.ExitStack() as closing:
        if not starts.before:
            return Foreseen(message.run, notes=(NOT_COPIED,))
        return Foreseen(message.run, _Walk(message, starts.before[0], closing).list_forecasts())


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
    is_known: bool = True
    has_healed: bool = False

    def list_forecasts(self) -> tuple[Forecast, ...]:
        return tuple(self._look_at(self.message.notebook.cell(cell_id)) for cell_id in self.message.cell_ids)

    def _look_at(self, cell: Cell) -> Forecast:
        why = ABOVE if not self.is_known else find_reason_not_to_run(cell)
        if why:
            self.is_known = False
            return Forecast(cell.id, NOT_KNOWN, why)
        trial, kept = self._run((Run(cell.source, cell.id, Role.CELL),))
        case = Case(Failure(cell.id, cell.source), self.message.notebook, cell.oracle)
        failure = progress.find_failure(case, cell.source, trial, None)
        if failure is None and trial.ran and kept is not None:
            self.state = kept
            return Forecast(cell.id, WILL_RUN)
        if failure is None or trial.ending is not Ending.FINISHED or trial.blocked:
            self.is_known = False
            cut = (
                f"it took over {CELL_SECONDS:g} s"
                if trial.ending is Ending.TIMED_OUT
                else "the copy may not do what it does"
            )
            return Forecast(cell.id, NOT_KNOWN, cut)
        fix = "" if self.has_healed else self._heal(replace(case, failure=failure), kept)
        self.is_known = bool(fix)
        self.has_healed = True
        return Forecast(cell.id, WILL_FAIL, failure.headline, fix)

    def _heal(self, case: Case, after: TrialKernel | None) -> str:
        """Heal the failure by the free healers and go on from the healed state. What the fix does; empty where there is none."""
        config = to_free(self.message.config)
        best = _Best(config.accept)
        starts = Starts((self.state,), (after,) if after is not None else ())
        with JsonlJournal.create(
            find_free_name(self.message.run), notebook=case.notebook.path, config=config
        ) as journal:
            engine.heal(
                case,
                starts,
                config=config,
                approver=best,
                journal=journal,
                cancel=threading.Event(),
                run=journal.path.stem,
            )
        for patch in best.patches:
            trial, kept = self._run(build_trial_steps(case, patch, Start.BEFORE_CELL))
            if trial.ran and kept is not None:
                self.state = kept
                return patch.title
        return ""

    def _run(self, steps: tuple[Step, ...]) -> tuple[Trial, TrialKernel | None]:
        sandbox = build_sandbox(to_free(self.message.config))
        request = TrialRequest(steps, timeout=CELL_SECONDS, keep=Keep.ALWAYS, sandbox=sandbox)
        trial, kept = self.state.run(request)
        if kept is not None:
            self.closing.callback(kept.close)
        return trial, kept


@dataclass(slots=True)
class _Best:
    """An approver that takes down the best patch of the first proposal, where it would be applied by itself, and ends the heal."""

    accept: float
    patches: list[Patch] = field(default_factory=list)

    def decide(self, proposal: Proposal) -> Decision:
        best = proposal.candidates[:1]
        if proposal.proven_from and not proposal.blocking and not proposal.needs_consent:
            self.patches += [c.patch for c in best if c.verdict.plausible and c.verdict.score >= self.accept]
        return Decision(Choice.STOP)

    def decide_after_pause(self, why: str, proposal: Proposal | None, cost: Cost) -> Decision:
        return Decision(Choice.STOP)


def to_free(config: HealConfig) -> HealConfig:
    """The settings, with nothing that is paid and nothing that leaves the machine."""
    return config.with_(healers=tuple(h for h in config.healers if h != "language_model"), offline=True)
