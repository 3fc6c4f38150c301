"""``jupyter selfheal bench resilience``: make each fault on purpose, and print what came of it as a table."""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench.resilience.faults import Fault, Seen
from jupyter_selfheal.surfaces.bench.resilience.run_faults import list_run_faults
from jupyter_selfheal.surfaces.bench.resilience.service_faults import list_service_faults
from jupyter_selfheal.surfaces.bench.resilience.stand_in import PROVIDERS
from jupyter_selfheal.surfaces.bench.resilience.trial_faults import RealState, list_trial_faults
from jupyter_selfheal.surfaces.cli.one_line_parser import OneLineParser

KINDS = ("money", "model", "service", "trial", "run")
HEADINGS = ("fault", "expected", "seen", "lost", "orphans")


def command(words: Sequence[str]) -> int:
    """Run the faults; exit code 1 where one came otherwise than it must."""
    arguments = build_parser().parse_args(words)
    with open_faults(arguments.provider) as faults:
        chosen = [f for f in faults if f.kind in (arguments.only or KINDS)][: arguments.limit or None]
        if not chosen:
            raise UsageError("no fault is left to make: see --only and --limit")
        found = []
        for fault in chosen:
            found.append((fault, seen := make_fault(fault)))
            if not (arguments.json or arguments.markdown):
                print(format_row(fault, seen, shutil.get_terminal_size().columns), flush=True)
    if arguments.json:
        print(
            json.dumps([{**_describe_fault(fault), **asdict(seen), "passed": seen.has_passed} for fault, seen in found])
        )
    elif arguments.markdown:
        print(format_markdown(found))
    wrong = sum(not seen.has_passed for _, seen in found)
    if not (arguments.json or arguments.markdown):
        print(
            f"\n{len(found)} faults, {len(found) - wrong} came as they must" + (f", {wrong} did not" if wrong else "")
        )
    return 1 if wrong else 0


def build_parser() -> argparse.ArgumentParser:
    """What the command takes."""
    parser = OneLineParser(
        prog="jupyter selfheal bench resilience",
        description="Make faults on purpose, and see what comes of each. Nothing leaves this machine: a server on it stands in for a model.",
    )
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="the first N faults")
    parser.add_argument(
        "--only", nargs="+", choices=KINDS, metavar="KIND", help=f"faults of these kinds: {', '.join(KINDS)}"
    )
    parser.add_argument(
        "--provider", choices=PROVIDERS, default=PROVIDERS[0], help="whose client speaks to the stand-in"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON list")
    form.add_argument("--markdown", action="store_true", help="print a Markdown table")
    return parser


@contextlib.contextmanager
def open_faults(provider: str = PROVIDERS[0]) -> Iterator[tuple[Fault, ...]]:
    """All faults; what they share (a kernel) is let go of at the end."""
    with (
        tempfile.TemporaryDirectory(prefix="selfheal-resilience-") as folder,
        RealState(Path(folder)) as state,
    ):
        yield (*list_service_faults(provider), *list_trial_faults(state), *list_run_faults(provider))


def make_fault(fault: Fault) -> Seen:
    """What comes of a fault, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="selfheal-fault-") as folder:
        return fault.make(Path(folder))


def _describe_fault(fault: Fault) -> dict[str, str]:
    return {"fault": fault.name, "kind": fault.kind, "expected": fault.expected}


def _list_cells(fault: Fault, seen: Seen) -> tuple[str, ...]:
    return fault.name, fault.expected, seen.what, ", ".join(seen.lost) or "nothing", str(seen.orphans or "none")


def format_row(fault: Fault, seen: Seen, columns: int = 80) -> str:
    """One fault in a few lines, as wide as the terminal."""
    name, *cells = _list_cells(fault, seen)
    lines = [f"{'✓' if seen.has_passed else '✗'} {name}"]
    for heading, text in zip(HEADINGS[1:3], cells, strict=False):
        lines += textwrap.wrap(text, max(columns, 40), initial_indent=f"    {heading:9} ", subsequent_indent=" " * 14)
    return "\n".join([*lines, f"    {'lost':9} {cells[2]}; orphans: {cells[3]}"])


def format_markdown(found: Sequence[tuple[Fault, Seen]]) -> str:
    """The whole as one table."""
    lines = [f"| {' | '.join(HEADINGS)} |", f"|{'---|' * len(HEADINGS)}"]
    return "\n".join(lines + [f"| {' | '.join(_list_cells(fault, seen))} |" for fault, seen in found])
