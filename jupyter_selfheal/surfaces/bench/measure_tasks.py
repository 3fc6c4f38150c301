"""Heal and judge the programs of a set, one after the other or in several processes (:mod:`~jupyter_selfheal.surfaces.bench.run`)."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import SelfHealError
from jupyter_selfheal.model import diff_sources, format_diff
from jupyter_selfheal.surfaces.bench import pydex, syntax
from jupyter_selfheal.surfaces.bench.judge import Judgement, find_failing_tests, judge
from jupyter_selfheal.surfaces.bench.rows import Row, Setup, find_commit
from jupyter_selfheal.surfaces.bench.tasks import Task, choose_tests
from jupyter_selfheal.surfaces.bench.workers import interruptible, open_workers

JUDGED = 2
"""Programs among those shown that are judged: a user reads the first two."""
DIFF_CHARS = 4000
"""Of a wrong patch that a row keeps."""
OFFLINE = HealConfig(healers=("rules", "search"), offline=True, memory=False)


def measure(
    jobs: Sequence[tuple[Task, int]],
    setup: Setup,
    config: HealConfig = OFFLINE,
    processes: int = 1,
    compiles: bool = False,
    may_begin: Callable[[int], bool] = lambda under_way: True,
    traces: Path | None = None,
) -> Iterator[Row]:
    """Heal and judge each task in each run, in order; tasks without a test of the wanted kind are left out. ``may_begin`` is asked before
    each how many are under way, and ends it all by False. The journals of each heal are kept below ``traces``."""
    now = find_commit()
    work = partial(_measure_task, setup=setup, config=config, compiles=compiles)
    with open_workers(max(processes, 1)) as pool:
        under_way: deque[tuple[int, Future[list[Row]]]] = deque()
        left = deque(jobs)
        while left or under_way:
            while left and len(under_way) <= max(processes, 1) and may_begin(len(under_way)):
                task, run = left.popleft()
                under_way.append((run, pool.submit(work, task, traces and traces.resolve() / name_folder(task, run))))
            if not under_way:
                return
            run, future = under_way.popleft()
            yield from (replace(row, commit=now, run=run, seed=setup.seed) for row in future.result())


def name_folder(task: Task, run: int) -> str:
    """A name for the journals of a task's run."""
    plain = re.sub(r"[^\w.-]+", "-", task.name).strip("-")
    return f"{plain}-{run}"


def _measure_task(task: Task, trace: Path | None, setup: Setup, config: HealConfig, compiles: bool) -> list[Row]:
    with interruptible():
        return _heal_and_judge(task, trace, setup, config, compiles)


def _heal_and_judge(task: Task, trace: Path | None, setup: Setup, config: HealConfig, compiles: bool) -> list[Row]:
    from jupyter_selfheal.surfaces.bench.heal_program import heal_program

    oracle = setup.oracle
    if not task.checked and (fault := _find_unsoundness(task)):
        return [Row(task.name, False, False, why=fault, exposed=False)]
    failing = find_failing_tests(f"{task.ahead}\n{task.definition}", task.tests) if oracle.isdigit() else ()
    visible = choose_tests(task, failing, oracle)
    if not visible.tests:
        return []
    if oracle == "docstring" and not find_failing_tests(visible.definition, visible.tests):
        return [Row(task.name, False, False, why="no example of the docstring fails", exposed=False)]
    began = time.monotonic()
    try:
        program, shown, first, row = heal_program(visible, config, trace)
    except SelfHealError as error:
        return [Row(task.name, False, False, why=str(error), seconds=time.monotonic() - began)]
    if compiles:
        same = row.plausible and syntax.is_same_program(program, task.reference)
        return [replace(row, correct=same, place=int(same))]
    row = _judge_row(visible, program, shown, first, row)
    return [
        replace(row, zero_shot=bool(first) and _judge_program(visible, first).correct) if setup.start == "spec" else row
    ]


def _find_unsoundness(task: Task) -> str:
    """Why a task of a set that nobody has checked says nothing; empty where it says something."""
    if find_failing_tests(f"{task.ahead}\n{task.reference}", task.tests):
        return "the reference fails an example of its own"
    if not find_failing_tests(f"{task.ahead}\n{task.definition}", task.tests):
        return "no example shows the fault"
    return ""


def _judge_row(task: Task, program: str, shown: Sequence[str], first: str, row: Row) -> Row:
    """The row with what the judge says of the applied program, and of the first two that were shown. A miss keeps the diff of the best that was
    shown, else of what a model wrote first."""
    if row.plausible:
        judgement = _judge_program(task, program)
        row = replace(
            row, passed=not judgement.failed, correct=judgement.correct, compared=judgement.compared, differed=judgement.differed,
            why="" if judgement.correct else judgement.example, shown_passes=not judgement.failed,
        )  # fmt: skip
        if judgement.correct:
            return replace(row, place=1)
    for place, text in enumerate(shown[:JUDGED], 1):
        if row.plausible and text == program:
            continue
        judgement = _judge_program(task, text)
        if place == 1 and not row.plausible:
            row = replace(row, shown_passes=not judgement.failed)
        if judgement.correct:
            return replace(row, place=place)
    if row.shown_passes is None:
        row = replace(row, shown_passes=False)
    nearest = shown[0] if shown else first
    return replace(row, diff=format_diff(diff_sources(task.definition, nearest))[:DIFF_CHARS]) if nearest else row


def _judge_program(task: Task, program: str) -> Judgement:
    return pydex.judge(task, program) if task.runs else judge(task, program)
