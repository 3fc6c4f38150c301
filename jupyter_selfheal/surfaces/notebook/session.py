"""One command's worth of heals: its settings, its budget, and what each notebook is healed with."""

from __future__ import annotations

import contextlib
import itertools
import math
import sys
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ConfigError, KernelError, NotebookError, UsageError
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.kernels.replay_plan import PastCell
from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.loop.repeated_trials import build_reseeding
from jupyter_selfheal.model import (
    Case,
    Choice,
    Cost,
    Decision,
    Keep,
    Outcome,
    Probe,
    Run,
    Sandbox,
    Step,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.ports import Approver, Starts, TrialKernel
from jupyter_selfheal.surfaces.dialogue import Dialogue
from jupyter_selfheal.surfaces.notebook.answers import GivenAnswer
from jupyter_selfheal.surfaces.notebook.approve import AllSafe, PolicyApprover, TerminalApprover
from jupyter_selfheal.surfaces.notebook.cache import LISTEN, HealthyCache, Reads, ask_reads
from jupyter_selfheal.surfaces.notebook.dependencies import BatchDependencies, Deadline, Limits
from jupyter_selfheal.surfaces.notebook.kernel_choice import choose_kernel
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Status

if TYPE_CHECKING:
    from jupyter_selfheal.healers.memory.run_fixes import RunFixes
    from jupyter_selfheal.providers.pot import Pot
    from jupyter_selfheal.surfaces.model_review import ModelReview
    from jupyter_selfheal.surfaces.project.heal_files import Found

APPROVALS = ("all", "safe", "ask", "none")
"""Which proven fixes are applied."""

CELL_SECONDS = 120.0
"""How long a cell may run unless the settings say otherwise."""

Progress = Callable[[int, int, str], None]

FIRST_SEED = 100
"""Kernels in which a state is made anew have the hash seeds that follow; that of the first kernel is left to Python."""

CLEAN_SEED = FIRST_SEED + 1
"""The hash seed of the kernel in which healed notebooks are run in the end: not that in which their fixes were made."""

DRAWS = 5
"""How often the cells above are run again with other draws where one of them fails by chance."""

OTHER_SEED_SECONDS, ANEW_SECONDS = 20.0, 10.0
"""How long the cells above a failing one may have taken, to be run again with other hash seeds, or with other draws, which takes more
runs."""


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment that notebooks are run in: as a person calls it, and its kernelspec."""

    name: str
    kernelspec: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What a command was asked to do.

    ``approve`` is ``all``, ``safe``, ``ask`` or ``none``; ``cell_seconds`` how long a cell may run; ``writes`` what becomes
    of files that cells write (``discard`` or ``allow``); ``fresh`` uses fresh kernels instead of forks; ``kernelspec`` overrides
    the notebook's own; ``review`` lists doubts about cells that run; ``answers`` are what a person said to an earlier run's questions; ``cache`` runs no notebook that ran without a
    failure and depends on nothing that has changed since; ``run_ends`` is when the whole run must end, on the clock of
    ``time.monotonic``, which all processes of a machine share; ``provenance`` writes into healed cells what was changed.
    ``inputs`` are what the notebook's calls of ``input()`` get, in their order. ``project`` is the folder whose Python files may be
    replaced by healed ones (None: none is); ``test`` the command whose tests a changed file must pass.
    ``warnings`` heals what a cell's own line is warned of.
    ``max_slowdown``: fixes with which the notebook takes more than so many times as long are refused.
    ``environments``: those that fixes are proven in, where several are named; the notebook is healed in the last one.
    ``share_fixes``: what healed one notebook of the run is tried first in the next.
    """

    config: HealConfig = HealConfig()
    approve: str = "all"
    cell_seconds: float = CELL_SECONDS
    writes: str = "discard"
    fresh: bool = False
    kernelspec: str = ""
    review: bool = False
    answers: tuple[GivenAnswer, ...] = ()
    cache: bool = False
    run_ends: float = math.inf
    provenance: bool = True
    inputs: tuple[str, ...] = ()
    project: Path | None = None
    test: str = ""
    max_slowdown: float = math.inf
    warnings: bool = False
    share_fixes: bool = False
    environments: tuple[Environment, ...] = ()

    def __post_init__(self) -> None:
        for name, choices in (("approve", APPROVALS), ("writes", ("discard", "allow"))):
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} cannot be {getattr(self, name)!r:.80}: it takes one of {', '.join(choices)}")


