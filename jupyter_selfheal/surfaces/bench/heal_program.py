"""One program through the product's loop: a notebook of a cell that defines it and a cell that tests it."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.surfaces.bench.course import read_course
from jupyter_selfheal.surfaces.bench.rows import Row
from jupyter_selfheal.surfaces.bench.tasks import Task
from jupyter_selfheal.surfaces.notebook.read import read
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings

CELL_SECONDS = 8.0
"""Seconds a cell may run: a program that loops for ever is cut there."""


def heal_program(task: Task, config: HealConfig, trace: Path | None = None) -> tuple[str, tuple[str, ...], str, Row]:
    """One notebook through the product's loop: the healed program, those that were shown, what a model wrote first (empty where none
    was asked), and the row (not judged yet). ``trace`` is a folder in which the journals are kept, as a data folder of Jupyter."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="selfheal-bench-") as folder:
        os.environ["JUPYTER_DATA_DIR"] = str(Path(folder, "data"))
        path = Path(folder, "program.ipynb")
        path.write_text(json.dumps(_build_notebook(task)), encoding="utf-8")
        with Session(Settings(config, cell_seconds=CELL_SECONDS)) as session:
            document = read(path)
            report, _ = Batch(document, session.build_dependencies(document), session.limits).run()
        course = read_course(Path(folder, "data"))
        if trace and Path(folder, "data").exists():  # where nothing failed, nothing is written
            shutil.copytree(Path(folder, "data"), trace, dirs_exist_ok=True)
    fixes = [r.candidate[0].patch for r in report.records if r.status.value == "healed" and r.candidate]
    broken = [r for r in report.records if r.status.value not in ("ran", "healed", "runs again")]
    program = next(c.source for c in report.healed.cells if c.id == "definition")
    best = course.shown[0].verdict if course.shown else None
    row = Row(
        task.name, bool(fixes) and not broken and report.survived, False, "+".join(dict.fromkeys(p.healer for p in fixes)),
        "; ".join(p.title for p in fixes), course.cpu, course.rank, round(time.monotonic() - began, 2),
        why="; ".join(r.detail or r.headline for r in broken)[:300], score=best.score if best else 0.0, proofs=", ".join(best.proofs) if best else "", checks=best.checks if best else 0,
        reason=course.reason, attempts=course.attempts, first=course.first, phases=course.seconds, tokens=course.tokens, dollars=course.dollars, trace=str(trace or ""),
    )  # fmt: skip
    first = course.first_paid.source_of("definition", task.definition) if course.first_paid else ""
    shown = tuple(dict.fromkeys(c.patch.source_of("definition", task.definition) for c in course.shown))
    return program, shown, first, row


def _build_notebook(task: Task) -> dict[str, Any]:
    """Cells for what is ahead, the program and its tests. A specification is checked as its author would ask for it: an empty function
    whose tests fail in another cell is an exercise to triage, which nobody else completes."""
    parts = [("definition", task.definition)] + ([] if task.specified else [("tests", "\n".join(task.tests))])
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "id": name, "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        for name, source in ([("ahead", task.ahead), *parts] if task.ahead else parts)
    ]
    if task.specified:
        cells[-1]["metadata"] = {"selfheal": {"check": list(task.tests)}}
    if task.runs:
        cells[-2]["metadata"] = {"selfheal": {"stdout": task.runs[0][1]}}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
