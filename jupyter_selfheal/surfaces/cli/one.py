"""One notebook of a command: read, healed, written. Whatever keeps it from that is one line of its report."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from jupyter_selfheal import engine
from jupyter_selfheal.errors import ConfigError, InfrastructureError, NotebookError
from jupyter_selfheal.surfaces.cli import faults
from jupyter_selfheal.surfaces.notebook import write
from jupyter_selfheal.surfaces.notebook.answers import apply_answers
from jupyter_selfheal.surfaces.notebook.drift import refuse_slowdown
from jupyter_selfheal.surfaces.notebook.environments import prove_elsewhere
from jupyter_selfheal.surfaces.notebook.kept_reports import KeptReports
from jupyter_selfheal.surfaces.notebook.modernise import heal_warnings
from jupyter_selfheal.surfaces.notebook.read import Document, read
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.save import save_healed
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.write import check_target
from jupyter_selfheal.surfaces.project.heal_files import heal_with_files
from jupyter_selfheal.surfaces.project.offer_requirements import offer_requirements

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Job:
    """A notebook to heal and where the healed one goes (None: nowhere, it is only checked).

    ``part`` is its number in the command, 0 where it is the only one; with ``copy_healthy`` one in which nothing was healed is
    written to another place too. ``as_in_place``: what is written elsewhere differs from the file in nothing but what healing changed.
    """

    path: Path
    target: Path | None
    part: int = 0
    copy_healthy: bool = True
    as_in_place: bool = False


def heal_once(session: Session, job: Job, progress: Progress | None = None) -> NotebookReport:
    """Heal a notebook and keep its report; where the run is gone on with and that was done before, only give the report."""
    kept = KeptReports(session.run)
    with kept.hold_part(job.part):
        known = kept.find(job.part, job.path, job.target) if session.resuming else None
        if known is not None and known.path == str(job.path):
            return known
        report = heal_notebook(session, job, progress)
        kept.keep(job.part, report, job.path, job.target)
    return report


def heal_notebook(session: Session, job: Job, progress: Progress | None = None) -> NotebookReport:
    """Heal a notebook and write it. Never raises but for Ctrl-C: the next notebook is healed whatever became of this one."""
    if time.monotonic() >= session.settings.run_ends:
        why = f"not begun: the time for the run is up; go on with --resume {session.run}"
        return _report_failure(job, why)
    try:
        return _heal_and_write(session, job, progress)
    except (ConfigError, NotebookError, InfrastructureError) as error:
        return _report_failure(job, str(error))
    except Exception as error:
        return _report_failure(job, faults.describe_full_disk(error) or faults.report_internal_error(error))


def _heal_and_write(session: Session, job: Job, progress: Progress | None) -> NotebookReport:
    document = session.choose_kernel_for(apply_answers(read(job.path), session.settings.answers))
    if job.target is not None:
        check_target(document, job.target)
        write.check_writable(job.target)
    cache, copied_to = session.open_cache(), job.target if job.target != job.path and job.copy_healthy else None
    python = engine.find_kernel_python(document.kernelspec) if cache is not None else ""
    if cache is not None and (known := cache.find(document, python, copied_to)) is not None:
        return known
    report = _heal_document(session, document, job, progress)
    if cache is not None:
        cache.keep(document, python, report, session.reads)
    return report


def _heal_document(session: Session, document: Document, job: Job, progress: Progress | None) -> NotebookReport:
    """Heal a notebook that was read, and write it where something is to be written."""
    report, outputs = heal_with_files(session, document, progress, job.part)
    if session.settings.warnings:
        report, outputs = heal_warnings(session, document, (report, outputs), progress)
    report, outputs = prove_elsewhere(session, document, (report, outputs))
    report = refuse_slowdown(report, session.settings.max_slowdown)
    report = offer_requirements(session, document, report)
    session.share_fixes(report)
    healthy = not report.fixes and job.target != job.path and not job.copy_healthy
    if job.target is None or healthy:
        return report
    provenance = session.settings.provenance
    try:
        saved = save_healed(document, report, outputs, job.target, provenance=provenance, as_in_place=job.as_in_place)
    except NotebookError as error:
        if report.fixes and isinstance(error.__cause__, OSError):  # a full disk, not a file that was changed meanwhile
            raise NotebookError(f"{error}; what was proven is kept for --resume {session.run}") from error
        raise
    return replace(saved, written="") if job.as_in_place else saved  # where it lies for the moment says nothing


def _report_failure(job: Job, why: str) -> NotebookReport:
    message = why if str(job.path) in why else f"{job.path}: {why}"
    return NotebookReport(str(job.path), error=" ".join(message.split()))
