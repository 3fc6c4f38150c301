"""The report of a notebook that was run and proven: what became of each cell, and how what it gives compares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jupyter_selfheal.model import Isolation, Notebook
from jupyter_selfheal.surfaces.notebook.agreement import compare_records
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.drift import list_cell_drifts
from jupyter_selfheal.surfaces.notebook.failures import list_warnings
from jupyter_selfheal.surfaces.notebook.fixes import FinalResult, Fix
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Review, Status
from jupyter_selfheal.surfaces.notebook.stale import clear_marks
from jupyter_selfheal.surfaces.words import list_numbers

LOST_WRITE = "ChainedAssignmentError"
"""What pandas warns of where a value is written into a copy: the cell runs, and its table stays as it was."""


def build_report(
    document: Document,
    settled: FinalResult,
    first: Mapping[str, CellRun],
    *,
    isolation: Isolation | None,
    notes: tuple[str, ...],
    seconds: float,
    review: Review | None,
) -> NotebookReport:
    """The report. ``settled`` is what stands in the end, its notebook with what is stale marked; ``first`` is what the cells did as they were
    given, ``notes`` what was noted while they ran and ``seconds`` how long all of it took."""
    records = compare_records(
        (settled.records[c.id] for c in document.notebook.cells if c.id in settled.records),
        settled.notebook,
        first,
        settled.seen,
    )
    return NotebookReport(
        path=str(document.path),
        records=records,
        given=document.notebook,
        healed=clear_marks(settled.notebook),
        isolation=isolation,
        survived=settled.survived,
        was_run=settled.was_run,
        ran_beside=settled.ran_beside,
        notes=(
            *document.notes,
            *notes,
            *settled.notes,
            *(_note_lost_writes(records, settled.seen or first) if review is None else ()),
        ),
        seconds=seconds,
        fixes=tuple(f.candidate.patch.title for f in settled.fixes),
        review=review.drop_reverted(records) if review is not None else None,
        drifts=list_cell_drifts(document.list_raw_cells(), records, first, settled.seen),
    )


def _note_lost_writes(records: Sequence[Record], seen: Mapping[str, CellRun]) -> Iterator[str]:
    """Cells that run, and whose write into a part of a table is lost: "runs" is not "right", whether or not anything failed of it."""
    lost = [r for r in records if r.cell.id in seen and LOST_WRITE in list_warnings(seen[r.cell.id].result.outputs)]
    if numbers := [r.number for r in lost if r.status in (Status.RAN, Status.HEALED)]:
        where = list_numbers(numbers)
        yield f"pandas warns that what is written into a part of a table is lost there, as it is a copy: {where} (`--review` shows the lines)"


def build_unfinished(notebook: Notebook, records: dict[str, Record], fixes: Sequence[Fix], stopped: str) -> FinalResult:
    """The notebook with the fixes that were made, of which each was proven by itself, where ``stopped`` says why it did not come to its end."""
    notes = (f"{stopped} The fixes made so far are kept; they were not run together in a clean kernel.",)
    return FinalResult(notebook, records, tuple(fixes), {}, survived=False, notes=notes, was_run=False)
