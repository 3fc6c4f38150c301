"""``jupyter selfheal bench quixbugs|humanevalfix|syntax PATH``: heal every program of a set by the product's own loop.

Each program becomes a notebook (a cell that defines it, a cell that tests it), is run and healed as ``jupyter selfheal heal
--offline`` does, and is judged apart (:mod:`~jupyter_selfheal.bench.judge`).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from jupyter_selfheal._version import __version__
from jupyter_selfheal.bench import humaneval, quixbugs, syntax
from jupyter_selfheal.bench.judge import failing_tests, judge
from jupyter_selfheal.bench.tasks import Task, shown
from jupyter_selfheal.errors import SelfHealError, UsageError

CELL_SECONDS = 8.0
"""Seconds a cell may run: a program that loops for ever is cut there."""


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one program. ``cpu`` are the search's CPU seconds, ``seconds`` those of the whole notebook, on the clock."""

    name: str
    plausible: bool
    correct: bool
    healer: str = ""
    fix: str = ""
    cpu: float = 0.0
    rank: int = 0
    seconds: float = 0.0
    compared: int = 0
    differed: int = 0
    why: str = ""


def command(options: argparse.Namespace) -> int:
    """The command: measure, print a line for each program and the figures."""
    asked = _parser().parse_args(options.arguments)
    title, tasks = _tasks(asked)
    chosen = [t for t in tasks if not asked.only or t.name.split()[0] in asked.only][: asked.limit or None]
    if not chosen:
        raise UsageError("no program is left to heal: see --only and --limit")
    rows = []
    for row in measure(chosen, asked.oracle, asked.jobs, compiles=asked.what == "syntax"):
        rows.append(row)
        if not asked.json:
            print(line(row), flush=True)
    found = figures(rows, title, asked.oracle, asked.jobs)
    print(json.dumps({**found, "rows": [asdict(r) for r in rows]}) if asked.json else words(found))
    return 0


def _parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(
        prog="jupyter selfheal bench", description="Measure healing on a set of broken programs."
    )
    found.add_argument("what", choices=("quixbugs", "humanevalfix", "syntax"))
    found.add_argument("path", type=Path, metavar="PATH", help="a clone of QuixBugs, or a file or folder of JSON lines")
    found.add_argument("--oracle", default="all", metavar="all|N|docstring", help="the tests that the search may see")
    found.add_argument("--jobs", type=int, default=1, metavar="N", help="programs healed at once")
    found.add_argument("--json", action="store_true", help="print one JSON object")
    found.add_argument("--only", nargs="*", default=(), metavar="NAME", help="these programs")
    found.add_argument("--limit", type=int, default=0, metavar="N", help="the first N programs")
    return found


def _tasks(asked: argparse.Namespace) -> tuple[str, list[Task]]:
    if not (asked.oracle in ("all", "docstring") or (asked.oracle.isdigit() and int(asked.oracle) > 0)):
        raise UsageError(f"--oracle is all, docstring or a number of tests, not {asked.oracle!r}")
    if not asked.path.exists():
        raise UsageError(f"{asked.path} does not exist: benchmark data is not shipped (see benchmarks/RESULTS.md)")
    if asked.what == "quixbugs":
        return "QuixBugs", quixbugs.load(asked.path)
    if asked.what == "humanevalfix":
        return humaneval.load(asked.path)
    return syntax.load(asked.path)


def measure(tasks: Sequence[Task], oracle: str, jobs: int = 1, compiles: bool = False) -> Iterator[Row]:
    """Heal and judge each task, in order; tasks without a test of the wanted kind are left out."""
    with ProcessPoolExecutor(max(jobs, 1), mp_context=get_context("spawn")) as pool:
        for rows in pool.map(_one, tasks, [oracle] * len(tasks), [compiles] * len(tasks)):
            yield from rows


def _one(task: Task, oracle: str, compiles: bool) -> list[Row]:
    failing = failing_tests(task.definition, task.tests) if oracle.isdigit() else ()
    seen = shown(task, failing, oracle)
    if not seen.tests:
        return []
    began = time.monotonic()
    try:
        program, row = heal(seen)
    except SelfHealError as error:
        return [Row(task.name, False, False, why=str(error), seconds=time.monotonic() - began)]
    if compiles:
        return [replace(row, correct=row.plausible and syntax.same(program, task.reference))]
    if not row.plausible:
        return [row]
    found = judge(seen, program)
    return [
        replace(row, correct=found.correct, compared=found.compared, differed=found.differed, why="" if found.correct else found.example)
    ]  # fmt: skip


