"""What healing changed beside the failure: how long the notebook runs, how much memory it takes, and what its cells put out.

Cells above the first one that was healed ran without any fix on this machine, and ran again in the final clean run; so did that one itself where it ran
to its end with a wrong result, and every cell where only warnings were healed. The others never ran without a fix: there the time counts
that the file stores for them, where an executor or a front end wrote one down, on whatever machine that was. No file stores memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from jupyter_selfheal.model import JSON, FailureKind
from jupyter_selfheal.surfaces.notebook.records import (
    CellDrift,
    NotebookReport,
    Record,
    Status,
    ignore_warning,
    offer_warnings,
)

if TYPE_CHECKING:
    from jupyter_selfheal.surfaces.notebook.cell_run import CellRun

LEAST_SECONDS = 1.0
"""A notebook that takes less than this longer is not called slower: such differences come by chance."""

NOTEWORTHY = 1.2
"""So many times as long as before, or as much memory, is said of a notebook, unasked."""

LEAST_MB = 100.0
"""A notebook that takes less than so many MiB more is not said to take more memory."""


@dataclass(frozen=True, slots=True)
class Drift:
    """The cells that ran before and after: seconds of both, the numbers of those that give another value now, and the most memory (MiB)
    before and after; 0 where that is not known."""

    before: float
    after: float
    cells: int
    other_values: tuple[int, ...] = ()
    before_mb: float = 0.0
    after_mb: float = 0.0
    ran_beside: bool = False
    """The clean run went on beside the healing: alone it takes no longer, and maybe less, so nobody is told unasked that it is slow."""

    @property
    def factor(self) -> float:
        """How many times as long the cells take; 1 where the difference is below :data:`LEAST_SECONDS`."""
        if abs(self.after - self.before) < LEAST_SECONDS:
            return 1.0
        return self.after / max(self.before, 0.001)

    @property
    def takes_more_memory(self) -> bool:
        """Whether the cells take so much more memory that it is said unasked."""
        more = self.after_mb - self.before_mb
        return self.before_mb > 0 and more >= LEAST_MB and self.after_mb > NOTEWORTHY * self.before_mb

    @property
    def is_noteworthy(self) -> bool:
        """Whether it is said unasked."""
        return (self.factor > NOTEWORTHY and not self.ran_beside) or self.takes_more_memory

    @property
    def words(self) -> str:
        """One sentence for a person."""
        noun = "1 cell" if self.cells == 1 else f"{self.cells} cells"
        time = f"{noun} that can be compared: {self.before:.1f} s before, {'at most ' * self.ran_beside}{self.after:.1f} s after"
        if self.before_mb and self.after_mb:
            time += f"; at most {self.before_mb:,.0f} MB of memory before, {self.after_mb:,.0f} MB after"
        if not self.other_values:
            return f"{time}; no output shows another value."
        which = "cell" if len(self.other_values) == 1 else "cells"
        return f"{time}; another value than before in {which} {', '.join(map(str, self.other_values))}."


def list_cell_drifts(
    raw_cells: Mapping[str, Mapping[str, JSON]],
    records: Sequence[Record],
    first: Mapping[str, CellRun],
    seen: Mapping[str, CellRun],
) -> tuple[CellDrift, ...]:
    """The cells that ran in the clean run and have a time before; none where there was no clean run."""
    healed_from = min((r.number for r in records if r.status is Status.HEALED), default=0)
    drifts = []
    for record in records:
        cell_id = record.cell.id
        if cell_id not in seen or seen[cell_id].failure:
            continue
        ran_before = cell_id in first and (
            (record.number < healed_from and not first[cell_id].failure)
            or (record.number == healed_from and any(f.kind is FailureKind.MISSED for f in first[cell_id].failure))
        )
        if ran_before:
            drifts.append(_compare_runs(record, first[cell_id], seen[cell_id]))
        elif (before := read_stored_seconds(raw_cells.get(cell_id, {}))) is not None:
            other = _gives_other_value(record) or record.differs
            drifts.append(CellDrift(record.number, before, seen[cell_id].result.seconds, other))
    return tuple(drifts)


def list_warning_drifts(
    report: NotebookReport, first: Mapping[str, CellRun], seen: Mapping[str, CellRun]
) -> tuple[CellDrift, ...]:
    """The cells with their warnings (``first``) and without (``seen``): all of them ran before. Where other fixes were applied
    too, what is known of the cells without those counts as before."""
    known = {drift.number: drift for drift in report.drifts}
    drifts = []
    for record in report.records:
        before, after = first.get(record.cell.id), seen.get(record.cell.id)
        if before is None or after is None or before.failure or after.failure:
            continue
        drift = _compare_runs(record, before, after)
        if record.number in known:
            earlier = known[record.number]
            other = drift.other_value or earlier.other_value
            drift = replace(earlier, after=drift.after, after_mb=drift.after_mb, other_value=other)
        drifts.append(drift)
    return tuple(drifts)


def _compare_runs(record: Record, before: CellRun, after: CellRun) -> CellDrift:
    then, now = before.result, after.result
    return CellDrift(record.number, then.seconds, now.seconds, _gives_other_value(record), then.peak_mb, now.peak_mb)


def _gives_other_value(record: Record) -> bool:
    """Whether the fixes made it so: a cell that gave another value than is stored without any of them gives the same as before."""
    is_mended = record.status is Status.HEALED and not record.was_warned
    return record.changed or (is_mended and record.stored.differs)


def measure_drift(report: NotebookReport) -> Drift | None:
    """Run time and outputs of a healed notebook before and after; None where nothing was healed, or nothing can be compared."""
    changed = report.fixes or any(change.written for change in report.files)
    if not changed or not report.drifts:
        return None
    cells = report.drifts
    measured = [c for c in cells if c.before_mb and c.after_mb]
    return Drift(
        sum(c.before for c in cells),
        sum(c.after for c in cells),
        len(cells),
        tuple(c.number for c in cells if c.other_value),
        max((c.before_mb for c in measured), default=0.0),
        max((c.after_mb for c in measured), default=0.0),
        report.ran_beside,
    )


def describe_slowdown(report: NotebookReport, most: float) -> str:
    """Why a healed notebook is refused that takes more than ``most`` times as long; empty where it does not."""
    drift = measure_drift(report)
    if drift is None or drift.factor <= most:
        return ""
    return (
        f"refused by --max-slowdown {most:g}: the cells take {drift.after:.1f} s with the fixes, "
        f"{drift.before:.1f} s without ({drift.factor:.1f} times as long)"
    )


def refuse_slowdown(report: NotebookReport, most: float) -> NotebookReport:
    """The report without its fixes where the healed notebook takes more than ``most`` times as long; else as it is.

    Which fix it is cannot be told from the whole, so all of them are taken back: what is slow is offered, not applied.
    """
    why = describe_slowdown(report, most)
    if not why:
        return report
    return replace(
        report,
        records=tuple(_take_back(r, why) for r in report.records),
        healed=report.given,
        fixes=(),
        notes=(*report.notes, why),
        warnings=offer_warnings(report.warnings),
    )


def _take_back(record: Record, why: str) -> Record:
    if record.was_warned:
        return ignore_warning(record)
    if record.status is Status.HEALED:
        return replace(record, status=Status.REVERTED, detail=f"taken back: {why}")
    if record.status is Status.FOLLOWED:
        return replace(record, status=Status.CASCADE if record.cascade_of else Status.NOT_HEALED, detail="")
    return replace(record, changed=False, differs=False) if record.changed else record


def read_stored_seconds(raw: Mapping[str, JSON]) -> float | None:
    """How long a cell ran when its stored output came: papermill's duration, or the times that JupyterLab and nbclient write."""
    metadata = raw.get("metadata")
    if not isinstance(metadata, dict):
        return None
    papermill, times = metadata.get("papermill"), metadata.get("execution")
    if isinstance(papermill, dict) and isinstance(papermill.get("duration"), int | float):
        return float(papermill["duration"])
    if not isinstance(times, dict):
        return None
    ends = [times.get("iopub.execute_input"), times.get("shell.execute_reply")]
    try:
        began, ended = (datetime.fromisoformat(str(end)) for end in ends)
        seconds = (ended - began).total_seconds()
    except (ValueError, TypeError):  # one of them is missing, or they are not of one form
        return None
    return seconds if seconds >= 0 else None
