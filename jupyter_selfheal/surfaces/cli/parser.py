"""The options of every command. Nothing heavy is imported: ``--help`` answers at once."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from pathlib import Path

from jupyter_selfheal._version import __version__
from jupyter_selfheal.surfaces.cli.heal_options import CHECK, HEAL, add_check_options, add_heal_options, add_pr_options
from jupyter_selfheal.surfaces.cli.number_options import read_count, read_port, read_seconds
from jupyter_selfheal.surfaces.cli.one_line_parser import OneLineParser
from jupyter_selfheal.surfaces.cli.publishing_options import PUBLISHING
from jupyter_selfheal.surfaces.cli.setting_options import add_setting_options, make_setting_reader

Command = Callable[[argparse.Namespace], int]

COMMANDS = {
    "heal": "jupyter_selfheal.surfaces.cli.heal:heal",
    "check": "jupyter_selfheal.surfaces.cli.heal:heal",
    "pr": "jupyter_selfheal.surfaces.pr.command:run_pr",
    "log": "jupyter_selfheal.surfaces.cli.undo:print_log",
    "revert": "jupyter_selfheal.surfaces.cli.undo:revert",
    "trace": "jupyter_selfheal.surfaces.cli.commands:print_trace",
    "graph": "jupyter_selfheal.surfaces.cli.commands:print_graph",
    "rules": "jupyter_selfheal.surfaces.cli.commands:print_rules",
    "bench": "jupyter_selfheal.surfaces.bench.run:command",
    "memory": "jupyter_selfheal.surfaces.cli.memory:run_memory",
    "config": "jupyter_selfheal.surfaces.cli.settings:print_settings",
    "doctor": "jupyter_selfheal.surfaces.cli.doctor:run_doctor",
    "report-bug": "jupyter_selfheal.surfaces.cli.report_bug:run_report_bug",
    "enable": "jupyter_selfheal.surfaces.cli.profile:enable",
    "disable": "jupyter_selfheal.surfaces.cli.profile:disable",
    "bisect": "jupyter_selfheal.surfaces.notebook.bisect:bisect",
    "minimize": "jupyter_selfheal.surfaces.minimize.command:minimize",
    "mcp": "jupyter_selfheal.surfaces.mcp.command:run_mcp",
}
"""What each command runs, by string: a command imports its parts only when it is called."""


def find_command(options: argparse.Namespace) -> Command:
    """The function that runs the chosen command."""
    module, name = COMMANDS[options.command].split(":")
    command: Command = getattr(importlib.import_module(module), name)
    return command


def build_parser() -> OneLineParser:
    """The whole command line."""
    parser = OneLineParser(
        prog="jupyter selfheal",
        description="Heals failing notebook cells. Every fix has run in a kernel of its own before it is offered.",
    )
    parser.add_argument("--version", action="version", version=f"jupyter-selfheal {__version__}")
    parser.set_defaults(words=())  # those of the command line, once it is read
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_heal_options(commands.add_parser("heal", help="heal notebooks", description=HEAL, formatter_class=_Paragraphs))
    add_check_options(commands.add_parser("check", help="say what fails and what would heal it; write nothing",
                                           description=CHECK, formatter_class=_Paragraphs))  # fmt: skip
    add_pr_options(commands.add_parser("pr", help="heal, push one branch, and open or update one pull request",
                                        description=PUBLISHING, formatter_class=_Paragraphs))  # fmt: skip
    _add_undo_options(
        commands.add_parser("log", help="list the fixes that a notebook's metadata tells of"),
        commands.add_parser("revert", help="take fixes back: all, those of a cell, or one"),
    )
    _add_trace_options(commands.add_parser("trace", help="list earlier heals, or show one as a timeline"))
    commands.add_parser("graph", help="print the loop's states and transitions as a Mermaid diagram")
    rules = commands.add_parser("rules", help="list the rules, or explain one")
    rules.add_argument(
        "code",
        nargs="?",
        default="",
        metavar="CODE",
        help="a rule's code, such as NAM101, or a check's, such as REV101",
    )
    bench = commands.add_parser("bench", help="measure healing on a benchmark", add_help=False, prefix_chars="\0")
    bench.add_argument("arguments", nargs=argparse.REMAINDER, help="see `jupyter selfheal bench --help`")
    _add_memory_actions(commands.add_parser("memory", help="list, show, export or forget what was approved before"))
    config = commands.add_parser("config", help="show every setting of a heal, and where it came from")
    config.add_argument("--json", action="store_true", help="as JSON")
    add_setting_options(config)
    doctor = commands.add_parser("doctor", help="say what works here, and why something does not")
    doctor.add_argument("--json", action="store_true", help="as JSON")
    _add_bug_options(commands.add_parser("report-bug", help="write one file for a bug report; nothing is sent"))
    for name, what in (
        ("enable", "heal in every session, by a line of the IPython profile"),
        ("disable", "take that line out again"),
    ):
        switch = commands.add_parser(name, help=what)
        switch.add_argument("--profile", default="default", metavar="NAME", help="the IPython profile (default)")
    _add_minimize_options(
        commands.add_parser("minimize", help="the smallest notebook that fails in the same way, for a bug report")
    )
    _add_bisect_options(commands.add_parser("bisect", help="the first cell that no longer gives what is stored for it"))
    _add_mcp_options(
        commands.add_parser("mcp", help="serve coding agents: their edits are proven before a file is touched")
    )
    return parser


def _add_trace_options(trace: argparse.ArgumentParser) -> None:
    trace.add_argument(
        "runs",
        nargs="*",
        metavar="RUN",
        help="a run's id, or the beginning of it (one after the other those that it numbers)",
    )
    trace.add_argument("--kind", default="", help="only events of this kind")
    trace.add_argument("--index", type=int, metavar="N", help="only event N, in full")
    trace.add_argument("--json", action="store_true", help="as JSON lines: events, or without RUN the runs")
    trace.add_argument("--follow", action="store_true", help="go on as the run goes on")


def _add_bisect_options(bisect: argparse.ArgumentParser) -> None:
    bisect.add_argument("notebook", type=Path, metavar="NOTEBOOK", help="a notebook with stored outputs")
    bisect.add_argument("--timeout", type=read_seconds, default=60.0, metavar="S", help="for one cell (60)")
    bisect.add_argument("--kernel", default="", metavar="NAME", help="a kernelspec in place of the notebook's own")


def _add_bug_options(bug: argparse.ArgumentParser) -> None:
    bug.add_argument("run", nargs="?", default="last", metavar="RUN", help="a run's id (default: the last run)")
    bug.add_argument("-o", "--output", type=Path, metavar="OUT", help="default: selfheal-report-RUN.json here")
    bug.add_argument("--sources", action="store_true", help="with your cells, messages and values; secrets never")


def _add_minimize_options(minimize: argparse.ArgumentParser) -> None:
    minimize.add_argument("notebook", type=Path, metavar="NOTEBOOK", help="a notebook that fails")
    minimize.add_argument("-o", "--output", type=Path, metavar="OUT", help="default: NAME.minimal.ipynb beside it")
    minimize.add_argument(
        "--cell", type=read_count, metavar="N", help="the failing cell, as `heal` numbers them (the first that fails)"
    )
    minimize.add_argument("--seconds", type=read_seconds, default=60.0, metavar="S", help="for all trials (60)")
    minimize.add_argument("--timeout", type=read_seconds, default=30.0, metavar="S", help="for one trial (30)")
    minimize.add_argument("--kernel", default="", metavar="NAME", help="a kernelspec in place of the notebook's own")


def _add_mcp_options(mcp: argparse.ArgumentParser) -> None:
    mcp.add_argument(
        "--root",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder whose notebooks may be touched (again for more; default: the working directory)",
    )
    mcp.add_argument(
        "--http", type=read_port, metavar="PORT", help="serve HTTP on 127.0.0.1 instead of stdin (0: any port)"
    )
    mcp.add_argument("--offline", action="store_true", help="no network for the notebooks' own cells")
    mcp.add_argument(
        "--healers",
        type=make_setting_reader("healers"),
        metavar="LIST",
        help="who may propose fixes; language_model is asked only if it is named here and a call gives a budget",
    )
    mcp.add_argument(
        "--budget",
        type=make_setting_reader("budget_usd"),
        metavar="USD",
        help="the most that all calls together may spend on a model, until the server ends (default 1.00); a call names its share",
    )
    mcp.add_argument(
        "--config", type=Path, metavar="FILE", help="further settings in TOML (or SELFHEAL_NAME in the environment)"
    )
    mcp.add_argument("--timeout", type=read_seconds, metavar="S", help="seconds a cell may run (default 120)")
    mcp.add_argument(
        "--kernelspec", default="", metavar="NAME", help="run notebooks on this kernelspec instead of their own"
    )
    mcp.add_argument(
        "--kernel",
        default="",
        metavar="ID",
        help="serve the session of this running kernel, where the extension is loaded, instead of files (with --server also the notebook's name)",
    )
    mcp.add_argument(
        "--server",
        default="",
        metavar="URL",
        help="the Jupyter server on this machine that runs it; its token is taken from JUPYTER_TOKEN",
    )
    mcp.add_argument(
        "--any-host", action="store_true", help="let --server name another address of this machine than 127.0.0.1"
    )
    mcp.add_argument("--fresh", action="store_true", help="use fresh kernels and replay instead of forks")


def _add_undo_options(log: argparse.ArgumentParser, revert: argparse.ArgumentParser) -> None:
    for parser in (log, revert):
        parser.add_argument("notebook", type=Path, metavar="NOTEBOOK")
    log.add_argument("--json", action="store_true", help="as JSON")
    revert.add_argument("--cell", type=read_count, default=0, metavar="N", help="only in cell N, as `log` counts them")
    revert.add_argument("--fix", default="", metavar="ID", help="only the fix with this id, or the beginning of it")


def _add_memory_actions(memory: argparse.ArgumentParser) -> None:
    actions = memory.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser("list", help="one line for each remembered patch (the default)")
    for name, what in (("show", "one patch in full"), ("forget", "forget these patches, or `all`")):
        action = actions.add_parser(name, help=what)
        action.add_argument("ids", nargs="+" if name == "forget" else 1, metavar="ID")
    export = actions.add_parser("export", help="everything as JSON")
    export.add_argument("file", nargs="?", type=Path, metavar="FILE", help="where to (default: printed)")


class _Paragraphs(argparse.HelpFormatter):
    """Keeps the paragraphs of a description, each as wide as the terminal."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        return "\n\n".join(fill(paragraph, width, indent) for paragraph in text.split("\n\n"))
