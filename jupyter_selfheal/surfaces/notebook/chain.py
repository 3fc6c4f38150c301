"""The states of a notebook, one after each cell, each a fork of the one before."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import RUN_AGAIN, ForkRefused, KernelError
from jupyter_selfheal.kernels.replay_plan import PastCell, list_needed_cells
from jupyter_selfheal.loop.reruns import excuse_failed_again
from jupyter_selfheal.loop.warm_imports import find_first_imports, warm_imports
from jupyter_selfheal.model import (
    BASELINE,
    Case,
    Cell,
    Ending,
    Failure,
    FailureKind,
    Keep,
    Notebook,
    Role,
    Run,
    Step,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.ports import Scorer, Starts, TrialKernel
from jupyter_selfheal.surfaces.notebook.behind import StatesBehind
from jupyter_selfheal.surfaces.notebook.clean_cells import find_head
from jupyter_selfheal.surfaces.notebook.dependencies import Deadline, Limits, MakeAnew, Replay
from jupyter_selfheal.surfaces.notebook.failures import find_failure
from jupyter_selfheal.surfaces.notebook.together import (
    TOGETHER_SECONDS,
    TOGETHER_SECONDS_LATER,
    is_setting,
    leaves_only_imports,
    split_trial,
)

HEAD_SECONDS = 5.0
"""For what ran of a cell before its time was up, which runs once more to leave its names behind; more than imports take is not worth it."""


def build_maker(
    open_anew: MakeAnew, ran: Sequence[PastCell], paths: tuple[str, ...], cell: Cell
) -> Callable[[int, bool], TrialKernel]:
    """What makes the state after ``ran`` anew for a cell, the n-th of several.

    A cell above on which that one does not depend may fail when it runs again.
    """
    needed = list_needed_cells(ran, (Run(cell.source, cell.id),))
    past = tuple(p if n in needed else replace(p, failed=True) for n, p in enumerate(ran))
    return lambda number, other_seed: open_anew(past, paths, number, other_seed)


@dataclass(slots=True)
class _Failed:
    """The cell that failed when several were run together, and what it left. ``has_state_before``: the chain stands before it; else whoever takes it
    goes on from ``after``."""

    cell: Cell
    trial: Trial
    after: TrialKernel | None
    has_state_before: bool = True

    @property
    def leaves_only_imports(self) -> bool:
        """Whether its heal goes on from ``after``: see :func:`~jupyter_selfheal.surfaces.notebook.together.leaves_only_imports`."""
        failure = find_failure(self.cell, self.trial)
        return self.after is not None and failure is not None and leaves_only_imports(self.cell, failure)

    def close(self) -> None:
        if self.after is not None:
            self.after.close()


class Chain:
    """Runs cells on from a state. At most two states live at once: the present one, and that after the cell just run."""

    def __init__(
        self,
        first: TrialKernel,
        replay: Replay,
        scorer: Scorer,
        limits: Limits,
        deadline: Deadline,
        *,
        is_brief: bool = False,
        goes_on_behind: bool = False,
    ) -> None:
        self.state = first
        self._behind = StatesBehind() if goes_on_behind else None
        self._cold: tuple[TrialKernel, TrialKernel] | None = None
        """The present state without what was loaded for a heal, and with it."""
        self._is_brief = is_brief
        self.deadline = deadline
        self.notes: list[str] = []
        self.peak_mb = 0.0
        """The most memory that a cell's process had so far."""
        self.seconds = 0.0
        """What all runs from its states took."""
        self._replay = replay
        self._scorer = scorer
        self._limits = limits
        self._ran: list[PastCell] = []
        self._paths: tuple[str, ...] = ()
        self._rebuilt = False
        self._failed: _Failed | None = None
        self._has_failed = False

    def run_together(self, cells: Sequence[Cell]) -> list[Trial]:
        """Run cells one after the other in one process, which costs less than a fork for each; the chain stands behind those that ran.

        Returns their trials. Where one fails it is left to :meth:`run`, which has what it did then and does not run it again; the state before
        it is made by running those above it once more, which took :data:`TOGETHER_SECONDS` at most. None have run where that cannot be done.
        One that fails in an import needs no state before it: what it left is gone on from.
        """
        if self._failed is not None:
            return []
        runs = [Run(c.source, c.id, timeout=self._limits.find_seconds(c)) for c in cells]
        most = TOGETHER_SECONDS_LATER if self._has_failed else TOGETHER_SECONDS
        trial, after = self._run_trial(runs, sum(run.timeout for run in runs), stop_after=most)
        trials = split_trial(trial)
        ran = list(itertools.takewhile(lambda t: t.ran, trials))
        past = [PastCell(c.source, c.id, c.expensive, False, t.seconds) for c, t in zip(cells, ran, strict=False)]
        if len(ran) == len(trials) > 0:
            self.advance(after, past, trial)
            return ran
        if not trials:  # it did not come to a cell
            self._failed = _Failed(cells[0], trial, after)
            return []
        if after is not None and trials[len(ran)].ending is Ending.TIMED_OUT:
            after.close()  # as a cell that was run by itself leaves none
            after = None
        failed = _Failed(cells[len(ran)], trials[len(ran)], after)
        if ran and failed.leaves_only_imports:
            self._ran += past
            failed.has_state_before = False
        elif ran and not self._go_again(runs[: len(ran)], past):
            failed.close()
            return []
        self._failed = failed
        return ran

    def _go_again(self, runs: Sequence[Run], past: Sequence[PastCell]) -> bool:
        """Go on by cells that ran before; False where they do not run again as they did: then states are made from their beginning."""
        trial, before = self._run_trial(runs, sum(run.timeout for run in runs), Keep.ON_SUCCESS)
        if before is not None and trial.ran:
            self.advance(before, past, trial)
            return True
        self._add_note("cells that ran together with one that failed did not run again without it")
        self._reconstruct_state()
        return False

    def _take_failed(self, cell: Cell) -> tuple[Trial, TrialKernel | None] | None:
        """What a cell did when it was run together with those above it, where that is so."""
        failed, self._failed = self._failed, None
        if failed is None:
            return None
        if (failed.cell.id, failed.cell.source) == (cell.id, cell.source):
            return failed.trial, failed.after
        failed.close()
        if not failed.has_state_before:
            self._reconstruct_state()
        return None

    def run(self, cell: Cell, notebook: Notebook) -> tuple[Trial, Failure | None, TrialKernel | None]:
        """Run a cell from the present state, which stays as it is.

        Returns its trial, its failure if it has one, and the state after it (None where its process ended, or where the
        state cannot be kept). The caller passes that state to :meth:`advance` or closes it.
        """
        steps = (Run(cell.source, cell.id), *self._build_questions(cell, notebook))
        trial, after = self._take_failed(cell) or self._run_trial(steps, self._limits.find_seconds(cell))
        failure = find_failure(cell, trial)
        if (
            failure is not None
            and _is_importing(failure)
            and self._limits.find_most_seconds(cell) > self._limits.find_seconds(cell)
        ):
            trial, after = self._run_trial(steps, self._limits.find_most_seconds(cell))
            failure = find_failure(cell, trial)
        if failure is None and cell.oracle:
            trial = self._run_checks(trial, after, cell, notebook)
            failure = find_failure(
                cell, trial, self._scorer.find_missed_expectation(_build_case(cell, notebook), trial)
            )
        self._has_failed = self._has_failed or failure is not None
        return trial, failure, after

    def run_steps(self, runs: Sequence[Run], cell: Cell, paths: Sequence[str] = ()) -> tuple[Trial, TrialKernel | None]:
        """Run several pieces of code, in the end ``cell``, from the present state; keep the state only where all ran.

        Where a trial ran just these from it and left the state behind, that is the run.
        """
        left = self._behind.take(self.state, runs) if self._behind is not None and not paths else None
        if left is not None:
            self.seconds += left.trial.seconds
            self.peak_mb = max(self.peak_mb, left.trial.peak_mb)
            return left.trial, left.state
        self._paths = tuple(dict.fromkeys((*paths, *self._paths)))
        keep = Keep.ALWAYS if any(run.failed_with for run in runs) else Keep.ON_SUCCESS
        trial, after = self._run_trial(tuple(runs), self._limits.find_most_seconds(cell) * len(runs), keep)
        trial = excuse_failed_again(runs, trial)
        if after is not None and not trial.ran:
            after.close()
            after = None
        return trial, after

    def advance(self, after: TrialKernel | None, ran: Sequence[PastCell], trial: Trial) -> None:
        """Go on from the state after ``ran``; where their process ended, the present state stays.

        Where the process lives but its state could not be kept (``trial`` says why), states are reconstructed from here on.
        """
        if after is not None:
            self.state.close()
            self.state = after
            self._ran += ran
        elif trial.ending is Ending.FINISHED:
            self._ran += ran
            self._add_note(trial.detail)
            self._reconstruct_state()

    def leave_head(self, cell: Cell, failure: Failure | None) -> str:
        """Go on behind what ran of a cell before the time limit ended it, as after an interrupt; returns that, or nothing where nothing did."""
        head = find_head(cell, failure)
        trial, after = self._run_trial((Run(head, cell.id),), HEAD_SECONDS, Keep.ON_SUCCESS) if head else (None, None)
        if trial is None or after is None:
            return ""
        self.advance(after, (PastCell(head, cell.id, cell.expensive, False, trial.seconds),), trial)
        return head

    def build_starts(
        self, open_anew: MakeAnew | None, cell: Cell, failure: Failure, after: TrialKernel | None
    ) -> Starts:
        """The states that patches of a failing cell are tried from; ``after`` is what it left."""
        # a missed expectation left no failing statement to resume from: only the state before the cell will do
        resumable = after is not None and after is not self.state and failure.kind is not FailureKind.MISSED
        behind, first = self._behind, self.state
        may_go_on = first.is_exact and not self._paths
        return Starts(
            before=(self.state,),
            after=(after,) if after is not None and resumable else (),
            anew=self.build_maker(open_anew, cell),
            goes_on_after=False,
            leave_behind=functools.partial(behind.add, first) if behind is not None and may_go_on else None,
        )

    def load_imports(self, cell: Cell, failure: Failure) -> None:
        """Until :meth:`end_heal` the present state has loaded what the cell imports behind its failure: every trial, and every question about a library,
        would import it again. No name is bound, and nothing is loaded of which the cell, where it consists of imports and settings, would not."""
        behind = [s.index for s in src.list_statements(cell.source) if s.index > failure.statement]
        statements = find_first_imports(src.keep_statements(cell.source, behind), is_setting) if behind else ()
        try:
            warm = warm_imports(self.state, statements, self._limits.sandbox, self.deadline.seconds_left)
        except KernelError:
            return
        if warm is not None:
            self._cold, self.state = (self.state, warm), warm

    def end_heal(self) -> None:
        """Let go of what was held for the heal of a cell: states that trials left behind, and one with modules that no fix loads."""
        if self._behind is not None:
            self._behind.close()
        cold, self._cold = self._cold, None
        if cold is None:
            return
        if self.state is cold[1]:
            self.state = cold[0]
            cold[1].close()
        else:
            cold[0].close()

    def build_maker(self, open_anew: MakeAnew | None, cell: Cell) -> Callable[[int, bool], TrialKernel] | None:
        """What makes the present state anew for a cell, the n-th of several; None where nothing does."""
        return build_maker(open_anew, self._ran, self._paths, cell) if open_anew is not None else None

    @property
    def past(self) -> tuple[PastCell, ...]:
        """The cells that made the present state; none where it stands on scratch installs, which end with their run."""
        return () if self._paths else tuple(self._ran)

    def rebuild(self, past: Sequence[PastCell], needed: Sequence[int]) -> bool:
        """Go to what is needed of the state after ``past``; False where a cell that ran before now does not. Then nothing has changed."""
        runs = [Run(past[n].code, past[n].cell_id, go_on=past[n].failed) for n in needed] or [Run("")]
        trial, after = self._run_trial(runs, self.deadline.seconds_left)
        ran = [step.ok or past[n].failed for step, n in zip(trial.steps, needed, strict=False)]
        if after is None or not all(ran) or len(ran) < len(needed):
            if after is not None:
                after.close()
            return False
        self.state.close()
        self.state, self._ran = after, list(past)
        return True

    def close(self) -> None:
        self.end_heal()
        self.state.close()
        if self._failed is not None:
            self._failed.close()

    def _run_trial(
        self, steps: Sequence[Step], seconds: float, keep: Keep = Keep.ALWAYS, stop_after: float = 0.0
    ) -> tuple[Trial, TrialKernel | None]:
        request = TrialRequest(
            tuple(steps),
            timeout=min(seconds, self.deadline.seconds_left),
            keep=keep,
            sandbox=replace(self._limits.sandbox, writes="apart"),  # a fix begins where nothing of it was written yet
            paths=self._paths,
            is_brief=self._is_brief,
            is_last=True,  # most cells run, and this state is let go then
            stop_after=stop_after,
        )
        try:
            trial, after = self.state.run(request)
            self.peak_mb = max(self.peak_mb, trial.peak_mb)
            self.seconds += trial.seconds
            return trial, after
        except ForkRefused as refused:
            why = refused.reason
        except KernelError as gone:
            if self._rebuilt or self.deadline.is_over:
                raise
            why = str(gone).replace(RUN_AGAIN, "")
        self._add_note(why)
        self._reconstruct_state()
        return self.state.run(request)

    def _reconstruct_state(self) -> None:
        """The present state cannot be forked on, or is gone: from here every trial replays the cells run so far in a real kernel."""
        self._rebuilt = True
        self.state.close()
        self.state = self._replay(tuple(self._ran), self._paths)

    def _add_note(self, reason: str) -> None:
        note = f"from cell {len(self._ran) + 1} on states are reconstructed by replay, not forked: {reason}"
        if not any("reconstructed by replay" in n for n in self.notes):
            self.notes.append(note)

    def _build_questions(self, cell: Cell, notebook: Notebook) -> tuple[Step, ...]:
        """What the cell's own oracle asks of the state; statements that check it run apart, in a throw-away trial."""
        if not cell.oracle:
            return ()
        steps = self._scorer.list_oracle_steps(_build_case(cell, notebook), BASELINE)
        return tuple(s for s in steps if not isinstance(s, Run))

    def _run_checks(self, trial: Trial, after: TrialKernel | None, cell: Cell, notebook: Notebook) -> Trial:
        steps = self._scorer.list_oracle_steps(_build_case(cell, notebook), BASELINE)
        checks = tuple(s for s in steps if isinstance(s, Run) and s.role is Role.CHECK)
        if not checks or after is None:
            return trial
        checked, _ = after.run(
            TrialRequest(checks, timeout=self._limits.cell, sandbox=replace(self._limits.sandbox, writes="discard"))
        )
        return replace(trial, steps=(*trial.steps, *checked.steps))


def _is_importing(failure: Failure) -> bool:
    """True where the cell was cut off in an import, or before anybody could say where."""
    if failure.kind is not FailureKind.TIMED_OUT:
        return False
    statement = next((s.node for s in src.list_statements(failure.source) if s.index == failure.statement), None)
    return statement is None or isinstance(statement, ast.Import | ast.ImportFrom)


def _build_case(cell: Cell, notebook: Notebook) -> Case:
    """The case of a cell that ran, with nothing below it: only its own oracle counts."""
    upto = replace(notebook, cells=notebook.cells[: notebook.index(cell.id) + 1])
    return Case(Failure(cell.id, cell.source, FailureKind.MISSED), upto, cell.oracle)
