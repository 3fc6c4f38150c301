"""The options of the commands that heal: which notebooks, where to, how they run, what heals them, and what is told."""

from __future__ import annotations

import argparse
from pathlib import Path

from jupyter_selfheal.surfaces.cli.number_options import read_count, read_factor, read_seconds
from jupyter_selfheal.surfaces.cli.publishing_options import add_options_of_publishing
from jupyter_selfheal.surfaces.cli.setting_options import add_setting_options

HEAL = """\
Run each notebook in its own kernel, find the root failures, heal them, and prove the healed notebook in a clean kernel.
The notebook's kernelspec and folder are used; what its cells write is thrown away unless --write is given.

Exit code: 0 everything runs (healed, healthy, or meant to fail), 1 something is still broken, 2 usage or infrastructure
(also where a service that was down, or a missing key, kept a cell from being tried: --resume goes on with it; and where
what was healed could not be run once more as a whole).
A cell that runs but gives another value than is stored is named at the end; with --outputs expect it counts as broken."""
CHECK = """\
Run each notebook as heal does, diagnose what fails and prove what would heal it. Nothing is changed and nothing is written.

Exit code: 0 everything runs, 1 something fails, 2 usage or infrastructure."""


def add_heal_options(heal: argparse.ArgumentParser) -> None:
    """The options of ``heal``."""
    _add_options_of_choice(heal, "*", " (none: what --test says of --project is healed)")
    _add_options_of_place(heal)
    _add_options_of_running(heal)
    _add_options_of_healing(heal)
    heal.add_argument(
        "--approve",
        choices=("all", "safe", "ask", "none"),
        help="which proven fixes are applied (default: all; with --in-place: safe)",
    )
    _add_options_of_output(heal)


def add_check_options(check: argparse.ArgumentParser) -> None:
    """The options of ``check``: those of ``heal`` that change and write nothing."""
    _add_options_of_choice(check, "*", " (none: what --test says of --project is looked at)")
    check.add_argument(
        "--project", type=Path, metavar="DIR", help="the folder of Python files whose tests --test names"
    )
    _add_options_of_running(check)
    _add_options_of_healing(check)
    _add_options_of_output(check)
    check.set_defaults(output=None, output_dir=None, in_place=False, write=False, approve="none")


def add_pr_options(pr: argparse.ArgumentParser) -> None:
    """The options of ``pr``."""
    _add_options_of_choice(pr, "*", " (none: this folder)")
    add_options_of_publishing(pr)
    _add_options_of_running(pr)
    _add_options_of_healing(pr)
    _add_options_of_output(pr)
    pr.set_defaults(output=None, output_dir=None, in_place=False, write=False, project=None)


def _add_options_of_choice(heal: argparse.ArgumentParser, nargs: str = "+", none: str = "") -> None:
    heal.add_argument(
        "notebooks",
        nargs=nargs,
        type=Path,
        metavar="PATH",
        help=f"notebooks, folders of notebooks, or quoted patterns{none}",
    )
    for name, what in (("include", "only what matches"), ("exclude", "not what matches")):
        heal.add_argument(
            f"--{name}",
            action="append",
            default=[],
            metavar="PATTERN",
            help=f"in folders, {what} this pattern, written as in a .gitignore; may be given several times",
        )


def _add_options_of_place(heal: argparse.ArgumentParser) -> None:
    place = heal.add_mutually_exclusive_group()
    place.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        help="write the healed notebook here (one NOTEBOOK); a folder that is missing is made",
    )
    place.add_argument("--output-dir", type=Path, metavar="DIR", help="write each healed notebook into this folder")
    place.add_argument("--in-place", action="store_true", help="replace the notebook itself, atomically")
    heal.add_argument(
        "--no-provenance",
        action="store_true",
        help="do not write into the metadata of healed cells what was changed (`log` and `revert` read that)",
    )
    heal.add_argument(
        "--project",
        type=Path,
        metavar="DIR",
        help="let the Python files in this folder be healed too; without it a fix of a file is only shown",
    )
    heal.add_argument("--write", action="store_true", help="let the notebook's cells write files (else: thrown away)")


def _add_options_of_running(heal: argparse.ArgumentParser) -> None:
    heal.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="TEXT",
        help="the answer to the notebook's next input(); once for each, in their order",
    )
    heal.add_argument(
        "--test",
        default="",
        metavar="COMMAND",
        help='the project\'s tests, such as "pytest -q": with a healed file those that fail must pass, and the others still do',
    )
    heal.add_argument("--timeout", type=read_seconds, metavar="S", help="seconds a cell may run (default 120)")
    heal.add_argument(
        "--run-timeout",
        type=read_seconds,
        metavar="S",
        help="seconds for the whole command; notebooks that were not begun by then are named (default: no limit)",
    )
    heal.add_argument(
        "--jobs",
        type=read_count,
        metavar="N",
        help="notebooks at once, each in kernels of its own (default: as cores and free memory allow, from eight notebooks on)",
    )
    heal.add_argument(
        "--cluster",
        type=_read_cluster,
        metavar="WHERE",
        help="heal on Dask workers that see the same files: dask://HOST:PORT, or local:N for N processes of this machine",
    )
    heal.add_argument(
        "--kernel", default="", metavar="NAME", help="run on this kernelspec instead of the notebook's own"
    )
    heal.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="PYTHON",
        help="a version or a program: run in a new environment with this Python; a folder: in that environment, as it is; given twice (oldest, newest), healed in the last, proven in each",
    )
    heal.add_argument(
        "--requirements",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="run in an environment made from this file; given twice (oldest, newest), healed in the last, proven in each",
    )


def _add_options_of_healing(heal: argparse.ArgumentParser) -> None:
    heal.add_argument(
        "--review",
        action="store_true",
        help="also list doubts about cells that run; nothing is changed because of them",
    )
    heal.add_argument(
        "--warnings",
        action="store_true",
        help="also heal what a cell's own line is warned of (deprecations), where the same comes out without the warning",
    )
    heal.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="answers to the questions of an earlier run (TOML or JSON: id = value)",
    )
    heal.add_argument("--fresh", action="store_true", help="use fresh kernels and replay instead of forks")
    heal.add_argument(
        "--no-cache",
        action="store_true",
        help="also run notebooks that ran without a failure and depend on nothing that has changed since",
    )
    heal.add_argument(
        "--max-slowdown",
        type=read_factor,
        metavar="N",
        help="refuse fixes with which a notebook takes more than N times as long (default: it is said, not refused)",
    )
    heal.add_argument(
        "--resume",
        default="",
        metavar="RUN",
        help="go on with a run that was cut off, with its notebooks and options: none need be given again",
    )
    add_setting_options(heal)


def _add_options_of_output(heal: argparse.ArgumentParser) -> None:
    heal.add_argument(
        "--report",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="write a report: .html, .json, .xml (JUnit), .md or .sarif; may be given several times",
    )
    heal.add_argument(
        "--annotations", action="store_true", help="print GitHub's workflow commands: an error at each failing line"
    )
    heal.add_argument("--json", action="store_true", help="print the report as JSON instead of the table")
    loud = heal.add_mutually_exclusive_group()
    loud.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
    loud.add_argument("-v", "--verbose", action="store_true", help="say more about each cell")


def _read_cluster(text: str) -> str:
    from jupyter_selfheal.surfaces.cluster.dask_cluster import check_address

    try:
        return check_address(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
