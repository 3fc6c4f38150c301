"""``--python`` and ``--requirements`` given several times: what heals a notebook in one environment is proven in the others too.

The notebook is healed in the last environment that is named. In each of the others it runs twice from the top in a clean kernel: as it was given, and with
every fix that was applied or is offered. A fix with which its cell fails there, another cell fails that ran without it, or a cell gives another
value than without it, holds in one environment only: it is offered, and not applied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jupyter_selfheal.scoring.repeatable import is_repeatable
from jupyter_selfheal.scoring.stored import compare_outputs
from jupyter_selfheal.surfaces.notebook.branch import open_branch
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.changed_values import complains_of_values, describe_other_value
from jupyter_selfheal.surfaces.notebook.dependencies import Deadline
from jupyter_selfheal.surfaces.notebook.final import FinalCheck
from jupyter_selfheal.surfaces.notebook.fixes import Fix, explain_own_failure, rebuild_notebook
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import (
    Elsewhere,
    NotebookReport,
    Record,
    Status,
    ignore_warning,
    offer_warnings,
)
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Environment

Ran = tuple[NotebookReport, dict[str, CellRun]]
RunCells = Callable[[Sequence[Fix]], dict[str, CellRun]]
"""Runs the notebook with some fixes from the top in a clean kernel of one environment."""


@dataclass(frozen=True, slots=True)
class Trial:
    """An environment in which the notebook ran as it was given, and how it is run there with fixes."""

    name: str
    run: RunCells
    given: Mapping[str, CellRun]


def prove_elsewhere(session: Session, document: Document, ran: Ran) -> Ran:
    """The report and the outputs, with what holds in every environment applied, and the rest offered."""
    report, _ = ran
    others = session.settings.environments[:-1]
    if not others or report.error or not report.records:
        return ran
    home = session.settings.environments[-1]
    records = {r.cell.id: r for r in report.records}
    fixes = tuple(_list_fixes(report))
    trials = []
    for environment in others:
        run = _make_run(session, document, environment, records, report)
        trials.append(Trial(environment.name, run, run(())))
    run_at_home = _make_run(session, document, home, records, report)
    return settle(ran, fixes, trials, home.name, run_at_home)


def settle(ran: Ran, fixes: Sequence[Fix], trials: Sequence[Trial], home: str, run_at_home: RunCells) -> Ran:
    """Apply what holds everywhere; ``home`` is the environment in which the notebook was healed."""
    report, outputs = ran
    objections = _list_objections(report, fixes, trials) if fixes else {}
    applied = tuple(f for f in fixes if _find_status(report, f) is Status.HEALED)
    kept = tuple(f for f in applied if f.cell_id not in objections)
    if kept != applied:
        seen = run_at_home(kept) if kept else {}
        if any(explain_own_failure(f, seen) or f.cell_id not in seen for f in kept):
            why = "without the fixes that do not hold in every environment its cell fails"
            objections |= {f.cell_id: why for f in kept}
            kept, seen = (), {}
        report, outputs = _take_back(report, applied, kept, objections, home, seen), seen or outputs
    proposed = {f.cell_id for f in fixes} - {f.cell_id for f in applied}
    report = replace(report, records=tuple(_add_word(r, proposed, objections, trials, home) for r in report.records))
    elsewhere = tuple(_look_at(trial, report, kept) for trial in trials)
    names = " and ".join([*(t.name for t in trials), home])
    notes = [f"healed with {home}; what was applied is proven with {names}"] if kept else []
    return replace(report, elsewhere=elsewhere, notes=(*report.notes, *notes)), outputs


def _make_run(
    session: Session, document: Document, environment: Environment, records: dict[str, Record], report: NotebookReport
) -> RunCells:
    def run(fixes: Sequence[Fix]) -> dict[str, CellRun]:
        with open_branch(session, kernelspec=environment.kernelspec, environments=()) as branch:
            there = replace(document, kernelspec=environment.kernelspec)
            dependencies, limits = branch.build_dependencies(there), branch.limits
            deadline = Deadline(limits.find_seconds_for_notebook(document.notebook.cells))
            notebook, kept, _ = rebuild_notebook(report.given, fixes)
            return FinalCheck(there, dependencies, limits, deadline).run_clean(notebook, records, kept)

    return run


def _list_fixes(report: NotebookReport) -> Iterator[Fix]:
    """What was applied, and then what is offered, as far as it fits beside the others. Fixes of files are none of the notebook's."""
    notebook = report.given
    for wanted in (Status.HEALED, Status.PROPOSED):
        for record in report.records:
            if record.status is wanted and record.candidate:
                patch = record.candidate[0].patch
                fix = Fix(record.cell.id, replace(patch, edits=record.edits or patch.edits), record.candidate[0])
                notebook, fits, _ = rebuild_notebook(notebook, [fix])
                yield from fits


