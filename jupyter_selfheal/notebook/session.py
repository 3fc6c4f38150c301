"""One command's worth of heals: its settings, its budget, and the tools that each notebook is healed with."""

from __future__ import annotations

import contextlib
import sys
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import KernelError, UsageError
from jupyter_selfheal.kernels.recipe import Past
from jupyter_selfheal.model import Case, Cost, Keep, Outcome, Run, Sandbox, Trial, TrialRequest
from jupyter_selfheal.notebook.approve import PolicyApprover, TerminalApprover
from jupyter_selfheal.notebook.read import Document
from jupyter_selfheal.notebook.tools import Limits, Tools
from jupyter_selfheal.ports import Approver, Starts, TrialKernel

CELL_SECONDS = 120.0
"""How long a cell may run unless the settings say otherwise."""

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a command was asked to do.

    ``approve`` is ``all``, ``safe``, ``ask`` or ``none``; ``cell_seconds`` how long a cell may run; ``writes`` what becomes
    of files that cells write (``discard`` or ``allow``); ``fresh`` uses fresh kernels instead of forks; ``kernelspec`` overrides
    the notebook's own.
    """

    config: HealConfig = HealConfig()
    approve: str = "all"
    cell_seconds: float = CELL_SECONDS
    writes: str = "discard"
    fresh: bool = False
    kernelspec: str = ""


class Session:
    """Heals notebooks with the same settings out of the same budget. Close it: it holds kernels.

    ``run`` is the id of a run that was cut off, to go on with; a new id otherwise. The n-th heal of a run is journaled
    under ``RUN-n``, so that the same command finds the heals that were already made, and repeats nothing paid.
    """

    def __init__(self, settings: Settings, run: str = "") -> None:
        self.settings = settings
        self.run = _existing(run) if run else uuid.uuid4().hex[:8]
        self.spent = Cost()
        self._resuming = bool(run)
        self.heals = 0
        """How many heals were made, each with a journal of its own."""
        self._opened: dict[tuple[str, str], TrialKernel] = {}
        self._install: Callable[[str], str] | None = None
        self._closing = contextlib.ExitStack()

    @property
    def limits(self) -> Limits:
        """The notebook's own cells may use the network unless offline, and write as far as the kernel may."""
        network = not self.settings.config.offline
        return Limits(self.settings.cell_seconds, Sandbox(network=network, writes="allow"))

    def tools(self, document: Document, progress: Progress | None = None) -> Tools:
        """What one notebook is healed with."""
        from jupyter_selfheal import assemble

        found = Tools(
            open_state=lambda: self._clean(document),
            replay=lambda runs: self._replayed(document, runs),
            heal=lambda case, starts, seen: self._heal(document, case, starts, seen),
            scorer=assemble.free_scorer(self.settings.config),
            install=self._installed,
        )
        return replace(found, progress=progress) if progress is not None else found

    def close(self) -> None:
        """Let go of every kernel and scratch directory. Idempotent."""
        while self._opened:
            self._opened.popitem()[1].close()
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    # --- kernels ---

    def _clean(self, document: Document) -> TrialKernel:
        """A state in which nothing has run, with writes of its own.

        The kernel of a notebook is started once and frozen; what it writes where writes are discarded belongs to each state
        that begins here, so that the run in the end finds the folder as the first one did.
        """
        from jupyter_selfheal.kernels.opening import open_state

        writes = self.settings.writes
        spec, folder = self._spec(document), document.notebook.folder
        if self.settings.fresh:
            return open_state(spec, folder, writes=writes, fresh=True)
        if (spec, folder) not in self._opened:
            self._opened[spec, folder] = open_state(spec, folder, writes=writes)
        first = self._opened[spec, folder]
        sandbox = replace(self.limits.sandbox, writes=writes)
        trial, state = first.run(TrialRequest((Run(""),), timeout=60.0, keep=Keep.ON_SUCCESS, sandbox=sandbox))
        if state is None:
            raise KernelError(f"the kernel {spec} cannot be forked ({trial.detail or trial.ending.value}): try --fresh")
        return state

    def _replayed(self, document: Document, past: Sequence[Past]) -> TrialKernel:
        from jupyter_selfheal.kernels.fresh import FreshKernel

        folder = document.notebook.folder
        return FreshKernel(self._spec(document), folder, past, writes=self.settings.writes)

    def _spec(self, document: Document) -> str:
        return self.settings.kernelspec or document.kernelspec

    def _installed(self, requirement: str) -> str:
        """Install into a scratch directory that lives as long as the session."""
        from jupyter_selfheal.kernels.scratch import ScratchInstaller

        if self._install is None:
            installer = ScratchInstaller()
            self._closing.callback(installer.close)
            self._install = installer
        return self._install(requirement)

    # --- heals ---

    def _heal(self, document: Document, case: Case, starts: Starts, seen: Trial) -> Outcome:
        from jupyter_selfheal import assemble

        self.heals += 1
        with contextlib.closing(self._journal(document)) as journal:
            events = journal.events() if self._resuming else ()
            outcome = assemble.heal(
                case,
                starts,
                config=self.settings.config,
                approver=self._approver(case),
                journal=journal,
                baseline=seen,
                resume_from=events,
                run=f"{self.run}-{self.heals}",
                install=self._installed if self.settings.config.install else None,
                session_spent=self.spent,
            )
        self.spent = self.spent + outcome.cost
        return outcome

    def _journal(self, document: Document) -> Any:
        """The journal of the heal at hand: the one that was cut off, if there is one, else a new one."""
        from jupyter_selfheal.journal.jsonl import JsonlJournal, runs_folder

        name = f"{self.run}-{self.heals}"
        path = runs_folder() / f"{name}.jsonl"
        if self._resuming and path.exists():
            return JsonlJournal.resume(path)[0]
        return JsonlJournal.create(name, notebook=str(document.path), config=self.settings.config)

    def _approver(self, case: Case) -> Approver:
        if self.settings.approve == "ask":
            return TerminalApprover(case.notebook, colours=sys.stderr.isatty())
        return PolicyApprover(self.settings.approve, self.settings.config.accept)


def _existing(run: str) -> str:
    """The id of a run that has journals; ``RUN-3`` names the run of that heal. Raises :class:`UsageError`."""
    from jupyter_selfheal.journal.jsonl import runs_folder

    found = run.partition("-")[0]
    if not (runs_folder() / f"{found}-1.jsonl").exists():
        raise UsageError(f"there is no run {run!r} to resume in {runs_folder()}: `jupyter selfheal trace` lists all")
    return found
