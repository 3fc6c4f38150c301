"""The small commands: ``trace``, ``graph`` and ``rules``."""

from __future__ import annotations

import argparse
import shutil
import sys

from jupyter_selfheal.surfaces.words import print_lines


def print_trace(options: argparse.Namespace) -> int:
    """List earlier heals, or print some as timelines."""
    from jupyter_selfheal.journal.inspect import (
        format_run_table,
        format_timeline,
        list_numbered_runs,
        list_runs_as_json,
    )
    from jupyter_selfheal.loop import events  # noqa: F401  (registers the classes that a journal holds)

    if not options.runs and options.json:
        for line in list_runs_as_json():
            print(line)
    elif not options.runs:
        columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
        heading, *rows = format_run_table(columns=columns)
        lines = "\n".join((heading, *rows)).split("\n")
        table = [f"{line[: columns - 1]}…" if 0 < columns < len(line) else line for line in lines]
        print("\n".join(table) if rows else "Nothing has been healed yet.")
    runs = [run for named in options.runs for run in list_numbered_runs(named)]
    for number, run in enumerate(runs):
        if number and not options.json:
            print()
        for line in format_timeline(run, options.kind or None, options.index, options.json, options.follow):
            if options.json or options.kind:  # records, and requests word for word
                print(line, flush=options.follow)
            else:
                print_lines([line])
    return 0


def print_graph(options: argparse.Namespace) -> int:
    """Print the loop's machine as a Mermaid diagram."""
    from jupyter_selfheal.loop.machine import format_mermaid

    print(format_mermaid())
    return 0


def print_rules(options: argparse.Namespace) -> int:
    """List every rule, or print the page of one; that of a review's check too."""
    from jupyter_selfheal.healers.rules._docs import explain
    from jupyter_selfheal.scoring.review._docs import explain_check

    page = explain_check(options.code) or explain(options.code)
    if not options.code:
        print(page)
        return 0
    for paragraph in page.strip().split("\n\n"):
        print_lines([" ".join(paragraph.split()), ""])
    return 0
