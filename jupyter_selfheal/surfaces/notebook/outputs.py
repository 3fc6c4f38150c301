"""Which cells of the healed notebook get new outputs: those that healing changed, and no others."""

from __future__ import annotations

from collections.abc import Mapping

from jupyter_selfheal.model import JSON, Cell, Move, Output
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Status
from jupyter_selfheal.surfaces.notebook.write import Result, build_healed_json

REFRESHED = frozenset({Status.HEALED, Status.FOLLOWED})


def build_healed_notebook(
    document: Document, report: NotebookReport, seen: Mapping[str, CellRun], *, in_place: bool
) -> dict[str, JSON]:
    """The JSON to write.

    New outputs, from the run in the clean kernel, go to cells that failed before and run now, that a fix edited, moved or
    inserted, whose stored output is an error that no longer comes, or that give another value since a fix elsewhere. Stored
    outputs of other healthy cells stay as they are, and those that are the same as before; cells without any get theirs, except in place,
    where only what healing changed may differ.
    """
    results = {
        cell.id: Result(seen[cell.id].result.outputs, seen[cell.id].count)
        for cell in report.healed.cells
        if cell.id in seen
        and not seen[cell.id].failure
        and _needs_output(document, report, cell, seen[cell.id].result.outputs, in_place)
    }
    return build_healed_json(document, report.healed.cells, results, moved=_find_moved_cells(report))


def build_executed_notebook(document: Document, report: NotebookReport, seen: Mapping[str, CellRun]) -> dict[str, JSON]:
    """The JSON of the healed notebook with the outputs of every cell that was run, errors too, as an executor leaves it."""
    results = {
        cell.id: Result(seen[cell.id].result.outputs, seen[cell.id].count)
        for cell in report.healed.cells
        if cell.id in seen
    }
    return build_healed_json(document, report.healed.cells, results, moved=_find_moved_cells(report))


def _needs_output(
    document: Document, report: NotebookReport, cell: Cell, now: tuple[Output, ...], in_place: bool
) -> bool:
    at = document.notebook.index(cell.id)
    if at < 0:
        return True
    given = document.notebook.cells[at]
    if given.outputs and given.outputs == now:
        return False
    record = next((r for r in report.records if r.cell.id == cell.id), None)
    if cell.source != given.source or (record is not None and (record.changed or record.status in REFRESHED)):
        return True
    if any(o.output_type == "error" for o in given.outputs):
        return True
    untouched = not given.outputs and document.raw["cells"][at].get("execution_count") is None
    return untouched and not in_place


def _find_moved_cells(report: NotebookReport) -> frozenset[str]:
    return frozenset(
        edit.cell_id
        for record in report.records
        if record.status is Status.HEALED
        for edit in record.edits
        if isinstance(edit, Move)
    )
