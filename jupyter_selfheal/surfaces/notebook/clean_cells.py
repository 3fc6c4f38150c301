"""What a clean run runs of a notebook, and what its cells did there."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.records import Record, Status

FATAL = (FailureKind.TIMED_OUT, FailureKind.DIED)
"""Failures that leave no state behind."""


def list_cells(notebook: Notebook, skipped: Container[str]) -> list[Cell]:
    """The cells that a clean run runs, in their order."""
    return [c for c in notebook.cells if c.kind == "code" and c.source.strip() and c.id not in skipped]


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
    """The record of a cell whose fix was taken back."""
    return replace(record, status=Status.REVERTED, detail=f"taken back: {why}")


def mark_followed(records: dict[str, Record], seen: dict[str, CellRun]) -> dict[str, Record]:
    """Cells that failed only as a cascade, and run now, are said to run."""
    return {
        cell_id: replace(record, status=Status.FOLLOWED, detail="runs in the healed notebook")
        if record.status in (Status.CASCADE, Status.NOT_HEALED) and cell_id in seen and not seen[cell_id].failure
        else record
        for cell_id, record in records.items()
    }
