"""The proof of the whole: the healed notebook, run once from the top in a clean kernel, with another hash seed."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from jupyter_selfheal.errors import RUN_AGAIN, KernelError
from jupyter_selfheal.inside.fork.sandbox import OVERLAY
from jupyter_selfheal.model import (
    BASELINE,
    Cell,
    Ending,
    Failure,
    FailureKind,
    Isolation,
    Notebook,
    Run,
    Step,
    StepResult,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.scoring.comparison import Comparison
from jupyter_selfheal.surfaces.notebook.beside import CellSteps, RunBeside
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.chain import Chain
from jupyter_selfheal.surfaces.notebook.changed_values import complains_of_values, describe_change, find_changed_values
from jupyter_selfheal.surfaces.notebook.clean_cells import (
    FATAL,
    build_case,
    describe_failure,
    is_fatal,
    is_timed_out,
    list_cells,
    list_newly_failing,
    mark_followed,
    mark_reverted,
)
from jupyter_selfheal.surfaces.notebook.dependencies import BatchDependencies, Deadline, Limits
from jupyter_selfheal.surfaces.notebook.failures import find_failure
from jupyter_selfheal.surfaces.notebook.fixes import (
    CleanRun,
    FinalResult,
    Fix,
    explain_own_failure,
    list_paths,
    rebuild_notebook,
)
from jupyter_selfheal.surfaces.notebook.lost_cells import list_suspects, may_reach, ran_as_stored
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import Record, Status

MOST_RUNS = 12
"""How often a notebook is run from the top in the end, while it is looked for what breaks a cell."""


@dataclass
class FinalCheck:
    """Runs notebooks from the top in clean kernels, and takes fixes back until what is left stands there.

    No set of fixes is run twice, no more than ``runs_left`` sets are run at all, and none once the time is up.
    """

    document: Document
    dependencies: BatchDependencies
    limits: Limits
    deadline: Deadline
    as_stored: Sequence[str] = ()
    """The healthy cells that gave what is stored for them before anything was healed below them."""
    runs_left: int = MOST_RUNS
    isolation: Isolation | None = None
    """What stands between the notebook's cells and the user's things."""

    def __post_init__(self) -> None:
        begin = self.dependencies.open_clean or self.dependencies.open_state
        # asked for is not had: where no overlay can be made, both would write into the same folder
        may_begin = self.dependencies.runs_beside and self.isolation is not None and OVERLAY in self.isolation.layers
        is_brief = self.dependencies.is_brief
        self._beside = RunBeside(begin, self.limits.sandbox, self.deadline, is_brief=is_brief) if may_begin else None
        """The clean run that begins while the notebook is healed. It counts where nothing in it goes wrong; else all is run again, alone."""
        self._clean_runs: dict[tuple[str, ...], CleanRun] = {}
        self._made_beside: CleanRun | None = None
        self.heads: dict[str, str] = {}
        """What ran of cells before the time limit ended them, by their ids: it stands in the chain's states, and runs here too."""
        self._kernel_fault = ""
        """Why no clean kernel can be had any more."""

    def settle(self, notebook: Notebook, records: dict[str, Record], fixes: Sequence[Fix]) -> FinalResult:
        """Run the healed notebook in a clean kernel, and take back every fix that does not survive it.

        A fix does not survive where its cell fails again, where a cell that ran before, or in the notebook as it was given, fails with it and
        runs without it (see :mod:`.lost_cells`), or where it makes a healthy cell give another value than the stored one that it gave
        without it (see :mod:`.changed_values`).
        Without any fix there is nothing to prove, and nothing is run again.
        """
        if not fixes:
            return FinalResult(notebook, dict(records), (), {}, survived=True)
        records, notes = dict(records), []
        self._take_run_beside(notebook, records, tuple(fixes))
        last = self._try_fixes(tuple(fixes), records, notebook)
        while last is not None and (bad := self._find_not_surviving(records, last)):
            kept = last.fixes
            for fix, why in bad:
                notes.append(f"taken back: {fix.patch.title}: {why}")
                records[fix.cell_id] = mark_reverted(records[fix.cell_id], why)
                kept = tuple(f for f in kept if f is not fix)
            notebook, fitting, dropped = rebuild_notebook(self.document.notebook, kept)
            for fix_dropped in dropped:
                records[fix_dropped.cell_id] = mark_reverted(records[fix_dropped.cell_id], bad[0][1])
            fixes = tuple(fitting)
            last = self._try_fixes(fixes, records)
        if last is None or last.is_cut:
            notes.append(f"{self._why_not_run} The fixes that are kept were not run together in a clean kernel.")
            return FinalResult(notebook, records, tuple(fixes), {}, survived=False, notes=tuple(notes), was_run=False)
        failing = list_newly_failing(records, last.seen)
        notes += [f"cell {records[c].number} ran at first, but not in the final clean run" for c in failing]
        if failing and not self._can_run:
            notes.append(f"{self._why_not_run} Which fix breaks what is not known.")
        settled = mark_followed(records, last.seen)
        beside = last is self._made_beside
        return FinalResult(last.notebook, settled, last.fixes, last.seen, not failing, tuple(notes), ran_beside=beside)

    @property
    def _can_run(self) -> bool:
        return self.runs_left > 0 and not self.deadline.is_over and not self._kernel_fault

    @property
    def _why_not_run(self) -> str:
        if self._kernel_fault:
            return f"A clean run could not be made: {self._kernel_fault}."
        if self.deadline.is_over:
            return self.deadline.words
        return f"The notebook was run {MOST_RUNS} times from the top; that is the limit."

    def _try_fixes(
        self, fixes: tuple[Fix, ...], records: dict[str, Record], notebook: Notebook | None = None
    ) -> CleanRun | None:
        """What the cells do in a clean kernel with these fixes; None where that was not run and may not be any more."""
        key = tuple(f.patch.id for f in fixes)
        if key not in self._clean_runs:
            if not self._can_run:
                return None
            rebuilt_notebook, kept, dropped = rebuild_notebook(self.document.notebook, fixes)
            given = notebook or rebuilt_notebook
            try:
                seen = self.run_clean(given, records, kept)
            except KernelError as error:
                self._kernel_fault = str(error).replace(RUN_AGAIN, "")
                return None
            shown = {c: run for c, run in seen.items() if not (self.deadline.is_over and is_timed_out(run))}
            self._clean_runs[key] = CleanRun(given, tuple(kept), tuple(dropped), shown, len(shown) < len(seen))
        return self._clean_runs[key]

    def run_clean(self, notebook: Notebook, records: dict[str, Record], fixes: Sequence[Fix]) -> dict[str, CellRun]:
        """Run every code cell of the notebook in a new kernel, as "run all" with errors allowed would.

        Cells that never ended, or ended their kernel, are left out as long as nothing was done about them, but for what ran of them before: they leave
        no other state behind in the chain either. One that does so only now is left out of a second run.
        """
        skipped, paths = _list_skipped(records, fixes), list_paths(fixes)
        ended: dict[str, CellRun] = {}
        while True:
            heads = {c: head for c, head in self.heads.items() if c not in ended}
            cells = list_cells(notebook, skipped, heads)
            self.runs_left -= 1
            seen, detail = self._run_all(cells, notebook, paths)
            fatal = next((c for c in cells if is_fatal(seen.get(c.id))), None)
            if fatal is None or not self._can_run:
                return {c: run for c, run in seen.items() if c not in skipped} | ended
            skipped.add(fatal.id)
            failure = Failure(fatal.id, fatal.source, FailureKind.DIED, evalue=detail)
            ended[fatal.id] = seen.get(fatal.id) or CellRun(StepResult("timeout"), 0, (failure,))

    def _run_all(
        self, cells: Sequence[Cell], notebook: Notebook, paths: tuple[str, ...]
    ) -> tuple[dict[str, CellRun], str]:
        groups = [self._build_steps(cell, notebook) for cell in cells]
        request = TrialRequest(
            tuple(s for group in groups for s in group.steps),
            timeout=min(sum(group.seconds for group in groups) + 60.0, self.deadline.seconds_left),
            sandbox=self.limits.sandbox,
            paths=paths,
            is_brief=self.dependencies.is_brief,
        )
        try:
            trial = self._run_clean_trial(request)
        except KernelError:  # its state is gone, on a machine without memory, say: once more from a new one
            if self.deadline.is_over:
                raise
            trial = self._run_clean_trial(request)
        return self._split_trial(cells, notebook, trial, groups), trial.detail or trial.ending.value

    def _run_clean_trial(self, request: TrialRequest) -> Trial:
        with contextlib.closing((self.dependencies.open_clean or self.dependencies.open_state)()) as state:
            return state.run(request)[0]

    def go_on_beside(
        self, chain: Chain, notebook: Notebook, records: dict[str, Record], fixes: Sequence[Fix], known: Container[str]
    ) -> None:
        """Where a clean run may go on beside the chain: these are its first cells, up to one that is not ``known`` yet. Nobody waits."""
        if self._beside is None or not chain.state.is_exact:
            return
        cells = itertools.takewhile(
            lambda c: c.id in known, list_cells(notebook, _list_skipped(records, fixes), self.heads)
        )
        groups = [self._build_steps(cell, notebook) for cell in cells]
        self._beside.follow(groups, list_paths(fixes), chain.peak_mb, chain.seconds)

    def close(self) -> None:
        """End the clean run that goes on beside, if there is one. Idempotent."""
        if self._beside is not None:
            self._beside.close()

    def _take_run_beside(self, notebook: Notebook, records: dict[str, Record], fixes: tuple[Fix, ...]) -> None:
        """Take the clean run that began beside the healing for that of these fixes, where all of it went as it should."""
        if self._beside is None:
            return
        skipped = _list_skipped(records, fixes)
        cells = list_cells(notebook, skipped, self.heads)
        groups = [self._build_steps(cell, notebook) for cell in cells]
        trial = self._beside.finish(groups, list_paths(fixes))
        if trial is None:
            return
        seen = self._split_trial(cells, notebook, trial, groups)
        made = CleanRun(notebook, fixes, (), {c: run for c, run in seen.items() if c not in skipped})
        fails = any(explain_own_failure(fix, seen) is not None for fix in fixes) or len(seen) < len(cells)
        if not (fails or list_newly_failing(records, made.seen) or self._find_changed_values(made)):
            self.runs_left -= 1
            self._made_beside = self._clean_runs[tuple(f.patch.id for f in fixes)] = made

    def _build_steps(self, cell: Cell, notebook: Notebook) -> CellSteps:
        # a %pip line of ours was proven in a scratch directory, which is on the path here
        ours = notebook.index(cell.id) >= 0 and self.document.notebook.index(cell.id) < 0
        code = "" if ours and cell.source.startswith("%pip install ") else cell.source
        asked = self.dependencies.scorer.list_oracle_steps(build_case(cell, notebook), BASELINE) if cell.oracle else ()
        run = Run(code, cell.id, go_on=True, timeout=self.limits.find_most_seconds(cell))
        steps: tuple[Step, ...] = (run, *(s for s in asked if not isinstance(s, Run)))
        return CellSteps(cell.id, steps, self.limits.find_most_seconds(cell))

    def _split_trial(
        self, cells: Sequence[Cell], notebook: Notebook, trial: Trial, groups: Sequence[CellSteps]
    ) -> dict[str, CellRun]:
        """Cut the one long trial into those of the cells; cells that were not reached are not in the result."""
        cell_runs: dict[str, CellRun] = {}
        at = 0
        for number, (cell, group) in enumerate(zip(cells, groups, strict=True), start=1):
            results, rest = trial.steps[at : at + len(group.steps)], trial.steps[at + len(group.steps) :]
            at += len(group.steps)
            if not results or results[0].status == "skipped":
                break
            reached = trial.ending is Ending.FINISHED or (rest and rest[0].status != "skipped")
            own = replace(trial, steps=results, ending=Ending.FINISHED if reached else trial.ending)
            failure = find_failure(cell, own)
            if failure is None and cell.oracle:
                case = build_case(replace(cell, oracle=replace(cell.oracle, checks=())), notebook)
                failure = find_failure(
                    cell, own, self.dependencies.scorer.find_missed_expectation(case, own) if case.oracle else None
                )
            cell_runs[cell.id] = CellRun(results[0], number, (failure,) if failure else ())
        return cell_runs

    def _find_not_surviving(self, records: dict[str, Record], last: CleanRun) -> list[tuple[Fix, str]]:
        """The fix to take back next, and why. All at once whose own cells fail, where no further run could show more."""
        own = [(fix, why) for fix in last.fixes if (why := explain_own_failure(fix, last.seen)) is not None]
        if own:
            return own[:1] if self._can_run else own
        for cell_id in (*list_newly_failing(records, last.seen), *self._list_lost(records, last)):
            if (fix := self._find_culprit(cell_id, records, last.fixes)) is not None:
                number = records[cell_id].number
                return [(fix, f"with it cell {number} fails in a clean kernel, without it that cell runs")]
        for cell_id, compared in self._find_changed_values(last).items():
            fix = self._find_culprit(cell_id, records, last.fixes, by_value=True)
            if fix is not None and not complains_of_values(records[fix.cell_id]):
                return [(fix, describe_change(records[cell_id].number, compared))]
        return []

    def _list_lost(self, records: dict[str, Record], last: CleanRun) -> list[str]:
        """The cells that never ran in the chain, where fixes stood above them, and do run in a clean kernel without any."""
        suspects = list_suspects(self.document.notebook, records, [f.patch for f in last.fixes], last.seen)
        given = self._try_fixes((), records) if suspects and last.fixes else None
        seen = given.seen if given is not None else {}
        return [c for c in suspects if ran_as_stored(self.document.notebook, c, seen)]

    def _find_changed_values(self, last: CleanRun) -> dict[str, Comparison]:
        return find_changed_values(self.document.notebook, self.as_stored, last.seen)

    def _find_culprit(
        self, cell_id: str, records: dict[str, Record], fixes: tuple[Fix, ...], *, by_value: bool = False
    ) -> Fix | None:
        """The fix that breaks a cell, found by halves between two sets: with the first the cell runs, with the second it fails
        (or, ``by_value``, gives another value than the stored one).

        The first set are the fixes that were there when the cell ran; where it fails with those too, no fix at all. Where it fails
        even then, it fails in every clean kernel, and no fix is to blame; nor is one that stands below it.
        """
        order = list(records)
        fixes = tuple(f for f in fixes if may_reach(f.patch, cell_id, self.document.notebook))
        there = [f for f in fixes if order.index(f.cell_id) < order.index(cell_id)]
        later = [f for f in fixes if f not in there]
        for known, suspects in ((there, later), ([], there)):
            if by_value and len(fixes) == 1:
                return fixes[0]  # without any the cell gave what is stored
            if not suspects or self._is_broken_with(cell_id, records, fixes, known, by_value) is not False:
                continue
            low, high = 0, len(suspects)
            while high - low > 1:
                middle = (low + high) // 2
                fails = self._is_broken_with(cell_id, records, fixes, [*known, *suspects[:middle]], by_value)
                if fails is None:
                    return None
                low, high = (low, middle) if fails else (middle, high)
            return suspects[high - 1]
        return None

    def _is_broken_with(
        self, cell_id: str, records: dict[str, Record], order: tuple[Fix, ...], some: Sequence[Fix], by_value: bool
    ) -> bool | None:
        """Whether a cell fails (or gives another value than the stored one) in a clean kernel with some of the fixes; None where
        that may not be run any more."""
        tried = self._try_fixes(tuple(f for f in order if f in some), records)
        if tried is None:
            return None
        return (
            cell_id in self._find_changed_values(tried)
            if by_value
            else describe_failure(tried.seen, cell_id) is not None
        )


def _list_skipped(records: Mapping[str, Record], fixes: Sequence[Fix]) -> set[str]:
    healed = {f.cell_id for f in fixes}
    return {
        cell_id
        for cell_id, record in records.items()
        if record.status is Status.SKIPPED or (cell_id not in healed and any(f.kind in FATAL for f in record.failure))
    }
