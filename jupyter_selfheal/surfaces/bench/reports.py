"""``jupyter selfheal bench compare|variance|regress|failures|figures|csv|dashboard``: what rows of earlier runs say."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench.configurations import (
    Configuration,
    compare,
    compare_means,
    read_configurations,
)
from jupyter_selfheal.surfaces.bench.csv_rows import report_csv
from jupyter_selfheal.surfaces.bench.failures import FORMATS, report_failures
from jupyter_selfheal.surfaces.bench.figures import report_figures
from jupyter_selfheal.surfaces.bench.ledger import LEDGER
from jupyter_selfheal.surfaces.bench.statistics import LEVEL, Difference, Share, correct_for_many, pass_at_k
from jupyter_selfheal.surfaces.cli.one_line_parser import OneLineParser

SLOWER = 1.2
"""How much longer a heal may take before it is a regression: less is noise of the machine."""


def command(words: Sequence[str]) -> int:
    """Run one of the reports, print it, and return the exit code."""
    name, *rest = words
    arguments = build_parser(name).parse_args(rest)
    report: Callable[[argparse.Namespace], tuple[str, int]] = REPORTS[name][0]
    try:
        text, code = report(arguments)
    except OSError as error:
        raise UsageError(
            f"{error.filename or name} cannot be written ({error.strerror}): name another place"
        ) from error
    print(text)
    return code


def build_parser(name: str) -> argparse.ArgumentParser:
    """What a report takes."""
    about, files = REPORTS[name][1], REPORTS[name][2]
    parser = OneLineParser(prog=f"jupyter selfheal bench {name}", description=about)
    for file in files:
        parser.add_argument(file.lower(), type=Path, metavar=file)
    if not files:
        parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="rows that `bench --rows` wrote")
    if name == "figures":
        parser.add_argument("--ledger", type=Path, default=LEDGER, metavar="FILE", help="the looks at judging halves")
        parser.add_argument(
            "--into", type=Path, metavar="PAGE", help="replace the tables between the markers of a page"
        )
        parser.add_argument(
            "--keep", type=Path, metavar="DIR", help="also keep copies of the rows there, without what they quote"
        )
    if name == "failures":
        parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="text (the default), Markdown or one HTML page")  # fmt: skip
    if name == "regress":
        parser.add_argument(
            "--counts", action="store_true", help="compare counts alone, no seconds: for a busy machine"
        )
    if name == "dashboard":
        parser.add_argument("-o", "--output-dir", type=Path, required=True, metavar="DIR", help="where the pictures go")
    return parser


# --- compare --------------------------------------------------------------------------------------------------------


def report_comparison(arguments: argparse.Namespace) -> tuple[str, int]:
    """Each configuration on a line, then each pair."""
    found = read_configurations(arguments.files)
    first = found[0].setup
    lines = [f"{first.set}, oracle {first.oracle}", ""]
    width = max(len(c.name) for c in found)
    lines += [f"{'':{width}} {'tasks':>5} {'runs':>4}  {'correct':22} {'applied':>7} {'wrong':>5}  $ per solved"]
    lines += [_format_configuration(c, width) for c in found]
    lines += ["", *map(_format_lift, written)] if (written := [c for c in found if c.setup.start == "spec"]) else []
    if len(found) > 1:
        pairs = list(itertools.combinations(found, 2))
        differences = [compare(a, b) for a, b in pairs]
        corrected = correct_for_many([d.p for d in differences])
        lines += ["", *(_format_pair(a, b, d, p) for (a, b), d, p in zip(pairs, differences, corrected, strict=True))]
        lines += [
            "",
            f"Intervals: {LEVEL:.0%}. p: McNemar exact, or permutations of tasks where there are several runs; Holm's correction.",
        ]
    return "\n".join(lines), 0


def _format_configuration(found: Configuration, width: int) -> str:
    applied = sum(r.plausible for r in found.rows)
    wrong = sum(r.plausible and not r.correct for r in found.rows)
    cost = found.cost_per_solved
    dollars = "no price" if not found.has_price else "-" if cost is None else f"{cost:.4f}"
    return f"{found.name:{width}} {len(found.failing):5} {found.runs:4}  {_format_share(found.success):22} {applied:7} {wrong:5}  {dollars}"


def _format_lift(found: Configuration) -> str:
    first, lift = found.first_success, found.lift
    size = f"{lift.value:+.1%} [{lift.low:+.1%}, {lift.high:+.1%}], p {lift.p:.3g}"
    words = "" if lift.p < 1 - LEVEL else ": no difference was shown"
    return f"{found.name}: zero-shot {_format_share(first).strip()}, healed {_format_share(found.success).strip()}, lift {size}{words}"


def _format_share(share: Share) -> str:
    return f"{share.value:6.1%} [{share.low:.1%}, {share.high:.1%}]"


def _format_pair(first: Configuration, second: Configuration, found: Difference, p: float) -> str:
    shown = f"{second.name} − {first.name}: {found.value:+.1%} [{found.low:+.1%}, {found.high:+.1%}]"
    size = f"{found.gained} gained, {found.lost} lost of {found.tasks}, h {found.effect:+.2f}, p {found.p:.3g}, Holm {p:.3g}"
    words = "a difference was shown" if p < 1 - LEVEL else "no difference was shown"
    return f"{shown}; {size}: {words}"


# --- variance -------------------------------------------------------------------------------------------------------


def report_variance(arguments: argparse.Namespace) -> tuple[str, int]:
    """Success by run, pass@k, and the tasks whose runs differ."""
    lines = []
    for found in read_configurations(arguments.files):
        if found.runs < 2:
            raise UsageError(f"{found.name} has one run of a task: measure with --runs 3 for an interval")
        lines += [
            f"{found.name}: {len(found.failing)} tasks, {found.runs} runs each, {_format_share(found.success)} correct"
        ]
        for k in range(1, found.runs + 1):
            rates = [
                pass_at_k(len(rows), sum(r.correct for r in rows), k)
                for rows in map(found.tasks.__getitem__, found.failing)
            ]
            lines.append(f"  pass@{k} {sum(rates) / len(rates):.1%}")
        flips = [name for name, rows in found.tasks.items() if len({r.correct for r in rows}) > 1]
        lines.append(f"  {len(flips)} {'task flips' if len(flips) == 1 else 'tasks flip'}" + (":" if flips else ""))
        lines += [f"    {name}: {''.join('✓' if r.correct else '·' for r in found.tasks[name])}" for name in flips]
    return "\n".join(lines), 0


# --- regress --------------------------------------------------------------------------------------------------------


def report_regression(arguments: argparse.Namespace) -> tuple[str, int]:
    """Whether the new rows are worse than the baseline beyond what noise explains; exit code 1 where they are."""
    old, new = read_configurations([arguments.baseline, arguments.new])
    difference = compare(old, new)
    worse = []
    if difference.high < 0 and difference.p < 1 - LEVEL:
        worse.append(
            f"success fell by {-difference.value:.1%} (p {difference.p:.3g}): {difference.lost} lost, {difference.gained} gained"
        )
    if arguments.counts and not (old.setup.model or new.setup.model) and (lost := _find_lost_tasks(old, new)):
        worse.append(f"no longer healed correctly: {', '.join(lost)}")  # rules and search do the same again
    wrong = compare_means(_mark_wrong(old), _mark_wrong(new), "differed")
    if wrong.low > 0:
        worse.append(f"wrong patches that were applied rose by {wrong.value:.1%} of the tasks")
    if compare_means(old, new, "dollars_spent").low > 0:
        worse.append("dollars a task rose")
    kind, unit = ("rank", "candidates") if arguments.counts else ("cpu", "CPU-seconds")
    longer = compare_means(old, new, kind)
    mean = sum(old.means(kind)) / len(old.tasks)
    if longer.low > (SLOWER - 1) * mean:
        worse.append(f"the search takes {longer.value:+.2f} {unit} a task, where it took {mean:.2f}")
    if worse:
        return "\n".join(f"worse: {line}" for line in worse), 1
    return f"no regression was shown: {difference.gained} gained, {difference.lost} lost of {difference.tasks} tasks", 0


def _find_lost_tasks(old: Configuration, new: Configuration) -> list[str]:
    """The tasks of both that fewer runs heal correctly."""
    shared = [name for name in old.tasks if name in new.tasks]
    rates = zip(shared, old.rates(names=shared), new.rates(names=shared), strict=True)
    return [name for name, before, after in rates if after < before]


def _mark_wrong(found: Configuration) -> Configuration:
    """With 1 in ``differed`` for each applied patch that is wrong, so that it has a mean."""
    from dataclasses import replace

    tasks = {
        name: [replace(r, differed=int(r.plausible and not r.correct)) for r in rows]
        for name, rows in found.tasks.items()
    }
    return Configuration(found.name, found.setup, tasks)


# --- dashboard ------------------------------------------------------------------------------------------------------


def report_dashboard(arguments: argparse.Namespace) -> tuple[str, int]:
    """Pictures and a page; the text names them."""
    from jupyter_selfheal.surfaces.bench.dashboard import write_dashboard

    written = write_dashboard(read_configurations(arguments.files), arguments.output_dir)
    return "\n".join(map(str, written)), 0


REPORTS: dict[str, tuple[Callable[[argparse.Namespace], tuple[str, int]], str, tuple[str, ...]]] = {
    "compare": (report_comparison, "Compare configurations by their rows of the same tasks.", ()),
    "variance": (report_variance, "How much the runs of each task differ.", ()),
    "regress": (report_regression, "Exit with 1 where NEW is worse than BASELINE.", ("BASELINE", "NEW")),
    "failures": (report_failures, "What was not healed, grouped, with the nearest misses.", ()),
    "figures": (report_figures, "Tables for a page, made from rows.", ()),
    "csv": (report_csv, "All rows as one table, for R, pandas or a spreadsheet.", ()),
    "dashboard": (report_dashboard, "Four panels as PNG, PDF and one HTML page.", ()),
}
"""Each report: its function, what it is for, and its files (any number where none is named)."""