def _find_status(report: NotebookReport, fix: Fix) -> Status | None:
    return next((r.status for r in report.records if r.cell.id == fix.cell_id), None)


def _list_objections(report: NotebookReport, fixes: Sequence[Fix], trials: Sequence[Trial]) -> dict[str, str]:
    """What speaks against each fix that does not hold everywhere, by the cell that it heals."""
    objections: dict[str, str] = {}
    for trial in trials:
        seen = trial.run(fixes)
        own = {f.cell_id: why for f in fixes if (why := _explain_own(f, seen)) is not None}
        others = _find_harm(report, fixes, trial, seen) if not own else None
        for cell_id, why in {**({f.cell_id: others for f in fixes} if others else {}), **own}.items():
            objections.setdefault(cell_id, f"with {trial.name} {why}")
    return objections


def _explain_own(fix: Fix, seen: Mapping[str, CellRun]) -> str | None:
    if fix.cell_id not in seen:
        return "the cell could not be run"
    if failure := seen[fix.cell_id].failure:
        return f"the cell fails ({failure[0].headline})"
    return explain_own_failure(fix, seen)


def _find_harm(report: NotebookReport, fixes: Sequence[Fix], trial: Trial, seen: Mapping[str, CellRun]) -> str | None:
    """What the fixes do to cells that ran there without them; None where they do nothing to them."""
    by_id = {r.cell.id: r for r in report.records}
    values_may_be_wrong = any(complains_of_values(by_id[f.cell_id]) for f in fixes)
    for cell_id, before in trial.given.items():
        record, after = by_id.get(cell_id), seen.get(cell_id)
        if record is None or before.failure or record.status is Status.MEANT_TO_FAIL:
            continue
        if after is None or after.failure:
            return f"cell {record.number} fails, which runs there without the fixes"
        compared = compare_outputs(before.result.outputs, after.result.outputs, record.cell.source)
        if compared.differs and not values_may_be_wrong and is_repeatable(record.cell, report.given):
            return f"cell {record.number} gives {describe_other_value(compared)}"
    return None


def _take_back(
    report: NotebookReport,
    applied: Sequence[Fix],
    kept: Sequence[Fix],
    objections: Mapping[str, str],
    home: str,
    seen: Mapping[str, CellRun],
) -> NotebookReport:
    """The report with ``kept`` as all that was applied."""
    gone = {f.cell_id for f in applied} - {f.cell_id for f in kept}

    def change(record: Record) -> Record:
        if record.cell.id in gone and record.was_warned:
            return replace(
                ignore_warning(record), detail=f"{record.headline}: {_describe_only(home, objections[record.cell.id])}"
            )
        if record.cell.id in gone:
            return replace(record, status=Status.PROPOSED, detail=_describe_only(home, objections[record.cell.id]))
        runs = record.cell.id in seen and not seen[record.cell.id].failure
        if record.status is Status.FOLLOWED and not runs:
            return replace(record, status=Status.CASCADE if record.cascade_of else Status.NOT_HEALED, detail="")
        return replace(record, changed=False, differs=False) if record.changed and not kept else record

    healed, _, _ = rebuild_notebook(report.given, kept)
    titles = tuple(f.candidate.patch.title for f in kept)
    warnings = offer_warnings(report.warnings, {r.number for r in report.records if r.cell.id in gone})
    return replace(report, records=tuple(map(change, report.records)), healed=healed, fixes=titles, warnings=warnings)


def _describe_only(home: str, objection: str) -> str:
    return f"it holds with {home} only: {objection}"


def _add_word(
    record: Record, proposed: set[str], objections: Mapping[str, str], trials: Sequence[Trial], home: str
) -> Record:
    """A fix that is offered anyway, with where it holds."""
    if record.cell.id not in proposed:
        return record
    why = objections.get(record.cell.id)
    said = _describe_only(home, why) if why else f"it holds with {' and '.join([*(t.name for t in trials), home])}"
    return replace(record, detail="; ".join(filter(None, (record.detail, said))))


def _look_at(trial: Trial, report: NotebookReport, kept: Sequence[Fix]) -> Elsewhere:
    """What fails there with what was applied."""
    seen = trial.run(kept) if kept else trial.given
    skipped = {Status.MEANT_TO_FAIL, Status.SKIPPED}
    failing = [
        (r.number, seen[r.cell.id].failure[0].headline)
        for r in report.records
        if r.status not in skipped and r.cell.id in seen and seen[r.cell.id].failure
    ]
    return Elsewhere(trial.name, tuple(failing))
