"""What a program's checks take as it is, measured once: how much a candidate may, and in which order they run."""

from __future__ import annotations

import copy
import time
from math import ceil, log2
from typing import Any

from jupyter_selfheal.inside.search.confined_forks import MOST_MEMORY, run_in_fork
from jupyter_selfheal.inside.search.process_pool import LITTLE_MEMORY
from jupyter_selfheal.inside.search.run_candidate import Runner

MEASURED = 2_000_000
"""Steps the program may take as it is, until a check of it counts as looping."""
WAIT = 60.0
"""Seconds on the clock for one look at the program as it is."""


def measure_passing(runner: Runner) -> int:
    """Steps that the passing checks take as the program is.

    From now on the runner has cheap and failing asserts first, unless they then come out differently: they have side effects.
    """
    costs, failing, slowest = _measure_checks(runner)
    runner.slowest = 2.0 ** ceil(log2(slowest)) if slowest else 0.0  # what is caught counts the same each time
    runner.sort_checks(costs, failing)
    if failing and _measure_checks(runner)[1] != failing:
        runner.order.sort()
    return sum(cost for unit, cost in costs.items() if unit not in failing)


def _measure_checks(runner: Runner) -> tuple[dict[int, int], frozenset[int], float]:
    """Steps of each unit's checks, the units with a failing one, and the CPU seconds of all that come to an end (a fork runs them; nothing
    where it dies)."""
    counter = runner.counter

    def run_once() -> list[Any]:
        costs: dict[int, int] = {}
        failing: set[int] = set()
        ended = 0.0
        loops = 0
        last = counter.total, time.process_time()

        def note(passed: bool) -> None:
            nonlocal last, ended, loops
            now = counter.total + counter.steps_used, time.process_time()
            costs[runner.at] = costs.get(runner.at, 0) + now[0] - last[0]
            ended += now[1] - last[1] if runner.loops == loops else 0.0
            last, loops = now, runner.loops
            if not passed:
                failing.add(runner.at)

        before = runner.on_record, runner.patient
        runner.on_record, runner.patient = note, True
        runner.run({}, MEASURED)
        runner.on_record, runner.patient = before  # for where there are no forks
        return [list(costs.items()), sorted(failing), ended]

    reply = run_in_fork(run_once, WAIT)
    return (dict(reply[0]), frozenset(reply[1]), reply[2]) if isinstance(reply, list) else ({}, frozenset(), 0.0)


def find_memory(runner: Runner, steps: int) -> int:
    """Bytes that are enough for candidates: few where the program as it is does the same with few, and no state is copied for it."""
    if runner.copied:
        return MOST_MEMORY
    little, much = (
        run_in_fork(lambda: runner.run({}, steps).list_fields(), WAIT, memory)
        for memory in (LITTLE_MEMORY, MOST_MEMORY)
    )
    return LITTLE_MEMORY if little == much and little is not None else MOST_MEMORY


def can_copy(runner: Runner) -> bool:
    """True where what candidates may change can be copied cheaply."""
    began = time.process_time()
    try:
        copy.deepcopy(runner.copied)
    except Exception:
        return False
    return time.process_time() - began < 0.01
