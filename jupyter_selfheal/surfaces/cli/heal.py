"""``jupyter selfheal heal``: any number of notebooks; one that cannot be run does not stop the others."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace

from jupyter_selfheal import registry
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import INTERRUPTED, NotebookError, SelfHealError, UsageError
from jupyter_selfheal.surfaces.cli.begun_run import keep_command, take_up_run
from jupyter_selfheal.surfaces.cli.environments import add_environments, plan_environments
from jupyter_selfheal.surfaces.cli.jobs import choose_workers, heal_in_processes
from jupyter_selfheal.surfaces.cli.notices import print_notice
from jupyter_selfheal.surfaces.cli.one import Job, heal_once
from jupyter_selfheal.surfaces.cli.parser import build_parser
from jupyter_selfheal.surfaces.cli.printing import ReportPrinter
from jupyter_selfheal.surfaces.cli.progress import TimeLeft, show_progress
from jupyter_selfheal.surfaces.cli.project import heal_project
from jupyter_selfheal.surfaces.cli.setting_options import resolve_options
from jupyter_selfheal.surfaces.cli.targets import plan_jobs
from jupyter_selfheal.surfaces.notebook.answers import list_strangers, read_answers
from jupyter_selfheal.surfaces.notebook.kept_reports import KeptReports
from jupyter_selfheal.surfaces.notebook.model_notes import list_model_notes
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Status
from jupyter_selfheal.surfaces.notebook.report import check_target, write_report
from jupyter_selfheal.surfaces.notebook.session import Session, find_run, make_run_id, open_run_fixes
from jupyter_selfheal.surfaces.notebook.settings import CELL_SECONDS, Settings
from jupyter_selfheal.surfaces.notebook.write import check_writable

INTERRUPTED_ELSEWHERE = (
    "interrupted: no further notebook is begun; the workers of {} finish those that they are at, and write them"
)


def heal(options: argparse.Namespace) -> int:
    """Heal the notebooks, or only check them; print the table, write the reports; the exit code of the worst notebook."""
    if options.project is not None and not options.project.is_dir():
        raise UsageError(f"--project {options.project}: no such folder")
    begun = None
    if options.resume:
        options, begun = take_up_run(options, build_parser())
    if not options.notebooks:
        return heal_project(options, build_settings(options))
    plan_environments(options)
    jobs, problems = plan_jobs(options) if begun is None else (begun.jobs, begun.problems)
    return max(r.exit_code for r in heal_jobs(options, jobs, problems))


def heal_jobs(
    options: argparse.Namespace, jobs: Sequence[Job], problems: Sequence[NotebookReport]
) -> list[NotebookReport]:
    """Heal these notebooks, print what there is to print and write the reports; ``problems`` are reports of what could not be begun."""
    printer = ReportPrinter(options, len(jobs) + len(problems))
    for path in options.report:
        check_target(path)
        check_writable(path, option="--report")
    run = find_run(options.resume) if options.resume else make_run_id()
    if options.words and not options.resume:
        keep_command(run, options, jobs, problems)
    for note in (*resolve_options(options).notes, *list_model_notes(build_settings(options))):
        print_notice(note)
    _report_strangers(options, jobs)
    reports_by_part: dict[int, NotebookReport] = {}
    try:
        with closing(_heal_all(options, jobs, run)) as reported:
            for job, report in reported:
                reports_by_part[job.part] = report
                printer.print_report(report)
    except KeyboardInterrupt:
        raise SelfHealError(_describe_interruption(options, run)) from None
    open_run_fixes(run).forget()  # where the run was cut off it stays, for --resume
    if all(report.exit_code != 2 for report in reports_by_part.values()):
        KeptReports(run).forget()
    for problem in problems:
        printer.print_report(problem)
    reports = [*(reports_by_part[job.part] for job in jobs), *problems]
    printer.print_totals(reports)
    _mention_model(options, reports)
    if options.annotations:
        from jupyter_selfheal.surfaces.notebook.exports import format_annotations

        print("\n".join(format_annotations(reports)), flush=True)
    _write_reports(options, reports)
    return reports


def _write_reports(options: argparse.Namespace, reports: Sequence[NotebookReport]) -> None:
    """Each report that was asked for; one that cannot be written keeps no other from it."""
    failed: list[str] = []
    for path in options.report:
        try:
            write_report(path, reports)
        except NotebookError as error:
            failed.append(str(error))
            continue
        if not (options.json or options.quiet):
            print(f"report: {path}")
    if failed:
        raise NotebookError("; ".join(failed))


def _describe_interruption(options: argparse.Namespace, run: str) -> str:
    """What was interrupted, and how it is gone on with, where anything was begun."""
    is_remote = options.cluster is not None and not options.cluster.startswith("local:")
    said = INTERRUPTED_ELSEWHERE.format(options.cluster) if is_remote else INTERRUPTED
    try:
        return f"{said}; go on with: jupyter selfheal {options.command} --resume {find_run(run)}"
    except UsageError:
        return said


def _heal_all(
    options: argparse.Namespace, jobs: Sequence[Job], run: str
) -> Generator[tuple[Job, NotebookReport], None, None]:
    """Each notebook's report as soon as it is there."""
    with ExitStack() as stack:
        settings = add_environments(build_settings(options), options, stack)
        yield from _heal_with(options, jobs, run, replace(settings, share_fixes=len(jobs) > 1))


