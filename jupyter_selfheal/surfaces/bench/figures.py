"""``jupyter selfheal bench figures``: the tables of benchmarks/RESULTS.md, made from rows, so that no figure is typed by hand."""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import Reason
from jupyter_selfheal.surfaces.bench.configurations import Configuration, read_configurations
from jupyter_selfheal.surfaces.bench.ledger import describe_look, read_ledger
from jupyter_selfheal.surfaces.bench.notebooks.table import format_notebooks, holds_notebooks
from jupyter_selfheal.surfaces.bench.rows import STAGES, Row, read_head, read_row_file, read_stage

QUOTES = ("fix", "why", "diff", "trace")
"""Fields of a row that quote its program, or name a folder of this machine."""

COLUMNS = (
    "set", "oracle", "half", "look", "healers", "tasks × runs", "of them fail", "applied", "of them correct", "correct of those that fail [95 %]", "shown", "first one passes", "median CPU-s", "not healed, p50 and p95 s", "load", "commit", "date", "rows",
)  # fmt: skip


def report_figures(arguments: argparse.Namespace) -> tuple[str, int]:
    """The table and the commands behind it; with ``--into`` they replace what stands between the markers of a page."""
    files = [keep_rows(path, arguments.keep) for path in arguments.files] if arguments.keep else arguments.files
    notebooks = [path for path in files if holds_notebooks(path)]
    programs = [path for path in files if path not in notebooks]
    parts = [format_figures(programs, read_ledger(arguments.ledger))] if programs else []
    parts += ["\n".join(format_notebooks(notebooks))] if notebooks else []
    text = "\n\n".join(parts)
    if arguments.into is None:
        return text, 0
    write_between_markers(arguments.into, text)
    return f"{arguments.into}: {len(arguments.files)} measurements", 0


def keep_rows(path: Path, folder: Path) -> Path:
    """A copy of a file of rows without what it quotes of programs, so that it may be published; raises UsageError for another file."""
    if not holds_notebooks(path):
        read_row_file(path)
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        kept.append(json.dumps({**row, **{name: "" for name in QUOTES if name in row}}, ensure_ascii=False) + "\n")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / path.name).write_text("".join(kept), encoding="utf-8")
    return folder / path.name


def format_figures(files: Sequence[Path], entries: Sequence[dict[str, Any]]) -> str:
    """A table for each stage with a row for each file, first looks before all others, and below all of them the command that repeats each."""
    made = [(path, c, read_head(path)) for path, c in zip(files, read_configurations(files), strict=True)]
    rows = [
        ((*_format_cells(found, head, entries), path.stem), read_stage(path, head), head) for path, found, head in made
    ]
    rows.sort(key=lambda row: (row[0][3] != "first", row[0]))
    lines = []
    for stage, heading in STAGES.items():
        cells = [cells for cells, measured_at, _ in rows if measured_at == stage]
        lines += [f"### {heading}", "", *_format_table(cells), ""] if cells else []
    commands = dict.fromkeys(str(head.get("command") or "") for _, _, head in rows)
    return "\n".join([*lines, *(f"    {command}" for command in commands if command)])


def _format_table(rows: Sequence[Sequence[str]]) -> list[str]:
    head, *lines = (f"| {' | '.join(cells)} |" for cells in (COLUMNS, *rows))
    return [head, f"|{'---|' * len(COLUMNS)}", *lines]


def _format_cells(found: Configuration, head: dict[str, Any], entries: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    rows, setup = found.rows, found.setup
    applied, commits = sum(r.plausible for r in rows), list(dict.fromkeys(r.commit for r in rows if r.commit))
    right = sum(r.plausible and r.correct for r in rows)
    searched = [r.cpu for r in rows if r.cpu]
    unhealed = [r.seconds for r in rows if r.has_failed and r.reason != Reason.HEALED]
    loads = [r.load for r in rows]
    failing = sum(any(row.has_failed for row in runs) for runs in found.tasks.values())
    share = found.success if failing else None
    return (
        setup.set, setup.oracle, setup.half, describe_look(entries, setup, commits), setup.label, f"{len(found.tasks)} × {found.runs}",
        str(failing), str(applied), f"{right} ({right / applied:.0%})" if applied else "–", f"{share.value:.0%} [{share.low:.0%}, {share.high:.0%}]" if share else "–",
        str(sum(r.place > 0 for r in rows)), _count_passing(rows), f"{statistics.median(searched):.2f}" if searched else "–",
        _describe_waiting(unhealed), f"{min(loads):.0f}–{max(loads):.0f}",
        ", ".join(commits), str(head.get("began") or "not told"),
    )  # fmt: skip


def _count_passing(rows: Sequence[Row]) -> str:
    known = [row.shown_passes for row in rows if row.shown_passes is not None]
    return str(sum(known)) if known else "–"


def _describe_waiting(seconds: Sequence[float]) -> str:
    if len(seconds) < 2:
        return "–"
    return f"{statistics.median(seconds):.1f}, {statistics.quantiles(seconds, n=20, method='inclusive')[-1]:.1f}"


def write_between_markers(page: Path, text: str, name: str = "figures") -> None:
    """Replace what stands between the markers of that name. Raises UsageError where the page has none."""
    opening, closing = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before = page.read_text(encoding="utf-8") if page.exists() else ""
    head, start, rest = before.partition(opening)
    _, end, tail = rest.partition(closing)
    if not (start and end):
        raise UsageError(f"{page} has no lines {opening.strip()} and {closing.strip()} for the tables to stand between")
    page.write_text(f"{head}{opening}{text}\n{closing}{tail}", encoding="utf-8")
