"""What a run was told when it was begun, beside its journals: ``--resume RUN`` goes on with that, and nothing need be said again."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.cli.notices import print_notice
from jupyter_selfheal.surfaces.cli.one import Job
from jupyter_selfheal.surfaces.cli.one_line_parser import OneLineParser
from jupyter_selfheal.surfaces.notebook.kept_reports import locate_kept, write_private
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.session import find_run

_SETTLED = (
    "notebooks", "include", "exclude", "in_place", "no_provenance", "project", "write", "input", "test", "kernel", "python", "requirements",
    "review", "warnings", "answers", "fresh", "approve", "max_slowdown", "healers", "offline", "install", "outputs",
)  # fmt: skip
"""Options that say what is healed and what counts as proof. They cannot change in the middle of a run; its limits, its model, where healed notebooks
go and what is printed can, since that is often why a run is gone on with."""

_ONE_OF = (("output", "output_dir", "in_place"), ("quiet", "verbose"), ("jobs", "cluster"))
"""Options of which the one that is given anew takes the place of the others."""


@dataclass(frozen=True, slots=True)
class BegunRun:
    """The words of a command, the folder that it was given in, and what it was to do."""

    words: tuple[str, ...]
    folder: str
    jobs: tuple[Job, ...]
    problems: tuple[NotebookReport, ...]


def keep_command(
    run: str, options: argparse.Namespace, jobs: Sequence[Job], problems: Sequence[NotebookReport]
) -> None:
    """Keep what a run is told. Where it cannot be kept, its whole command must be given to go on with it."""
    kept = {
        "words": list(options.words),
        "folder": os.getcwd(),
        "jobs": [[str(job.path), None if job.target is None else str(job.target), job.part, job.copy_healthy] for job in jobs],
        "problems": [[problem.path, problem.error] for problem in problems],
    }  # fmt: skip
    with contextlib.suppress(OSError):
        path = locate_kept(run)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(path, f"{json.dumps(kept)}\n".encode("utf-8", "surrogatepass"))


def take_up_run(options: argparse.Namespace, parser: OneLineParser) -> tuple[argparse.Namespace, BegunRun | None]:
    """The options of the run that is gone on with, and what it was to do; None where that is not known, or other places are named.

    The command goes on in the folder that it was begun in. Raises :class:`UsageError` where an option contradicts the run's, and where neither
    the run nor the options say what is healed.
    """
    run = find_run(options.resume)
    begun = _read_command(run)
    if begun is None:
        if not options.notebooks:
            raise UsageError(
                f"run {run} came to its end, or what it was told is not kept any more: give its command once more, its notebooks too, with --resume {run}"
            )
        return options, None
    then = parser.parse_args(begun.words)
    if then.command != options.command:
        raise UsageError(f"run {run} is one of `{then.command}`: jupyter selfheal {then.command} --resume {run}")
    unsaid = vars(parser.parse_args([options.command]))
    given = {n: v for n, v in vars(options).items() if n not in ("resume", "words") and v != unsaid.get(n)}
    given = {name: _make_absolute(value, os.getcwd()) for name, value in given.items()}
    for name in _SETTLED:
        if name in given and given[name] != _make_absolute(getattr(then, name), begun.folder):
            raise UsageError(_describe_contradiction(run, name, getattr(then, name), unsaid[name]))
    _enter_folder(run, begun.folder)
    anew = {name: value for name, value in given.items() if name not in _SETTLED}
    replaced = {name: unsaid[name] for names in _ONE_OF if anew.keys() & names for name in names}
    merged = {**vars(then), **replaced, **anew, "resume": options.resume, "words": begun.words}
    return argparse.Namespace(**merged), None if anew.keys() & _ONE_OF[0] else begun


def _read_command(run: str) -> BegunRun | None:
    try:
        kept = json.loads(locate_kept(run).read_text(encoding="utf-8", errors="surrogatepass"))
        jobs = tuple(
            Job(Path(path), None if target is None else Path(target), part, copy_healthy=copy_healthy)
            for path, target, part, copy_healthy in kept["jobs"]
        )
        problems = tuple(NotebookReport(path, error=error) for path, error in kept["problems"])
        return BegunRun(tuple(kept["words"]), kept["folder"], jobs, problems)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _enter_folder(run: str, folder: str) -> None:
    if os.path.realpath(folder) == os.path.realpath(os.getcwd()):
        return
    try:
        os.chdir(folder)
    except OSError as error:
        raise UsageError(f"run {run} was begun in {folder}, which cannot be entered: {error.strerror}") from error
    print_notice(f"run {run} goes on in {folder}, where it was begun")


def _make_absolute(value: Any, folder: str) -> Any:
    """A path, or each of several, as it is meant in a folder; any other value as it is."""
    if isinstance(value, Path):
        return Path(os.path.normpath(Path(folder, value)))
    return [_make_absolute(item, folder) for item in value] if isinstance(value, list) else value


def _describe_contradiction(run: str, name: str, value: Any, unsaid: Any) -> str:
    """What the run was told of an option that is given otherwise now."""
    option = "" if name == "notebooks" else f"--{name.replace('_', '-')}"
    values = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    if name == "notebooks":
        said = f"heals {values or 'no notebook'}"
    elif name == "input":  # one may be a password
        said = "was begun with other answers for --input"
    elif value == unsaid:
        said = f"was begun without {option}"
    elif isinstance(value, bool):
        said = f"was begun with {option}{'' if value else ' switched off'}"
    else:
        said = f"was begun with {option} {values}"
    other = "others" if name == "notebooks" else "it otherwise"
    return f"run {run} {said}: `--resume {run}` alone goes on with it; to have {other}, begin a new run"
