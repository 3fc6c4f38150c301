"""``jupyter selfheal bench quixbugs|humanevalfix|refactory|syntax PATH``: heal every program of a set by the product's own loop.

Each program becomes a notebook (a cell that defines it, a cell that tests it), is run and healed as ``jupyter selfheal heal
--offline`` does, and is judged apart (:mod:`~jupyter_selfheal.surfaces.bench.judge`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import SelfHealError, UsageError
from jupyter_selfheal.model import Candidate
from jupyter_selfheal.surfaces.bench import humaneval, quixbugs, refactory, syntax
from jupyter_selfheal.surfaces.bench.judge import find_failing_tests, judge
from jupyter_selfheal.surfaces.bench.rows import Row, RowFile, compute_figures, find_commit, format_figures, format_row
from jupyter_selfheal.surfaces.bench.tasks import Task, choose_tests

JUDGED = 2
"""Programs among those shown that are judged: a user reads the first two."""
CELL_SECONDS = 8.0
"""Seconds a cell may run: a program that loops for ever is cut there."""


def command(options: argparse.Namespace) -> int:
    """The command: measure, print a line for each program and the figures."""
    arguments = _build_parser().parse_args(options.arguments)
    title, tasks = _load_tasks(arguments)
    chosen = [t for t in tasks if not arguments.only or t.name.split()[0] in arguments.only][: arguments.limit or None]
    if not chosen:
        raise UsageError("no program is left to heal: see --only and --limit")
    kept = RowFile(arguments.rows, title, arguments.oracle) if arguments.rows else None
    rows = [r for r in (kept.read_rows() if kept else []) if r.name in {t.name for t in chosen}]
    left = [t for t in chosen if t.name not in {r.name for r in rows}]
    for row in measure(left, arguments.oracle, arguments.jobs, compiles=arguments.what == "syntax"):
        rows.append(row)
        if kept:
            kept.add(row)
        if not arguments.json:
            print(format_row(row), flush=True)
    measured = compute_figures(rows, title, arguments.oracle, arguments.jobs)
    print(json.dumps({**measured, "rows": [asdict(r) for r in rows]}) if arguments.json else format_figures(measured))
    return 0


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jupyter selfheal bench", description="Measure healing on a set of broken programs."
    )
    parser.add_argument("what", choices=("quixbugs", "humanevalfix", "refactory", "syntax"))
    parser.add_argument(
        "path", type=Path, metavar="PATH", help="a clone of QuixBugs, or a file or folder of JSON lines"
    )
    parser.add_argument("--oracle", default="all", metavar="all|N|docstring", help="the tests that the search may see")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="programs healed at once")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--rows", type=Path, metavar="FILE", help="write rows there as they come, and go on from those that are there"
    )
    parser.add_argument("--only", nargs="*", default=(), metavar="NAME", help="these programs")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="the first N programs")
    return parser


def _load_tasks(arguments: argparse.Namespace) -> tuple[str, list[Task]]:
    if not (arguments.oracle in ("all", "docstring") or (arguments.oracle.isdigit() and int(arguments.oracle) > 0)):
        raise UsageError(f"--oracle is all, docstring or a number of tests, not {arguments.oracle!r}")
    if not arguments.path.exists():
        raise UsageError(f"{arguments.path} does not exist: benchmark data is not shipped (see benchmarks/RESULTS.md)")
    if arguments.what == "quixbugs":
        return "QuixBugs", quixbugs.load(arguments.path)
    if arguments.what == "humanevalfix":
        return humaneval.load(arguments.path)
    if arguments.what == "refactory":
        return "Refactory", refactory.load(arguments.path)
    return syntax.load(arguments.path)


def measure(tasks: Sequence[Task], oracle: str, jobs: int = 1, compiles: bool = False) -> Iterator[Row]:
    """Heal and judge each task, in order; tasks without a test of the wanted kind are left out."""
    now = find_commit()
    with ProcessPoolExecutor(max(jobs, 1), mp_context=get_context("spawn")) as pool:
        for rows in pool.map(_measure_task, tasks, [oracle] * len(tasks), [compiles] * len(tasks)):
            yield from (replace(row, commit=now) for row in rows)


def _measure_task(task: Task, oracle: str, compiles: bool) -> list[Row]:
    failing = find_failing_tests(task.definition, task.tests) if oracle.isdigit() else ()
    visible = choose_tests(task, failing, oracle)
    if not visible.tests:
        return []
    if oracle == "docstring" and not find_failing_tests(visible.definition, visible.tests):
        return [Row(task.name, False, False, why="no example of the docstring fails", exposed=False)]
    began = time.monotonic()
    try:
        program, shown, row = heal(visible)
    except SelfHealError as error:
        return [Row(task.name, False, False, why=str(error), seconds=time.monotonic() - began)]
    if compiles:
        return [replace(row, correct=row.plausible and syntax.is_same_program(program, task.reference))]
    return [_judge_row(visible, program, shown, row)]


def _judge_row(task: Task, program: str, shown: Sequence[str], row: Row) -> Row:
    """The row with what the judge says of the applied program, and of the first two that were shown."""
    if row.plausible:
        judgement = judge(task, program)
        row = replace(
            row, passed=not judgement.failed, correct=judgement.correct, compared=judgement.compared, differed=judgement.differed,
            why="" if judgement.correct else judgement.example,
        )  # fmt: skip
        if judgement.correct:
            return replace(row, place=1)
    left = [text for text in shown[:JUDGED] if not (row.plausible and text == program)]
    right = next((text for text in left if judge(task, text).correct), None)
    return row if right is None else replace(row, place=shown.index(right) + 1)


def heal(task: Task) -> tuple[str, tuple[str, ...], Row]:
    """One notebook through the product's loop: the healed program, those that were shown, and the row (not judged yet)."""
    from jupyter_selfheal.config import HealConfig
    from jupyter_selfheal.surfaces.notebook.read import read
    from jupyter_selfheal.surfaces.notebook.run import Batch
    from jupyter_selfheal.surfaces.notebook.session import Session, Settings

    config = HealConfig(healers=("rules", "search"), offline=True, memory=False)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="selfheal-bench-") as folder:
        os.environ["JUPYTER_DATA_DIR"] = str(Path(folder, "data"))
        path = Path(folder, "program.ipynb")
        path.write_text(json.dumps(_build_notebook(task.definition, "\n".join(task.tests))), encoding="utf-8")
        with Session(Settings(config, cell_seconds=CELL_SECONDS)) as session:
            document = read(path)
            report, _ = Batch(document, session.build_dependencies(document), session.limits).run()
        cpu, rank = _read_search_cost(Path(folder, "data"))
        shown = _read_proposal(Path(folder, "data"))
    fixes = [r.candidate[0].patch for r in report.records if r.status.value == "healed" and r.candidate]
    broken = [r for r in report.records if r.status.value not in ("ran", "healed", "runs again")]
    program = next(c.source for c in report.healed.cells if c.id == "definition")
    best = shown[0].verdict if shown else None
    row = Row(
        task.name, bool(fixes) and not broken and report.survived, False, "+".join(dict.fromkeys(p.healer for p in fixes)),
        "; ".join(p.title for p in fixes), cpu, rank, round(time.monotonic() - began, 2),
        why="; ".join(r.detail or r.headline for r in broken)[:300], score=best.score if best else 0.0, proofs=", ".join(best.proofs) if best else "", checks=best.checks if best else 0,
    )  # fmt: skip
    return program, tuple(dict.fromkeys(c.patch.source_of("definition", task.definition) for c in shown)), row


