"""One command's worth of heals: its settings, its budget, and what each notebook is healed with."""

from __future__ import annotations

import contextlib
import itertools
import math
import sys
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import NotebookError, UsageError
from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.model import (
    Case,
    Choice,
    Cost,
    Decision,
    Outcome,
    Patch,
    Reason,
    Sandbox,
    Trial,
)
from jupyter_selfheal.ports import Approver, Starts, TrialKernel
from jupyter_selfheal.registry import load_traits
from jupyter_selfheal.surfaces.dialogue import Dialogue, may_use_colours
from jupyter_selfheal.surfaces.notebook.answers import list_choices
from jupyter_selfheal.surfaces.notebook.approve import AllSafe, PolicyApprover, TerminalApprover
from jupyter_selfheal.surfaces.notebook.behind import needs_no_network
from jupyter_selfheal.surfaces.notebook.beside import count_cores, stays_inside
from jupyter_selfheal.surfaces.notebook.cache import HealthyCache, Reads, ask_reads
from jupyter_selfheal.surfaces.notebook.dependencies import BatchDependencies, Deadline, Limits
from jupyter_selfheal.surfaces.notebook.kernel_choice import choose_kernel
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Status
from jupyter_selfheal.surfaces.notebook.session_kernels import CLEAN_SEED, SessionKernels
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.notebook.together import changes_memory_only

if TYPE_CHECKING:
    from jupyter_selfheal.healers.memory.run_fixes import RunFixes
    from jupyter_selfheal.providers.pot import Pot
    from jupyter_selfheal.surfaces.model_review import ModelReview
    from jupyter_selfheal.surfaces.project.found import Found

Progress = Callable[[int, int, str], None]


SHARE_OF_TRIAL = 3
"""One trial may take such a part of the time that the notebook has left: what it heals runs once more in the clean run, and the cells below want theirs."""

LEAST_PATIENCE = 25.0
"""Seconds that a trial of a rule's safe patch may take at least where the notebook's cells may take them: what is mended often only begins to work where the cell failed at once."""


def compute_patience(config: HealConfig, cell_seconds: float, left: float) -> float:
    """How long a safe patch of a rule may be tried in a batch whose notebook has ``left`` seconds: as long as a cell may run, and no more than
    a third of what is left (25 s all the same), unless a limit was given. What only runs on behind the failure is no proof of a
    fix, and one that ends is. A guess that does not end would cost as much each time, so guesses have the usual limit."""
    return 0.0 if config.timeout else min(cell_seconds, max(left / SHARE_OF_TRIAL, LEAST_PATIENCE))


VAIN = "no rule has a fix, and what was tried for cells before it that fail in the same line mended nothing"


def choose_healers(named: tuple[str, ...], case: Case, *, is_only_asked: bool) -> tuple[str, ...]:
    """Of the healers that are named those that may act: the trusted ones alone where the others are not to be asked, where nothing failed but that
    another value is stored, and where they tried the same line for other cells in vain."""
    trusted = tuple(h for h in named if load_traits(h).trusted)
    is_left_to_them = is_only_asked or case.failure.is_silent or (case.search_was_vain and bool(trusted))
    return trusted if is_left_to_them else named