def _heal_with(
    options: argparse.Namespace, jobs: Sequence[Job], run: str, settings: Settings
) -> Generator[tuple[Job, NotebookReport], None, None]:
    resuming = bool(options.resume)
    show_bar = not options.quiet and sys.stderr.isatty()
    workers, left = choose_workers(options, settings, len(jobs)), TimeLeft(len(jobs))
    if workers > 1 or options.cluster:
        with show_progress(show_bar, "notebooks", "notebook") as progress, ExitStack() as stack:
            progress(0, len(jobs), options.cluster or f"{workers} at once")
            if options.cluster:
                pairs = _heal_on_cluster(options.cluster, stack, jobs, settings, run, resuming)
            else:
                pairs = heal_in_processes(jobs, workers, settings, run, resuming)
            stack.enter_context(closing(pairs))
            for number, pair in enumerate(pairs, start=1):
                progress.clear()  # its line is for what is printed of the notebook
                yield pair
                progress(number, len(jobs), ", ".join(filter(None, (left.describe(number), pair[0].path.name))))
        return
    with Session(settings, run, resuming=resuming) as session:
        for done, job in enumerate(jobs):
            name = f"[{job.part}/{len(jobs)}] {job.path.name}" if job.part else job.path.name
            with show_progress(show_bar, ", ".join(filter(None, (name, left.describe(done)))), "cell") as progress:
                report = heal_once(session, job, progress)
            yield job, report


def _heal_on_cluster(
    address: str, stack: ExitStack, jobs: Sequence[Job], settings: Settings, run: str, resuming: bool
) -> Generator[tuple[Job, NotebookReport], None, None]:
    from jupyter_selfheal.surfaces.cluster.dask_cluster import open_cluster
    from jupyter_selfheal.surfaces.cluster.executors import heal_on_executor

    executor = stack.enter_context(open_cluster(address, [job.path.absolute() for job in jobs]))
    return heal_on_executor(jobs, executor, settings, run, resuming)


def _report_strangers(options: argparse.Namespace, jobs: Sequence[Job]) -> None:
    """One line for each answer that is about none of the notebooks."""
    answers = read_answers(options.answers) if options.answers is not None else ()
    for line in list_strangers(answers, [job.path for job in jobs]):
        print_notice(line)


def _mention_model(options: argparse.Namespace, reports: list[NotebookReport]) -> None:
    """Where cells are not healed and no model was asked, how to ask one."""
    if options.json or options.quiet or _has_decided_on_model(build_settings(options).config):
        return
    if any(r.count(Status.NOT_HEALED) for r in reports):
        print(
            "no language model was asked: name it (--healers rules,search,language_model)\n"
            "to send the failing cells to one"
        )


def build_settings(options: argparse.Namespace) -> Settings:
    """The command's options as settings. A model is asked only where it is named: that is the consent to send."""
    config = resolve_options(options).config
    if config.offline and all(registry.load_traits(name).paid for name in config.healers):
        raise UsageError("--offline asks no language model, and no other healer is named: leave one of the two out")
    if options.fresh and (options.input or options.warnings):
        name = "--input" if options.input else "--warnings"
        raise UsageError(f"{name} needs a kernel that is forked: leave out --fresh")
    return Settings(
        config,
        approve=options.approve or ("safe" if options.in_place else "all"),
        cell_seconds=options.timeout or max(CELL_SECONDS, config.timeout),
        writes="allow" if options.write else "discard",
        fresh=options.fresh,
        kernelspec=options.kernel,
        review=options.review,
        run_ends=time.monotonic() + options.run_timeout if options.run_timeout else math.inf,
        provenance=not getattr(options, "no_provenance", False),
        cache=not (
            options.no_cache or options.write or options.review or options.fresh or options.input or options.warnings
        ),
        answers=read_answers(options.answers) if options.answers is not None else (),
        inputs=tuple(options.input),
        project=options.project,
        test=options.test,
        max_slowdown=options.max_slowdown or math.inf,
        warnings=options.warnings,
    )


def _has_decided_on_model(config: HealConfig) -> bool:
    """Whether nothing need be said of a model: one was named, or none may be asked."""
    return config.offline or any(registry.load_traits(name).paid for name in config.healers)
