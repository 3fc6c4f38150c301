"""``jupyter selfheal bench SET [PATH]``: heal every program of a set by the product's own loop.

Each program becomes a notebook (a cell that defines it, a cell that tests it), is run and healed as ``jupyter selfheal heal
--offline`` does, and is judged apart (:mod:`~jupyter_selfheal.surfaces.bench.judge`).
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from jupyter_selfheal import engine, registry
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import Reason
from jupyter_selfheal.scoring.model_caller import choose_model
from jupyter_selfheal.surfaces.bench.hub import HUB, download_records
from jupyter_selfheal.surfaces.bench.humaneval import SEED
from jupyter_selfheal.surfaces.bench.ledger import HALVES, LEDGER, choose_half, write_entry
from jupyter_selfheal.surfaces.bench.measure_tasks import measure
from jupyter_selfheal.surfaces.bench.notebooks.sources import LISTS
from jupyter_selfheal.surfaces.bench.progress import Progress
from jupyter_selfheal.surfaces.bench.rows import (
    STAGES,
    USUAL_STAGE,
    Row,
    RowFile,
    Setup,
    check_is_writable,
    compute_figures,
    format_figures,
    format_row,
)
from jupyter_selfheal.surfaces.bench.sets import SETS, load_tasks
from jupyter_selfheal.surfaces.bench.stand_in import use_stand_in
from jupyter_selfheal.surfaces.bench.tasks import Task
from jupyter_selfheal.surfaces.cli.number_options import read_count
from jupyter_selfheal.surfaces.cli.one_line_parser import OneLineParser
from jupyter_selfheal.surfaces.cli.setting_options import add_setting_options, resolve_options

REPORTS = {
    "compare": "success of configurations with intervals, and their differences",
    "variance": "how much the runs of each task differ",
    "regress": "exit with 1 where new rows are worse than a baseline",
    "failures": "what was not healed, grouped, with the nearest misses",
    "figures": "tables for a page",
    "csv": "all rows as one table",
    "dashboard": "pictures as PNG, PDF and one HTML page",
    "resilience": "faults on purpose, and what came of each",
}
"""The commands that read rows of earlier runs (:mod:`~jupyter_selfheal.surfaces.bench.reports`), and the one that measures no set."""


def command(options: argparse.Namespace) -> int:
    """The command: measure, print a line for each program and the figures; or what reads rows of earlier runs."""
    other = _find_other_command(options.arguments)
    return other() if other is not None else _measure_set(options.arguments)


def _find_other_command(words: Sequence[str]) -> Callable[[], int] | None:
    """What these words ask for that heals no set of programs; None where they name one."""
    what = words[0] if words else ""
    if what == "resilience":
        from jupyter_selfheal.surfaces.bench.resilience import command as resilience

        return partial(resilience.command, words[1:])
    if what in REPORTS:
        from jupyter_selfheal.surfaces.bench import reports

        return partial(reports.command, words)
    if what in LISTS:
        from jupyter_selfheal.surfaces.bench.notebooks import command as notebooks

        return partial(notebooks.command, words)
    return None


def _measure_set(words: Sequence[str]) -> int:
    arguments = build_parser().parse_args(words)
    if arguments.what in LISTS:
        raise UsageError(
            f"{arguments.what} comes first: jupyter selfheal bench {arguments.what} PATH, then its options"
        )
    config = build_config(arguments)
    if arguments.rows:
        check_is_writable(arguments.rows)
    title, tasks = _load_tasks(arguments)
    setup = build_setup(title, _read_oracle(arguments.oracle), arguments.seed, config)
    setup = replace(setup, start=arguments.start, half=arguments.half)
    kept = RowFile(arguments.rows, setup, format_command(words, arguments), arguments.stage) if arguments.rows else None
    rows, left = _divide_jobs(_choose_tasks(tasks, arguments), arguments.runs, kept)
    if left and (arguments.half == "judge" or arguments.ledger):
        write_entry(arguments.ledger or LEDGER, setup, len(left))
    if left and "language_model" in config.healers:
        engine.build_provider(config)  # what is missing for it is said before anything runs
    untried = _measure_jobs(left, setup, config, arguments, kept, rows)
    if untried and not rows:
        raise UsageError(describe_untried(untried, kept is not None))
    measured = compute_figures(rows, title, arguments.oracle, arguments.jobs)
    print(json.dumps({**measured, "rows": [asdict(r) for r in rows]}) if arguments.json else format_figures(measured))
    if untried:
        raise UsageError(describe_untried(untried, kept is not None))
    return 0


def _divide_jobs(chosen: Sequence[Task], runs: int, kept: RowFile | None) -> tuple[list[Row], list[tuple[Task, int]]]:
    """The rows that an earlier run of this command wrote of these tasks, and what is left to measure."""
    jobs = [(task, run) for run in range(1, runs + 1) for task in chosen]
    wanted = {(task.name, run) for task, run in jobs}
    rows = [r for r in (kept.read_rows() if kept else []) if r.key in wanted]
    done = {r.key for r in rows}
    return rows, [(task, run) for task, run in jobs if (task.name, run) not in done]


def _measure_jobs(
    left: Sequence[tuple[Task, int]],
    setup: Setup,
    config: HealConfig,
    arguments: argparse.Namespace,
    kept: RowFile | None,
    rows: list[Row],
) -> list[Row]:
    """Measure what is left, add to ``rows`` and to the file, print a line each; returns what the machinery kept from being tried.

    Raises :class:`UsageError` where the budget does not reach.
    """
    progress = Progress(len(left), find_budget(arguments), sum(r.dollars_spent for r in rows))
    untried: list[Row] = []
    for row in measure(
        left, setup, config, arguments.jobs, SETS[arguments.what].compiles, progress.may_begin, arguments.traces
    ):
        if row.reason == Reason.INFRASTRUCTURE.value:  # no measurement: it says nothing about the healers
            untried.append(row)
            if config.replay:
                break
            continue
        rows.append(row)
        progress.add_row(row)
        if kept:
            kept.add(row)
        if not arguments.json:
            print(format_row(row), flush=True)
        if progress.is_worth_a_line():
            print(progress.describe(), file=sys.stderr, flush=True)
    if progress.stopped:
        raise UsageError(
            f"stopped before the budget of ${progress.budget:g} is passed, {progress.done} of {progress.total} healed: "
            + (
                "the same command with a larger --budget goes on"
                if kept
                else "give a larger --budget, and --rows FILE to go on later"
            )
        )
    return untried


def _load_tasks(arguments: argparse.Namespace) -> tuple[str, list[Task]]:
    """Title and tasks, of the Hub's records where those are asked for: kept as PATH, or for this run alone."""
    what, seed, start = arguments.what, arguments.seed, arguments.start
    if not arguments.from_hub:
        return load_tasks(what, arguments.path, seed, start)
    with tempfile.TemporaryDirectory(prefix="selfheal-hub-") as folder:
        path = arguments.path or Path(folder, f"{what}.jsonl")
        download_records(what, path)
        return load_tasks(what, path, seed, start)


