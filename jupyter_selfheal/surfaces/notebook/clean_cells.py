"""What a clean run runs of a notebook, and what its cells did there."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.records import Record, Status

FATAL = (FailureKind.TIMED_OUT, FailureKind.DIED)
"""Failures that leave no state behind."""


def list_cells(notebook: Notebook, skipped: Container[str], heads: Mapping[str, str]) -> list[Cell]:
    """The cells that a clean run runs, in their order; of one that was stopped what ran of it before (``heads``)."""
    cells = [c for c in notebook.cells if c.kind == "code" and c.source.strip()]
    # a head that the cell no longer begins with is of what stood there before a fix
    kept = [c if c.id not in skipped else replace(c, source=heads.get(c.id, "")) for c in cells]
    return [c for c, given in zip(kept, cells, strict=True) if c.source.strip() and given.source.startswith(c.source)]


def find_head(cell: Cell, failure: Failure | None) -> str:
    """The statements of a cell above that in which the time limit ended it: what an interrupt leaves of it. Empty where nothing ran, or nobody knows."""
    if failure is None or failure.kind is not FailureKind.TIMED_OUT or cell.source.lstrip().startswith("%%"):
        return ""
    stopped = next((s.node for s in src.list_statements(cell.source) if s.index == failure.statement), None)
    head = cell.source[: src.find_span(cell.source, stopped)[0]] if stopped is not None else ""
    return head.rstrip() if src.parse(head) is not None and head.strip() else ""


def is_fatal(seen: CellRun | None) -> bool:
    """Whether a cell did not end, or ended its kernel."""
    return seen is None or any(f.kind in FATAL for f in seen.failure)


def is_timed_out(seen: CellRun) -> bool:
    """Whether its time was up."""
    return any(f.kind is FailureKind.TIMED_OUT for f in seen.failure)


def build_case(cell: Cell, notebook: Notebook) -> Case:
    """The case of a cell that missed what is expected of it."""
    at = notebook.index(cell.id)
    upto = replace(notebook, cells=(*notebook.cells[:at], cell))
    return Case(Failure(cell.id, cell.source, FailureKind.MISSED), upto, cell.oracle)


def list_newly_failing(records: dict[str, Record], seen: dict[str, CellRun]) -> list[str]:
    """The cells that ran at first, and fail here."""
    return [c for c, r in records.items() if r.status is Status.RAN and describe_failure(seen, c) is not None]


def describe_failure(seen: Mapping[str, CellRun], cell_id: str) -> str | None:
    """A cell's failure in a few words; None where it has none."""
    if cell_id not in seen or not seen[cell_id].failure:
        return None
    return seen[cell_id].failure[0].headline or seen[cell_id].failure[0].kind.value


def mark_reverted(record: Record, why: str) -> Record:
    """The record of a cell whose fix was taken back; one that had not failed itself runs, as it did when it was given."""
    if record.failed_below:
        return Record(record.cell, record.number, Status.RAN, seconds=record.seconds, stored=record.stored)
    return replace(record, status=Status.REVERTED, detail=f"taken back: {why}")


def mark_followed(records: dict[str, Record], seen: dict[str, CellRun]) -> dict[str, Record]:
    """Cells that failed only because of others, or of a fix that was taken back, and run now, are said to run."""
    return {
        cell_id: replace(record, status=Status.FOLLOWED, detail="runs in the healed notebook")
        if record.status in (Status.CASCADE, Status.NOT_HEALED, Status.PROPOSED)
        and cell_id in seen
        and not seen[cell_id].failure
        else record
        for cell_id, record in records.items()
    }
