"""``--python`` and ``--requirements``: the environments that a command's notebooks are run in."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.cli.notices import print_notice
from jupyter_selfheal.surfaces.notebook.settings import Environment, Settings


def plan_environments(options: argparse.Namespace) -> list[tuple[str, Path | None]]:
    """The Python and the requirements of each; none where neither option is given. Raises :class:`UsageError`."""
    pythons, files = list(options.python), list(options.requirements)
    count = max(len(pythons), len(files))
    if not count:
        return []
    for name, given in (("--python", pythons), ("--requirements", files)):
        if len(given) not in (0, 1, count):
            raise UsageError(f"{name} is given {len(given)} times, the other {count} times: once, or as often")
    for path in files:
        if not path.is_file():
            raise UsageError(f"--requirements {path}: no such file")
    if files and (folder := next((p for p in pythons if Path(p).is_dir()), "")):
        raise UsageError(f"--python {folder} is an environment as it is, and takes no --requirements: leave one out")
    others = (("--kernel", options.kernel), ("--cluster", options.cluster), ("--project", options.project))
    for name, value in others:
        if value:
            raise UsageError(f"{name} cannot be combined with --python or --requirements: leave one of the two out")
    pythons = pythons * count if len(pythons) == 1 else pythons or [""] * count
    wanted: list[Path | None] = [*files] * count if len(files) == 1 else [*files] or [None] * count
    return list(zip(pythons, wanted, strict=True))


def add_environments(settings: Settings, options: argparse.Namespace, stack: ExitStack) -> Settings:
    """The settings with the environments that the options name, made now and removed when the stack is closed.

    Raises :class:`InfrastructureError` where one cannot be made.
    """
    planned = plan_environments(options)
    if not planned:
        return settings
    from jupyter_selfheal import engine

    make, environments = engine.open_environments(stack), list[Environment]()
    for python, requirements in planned:
        name = describe_environment(python, requirements)
        if not (options.quiet or options.json or Path(python or "/nowhere").is_dir()):
            print_notice(f"making the environment {name}")
        environments.append(Environment(name, make(python, requirements)))
    # the environments are new each time: nothing can be known of them from an earlier run
    return replace(settings, environments=tuple(environments), kernelspec=environments[-1].kernelspec, cache=False)


def describe_environment(python: str, requirements: Path | None) -> str:
    """An environment as a person calls it."""
    called = f"Python {python}" if python[:1].isdigit() else python
    if requirements is None:
        return called
    return f"{requirements.name} on {called}" if called else requirements.name