class Session:
    """Heals notebooks with the same settings out of the same budget. Close it: it holds kernels.

    ``run`` is the id of the run, a new one if it is empty; ``resuming``: it was cut off, and is gone on with. The n-th heal of a
    run is journaled under ``RUN-n``, that of the k-th of several notebooks under ``RUN-k.n``, so that the same command finds
    the heals that were already made, and repeats nothing paid. Out of ``pot`` the processes of one command pay together.
    ``file_fixes`` are the fixes of files that were proven in any notebook. ``given`` are patches that somebody else wrote, which are then all
    that is tried.
    """

    def __init__(
        self,
        settings: Settings,
        run: str = "",
        *,
        resuming: bool = False,
        pot: Pot | None = None,
        given: Sequence[Patch] = (),
    ) -> None:
        self.settings = settings
        self._given = tuple(given)
        self.run = run or make_run_id()
        self.spent = Cost()
        self.resuming = resuming
        self._pot = pot
        self.kernels = SessionKernels(settings, self.limits.sandbox)
        self._closing = contextlib.ExitStack()
        self.reads: Reads | None = None
        self._all_safe = AllSafe(settings.config.accept)
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

    def may_run_beside(self, document: Document) -> bool:
        """Whether a notebook may run twice at once: what it writes is thrown away, nobody compares its seconds, there is a core for it, and it
        shares nothing else of the machine."""
        settings = self.settings
        may_share = settings.writes == "discard" and not settings.fresh and settings.max_slowdown == math.inf
        return may_share and min(settings.config.parallel, count_cores()) > 1 and stays_inside(document.notebook)

    def may_run_together(self, document: Document) -> bool:
        """Whether cells may run several in one process, some of them twice: nobody compares their seconds, and what they change lies in
        memory or is thrown away."""
        settings = self.settings
        is_free = settings.writes == "discard" and not settings.fresh and settings.max_slowdown == math.inf
        return is_free and changes_memory_only(document.notebook)

    def may_go_on_behind(self, document: Document) -> bool:
        """Whether a notebook's cells may run on where a fix was tried: what they write is thrown away there too, and a network is there, or is
        not missed."""
        config = self.settings.config
        is_alike = config.offline or config.network or needs_no_network(document.notebook)
        return is_alike and self.may_run_together(document)

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
            open_state=lambda: self.kernels.open_clean_state(document, listen=self.settings.cache),
            replay=lambda runs, paths: self.kernels.open_replay_kernel(document, runs, paths),
            heal=lambda case, starts, seen, deadline: self._heal_case(
                document, case, starts, seen, f"{prefix}{next(numbers)}", deadline
            ),
            ask_trusted=lambda case, starts, seen, deadline: self._heal_case(
                document, case, starts, seen, f"{prefix}{next(numbers)}", deadline, is_only_asked=True
            ),
            approve=lambda case, shown: self._build_approver(document, case).decide(shown).choice is Choice.APPROVE,
            scorer=engine.build_free_scorer(self.settings.config),
            install=lambda requirement: self.kernels.install_into_scratch(requirement, document.kernelspec),
            why_no_model=engine.why_no_model(self.settings.config) or "",
            review=self.settings.review,
            expect_outputs=self.settings.config.outputs == "expect",
            model_review=self._open_model_review(document, f"{prefix}review") if self.settings.review else None,
            open_anew=lambda past, paths, n, other: self.kernels.open_anew(document, past, paths, n, other_seed=other),
            open_clean=lambda: self.kernels.open_clean_state(document, CLEAN_SEED),
            look_at_end=self._note_reads if self.settings.cache else None,
            runs_beside=self.may_run_beside(document),
            foresees_failure=lambda: bool(engine.find_gone_use(document.notebook, document.kernelspec)),
            is_brief=not self.settings.shows_errors,
            runs_together=self.may_run_together(document),
            goes_on_behind=self.may_go_on_behind(document),
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
        self.kernels.close()
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def _note_reads(self, state: TrialKernel) -> None:
        self.reads = ask_reads(state)

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
        self,
        document: Document,
        case: Case,
        starts: Starts,
        seen: Trial,
        name: str,
        deadline: Deadline,
        *,
        is_only_asked: bool = False,
    ) -> tuple[Outcome, str]:
        """How the heal ended, and the name of its journal. ``is_only_asked``: of memory and the rules alone, and nothing is applied."""
        from jupyter_selfheal import engine

        config, approver = self.settings.config, self._build_approver(document, case)
        healers = choose_healers(config.healers, case, is_only_asked=is_only_asked)
        if not healers:  # only others were named: nobody is to be asked
            return Outcome(Reason.EXHAUSTED, case.failure), ""
        config = config.with_(healers=healers)
        if is_only_asked:
            approver = PolicyApprover("none", config.accept)

        def install(requirement: str) -> str:
            return self.kernels.install_into_scratch(requirement, document.kernelspec)

        engine.import_in_background(self.settings.config)
        interrupted = threading.Event()
        with contextlib.closing(self._open_journal(document, name)) as journal, deadline.set_when_over(interrupted):
            events = journal.events() if self.resuming else ()
            outcome = engine.heal(
                replace(
                    case,
                    patience=compute_patience(self.settings.config, self.settings.cell_seconds, deadline.seconds_left),
                ),
                starts,
                config=config,
                approver=approver,
                journal=journal,
                baseline=seen,
                cancel=interrupted,
                resume_from=events,
                run=name,
                stand_ins=engine.StandIns(install if self.settings.config.install else None, given=self._given),
                shared=engine.SharedByHeals(self.spent, self._pot, self.run_fixes),
            )
        if case.search_was_vain and outcome.reason is Reason.EXHAUSTED and not outcome.detail:
            outcome = replace(outcome, detail=VAIN)
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

    def _build_approver(self, document: Document, case: Case) -> Approver:
        if self.settings.approve == "ask":
            return TerminalApprover(
                case.notebook,
                Dialogue(_ask_beside_output, out=sys.stderr, colours=may_use_colours(sys.stderr), is_review=True),
                self._all_safe,
            )
        choices = list_choices(document, self.settings.answers)
        config = self.settings.config
        return PolicyApprover(self.settings.approve, config.accept, choices, config.offline)


def _ask_beside_output(question: str) -> str:
    """One line of a person's, asked on stderr where stdout is no terminal: the table, or JSON, is all that goes there."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return input(question)  # a line that is edited is drawn again with its question
    print(question, end="", file=sys.stderr, flush=True)
    return input()


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
