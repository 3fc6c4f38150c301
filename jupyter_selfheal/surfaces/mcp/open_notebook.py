"""One version of a notebook file that was run, with the states that its cells left behind."""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.errors import KernelError, UsageError
from jupyter_selfheal.kernels.replay_plan import PastCell
from jupyter_selfheal.loop.observed_calls import CallObserver
from jupyter_selfheal.loop.trials import build_sandbox
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Oracle, Outcome, Reason, Trial
from jupyter_selfheal.ports import Starts, TrialKernel
from jupyter_selfheal.surfaces.mcp.asked_notebook import find_code_cell
from jupyter_selfheal.surfaces.mcp.kept_states import KeptState, StateKeeper
from jupyter_selfheal.surfaces.mcp.runs import ToolRun
from jupyter_selfheal.surfaces.mcp.situation import Situation, diagnose_case
from jupyter_selfheal.surfaces.notebook.chain import Chain, build_maker
from jupyter_selfheal.surfaces.notebook.dependencies import BatchDependencies, Deadline, Limits
from jupyter_selfheal.surfaces.notebook.heal_lines import merge_oracles, restore_line
from jupyter_selfheal.surfaces.notebook.read import read
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings

Progress = Callable[[int, int, str], None]

FAILING = 5
"""Cells that fail of which the states before them are looked at for secrets."""


