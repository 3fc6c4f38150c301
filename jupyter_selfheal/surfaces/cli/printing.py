"""What a run prints: each notebook as soon as it is done, and in the end what there is to say of all of them."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence

from jupyter_selfheal.surfaces.cli.notices import print_notice
from jupyter_selfheal.surfaces.notebook.overview import MANY, format_line, format_overview
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.report import to_json
from jupyter_selfheal.surfaces.notebook.table import format_reports, format_totals, wrap


def name_runs(runs: Sequence[str]) -> str:
    """What ``trace`` takes for all of these runs: the beginning that they share, which stands for its numbered runs, else each of them."""
    numbered = {run.rpartition(max(".-", key=run.rfind))[0] for run in runs}
    return numbered.pop() if len(runs) > 1 and len(numbered) == 1 else " ".join(runs)


class ReportPrinter:
    """Prints the reports of a run over ``count`` notebooks: a few as tables, many as a line each."""

    def __init__(self, options: argparse.Namespace, count: int) -> None:
        self._options = options
        self._several = count > 1
        self._brief = count > MANY and not options.verbose
        self._columns = shutil.get_terminal_size((160, 24)).columns

    def print_report(self, report: NotebookReport) -> None:
        """One notebook, as soon as it is done: a run of hundreds may be cut off."""
        if report.error:
            print_notice(report.error)
        elif self._options.json or self._options.quiet:
            return
        elif self._brief:
            print(format_line(report, self._columns), flush=True)
        else:
            self._print_table(report)

    def _print_table(self, report: NotebookReport) -> None:
        print(format_reports([report], verbose=self._options.verbose, columns=self._columns), flush=True)
        if report.runs:
            said = f"how it went, step by step: jupyter selfheal trace {name_runs(report.runs)}"
            print("\n".join(wrap(said, self._columns, "  ", "    ")), flush=True)
        if self._several:
            print(flush=True)

    def print_totals(self, reports: Sequence[NotebookReport]) -> None:
        """What there is to say of all notebooks together."""
        if self._options.json:
            print(json.dumps(to_json(reports), ensure_ascii=False, indent=2))
        elif self._options.quiet:
            return
        elif self._brief:
            print(f"\n{format_overview(reports, self._columns)}")
        elif self._several:
            print("\n".join(wrap(format_totals(reports), self._columns, "", "  ")))
