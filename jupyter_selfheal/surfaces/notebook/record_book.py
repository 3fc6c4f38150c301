"""What becomes of a notebook's cells while it runs: a record for each, and the state that unhealed ones did not leave behind."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from jupyter_selfheal.loop.reruns import describe_failing
from jupyter_selfheal.model import Candidate, Cell, Edit, Failure, FailureKind, Notebook, Outcome, Reason, Replace
from jupyter_selfheal.surfaces.notebook import cascades, lost_state, outcomes
from jupyter_selfheal.surfaces.notebook.records import Record, Status, Without

MOST_SEARCHED = 2
"""Cells that are searched of those that fail in the same line of a cell above: the calls of one function, of which none was at fault."""


@dataclass
class RecordBook:
    """The records by cell id, in the order in which they were made first. ``given`` is the notebook before anything was healed, ``numbers``
    are those of its cells."""

    given: Notebook
    numbers: Mapping[str, int]
    records: dict[str, Record] = field(default_factory=dict)
    lost: list[lost_state.LostState] = field(default_factory=list)

    def is_known(self, cell: Cell) -> bool:
        """Whether it is told of the cell what became of it."""
        return cell.id in self.records

    def is_unhealed(self, cell_id: str) -> bool:
        """Whether the cell failed and is not healed."""
        record = self.records.get(cell_id)
        return record is not None and bool(record.failure) and record.status is not Status.HEALED

    def find_failed_with(self, cell_id: str) -> str:
        """How an unhealed cell raised; empty where it did not, or is healed."""
        failures = self.records[cell_id].failure if self.is_unhealed(cell_id) else ()
        return next((describe_failing(f.ename, f.evalue) for f in failures if f.kind is FailureKind.RAISED), "")

    def was_search_vain(self, failure: Failure) -> bool:
        """Whether so many cells failed in the same line of a cell above, in the same way, that a search for one more finds nothing either.

        Only those count whose heal came to its end and had no fix to show; once that cell is changed they count anew.
        """
        place, in_vain = _find_place_above(failure), 0
        if place is None:
            return False
        for record in self.records.values():
            if any(isinstance(edit, Replace) and edit.cell_id == place[1] for edit in record.edits):
                in_vain = 0
            elif _is_exhausted(record) and place in map(_find_place_above, record.failure):
                in_vain += 1
        return in_vain >= MOST_SEARCHED

    def add_cell(self, cell: Cell, status: Status, failure: Failure | None = None, **more: object) -> None:
        """Record what became of a cell."""
        given = self.given.cell(cell.id) if self.given.index(cell.id) >= 0 else cell
        failure_if_any = (failure,) if failure is not None else ()
        self.records[cell.id] = replace(
            Record(given, self.numbers.get(cell.id, 0), status, failure_if_any),
            **more,  # type: ignore[arg-type]
        )

    def add_moved(self, notebook: Notebook, done: Collection[str]) -> None:
        """Record that cells ran which a fix has moved, where nothing is known of them yet."""
        for cell in notebook.cells:
            if cell.id in done and cell.id in self.numbers and not self.is_known(cell):
                self.add_cell(cell, Status.RAN)

    def add_not_reached(self, cells: Iterable[Cell], why: str) -> None:
        """Record that cells of the notebook as it was given were not run, where nothing is known of them yet."""
        for cell in cells:
            if not self.is_known(cell) and self.given.index(cell.id) >= 0:
                self.add_cell(cell, Status.NOT_REACHED, detail=why)

    def add_lost_state(self, cell: Cell, failure: Failure) -> None:
        """Note what a cell that is not healed did not leave behind."""
        if failure.kind is not FailureKind.MISSED:
            self.lost.append(lost_state.find_lost_state(self.numbers.get(cell.id, 0), cell, failure))

    def add_waiting(self, cell: Cell, failure: Failure, outcome: Outcome, number: int, run: str) -> None:
        """A cell that waits for an unhealed one and has a fault of its own, with the fix of that where there is one."""
        fix = cascades.find_own_fix(outcome, self.lost)
        detail = cascades.OWN_FIX if fix else cascades.OWN_FAULT
        self.add_cell(
            cell,
            Status.CASCADE,
            failure,
            cascade_of=number,
            detail=detail,
            candidate=fix,
            seconds=outcome.seconds,
            attempts=sum(a.trial is not None for a in outcome.attempts),
            run=run,
        )

    def add_outcome(self, cell: Cell, failure: Failure, outcome: Outcome, status: Status, detail: str) -> None:
        """Record what came of a cell's heal."""
        self.add_cell(cell, status, failure, **outcomes.list_record_fields(outcome, status), detail=detail)

    def add_root(self, cell: Cell, failure: Failure, root: Candidate, edits: Sequence[Edit], without: Without) -> None:
        """A cell that did not fail and is mended, as one below failed of what it does."""
        self.add_cell(
            cell,
            Status.HEALED,
            failure,
            failed_below=self.numbers.get(failure.cell_id, 0),
            candidate=(root,),
            proven_from=(root.trial.start,),
            seconds=root.trial.seconds,
            attempts=1,
            edits=tuple(edits),
            without=without,
        )


def _is_exhausted(record: Record) -> bool:
    """Whether everything was tried: a heal that the budget, the time or a person ended says nothing of the next one."""
    return record.status is Status.NOT_HEALED and record.reason == Reason.EXHAUSTED.value


def _find_place_above(failure: Failure) -> tuple[str, str, int] | None:
    """How, in which other cell of the notebook, and in which of its lines the failure was raised; None where it was in its own."""
    frame = next((f for f in reversed(failure.frames) if f.cell_id), None)
    is_above = frame is not None and frame.cell_id != failure.cell_id
    return (failure.ename, frame.cell_id, frame.line) if frame is not None and is_above else None