class OpenNotebook:
    """A version of a file, run once from the top at the first question about it. Close it: it holds a kernel and its states.

    Two calls at once wait for one run. The version is the file's bytes: once they change, whoever holds this one is told so.
    """

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path = path
        self.digest = read_digest(path)
        self.keeper = StateKeeper()
        self.session = Session(settings)
        self.document = self.session.choose_kernel_for(read(path))
        self.report: NotebookReport | None = None
        self._situations: dict[tuple[str, Oracle], Situation] = {}
        self._unseen = True
        self._lock = threading.RLock()

    @property
    def limits(self) -> Limits:
        """Seconds that a cell may run, and what it may do."""
        return self.session.limits

    # --- running it ---

    def check(self, run: ToolRun) -> NotebookReport:
        """What its cells do when they are run from the top, nothing healed; run once. Cancelling the run ends it."""
        with self._lock:
            if self.report is None:
                run.on_cancel(lambda: self.keeper.close() if self.report is None else None)
                dependencies = self.build_dependencies(self._note_failure, run.report_progress)
                report, _ = Batch(self.document, dependencies, self.session.limits).run()
                if self.keeper.is_closed:  # it was cut off by a cancellation, and its states are gone
                    raise KernelError("the call was cancelled: nothing was changed; call again")
                self.report = report
            return self.report

    def build_dependencies(
        self, heal: Callable[[Case, Starts, Trial, Deadline], tuple[Outcome, str]], progress: Progress
    ) -> BatchDependencies:
        """What a batch run of it stands on, with states that the keeper holds; ``heal`` is what is done about a failure."""
        built = self.session.build_dependencies(self.document, progress)
        open_clean = built.open_clean or built.open_state
        return replace(
            built,
            heal=heal,
            open_state=lambda: self.keeper.wrap(built.open_state()),
            open_clean=lambda: self.keeper.wrap(open_clean()),
            replay=lambda past, paths: self.keeper.wrap(built.replay(past, paths)),
            runs_together=False,  # the state before each cell is kept
        )

    def _note_failure(self, case: Case, starts: Starts, seen: Trial, deadline: Deadline) -> tuple[Outcome, str]:
        """Say what a root failure comes from, and keep what it takes to try patches of it. Nothing is healed."""
        self.keeper.pin((*starts.before, *starts.after))
        diagnosis = diagnose_case(case, starts, self.session.settings.config)
        observer = CallObserver(build_sandbox(self.session.settings.config))
        self._situations[case.failure.cell_id, case.oracle] = Situation(case, starts, seen, True, observer, diagnosis)
        return Outcome(Reason.EXHAUSTED, case.failure, diagnosis, detail="nothing was tried yet"), ""

    # --- asking about a cell ---

    def find_cell(self, cell_id: str) -> Cell:
        """The code cell of that id. Raises :class:`UsageError`, naming the ids that there are."""
        return find_code_cell(self.document.notebook, cell_id)

    def get_source(self, cell: Cell) -> str:
        """What stands in the cell in the file, its ``%%heal`` line included."""
        line = self.document.lines.get(cell.id)
        return restore_line(cell.source, line) if line is not None else cell.source

    def get_record(self, cell_id: str) -> Record | None:
        """What the check says of a cell; None where it says nothing (an empty cell)."""
        records = self.report.records if self.report is not None else ()
        return next((r for r in records if r.cell.id == cell_id), None)

    def examine(self, cell_id: str, said: Oracle) -> Situation:
        """The cell as it is, with what was said of it besides what the notebook says; looked at once for each such word.

        Raises :class:`UsageError` where the cell cannot be judged by itself.
        """
        with self._lock:
            cell = self.find_cell(cell_id)
            oracle = merge_oracles(cell.oracle, said)
            self._check_judgeable(cell_id)
            if (cell_id, oracle) not in self._situations:
                self._situations[cell_id, oracle] = self._build_situation(replace(cell, oracle=oracle))
            return self._situations[cell_id, oracle]

    def _check_judgeable(self, cell_id: str) -> None:
        record = self.get_record(cell_id)
        if record is None or record.status in (Status.SKIPPED, Status.NOT_REACHED):
            why = record.detail if record is not None else "it is empty"
            raise UsageError(f"cell {cell_id} was not run: {why}")
        if record.status is Status.CASCADE:
            root = next((r.cell.id for r in self.list_records() if r.number == record.cascade_of), "")
            raise UsageError(
                f"cell {cell_id} fails only because cell {root} does: heal cell {root}; this one is run with it"
            )

    def list_failing(self) -> tuple[str, ...]:
        """Ids of the cells that fail by themselves, in order."""
        return tuple(r.cell.id for r in self.list_records() if r.status in (Status.NOT_HEALED, Status.LEFT_ALONE))

    def take_new_failing_states(self) -> Iterator[KeptState]:
        """The states before the cells that fail, once for this version of the file."""
        with self._lock:
            failed = [r.cell.id for r in self.list_records() if r.headline and not r.cascade_of] if self._unseen else []
            self._unseen = False
            for cell_id in failed[:FAILING]:
                state = self.keeper.find_before(cell_id)
                if state is not None:
                    yield state

    def list_records(self) -> tuple[Record, ...]:
        """What the check says of each cell, in order."""
        return self.report.records if self.report is not None else ()

    def _build_situation(self, cell: Cell) -> Situation:
        """The situation of a cell of which something is expected that the notebook does not say."""
        known = next((s for (cell_id, _), s in self._situations.items() if cell_id == cell.id), None)
        notebook = (known.case if known is not None else self._build_case(cell)).notebook
        notebook = replace(
            notebook, cells=tuple(replace(c, oracle=cell.oracle) if c.id == cell.id else c for c in notebook.cells)
        )
        observer = known.observer if known is not None else CallObserver(build_sandbox(self.session.settings.config))
        if known is not None and known.case.failure.kind is not FailureKind.MISSED and known.failed:
            case = replace(known.case, notebook=notebook, oracle=cell.oracle)
            return replace(known, case=case)
        before = self.prepare_state_before(cell.id)
        chain = self._open_chain(before)
        seen, failure, after = chain.run(notebook.cell(cell.id), notebook)
        if after is not None:
            after.close()
        given = failure or Failure(cell.id, cell.source, FailureKind.MISSED, seconds=seen.seconds)
        case = Case(given, notebook, cell.oracle)
        starts = Starts(before=(before,), anew=self._build_maker(cell))
        return Situation(case, starts, seen, failure is not None, observer)

    def _build_maker(self, cell: Cell) -> Callable[[int, bool], TrialKernel]:
        """What makes the state before a cell anew, by the cells above it that ran."""
        document, kernels = self.document, self.session.kernels
        above = itertools.takewhile(lambda r: r.cell.id != cell.id, self.list_records())
        ran = [
            PastCell(r.cell.source, r.cell.id, failed=bool(r.failure))
            for r in above
            if r.status not in (Status.SKIPPED, Status.NOT_REACHED)
        ]
        return build_maker(
            lambda past, paths, n, other: kernels.open_anew(document, past, paths, n, other_seed=other), ran, (), cell
        )

    def _build_case(self, cell: Cell) -> Case:
        """The notebook as it ran, around a cell that does not fail: cells above are marked as run."""
        at = self.document.notebook.index(cell.id)
        cells = tuple(
            replace(c, runs=n + 1 if n < at and c.kind == "code" and not c.skip else 0)
            for n, c in enumerate(self.document.notebook.cells)
        )
        return Case(Failure(cell.id, cell.source), replace(self.document.notebook, cells=cells))

    def prepare_state_before(self, cell_id: str) -> TrialKernel:
        """The state directly before a cell: a kept one, or the cells between the nearest one above and it are run on."""
        with self._lock:
            cells = [c for c in self.document.notebook.cells if c.kind == "code" and c.source.strip() and not c.skip]
            at = next((n for n, c in enumerate(cells) if c.id == cell_id), -1)
            nearest = next((n for n in range(at, -1, -1) if self.keeper.find_before(cells[n].id) is not None), -1)
            state = self.keeper.find_before(cells[nearest].id) if nearest >= 0 else None
            if state is None:
                raise UsageError(f"cell {cell_id} is empty or skipped, so that no state is known there: name another")
            chain = self._open_chain(state)
            for cell in cells[nearest:at]:
                trial, failure, after = chain.run(replace(cell, oracle=Oracle()), self.document.notebook)
                chain.advance(after, (PastCell(cell.source, cell.id, failed=failure is not None),), trial)
            self.keeper.mark_before(cell_id, chain.state)
            return chain.state

    def _open_chain(self, state: TrialKernel) -> Chain:
        from jupyter_selfheal import engine

        limits = self.session.limits
        deadline = Deadline(limits.find_seconds_for_notebook(self.document.notebook.cells))
        return Chain(state, refuse_replay, engine.build_free_scorer(self.session.settings.config), limits, deadline)

    # --- its version and its end ---

    def close(self) -> None:
        """Let go of every state and kernel. Idempotent."""
        self.keeper.close()
        self.session.close()


def refuse_replay(past: Sequence[PastCell], paths: Sequence[str]) -> TrialKernel:
    """In place of a replay: no cell is run again in a fresh kernel. Raises :class:`KernelError`."""
    raise KernelError(
        "this state cannot be copied any further (a thread runs in it, say): use check_notebook's own results"
    )


def read_digest(path: Path) -> str:
    """What tells one version of a file from another: a hash of its bytes. Raises :class:`UsageError` where it is gone."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(f"{path.name} cannot be read ({error.strerror}): check the path") from error