def describe_untried(untried: Sequence[Row], kept: bool) -> str:
    """One line for programs that something outside kept from being tried: they are in no figure."""
    programs = "1 program" if len(untried) == 1 else f"{len(untried)} programs"
    how = (
        "the same command goes on with what is left"
        if kept
        else "--rows FILE lets a later command go on with what is left"
    )
    why = " ".join(untried[0].why.split())
    return f"{programs} could not be tried to the end ({untried[0].name}: {why}); no figure counts them, and {how}"


def _choose_tasks(tasks: Sequence[Task], arguments: argparse.Namespace) -> list[Task]:
    named = {*arguments.only, *arguments.task_id}
    _refuse_unknown_names(tasks, named)
    half = choose_half(tasks, arguments.half)
    chosen = [t for t in half if not named or named & _list_names(t)]
    if arguments.sample and arguments.sample < len(chosen):
        drawn = set(random.Random(arguments.seed).sample(range(len(chosen)), arguments.sample))
        chosen = [t for n, t in enumerate(chosen) if n in drawn]
    chosen = chosen[: arguments.limit or None]
    if not chosen:
        raise UsageError("no program is left to heal: see --only and --limit")
    return chosen


def _list_names(task: Task) -> set[str]:
    """What a program can be called: as a line of the run shows it, with the class of its fault or without."""
    return {task.name, task.name.split()[0]}


def _refuse_unknown_names(tasks: Sequence[Task], named: set[str]) -> None:
    unknown = sorted(named.difference(*map(_list_names, tasks)))
    if unknown:
        known = ", ".join(task.name.split()[0] for task in tasks[:3])
        raise UsageError(f"no program is called {unknown[0]!r}; the set has {known} … ({len(tasks)} in all)")


def format_command(words: Sequence[str], arguments: argparse.Namespace) -> str:
    """The command that repeats a measurement, with a word for each path of this machine."""
    places = {str(arguments.path): "PATH", str(arguments.rows): "FILE", str(arguments.ledger): "LEDGER"}
    return shlex.join(["jupyter", "selfheal", "bench", *(places.get(str(word), str(word)) for word in words)])


