"""One notebook, healed: run on cell by cell, each failure healed from the state before it, all of it proven at the end."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from jupyter_selfheal.errors import RUN_AGAIN, KernelError, PatchError
from jupyter_selfheal.kernels.replay_plan import PastCell
from jupyter_selfheal.loop.plan import build_trial_steps, list_requirements
from jupyter_selfheal.model import (
    Candidate,
    Case,
    Cell,
    Failure,
    FailureKind,
    Insert,
    Notebook,
    Outcome,
    Reason,
    Run,
    Start,
    Trial,
)
from jupyter_selfheal.ports import Starts, TrialKernel
from jupyter_selfheal.surfaces.notebook import cascades, edits, failures, kept_roots, lost_state, outcomes, stale
from jupyter_selfheal.surfaces.notebook.agreement import HealthyCells
from jupyter_selfheal.surfaces.notebook.case_notebook import mark_cells_run
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.chain import Chain
from jupyter_selfheal.surfaces.notebook.dependencies import BatchDependencies, Deadline, Limits
from jupyter_selfheal.surfaces.notebook.expect_outputs import expect_outputs
from jupyter_selfheal.surfaces.notebook.final import FinalCheck
from jupyter_selfheal.surfaces.notebook.final_report import build_report, build_unfinished
from jupyter_selfheal.surfaces.notebook.fixes import Fix
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.record_book import RecordBook
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Status, Without
from jupyter_selfheal.surfaces.notebook.resume_point import PointFile, ResumePoint, StateNotWhole
from jupyter_selfheal.surfaces.notebook.review import BatchReview
from jupyter_selfheal.surfaces.notebook.silent_changes import SilentChanges
from jupyter_selfheal.surfaces.notebook.specifications import SpecificationChecks, describe_word
from jupyter_selfheal.surfaces.notebook.together import is_set_up, leaves_only_imports, take_cells
from jupyter_selfheal.surfaces.notebook.without_fix import RunsWithout


class _TimeIsUp(Exception):
    """The time for the notebook was up while a cell ran or was healed."""


@dataclass
class Batch:
    """The run of one notebook. :meth:`run` is called once. ``point`` is where an earlier run came to, and ``points`` keeps where this one does."""

    document: Document
    dependencies: BatchDependencies
    limits: Limits = field(default_factory=Limits)
    point: ResumePoint | None = None
    points: PointFile | None = None

    def __post_init__(self) -> None:
        if self.dependencies.expect_outputs:
            self.document = expect_outputs(self.document)
        self.notebook = self.document.notebook
        self.numbers = {cell_id: n + 1 for cell_id, n in self.document.number_code_cells().items()}
        self.book = RecordBook(self.document.notebook, self.numbers)
        self.fixes: list[Fix] = []
        self.done: set[str] = set()
        self.first: dict[str, CellRun] = {}
        self.review = BatchReview(self.dependencies.model_review) if self.dependencies.review else None
        self.healthy = HealthyCells()
        self._stale = stale.StaleCells(self.numbers)
        self.specifications = SpecificationChecks(self.dependencies.why_no_model)
        self.silent = SilentChanges(self.dependencies.expect_outputs)
        self.without = RunsWithout()
        self.heals, self.rebuilt, self.foreseen = 0, False, False
        self.told: dict[str, kept_roots.HealBehind] = {}
        """The heals of cells whose root was mended and that run anew behind it."""

    def run(self) -> tuple[NotebookReport, dict[str, CellRun]]:
        """The report, and what each cell of the healed notebook did in the final clean run (the first where none was needed)."""
        began = time.monotonic()
        deadline = Deadline(self.limits.find_seconds_for_notebook(self.notebook.cells))
        given = self.dependencies
        first = given.open_state()
        chain = Chain(
            first, given.replay, given.scorer, self.limits, deadline, is_brief=given.is_brief, goes_on_behind=given.goes_on_behind,
        )  # fmt: skip
        self.proof = FinalCheck(self.document, self.dependencies, self.limits, deadline, isolation=first.isolation)
        with contextlib.closing(self.proof):
            return self._heal_and_prove(chain, began)

    def _heal_and_prove(self, chain: Chain, began: float) -> tuple[NotebookReport, dict[str, CellRun]]:
        try:
            if self.point is not None and (needed := self.point.plan()) is not None:
                self._go_on_from(self.point, needed, chain)
            stopped = self._run_cells(chain)
            reviewed = self.review.settle(chain) if self.review is not None else None
            if self.dependencies.look_at_end is not None and stopped is None and not self.fixes:
                self.dependencies.look_at_end(chain.state)
        finally:
            chain.close()
        self.dependencies.progress(len(self.numbers), len(self.numbers), "running it all in a clean kernel")
        if stopped is not None:
            self.book.add_not_reached((c for c in self.notebook.cells if self._is_left(c)), stopped)
            settled = build_unfinished(self.notebook, self.book.records, self.fixes, stopped)
        else:
            self.proof.as_stored = self.healthy.list_as_stored()
            self.proof.document = replace(self.document, notebook=self._mark_stale(self.document.notebook))
            settled = self.proof.settle(self._mark_stale(self.notebook), self.book.records, self.fixes)
        report = build_report(
            self.document,
            replace(settled, notebook=self._mark_stale(settled.notebook)),
            self.first,
            isolation=self.proof.isolation,
            notes=(*chain.notes, *self.specifications.notes),
            seconds=time.monotonic() - began,
            review=reviewed,
        )
        return report, settled.seen or self.first

    def _go_on_from(self, point: ResumePoint, needed: Sequence[int], chain: Chain) -> None:
        """Go to where an earlier run came to. Raises :class:`StateNotWhole` where that state cannot be made."""
        if not chain.rebuild(point.past, needed):
            raise StateNotWhole
        self.notebook, self.fixes = point.notebook, list(point.fixes)
        self.book.records, self.book.lost = dict(point.records), list(point.lost)
        self.done, self.first = set(point.done), dict(point.first)
        self.healthy, self.heals, self.rebuilt = point.healthy, point.heals, True
        ran = f"{len(needed)} of the {len(point.past)} cells that ran until then"
        chain.notes.append(f"gone on with behind cell {point.number}, healed before: {ran} ran again for its state")

    def _keep_point(self, chain: Chain) -> None:
        """Note where the run stands, behind a healed cell."""
        if self.points is None or not chain.past:
            return
        point = ResumePoint(
            self.points.digest, self.notebook, self.book.records, tuple(self.fixes), tuple(self.book.lost),
            frozenset(self.done), self.first, self.healthy, chain.past, self.heals,
        )  # fmt: skip
        self.points.keep(point)

    def _run_cells(self, chain: Chain) -> str | None:
        """Run the cells in their order, healing those that fail; why that could not go on to the end, or None."""
        self.foreseen = self.dependencies.runs_beside and self.dependencies.foresees_failure()
        while (cell := self._find_next_cell()) is not None:
            if chain.deadline.is_over:
                return chain.deadline.words
            if self.fixes or self.foreseen:
                self._go_on_beside(chain, self.done)  # of none at first: its kernel starts
            self.dependencies.progress(self.numbers.get(cell.id, 0), len(self.numbers), "running")
            fixes = len(self.fixes)
            try:
                if not self._run_together(chain) and self._run_cell(chain, cell):
                    self.done.add(cell.id)
            except _TimeIsUp:
                return chain.deadline.words
            except KernelError as error:
                if not self.done:
                    raise
                return f"Its kernel could not go on: {str(error).replace(RUN_AGAIN, '')}."
            if len(self.fixes) > fixes:
                self._keep_point(chain)
        return None

    def _find_next_cell(self) -> Cell | None:
        """The first code cell, in the present order, that was not run yet."""
        return next(filter(self._is_left, self.notebook.cells), None)

    def _is_left(self, cell: Cell) -> bool:
        return cell.kind == "code" and bool(cell.source.strip()) and cell.id not in self.done

    def _list_done(self) -> list[Cell]:
        return [c for c in self.notebook.cells if c.kind == "code" and c.id in self.done]

    def _go_on_beside(self, chain: Chain, known: Collection[str]) -> None:
        self.proof.go_on_beside(chain, self._mark_stale(self.notebook), self.book.records, self.fixes, known)

    def _run_together(self, chain: Chain) -> bool:
        """Run the next cells in one process, as far as they may be and run; False where the next one is to be run by itself."""
        if not self.dependencies.runs_together or not chain.state.is_exact:
            return False
        left = (c for c in self._mark_stale(self.notebook).cells if c.id not in self.done)
        cells = take_cells(left, self._is_asked)
        trials = chain.run_together(cells) if len(cells) > 1 else []
        for cell, trial in zip(cells, trials, strict=False):
            self.first[cell.id] = CellRun(trial.steps[0], len(self.first) + 1)
            self.book.add_cell(cell, Status.RAN, seconds=trial.seconds)
            self._look_at_healthy(chain, cell, trial, None)
            self.done.add(cell.id)
        return bool(trials)

    def _is_asked(self, cell: Cell) -> bool:
        is_reviewed = self.review is not None and self.review.asks_state(cell, self.notebook)
        return is_reviewed or self.silent.may_be(cell, self.notebook)

    def _run_cell(self, chain: Chain, cell: Cell) -> bool:
        """Run the cell, and heal it where it fails; False where it is to be run once more, as its root above is mended since."""
        if cell.skip:
            self.book.add_cell(cell, Status.SKIPPED, detail="its metadata says skip: it was neither run nor healed")
            return True
        marked = self._mark_stale(self.notebook)
        cell = marked.cell(cell.id)
        trial, failure, after = chain.run(cell, marked)
        if failure is not None and failure.kind is FailureKind.TIMED_OUT and chain.deadline.is_over:
            raise _TimeIsUp
        if failure is not None and self.rebuilt:
            if after is not None:
                after.close()
            raise StateNotWhole
        self.first.pop(cell.id, None)  # it may run once more, behind a root that is mended since
        self.first[cell.id] = CellRun(trial.steps[0], len(self.first) + 1, (failure,) if failure else ())
        failure = failure or self.specifications.question(cell, self.numbers.get(cell.id, 0), trial)
        failure = failure or self.silent.question(cell, marked, trial, self.told)
        failed = failure is not None and failure.kind is not FailureKind.MISSED
        past = PastCell(cell.source, cell.id, cell.expensive, failed, trial.steps[0].seconds)
        if failure is not None and after is not None and leaves_only_imports(cell, failure):
            # patches are tried, and applied, where what was imported need not be again
            chain.advance(after, (past,), trial)
            chain.load_imports(cell, failure)
            after = chain.state
        try:
            if failure is None:
                status = Status.FOLLOWED if cell.id in self.told else Status.RAN
                self.book.add_cell(cell, status, seconds=trial.seconds)
                self._look_at_healthy(chain, cell, trial, after)
            elif failures.is_meant(cell, failure):
                self.book.add_cell(cell, Status.MEANT_TO_FAIL, failure, detail="tagged raises-exception")
            elif number := cascades.find_cascade_root(failure, self.book.lost, self._list_sources(cell)):
                self.book.add_cell(cell, Status.CASCADE, failure, cascade_of=number)
                self.book.add_lost_state(cell, failure)
            elif self._offer_own_fix(chain, cell, failure, trial, after):
                self.book.add_lost_state(cell, failure)
            elif self._heal_failure(chain, cell, failure, trial, after):
                return self.book.is_known(cell)
            else:
                self.book.add_lost_state(cell, failure)
            if after is None and (head := chain.leave_head(cell, failure)):
                self.proof.heads[cell.id] = head
            elif after is None or after is not chain.state:
                chain.advance(after, (past,), trial)
            after = None
            return True
        finally:
            chain.end_heal()
            if after is not None and after is not chain.state:
                after.close()

    def _look_at_healthy(self, chain: Chain, cell: Cell, trial: Trial, after: TrialKernel | None) -> None:
        """Note what a cell that runs put out, and review it where that is asked for."""
        marked = self._mark_stale(self.notebook)
        self.healthy.add(marked, marked.cell(cell.id), trial.steps[0].outputs)
        if self.review is not None:
            self.review.add_cell(cell, self.notebook, trial, chain, after)

    def _heal_failure(
        self, chain: Chain, cell: Cell, failure: Failure, trial: Trial, after: TrialKernel | None
    ) -> bool:
        """Heal a root failure; True where a fix was applied: the chain stands behind the healed cell, or, where only a root above it was
        mended and nothing is recorded of the cell yet, before it."""
        number = self.numbers.get(cell.id, 0)
        case, starts = self._build_case(chain, cell, failure, after)
        if failures.lies_in_notebook(failure) and not self.fixes and not self.foreseen:
            # its fix will be proven in a clean kernel, which takes a while to start, and to import what the notebook does
            self._go_on_beside(chain, {c.id for c in self._list_done() if is_set_up(c)})
        told = self.told.get(cell.id)
        heal = self.dependencies.heal if told is None else told.repeat
        outcome, run = heal(case, starts, trial, chain.deadline)
        if outcome.reason is Reason.CANCELLED:
            if not chain.deadline.is_over:
                raise KeyboardInterrupt
            self.book.add_cell(
                cell, Status.NOT_HEALED, failure, detail=chain.deadline.words, cost=outcome.cost, run=run
            )
            raise _TimeIsUp
        healed, status, without = False, outcomes.find_status(outcome), Without()
        if (word := "" if self.silent.is_in_vain(failure, outcome) else describe_word(failure, outcome)) is not None:
            self.book.add_cell(cell, Status.RAN, detail=word, cost=outcome.cost, cost_by=outcome.spent_by, run=run)
            self._look_at_healthy(chain, cell, trial, after)
            return False
        failure = outcome.failure if failure.kind is FailureKind.MISSED else failure
        if outcome.applied:
            lost = lost_state.find_lost_state(number, cell, failure)
            without = self.without.look(after, case, outcome.applied[0].patch.edits, lost)
            obstacle = self._apply_fix(chain, case, outcome)
            healed, why = obstacle is None, obstacle or ""
            status = Status.HEALED if healed else Status.NOT_HEALED
        elif told is None and self._keep_root(chain, case, outcome, run, after):
            return True
        elif needed := cascades.find_root(cell, failure, outcome, self.book.lost, self._list_sources(cell)):
            if cascades.find_needed_cell(outcome, self.book.lost) == needed:
                self.book.add_waiting(cell, failure, outcome, needed, run)
            else:
                self.book.add_cell(cell, Status.CASCADE, failure, cascade_of=needed)
            return False
        else:
            why = outcomes.explain_not_healed(outcome, status)
            why = told.explain(why, failure) if told is not None else why
        self.book.add_outcome(cell, failure, outcome, status, why)
        made = self.fixes[-1].patch.edits if healed else ()
        self.book.records[cell.id] = replace(self.book.records[cell.id], run=run, edits=made, without=without)
        return healed

    def _build_case(self, chain: Chain, cell: Cell, failure: Failure, after: TrialKernel | None) -> tuple[Case, Starts]:
        """The case of a failing cell, and the states that its patches are tried from; one more heal."""
        self.dependencies.progress(self.numbers.get(cell.id, 0), len(self.numbers), f"healing {failure.headline[:60]}")
        starts = chain.build_starts(self.dependencies.open_anew, cell, failure, after)
        self.heals += 1
        vain = not cell.oracle and self.book.was_search_vain(failure)
        return self.silent.mark(Case(failure, self._number_cells_run(), cell.oracle, search_was_vain=vain)), starts

    def _offer_own_fix(
        self, chain: Chain, cell: Cell, failure: Failure, trial: Trial, after: TrialKernel | None
    ) -> bool:
        """Where a cell that does not parse waits for an unhealed one, too: record it, with what memory and rules know of its own fault; else False.

        Nobody searches for it, as no more could be proven than that it parses. A change with which it runs shows that it does not wait.
        """
        sources = ((self.numbers.get(c.id, 0), c.source) for c in self._list_done())
        number = cascades.find_needed_in_text(failure, self.book.lost, sources)
        if not number:
            return False
        case, starts = self._build_case(chain, cell, failure, after)
        outcome, run = self.dependencies.ask_trusted(case, starts, trial, chain.deadline)
        if outcome.reason is Reason.CANCELLED and not chain.deadline.is_over:
            raise KeyboardInterrupt
        if outcomes.find_status(outcome) is Status.PROPOSED:
            return False
        self.book.add_waiting(cell, failure, outcome, number, run)
        return True

    def _list_sources(self, cell: Cell) -> Iterator[tuple[int, str]]:
        """The numbers and sources of the code cells above one."""
        return ((self.numbers.get(c.id, 0), c.source) for c in self.notebook.list_code_before(cell.id))

    def _number_cells_run(self) -> Notebook:
        """The notebook as it stands, with what of it ran."""
        marked = self._mark_stale(
            mark_cells_run(self.notebook, self.document.notebook, self.done, self.first, self.book)
        )
        return replace(marked, agreement=self.healthy.measure())

    def _mark_stale(self, notebook: Notebook) -> Notebook:
        return self._stale.mark(notebook, self.book.lost)

    def _apply_fix(self, chain: Chain, case: Case, outcome: Outcome) -> str | None:
        """Apply the approved patch and run on behind it; why that could not be done, or None."""
        patch = outcome.applied[0].patch
        steps = [s for s in build_trial_steps(case, patch, Start.BEFORE_CELL) if isinstance(s, Run)]
        obstacle = self._run_on_with(chain, case, outcome.applied[0], steps, case.failure.cell_id)
        if obstacle is None:
            self.book.add_moved(self.notebook, self.done)
        return obstacle

    def _keep_root(self, chain: Chain, case: Case, outcome: Outcome, run: str, after: TrialKernel | None) -> bool:
        """Apply a mended root above a failing cell that goes on to fail of something else, where there is one and it is allowed."""
        root = kept_roots.find_kept_root(case, outcome)
        if root is None or not self.dependencies.approve(case, kept_roots.build_proposal(outcome, root)):
            return False
        failing, cell = (case.notebook.cell(c) for c in (case.failure.cell_id, kept_roots.find_cell(root.patch)))
        lost = lost_state.find_lost_state(self.numbers.get(failing.id, 0), failing, case.failure)
        without = self.without.look(after, case, root.patch.edits, lost)
        steps = kept_roots.list_steps(case, root.patch)
        if self._run_on_with(chain, case, root, steps, cell.id) is not None:
            return False
        self.book.add_root(cell, case.failure, root, self.fixes[-1].patch.edits, without)
        if outcomes.find_status(outcome) is not Status.PROPOSED:
            number = self.numbers.get(cell.id, 0)
            self.told[failing.id] = kept_roots.HealBehind(outcome, run, root.patch, number)
        return True

    def _run_on_with(
        self, chain: Chain, case: Case, candidate: Candidate, steps: Sequence[Run], healed: str
    ) -> str | None:
        """Take a fix into the notebook, for the cell that it heals, and the chain behind ``steps``; why that could not be done, or None."""
        failing = case.failure.cell_id
        patch = edits.make_persistent(candidate.patch, self.notebook, failing)
        try:
            patched = self.notebook.apply(patch)
        except PatchError as error:
            return str(error)
        paths = [self.dependencies.install(requirement) for requirement in list_requirements(candidate.patch)]
        fix = Fix(healed, patch, candidate, tuple(paths))
        done = self.done | {
            *(s.cell_id for s in steps),
            *(e.cell_id for e in patch.edits if isinstance(e, Insert)),
        }
        self.proof.go_on_beside(chain, patched, self.book.records, [*self.fixes, fix], done)
        trial, after = chain.run_steps(steps, case.notebook.cell(failing), paths)
        if not trial.ran:
            return f"the fix ran in its trial but not when it was applied ({outcomes.describe_failure(trial)})"
        chain.advance(after, [PastCell(s.code, s.cell_id, failed=s.go_on) for s in steps], trial)
        self.notebook = patched
        if self.review is not None and healed == failing:
            self.review.add_healed_cell(patched.cell(failing), patched, trial, chain)
        self.done |= done - {failing}
        self.fixes.append(fix)
        return None