class Session:
    """Heals notebooks with the same settings out of the same budget. Close it: it holds kernels.

    ``run`` is the id of the run, a new one if it is empty; ``resuming``: it was cut off, and is gone on with. The n-th heal of a
    run is journaled under ``RUN-n``, that of the k-th of several notebooks under ``RUN-k.n``, so that the same command finds
    the heals that were already made, and repeats nothing paid. Out of ``pot`` the processes of one command pay together.
    ``file_fixes`` are the fixes of files that were proven in any notebook.
    """

    def __init__(self, settings: Settings, run: str = "", *, resuming: bool = False, pot: Pot | None = None) -> None:
        self.settings = settings
        self.run = run or make_run_id()
        self.spent = Cost()
        self.resuming = resuming
        self._pot = pot
        self._opened: dict[tuple[str, str, int], TrialKernel] = {}
        self._installers: dict[str, Callable[[str], str]] = {}
        self._closing = contextlib.ExitStack()
        self.reads: Reads | None = None
        self.served: dict[str, list[str]] = {}
        self._all_safe = AllSafe(settings.config.accept)
        self.raise_warnings = False
        self.file_fixes: list[Found] = []
        self.run_fixes = open_run_fixes(self.run) if settings.share_fixes else None

    @property
    def limits(self) -> Limits:
        """The notebook's own cells may use the network unless offline, write as far as the kernel may, and have as much memory as a trial
        where that is said."""
        settings = self.settings
        config = settings.config
        sandbox = Sandbox(network=not config.offline, writes="allow", memory_mb=config.memory_mb)
        return Limits(settings.cell_seconds, sandbox, settings.config.notebook_timeout, settings.run_ends)

    def open_cache(self) -> HealthyCache | None:
        """The notebooks that ran without a failure under the same settings; None where all are to be run."""
        if not self.settings.cache:
            return None
        from jupyter_selfheal.journal.jsonl import locate_runs_folder

        settings, config = self.settings, self.settings.config
        asked = (settings.cell_seconds, settings.kernelspec, config.outputs, config.offline, config.healers)
        return HealthyCache(
            locate_runs_folder().parent / "healthy", repr((asked, config.notebook_timeout, config.memory_mb))
        )

    def choose_kernel_for(self, document: Document) -> Document:
        """The document with a kernelspec that is installed. Raises :class:`KernelError` where there is none for it."""
        if self.settings.kernelspec:
            return replace(document, kernelspec=choose_kernel(self.settings.kernelspec)[0])
        name, note = choose_kernel(document.kernelspec)
        return replace(document, kernelspec=name, notes=(*document.notes, *([note] if note is not None else [])))

    def build_dependencies(
        self, document: Document, progress: Progress | None = None, part: int = 0, heals: int = 0
    ) -> BatchDependencies:
        """What one notebook is healed with; ``part`` is its number where there are several, else 0; ``heals`` were made before."""
        from jupyter_selfheal import engine

        numbers = itertools.count(heals + 1)
        prefix = f"{self.run}-{part}." if part else f"{self.run}-"
        dependencies = BatchDependencies(
            open_state=lambda: self._open_clean_state(document, listen=self.settings.cache),
            replay=lambda runs, paths: self._open_replay_kernel(document, runs, paths),
            heal=lambda case, starts, seen, deadline: self._heal_case(
                document, case, starts, seen, f"{prefix}{next(numbers)}", deadline
            ),
            scorer=engine.build_free_scorer(self.settings.config),
            install=lambda requirement: self._install_into_scratch(requirement, document.kernelspec),
            why_no_model=engine.why_no_model(self.settings.config) or "",
            review=self.settings.review,
            expect_outputs=self.settings.config.outputs == "expect",
            model_review=self._open_model_review(document, f"{prefix}review") if self.settings.review else None,
            open_anew=lambda past, paths, n, other: self._open_anew(document, past, paths, n, other_seed=other),
            open_clean=lambda: self._open_clean_state(document, CLEAN_SEED),
            look_at_end=self._note_reads if self.settings.cache else None,
        )
        self.reads = None
        return replace(dependencies, progress=progress) if progress is not None else dependencies

    def share_fixes(self, report: NotebookReport) -> None:
        """Have the fixes that a notebook ended with tried first in the next notebooks of the run."""
        if self.run_fixes is None or not report.survived:
            return
        for record in report.records:
            if record.status is Status.HEALED and record.candidate and record.failure:
                where = f"cell {record.number} of {report.name}"
                self.run_fixes.add(record.failure[0], record.candidate[0].patch, where)

    def close(self) -> None:
        """Let go of every kernel and scratch directory. Idempotent."""
        self._close_kernels()
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    # --- kernels ---

    def _note_reads(self, state: TrialKernel) -> None:
        self.reads = ask_reads(state)

    def _open_clean_state(self, document: Document, seed: int = 0, *, listen: bool = False) -> TrialKernel:
        """A state in which nothing has run, with writes of its own; ``seed`` is that of its hashes, 0 for one that Python chooses;
        with ``listen`` it notes what its cells read.

        The kernel of a folder's notebooks is started once and frozen; what it writes where writes are discarded belongs to each state
        that begins here, so that the run in the end finds the folder as the first one did.
        """
        from jupyter_selfheal import engine

        writes = self.settings.writes
        spec, folder = document.kernelspec, document.notebook.folder
        network = not self.settings.config.offline
        if self.settings.fresh and self.served:
            return self._open_replay_kernel(document, (), (), seed)
        if self.settings.fresh:
            return engine.open_state(spec, folder, writes=writes, network=network, fresh=True, seed=seed)
        request = TrialRequest(
            (*self._list_first_steps(), *([LISTEN] if listen else [])),
            timeout=60.0,
            keep=Keep.ON_SUCCESS,
            sandbox=replace(self.limits.sandbox, writes=writes),
        )
        try:
            trial, state = self._open_frozen_kernel(spec, folder, seed).run(request)
        except KernelError:  # it ended since, however that came: another one is as good
            self._close_kernels()
            trial, state = self._open_frozen_kernel(spec, folder, seed).run(request)
        if state is None:
            raise KernelError(f"the kernel {spec} cannot be forked ({trial.detail or trial.ending.value}): try --fresh")
        return state

    def _list_first_steps(self) -> tuple[Step, ...]:
        """What the first state of a notebook holds: the answers to its ``input()``, and changed files of the project, if there are any."""
        steps: list[Step] = []
        if self.settings.inputs:
            steps.append(Probe(probe_source("probes.answer_input"), {"answers": list(self.settings.inputs)}, "answers"))
        if self.served:
            steps.append(Probe(probe_source("probes.serve_sources"), {"files": self.served}, "files"))
        if self.raise_warnings:
            steps.append(Probe(probe_source("probes.raise_warnings"), None, "warnings"))
        return tuple(steps) or (Run(""),)

    def serve_files(self, files: dict[str, list[str]]) -> None:
        """Have every clean kernel from now on import these files (path: text and encoding) as they are given, not as the disk has them."""
        self.served = dict(files)

    def forget_kernels(self) -> None:
        """Start new kernels from now on: a file that they may have seen was replaced."""
        self._close_kernels()

    def _open_frozen_kernel(self, spec: str, folder: str, seed: int = 0) -> TrialKernel:
        """The frozen kernel of a folder. Only those of the folder at hand are kept: there may be hundreds of folders."""
        from jupyter_selfheal import engine

        if any(key[:2] != (spec, folder) for key in self._opened):
            self._close_kernels()
        if (spec, folder, seed) not in self._opened:
            self._opened[spec, folder, seed] = engine.open_state(
                spec, folder, writes=self.settings.writes, network=not self.settings.config.offline, seed=seed
            )
        return self._opened[spec, folder, seed]

    def _open_anew(
        self, document: Document, past: Sequence[PastCell], paths: Sequence[str], number: int, *, other_seed: bool
    ) -> TrialKernel:
        """The state after these cells, made anew by running them again; with ``other_seed`` in a kernel with the n-th other hash seed.

        Raises :class:`KernelError` where that would take too long, or where a cell that ran before now does not.
        """
        seconds = sum(cell.seconds or 0.0 for cell in past)
        if seconds > (OTHER_SEED_SECONDS if other_seed else ANEW_SECONDS):
            raise KernelError(f"running the cells above again would take {seconds:.0f} s")
        why = ""
        for draw in range(DRAWS):
            state, why = self._run_anew(
                document, past, paths, number + draw * 1_000, FIRST_SEED + number if other_seed else 0
            )
            if state is not None:
                return state
        raise KernelError(f"a cell above, which ran before, now does not ({why})"[:300])

    def _run_anew(
        self, document: Document, past: Sequence[PastCell], paths: Sequence[str], draw: int, seed: int
    ) -> tuple[TrialKernel | None, str]:
        """The state after these cells, run with the n-th draw in a kernel of that hash seed, or why a cell failed."""
        runs = tuple(Run(cell.code, cell.cell_id, go_on=cell.failed) for cell in past) or (Run(""),)
        request = TrialRequest(
            (build_reseeding(draw), *runs),
            timeout=30.0 + 10.0 * sum(cell.seconds or 0.0 for cell in past),
            keep=Keep.ALWAYS,
            sandbox=replace(self.limits.sandbox, writes="discard"),
            paths=tuple(paths),
        )
        with contextlib.closing(self._open_clean_state(document, seed)) as clean:
            trial, state = clean.run(request)
        bad = [step for step, cell in zip(trial.steps[1:], past, strict=False) if not step.ok and not cell.failed]
        if bad:
            if state is not None:
                state.close()
            return None, next((f"{e.ename}: {e.evalue}" for step in bad for e in step.errors), bad[0].status)
        if state is None:  # it cannot be forked: in a real kernel the cells run again for each trial
            return self._open_replay_kernel(document, past, paths, seed), ""
        return state, ""

    def _close_kernels(self) -> None:
        while self._opened:
            self._opened.popitem()[1].close()

    def _open_replay_kernel(
        self, document: Document, past: Sequence[PastCell], paths: Sequence[str], seed: int = 0
    ) -> TrialKernel:
        from jupyter_selfheal import engine

        folder = document.notebook.folder
        network = not self.settings.config.offline
        if self.served:
            code = f"{probe_source('probes.serve_sources')}\nserve({self.served!r})\n"
            past = (PastCell(f"exec({code!r}, {{}})", "project files"), *past)
        return engine.open_replayed_state(
            document.kernelspec, folder, past, writes=self.settings.writes, network=network, paths=paths, seed=seed
        )

    def _install_into_scratch(self, requirement: str, kernelspec: str) -> str:
        """Install for a kernel's Python into a scratch directory that lives as long as the session."""
        from jupyter_selfheal import engine

        python = engine.find_kernel_python(kernelspec)
        if python not in self._installers:
            self._installers[python] = engine.build_installer(self._closing, python)
        return self._installers[python](requirement)

    # --- heals ---

    def _open_model_review(self, document: Document, name: str) -> ModelReview | None:
        """What asks a model about cells that run; None where none may be asked. Its journal is there once it asks."""
        from jupyter_selfheal import engine
        from jupyter_selfheal.surfaces.model_review import ModelReview

        judge = engine.open_cell_judge(self.settings.config, self._pot)
        if judge is None:
            return None

        def pay(cost: Cost) -> None:
            self.spent = self.spent + cost

        return ModelReview(
            judge,
            self.settings.config,
            get_session_spent=lambda: self.spent,
            pay=pay,
            open_journal=lambda: self._closing.enter_context(contextlib.closing(self._open_journal(document, name))),
        )

    def _heal_case(
        self, document: Document, case: Case, starts: Starts, seen: Trial, name: str, deadline: Deadline
    ) -> tuple[Outcome, str]:
        """How the heal ended, and the name of its journal."""
        from jupyter_selfheal import engine

        def install(requirement: str) -> str:
            return self._install_into_scratch(requirement, document.kernelspec)

        interrupted = threading.Event()
        with contextlib.closing(self._open_journal(document, name)) as journal, deadline.set_when_over(interrupted):
            events = journal.events() if self.resuming else ()
            outcome = engine.heal(
                case,
                starts,
                config=self.settings.config,
                approver=self._build_approver(case),
                journal=journal,
                baseline=seen,
                cancel=interrupted,
                resume_from=events,
                run=name,
                install=install if self.settings.config.install else None,
                session_spent=self.spent,
                pot=self._pot,
                run_fixes=self.run_fixes,
            )
        self.spent = self.spent + outcome.cost
        if (
            interrupted.is_set() and not deadline.is_over
        ):  # also where it came too late for this heal: the run is to end, not this heal alone
            raise KeyboardInterrupt
        return outcome, name

    def _open_journal(self, document: Document, name: str) -> Any:
        """The journal of the heal at hand: the one that was cut off, if there is one, else a new one."""
        from jupyter_selfheal.journal.jsonl import JsonlJournal, locate_runs_folder

        path = locate_runs_folder() / f"{name}.jsonl"
        if self.resuming and path.exists():
            journal, recording = JsonlJournal.resume(path, uncancelled=True)
            if Path(str(recording.header.get("notebook"))).resolve() != document.path.resolve():
                journal.close()
                raise NotebookError(
                    f"{document.path}: run {self.run} healed {recording.header.get('notebook')} in its place: resume it with "
                    "the same notebooks in the same order"
                )
            if any(isinstance(event, ev.PausedForUserAction) for event in journal.events()[-1:]):
                journal.append(
                    ev.Decided(Decision(Choice.CONTINUE, by="--resume"))
                )  # whoever resumes says that it is mended
            return journal
        return JsonlJournal.create(name, notebook=str(document.path), config=self.settings.config)

    def _build_approver(self, case: Case) -> Approver:
        if self.settings.approve == "ask":
            return TerminalApprover(
                case.notebook, Dialogue(out=sys.stderr, colours=sys.stderr.isatty(), is_review=True), self._all_safe
            )
        return PolicyApprover(self.settings.approve, self.settings.config.accept)


def open_run_fixes(run: str) -> RunFixes:
    """What healed notebooks of a run so far."""
    from jupyter_selfheal import engine
    from jupyter_selfheal.journal.jsonl import locate_runs_folder

    return engine.open_run_fixes(locate_runs_folder() / f"{run}.fixes")


def make_run_id() -> str:
    """An id for a run."""
    return uuid.uuid4().hex[:8]


def find_run(run: str) -> str:
    """The id of a run that was begun; ``RUN-3`` names the run of that heal. Raises :class:`UsageError`."""
    from jupyter_selfheal.journal.jsonl import locate_runs_folder

    run_id = run.partition("-")[0]
    if not run_id.isalnum() or not any(locate_runs_folder().glob(f"{run_id}-*")):
        raise UsageError(
            f"there is no run {run!r} to resume in {locate_runs_folder()}: `jupyter selfheal trace` lists all"
        )
    return run_id