def build_parser() -> argparse.ArgumentParser:
    """What the command takes."""
    parser = OneLineParser(
        prog="jupyter selfheal bench", description="Measure healing on a set of broken programs.",
        epilog=describe_sets(), formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("what", choices=(*SETS, *LISTS), metavar="SET", help="one of the sets below")
    parser.add_argument(
        "path",
        type=Path,
        nargs="?",
        metavar="PATH",
        help="the data of the set, as below; without it the shipped sample of humaneval or mbpp",
    )
    parser.add_argument("--from-hub", action="store_true", help=f"the published records, by the library datasets ({', '.join(HUB)}); kept as PATH where one is given")  # fmt: skip
    parser.add_argument("--from", dest="start", choices=("fault", "spec"), default="fault", help="programs with a fault, or nothing but their specification (humaneval, mbpp)")  # fmt: skip
    parser.add_argument("--stand-in", action="store_true", help="replies written by hand, shipped, in place of a model: to try the path, never a result")  # fmt: skip
    parser.add_argument("--oracle", default="all", metavar="all|N|docstring", help="the tests that the search may see")
    parser.add_argument("--half", choices=HALVES, default="all", help="programs to tune on, or to judge by: a look at these is written down")  # fmt: skip
    parser.add_argument("--ledger", type=Path, metavar="FILE", help="write this look down there, on any half (those at a judging half always are: benchmarks/ledger.jsonl)")  # fmt: skip
    parser.add_argument("--stage", choices=tuple(STAGES), default=USUAL_STAGE, help="what the rows are for: a first look at programs, work on them, or those that were held back until the end (default development)")  # fmt: skip
    parser.add_argument("--runs", type=read_count, default=1, metavar="N", help="heal each program so often")
    parser.add_argument(
        "--seed", type=int, default=SEED, metavar="S", help="of what is random: injected faults, --sample"
    )
    parser.add_argument("--sample", type=read_count, default=0, metavar="N", help="N programs, drawn by --seed")
    parser.add_argument("--jobs", type=read_count, default=1, metavar="N", help="programs healed at once")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--rows", type=Path, metavar="FILE", help="write rows there as they come, and go on from those that are there"
    )
    parser.add_argument(
        "--traces", type=Path, metavar="DIR", help="keep every step of each heal there: failures names it"
    )
    parser.add_argument("--only", nargs="*", default=(), metavar="NAME", help="these programs")
    parser.add_argument(
        "--task-id", nargs="*", default=(), metavar="ID", help="the same, as HumanEval and MBPP name them"
    )
    parser.add_argument("--limit", "--first", type=read_count, default=0, metavar="N", help="the first N programs")
    add_setting_options(parser)
    return parser


def describe_sets() -> str:
    """The sets with what PATH is for each, and the commands that are none."""
    lines = [
        f"  {found.name:13} {found.path}{'; a sample is shipped' if found.sample else ''}" for found in SETS.values()
    ]
    lines += [f"  {name:13} {about} (`{name} --help`)" for name, about in LISTS.items()]
    others = [f"  {name:13} {about}" for name, about in REPORTS.items()]
    return "\n".join(["sets, and what PATH is:", *lines, "", "in place of a set (each has its own --help):", *others])


def build_config(arguments: argparse.Namespace) -> HealConfig:
    """The settings of every heal: nothing is remembered from one program to the next, and nothing leaves the machine unless a
    healer is named that asks a model. Raises ConfigError, and UsageError where programs are to be written and no model may write them."""
    if arguments.stand_in:
        use_stand_in(arguments)
    config = resolve_options(arguments).config
    healers = tuple(name for name in config.healers if name != "memory")
    paid = any(registry.load_traits(name).paid for name in healers)
    if arguments.start == "spec" and (config.offline or not paid):
        raise UsageError("--from spec needs a model to write the programs: --healers language_model, and no --offline")
    return config.with_(healers=healers, memory=False, offline=config.offline or not paid)


def find_budget(arguments: argparse.Namespace) -> float | None:
    """What all heals together may spend, where somebody said so; each may spend ``budget_usd`` of the settings."""
    said: float | None = arguments.session_budget if arguments.session_budget is not None else arguments.budget
    return said


def build_setup(title: str, oracle: str, seed: int, config: HealConfig) -> Setup:
    """What is measured, as a file of rows names it; models only where one may be asked."""
    if config.offline:
        return Setup(title, oracle, config.healers, seed)
    judges = choose_model(config.judge_provider or config.provider, config)
    asked = (config.provider, config.model, judges)
    warmth, judge = config.temperature, config.judge_provider
    return Setup(title, oracle, config.healers, seed, *asked, temperature=warmth, judge_provider=judge)


def _read_oracle(text: str) -> str:
    if not (text in ("all", "docstring") or (text.isdigit() and int(text) > 0)):
        raise UsageError(f"--oracle is all, docstring or a number of tests, not {text!r}")
    return text


if __name__ == "__main__":
    sys.exit(command(argparse.Namespace(arguments=sys.argv[1:])))
