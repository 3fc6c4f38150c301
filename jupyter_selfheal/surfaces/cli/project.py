"""``jupyter selfheal heal --project DIR --test COMMAND``: a project without a notebook."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.notebook.kernel_choice import choose_kernel
from jupyter_selfheal.surfaces.notebook.report import SCHEMA, file_to_json
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.notebook.table import wrap
from jupyter_selfheal.surfaces.project.heal_tests import ProjectHealing, ProjectReport


def heal_project(options: argparse.Namespace, settings: Settings) -> int:
    """Heal what the tests tell of; print what was done; 0 where all tests pass now, else 1. Raises :class:`UsageError`."""
    if settings.project is None or not settings.test:
        raise UsageError("name a notebook, or a project by its tests: --project DIR --test COMMAND")
    if options.report:
        raise UsageError("--report is for notebooks: with --test alone say --json")
    kernelspec = choose_kernel(settings.kernelspec or "python3")[0]
    loud = not (options.quiet or options.json)

    def say(number: int, total: int, what: str) -> None:
        if loud and sys.stderr.isatty():
            print(f"[{number}/{total}] {what}", file=sys.stderr, flush=True)

    with Session(settings) as session:
        report = ProjectHealing(session, settings.project, kernelspec, say).run()
    if options.json:
        print(json.dumps(_to_json(report), ensure_ascii=False, indent=2))
    elif loud:
        columns = shutil.get_terminal_size((160, 24)).columns
        print("\n".join(_format_report(report, columns)))
    if report.interrupted:
        print(
            "jupyter selfheal: interrupted: what is written stays; the same command goes on with the rest",
            file=sys.stderr,
        )
    return report.exit_code


def _format_report(report: ProjectReport, columns: int) -> Iterator[str]:
    yield from wrap(
        f"{report.folder}: {report.failed_before} of {report.tests} tests failed, {report.failed_after} fail now",
        columns, "", "  ",
    )  # fmt: skip
    for change in report.files:
        yield from wrap(f"{change.path}: {change.title}: {change.status}", columns, "  ", "    ")
        yield from (f"    {line}" for line in change.diff.splitlines())
    for what, named in (("not healed", report.not_healed), ("pytest cannot collect it", report.not_collected)):
        names_by_reason: dict[str, list[str]] = {}
        for name, why in named:
            names_by_reason.setdefault(why, []).append(name)
        for why, names in names_by_reason.items():
            yield from wrap(f"{', '.join(names)}: {what}: {why}", columns, "  ", "    ")


def _to_json(report: ProjectReport) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "exit_code": report.exit_code,
        "project": report.folder,
        "test": report.command,
        "tests": report.tests,
        "failed_before": report.failed_before,
        "failed_after": report.failed_after,
        "files": [file_to_json(change) for change in report.files],
        "not_healed": [{"file": name, "why": why} for name, why in report.not_healed],
        "not_collected": [{"file": name, "why": why} for name, why in report.not_collected],
    }
