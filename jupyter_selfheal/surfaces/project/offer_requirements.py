"""Requirements instead of code (``--install``): where a release of a library broke a cell, the notebook as it is, tried with an older one.

The edited requirements are installed into a scratch directory that goes first on ``sys.path`` of one trial, in which the whole notebook as it was given
runs. What makes it run is offered beside the fix of the code, and never written: one of the two is meant, not both.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.errors import InfrastructureError
from jupyter_selfheal.model import Run, TrialRequest
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Status
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.project.changes import describe_change
from jupyter_selfheal.surfaces.project.requirements import Bound, RequirementsEdit, edit_requirements, find_bound

RUNNING = frozenset({Status.RAN, Status.HEALED, Status.FOLLOWED, Status.PROPOSED})
"""Cells that must run with the older library."""


def offer_requirements(session: Session, document: Document, report: NotebookReport) -> NotebookReport:
    """The report with what could be asked for instead of the fixes of the code. Only with ``--install``, and once for each library."""
    if not session.settings.config.install:
        return report
    for bound in _list_bounds(report):
        edit = _find_edit(document, bound)
        if edit is None:
            continue
        try:
            why_not, installed = _try_requirement(session, document, report, edit, bound)
        except InfrastructureError as error:
            why_not, installed = str(error), ""
        if why_not:
            note = f"{edit.fix.file.path.name} with {bound.requirement} in place of the fix of cell {bound.cell} does not do: {why_not}"
            report = replace(report, notes=(*report.notes, note))
            continue
        status = (
            f"offered in place of the fix of cell {bound.cell}, not beside it: with {installed} in a scratch directory "
            "the notebook as it was given runs"
        )
        change = describe_change(edit.fix, f"Ask for {bound.requirement}", status)
        report = replace(report, files=(*report.files, change))
    return report


def _list_bounds(report: NotebookReport) -> Iterator[Bound]:
    """The oldest release for each library."""
    seen: dict[str, Bound] = {}
    for record in report.records:
        bound = find_bound(record)
        if bound is not None and bound.name not in seen:
            seen[bound.name] = bound
    yield from seen.values()


def _find_edit(document: Document, bound: Bound) -> RequirementsEdit | None:
    from jupyter_selfheal import engine

    folder = Path(document.notebook.folder).resolve()
    return edit_requirements(folder, Path(engine.find_project(str(folder))).resolve(), bound)


def _try_requirement(
    session: Session, document: Document, report: NotebookReport, edit: RequirementsEdit, bound: Bound
) -> tuple[str, str]:
    """(what speaks against it, what was installed of the library): the notebook as it was given, in one trial."""
    from jupyter_selfheal import engine

    needed = {record.cell.id for record in report.records if record.status in RUNNING}
    cells = [c for c in document.notebook.cells if c.kind == "code" and c.source.strip() and not c.skip]
    limits = session.limits
    with ExitStack() as stack:
        install = engine.build_installer(stack, engine.find_kernel_python(document.kernelspec))
        path = install(bound.requirement, together=edit.requirements)
        installed = _name_installed(Path(path), bound)
        request = TrialRequest(
            tuple(Run(cell.source, cell.id, go_on=cell.id not in needed) for cell in cells),
            timeout=limits.find_seconds_for_notebook(cells),
            sandbox=replace(limits.sandbox, writes="discard"),
            paths=(path,),
        )
        with closing(session.build_dependencies(document).open_state()) as state:
            trial, _ = state.run(request)
    for step in trial.steps:
        if not step.ok and step.cell_id in needed:
            what = "; ".join(f"{e.ename}: {e.evalue}" for e in step.errors)[:200] or step.status
            return f"with {installed} cell {report.number_of(step.cell_id)} fails ({what})", installed
    return ("" if len(trial.steps) >= len(cells) else trial.detail or trial.ending.value), installed


def _name_installed(folder: Path, bound: Bound) -> str:
    """Name and version of what came of the requirement."""
    pattern = f"{bound.name.replace('-', '_')}-*.dist-info"
    found = next(iter(sorted(folder.glob(pattern))), None)
    return found.name.removesuffix(".dist-info").replace("-", " ") if found is not None else bound.requirement
