"""Candidates a CPU-second of the search, what it found and what it doubts: in one process, without kernels and the product's loop.

    python benchmarks/search_speed.py refactory PATH --sample 12 --seed 67 [--rows FILE] [--profile FILE]
    python benchmarks/search_speed.py debugbench PATH --half tune --sample 12
    python benchmarks/search_speed.py refactory PATH --sample 12 --against-waiting
    python benchmarks/search_speed.py --compare OLD.jsonl NEW.jsonl

The search counts steps and no seconds: two versions of it try the same candidates on every machine, so rows of two runs say what
changed in what is found, and the ratio of their CPU seconds what it cost. Each program has a fork of its own.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from jupyter_selfheal.config import HealConfig  # noqa: E402
from jupyter_selfheal.healers.search.plan import build_plan  # noqa: E402
from jupyter_selfheal.inside.search import (  # noqa: E402
    confined_forks,
    endless_loops,
    measure_checks,
    process_pool,
    screen_candidates,
    search,
)
from jupyter_selfheal.inside.search.confined_forks import run_in_fork  # noqa: E402
from jupyter_selfheal.inside.search.count_steps import OutOfTime  # noqa: E402
from jupyter_selfheal.inside.search.limit_time import limit_cpu_time  # noqa: E402
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook  # noqa: E402
from jupyter_selfheal.surfaces.bench.judge import find_failing_tests  # noqa: E402
from jupyter_selfheal.surfaces.bench.ledger import choose_half  # noqa: E402
from jupyter_selfheal.surfaces.bench.sets import load_tasks  # noqa: E402
from jupyter_selfheal.surfaces.bench.tasks import Task, choose_tests  # noqa: E402

CELL_SECONDS = 4.0
"""CPU seconds a cell may run as it is."""
PATIENCE = 600.0
"""Seconds on the clock after which a program is given up."""


def search_program(task: Task, seconds: float, profile: str = "") -> dict[str, Any]:
    """What the search says of a program whose tests are a cell below it, in a fork of this process."""
    space: dict[str, Any] = {"__name__": "__main__"}
    tests = "\n".join(task.tests)
    cells = [Cell(name, text) for name, text in (("ahead", task.ahead), ("definition", task.definition)) if text]
    for cell in cells:
        run_cell(cell.source, space)
    failure = Failure("tests", tests, FailureKind.RAISED, run_cell(tests, space) or "AssertionError")
    plan = build_plan(Case(failure, Notebook((*cells, Cell("tests", tests)))))
    if plan is None or not plan.decides:
        return {}
    shell, argument = SimpleNamespace(user_ns=space), plan.to_argument(seconds, 1)
    if not profile:
        return search.probe(shell, None, argument)
    for module in (search, screen_candidates, process_pool, confined_forks):  # so that what forks would do is seen too
        module.HAS_FORKS = False  # type: ignore[attr-defined]
    with cProfile.Profile() as profiler:
        reply = search.probe(shell, None, argument)
    profiler.dump_stats(profile)
    return reply


def run_cell(source: str, space: dict[str, Any]) -> str:
    """Run a cell; the name of what it raises, empty where it runs."""
    try:
        with limit_cpu_time(CELL_SECONDS):
            exec(compile(source, "<cell>", "exec"), space)
    except OutOfTime:
        return "AssertionError"
    except Exception as error:
        return type(error).__name__
    return ""


def draw_tasks(chosen: argparse.Namespace) -> list[Task]:
    """The programs that were asked for."""
    _, tasks = load_tasks(chosen.set, chosen.path, chosen.seed)
    tasks = choose_half(tasks, chosen.half)
    tasks = [task for task in tasks if not chosen.only or task.name in chosen.only]
    if chosen.sample and chosen.sample < len(tasks):
        drawn = set(random.Random(chosen.seed).sample(range(len(tasks)), chosen.sample))
        tasks = [task for n, task in enumerate(tasks) if n in drawn]
    if chosen.oracle == "all":
        return tasks
    return [choose_tests(t, find_failing_tests(t.definition, t.tests), chosen.oracle) for t in tasks]


def measure(chosen: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One row for each program."""
    for task in draw_tasks(chosen):
        reply = run_in_fork(partial(search_program, task, chosen.seconds, chosen.profile), PATIENCE)
        if not isinstance(reply, dict) or "tried" not in reply:
            print(f"{task.name}: no search")
            continue
        rate = reply["tried"] / max(reply["cpu"], 0.001)
        found = reply["patches"][0] if reply["patches"] else None
        said = f"{found['words']}{': ' + found['rival'] if found['rival'] else ''}" if found else reply["why"]
        print(f"{task.name:28} {reply['tried']:6} tried {reply['cpu']:6.2f} s {rate:6.0f}/s  {said[:100]}", flush=True)
        yield {"name": task.name, **reply}