def _build_notebook(definition: str, tests: str) -> dict[str, Any]:
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "id": name, "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        for name, source in (("definition", definition), ("tests", tests))
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _read_proposal(data: Path) -> tuple[Candidate, ...]:
    """The patches that the last proposal of the journals showed, best first."""
    import jupyter_selfheal.loop.events as ev
    from jupyter_selfheal.journal.jsonl import read_journal

    events = [e for path in sorted(data.rglob("*.jsonl")) for e in read_journal(path).events()]
    return next((e.proposal.candidates for e in reversed(events) if isinstance(e, ev.ProposalMade)), ())


def _read_search_cost(data: Path) -> tuple[float, int]:
    """CPU seconds of all searches in the journals, and the rank of the first plausible candidate of the last one."""
    cpu, rank = 0.0, 0
    for journal in data.rglob("*.jsonl"):
        for text in journal.read_text(encoding="utf-8").splitlines():
            body = json.loads(text).get("body", {})
            record = (body.get("answer") or {}).get("record") if body.get("healer") == "search" else None
            if isinstance(record, dict):
                cpu, rank = cpu + float(record.get("cpu", 0.0)), int(record.get("first", 0))
    return round(cpu, 3), rank


if __name__ == "__main__":
    sys.exit(command(argparse.Namespace(arguments=sys.argv[1:])))
