"""``--warnings``: what a cell's own line is warned of is healed as a failure of lower rank, when all failures are done with.

The healed notebook runs once more from the top, with such warnings as errors and with what its cells put out just now as their stored outputs: a fix must
give the same without the warning. A cell whose warning is not healed runs with it, so that those below are looked at too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from jupyter_selfheal.errors import PatchError
from jupyter_selfheal.model import Applicability, Cell, Notebook, Output, Patch
from jupyter_selfheal.surfaces.notebook.branch import open_branch, replace_cells
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.drift import list_warning_drifts
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import BROKEN, CellWarning, NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.session import Session

Ran = tuple[NotebookReport, dict[str, CellRun]]

MOST_ROUNDS = 4
"""Runs of the notebook, at most: each but the last found warnings that are not healed."""
_FILTER = (
    "for _ in (DeprecationWarning, FutureWarning, PendingDeprecationWarning):\n"
    "    __import__('warnings').filterwarnings({0!r}, category=_, module='__main__')"
)


def heal_warnings(
    session: Session, document: Document, ran: Ran, progress: Callable[[int, int, str], None] | None = None
) -> Ran:
    """The report and the outputs, with what came of the warnings."""
    report, outputs = ran
    if report.error or not report.records:
        return ran
    with_warnings, without = outputs, outputs
    let_be = {r.cell.id for r in report.records if r.status is Status.HEALED}
    for _ in range(MOST_ROUNDS):
        notebook = _prepare_notebook(report, outputs, let_be)
        with open_branch(session) as branch:
            branch.kernels.raise_warnings = True
            dependencies = branch.build_dependencies(document, progress)
            found, seen = Batch(replace_cells(document, notebook), dependencies, branch.limits).run()
        without = seen
        warned = [r for r in found.records if r.failure and r.failure[0].is_warning and r.cell.id not in let_be]
        for record in warned:
            report, outputs = _take_warning(record, report, outputs, seen)
        let_be |= {r.cell.id for r in warned}
        if all(w.status == "healed" for w in report.warnings[len(report.warnings) - len(warned) :]):
            break
    if any(w.status == "healed" for w in report.warnings):
        report = replace(report, drifts=list_warning_drifts(report, with_warnings, without))
    return report, outputs


def _prepare_notebook(report: NotebookReport, outputs: Mapping[str, CellRun], let_be: Collection[str]) -> Notebook:
    """The healed notebook; what fails in it is skipped, and cells that are let be may warn."""
    broken = {r.cell.id for r in report.records if r.status in BROKEN}
    cells: list[Cell] = []
    for cell in report.healed.cells:
        seen = outputs.get(cell.id)
        if seen is not None and not seen.failure:
            cell = replace(cell, outputs=_drop_warnings(seen.result.outputs))
        if cell.id in broken:
            cell = replace(cell, skip=True)
        is_warned = cell.id in let_be and cell.kind == "code"
        around = [Cell(f"{cell.id} {word}", _FILTER.format(word)) for word in ("ignore", "error")] if is_warned else []
        cells += [*around[:1], cell, *around[1:]]
    return replace(report.healed, cells=tuple(cells))


def _drop_warnings(outputs: tuple[Output, ...]) -> tuple[Output, ...]:
    return tuple(o for o in outputs if not (o.output_type == "stream" and o.name == "stderr"))


def _take_warning(
    record: Record, report: NotebookReport, outputs: dict[str, CellRun], seen: Mapping[str, CellRun]
) -> Ran:
    """The report with one cell's warning: healed where its fix gives the same, else offered, or only named."""
    known = next((r for r in report.records if r.cell.id == record.cell.id), None)
    if known is None:
        return report, outputs
    patch = record.candidate[0].patch if record.candidate and not record.is_fix_unrun else None
    healed = None
    if record.status is Status.HEALED and patch is not None and _gives_the_same(record, patch):
        healed = _apply_fix(report.healed, record)
    status = "healed" if healed is not None else "offered" if patch is not None else "not healed"
    warning = CellWarning(known.number, record.headline, status, patch.title if patch is not None else "")
    report = replace(report, warnings=(*report.warnings, warning))
    if healed is None:
        return report, outputs
    taken = replace(record, cell=known.cell, number=known.number, stored=known.stored, was_warned=True)
    records = tuple(taken if r is known else r for r in report.records)
    report = replace(report, records=records, healed=healed, fixes=(*report.fixes, warning.title))
    return report, {**outputs, **{k: v for k, v in seen.items() if k == record.cell.id}}


def _gives_the_same(record: Record, patch: Patch) -> bool:
    """Whether the cell puts out what it did with the warning; where it puts out nothing, only what is safe by itself counts."""
    return record.stored.same if record.stored.can_decide else patch.applicability is Applicability.SAFE


def _apply_fix(notebook: Notebook, record: Record) -> Notebook | None:
    try:
        return notebook.apply(Patch(record.edits, "without the warning"))
    except PatchError:
        return None