def measure_waiting(chosen: argparse.Namespace) -> str:
    """What looking at loops first is worth: the CPU seconds of each program's search, and of one that gives every loop its millions of
    steps and every candidate its 128 MiB, one after the other in this run."""
    pairs, other = [], 0
    for task in draw_tasks(chosen):
        looking, waiting = (
            run_in_fork(partial(search_waiting, task, chosen.seconds, how), PATIENCE) for how in (False, True)
        )
        if isinstance(looking, dict) and isinstance(waiting, dict) and "tried" in looking and "tried" in waiting:
            pairs.append((looking["cpu"], waiting["cpu"], bool(looking["patches"])))
            other += _describe(looking) != _describe(waiting)
            print(f"{task.name:28} {looking['cpu']:6.2f} s, waiting {waiting['cpu']:6.2f} s", flush=True)
    lines = []
    for title, group in (("with a fix", [p for p in pairs if p[2]]), ("without", [p for p in pairs if not p[2]])):
        if group:
            own, theirs = (sum(p[n] for p in group) for n in (0, 1))
            lines.append(
                f"{title}: {len(group)} programs, {own:.1f} and {theirs:.1f} CPU s: waiting takes {theirs / own:.2f} times"
            )
    return "\n".join([*lines, f"{other} of {len(pairs)} find something else"])


def search_waiting(task: Task, seconds: float, is_waiting: bool) -> dict[str, Any]:
    """The search for a program, in a fork of its own; ``is_waiting`` one without what ``measure_waiting`` measures."""
    if is_waiting:
        endless_loops.WORTH = sys.maxsize
        measure_checks.LITTLE_MEMORY = confined_forks.MOST_MEMORY  # type: ignore[attr-defined]
    return search_program(task, seconds)


def summarise(rows: Sequence[dict[str, Any]]) -> str:
    """The rate over all programs, and the seconds of those with and without a fix."""
    lines = []
    for title, group in (
        ("all", rows), ("with a fix", [r for r in rows if r["patches"]]), ("without", [r for r in rows if not r["patches"]]),
    ):  # fmt: skip
        if group:
            seconds, tried = sorted(r["cpu"] for r in group), sum(r["tried"] for r in group)
            late = seconds[min(len(seconds) - 1, int(0.95 * len(seconds)))]
            lines.append(
                f"{title}: {len(group)} programs, {tried} candidates in {sum(seconds):.1f} CPU s: {tried / sum(seconds):.0f} a CPU-second;"
                f" a program {median(seconds):.2f} s in the median, p95 {late:.1f}, at most {seconds[-1]:.1f}"
            )
    return "\n".join(lines)


def compare(old: Path, new: Path) -> str:
    """Where two runs differ: the first patch, its doubt, what was found at all."""
    before, after = ({r["name"]: r for r in map(json.loads, path.read_text().splitlines())} for path in (old, new))
    both = [name for name in before if name in after]
    lines = []
    for name in both:
        first, second = (_describe(rows[name]) for rows in (before, after))
        if first != second:
            lines.append(f"{name}:\n  - {first}\n  + {second}")
    cpu = [sum(rows[name]["cpu"] for name in both) for rows in (before, after)]
    lines.append(f"{len(both)} programs in both, {len(lines)} differ; CPU s {cpu[0]:.1f} and {cpu[1]:.1f}")
    return "\n".join(lines)


def _describe(row: dict[str, Any]) -> str:
    if not row["patches"]:
        return "nothing found"
    best = row["patches"][0]
    return f"{best['words']} {json.dumps(best['texts'])}" + (f" DOUBT {best['rival']}" if best["rival"] else "")


def main() -> None:
    """Measure and write the rows, or compare those of two runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", nargs="?", default="mbpp")
    parser.add_argument("path", nargs="?", type=Path)
    parser.add_argument("--oracle", default="all")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=67)
    parser.add_argument("--half", choices=("all", "tune"), default="all", help="programs to tune on, by name")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--seconds", type=float, default=HealConfig().search_seconds)
    parser.add_argument("--rows", type=Path)
    parser.add_argument(
        "--profile",
        default="",
        help="a file for what cProfile sees of the last program's search, all of it in one process",
    )
    parser.add_argument("--against-waiting", action="store_true", help="a ratio within one run")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("OLD", "NEW"))
    chosen = parser.parse_args()
    if chosen.compare:
        print(compare(*chosen.compare))
        return
    if chosen.against_waiting:
        print(measure_waiting(chosen))
        return
    rows = []
    with open(chosen.rows, "w") if chosen.rows else tempfile.TemporaryFile("w") as file:
        for row in measure(chosen):
            rows.append(row)
            file.write(json.dumps(row) + "\n")
            file.flush()
    print(summarise(rows))


if __name__ == "__main__":
    main()