def heal(task: Task) -> tuple[str, Row]:
    """The healed program, and the row about it (not judged yet): one notebook through the product's loop."""
    from jupyter_selfheal.config import HealConfig
    from jupyter_selfheal.notebook.read import read
    from jupyter_selfheal.notebook.run import Batch
    from jupyter_selfheal.notebook.session import Session, Settings

    config = HealConfig(healers=("rules", "search"), offline=True, memory=False)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="selfheal-bench-") as folder:
        os.environ["JUPYTER_DATA_DIR"] = str(Path(folder, "data"))
        path = Path(folder, "program.ipynb")
        path.write_text(json.dumps(_notebook(task.definition, "\n".join(task.tests))), encoding="utf-8")
        with Session(Settings(config, cell_seconds=CELL_SECONDS)) as session:
            document = read(path)
            report, _ = Batch(document, session.tools(document), session.limits).run()
        cpu, rank = _searched(Path(folder, "data"))
    fixes = [r.candidate[0].patch for r in report.records if r.status.value == "healed" and r.candidate]
    broken = [r for r in report.records if r.status.value not in ("ran", "healed", "runs again")]
    program = next(c.source for c in report.healed.cells if c.id == "definition")
    row = Row(
        task.name, bool(fixes) and not broken and report.survived, False, "+".join(dict.fromkeys(p.healer for p in fixes)),
        "; ".join(p.title for p in fixes), cpu, rank, round(time.monotonic() - began, 2),
        why="; ".join(r.detail or r.headline for r in broken)[:300],
    )  # fmt: skip
    return program, row


def _notebook(definition: str, tests: str) -> dict[str, Any]:
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "id": name, "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        for name, source in (("definition", definition), ("tests", tests))
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _searched(data: Path) -> tuple[float, int]:
    """CPU seconds of all searches in the journals, and the rank of the first plausible candidate of the last one."""
    cpu, rank = 0.0, 0
    for journal in data.rglob("*.jsonl"):
        for text in journal.read_text(encoding="utf-8").splitlines():
            body = json.loads(text).get("body", {})
            record = (body.get("answer") or {}).get("record") if body.get("healer") == "search" else None
            if isinstance(record, dict):
                cpu, rank = cpu + float(record.get("cpu", 0.0)), int(record.get("first", 0))
    return round(cpu, 3), rank


# --- figures --------------------------------------------------------------------------------------------------------


def line(row: Row) -> str:
    """One program on one line."""
    verdict = "correct  " if row.correct else "plausible" if row.plausible else "not healed"
    return f"{verdict:10} {row.name:32} {row.cpu:6.2f} CPU-s {row.seconds:6.1f} s  {row.fix or row.why}"[:200]


def figures(rows: Sequence[Row], title: str, oracle: str, jobs: int) -> dict[str, Any]:
    """The figures of a run, with what it takes to repeat it."""
    searched = [r.cpu for r in rows if r.cpu]
    ranks = sorted(r.rank for r in rows if r.rank)
    return {
        "set": title, "oracle": oracle, "programs": len(rows), "plausible": sum(r.plausible for r in rows),
        "correct": sum(r.correct for r in rows), "median_cpu_seconds": round(statistics.median(searched), 3) if searched else 0.0,
        "max_cpu_seconds": max(searched, default=0.0), "rank_median": ranks[len(ranks) // 2] if ranks else 0,
        "rank_max": ranks[-1] if ranks else 0, "classes": _classes(rows), "jobs": jobs, "version": __version__, "commit": _commit(),
        "python": platform.python_version(), "cores": len(os.sched_getaffinity(0)),
    }  # fmt: skip


def _classes(rows: Sequence[Row]) -> dict[str, list[int]]:
    """By class of fault, where the names tell it in parentheses: how many are correct, and of how many."""
    found: dict[str, list[int]] = {}
    for row in rows:
        if row.name.endswith(")"):
            counts = found.setdefault(row.name[row.name.rfind("(") + 1 : -1], [0, 0])
            counts[0] += row.correct
            counts[1] += 1
    return dict(sorted(found.items()))


def words(found: dict[str, Any]) -> str:
    """The figures in a few lines."""
    classes = ", ".join(f"{name} {right} of {number}" for name, (right, number) in found["classes"].items())
    return (
        f"\n{found['set']}, oracle {found['oracle']}: {found['programs']} programs, {found['plausible']} plausible, {found['correct']} correct\n"
        f"{f'correct by class: {classes}{chr(10)}' if classes else ''}"
        f"search: median {found['median_cpu_seconds']} CPU-s, most {found['max_cpu_seconds']}; rank of the first plausible candidate: median"
        f" {found['rank_median']}, most {found['rank_max']}\n"
        f"jupyter_selfheal {found['version']} ({found['commit']}), Python {found['python']}, {found['cores']} cores"
    )


def _commit() -> str:
    ran = subprocess.run(
        ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout.strip() or "not a checkout"


if __name__ == "__main__":
    sys.exit(command(argparse.Namespace(arguments=sys.argv[1:])))
