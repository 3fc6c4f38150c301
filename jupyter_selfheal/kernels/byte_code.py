"""Byte code for kernels of an environment that holds none: compiled once, into the user's cache, and read by every kernel that we start.

See :mod:`~jupyter_selfheal.inside.byte_code`. Kernels read that folder; who writes to it is a process in which nothing of a notebook runs.
Each Python has a folder of its own: what the packages of one environment write is read by no other, nor by our own processes.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside.loader import write_loading_code
from jupyter_selfheal.kernels.kernel_process import KernelProcess
from jupyter_selfheal.kernels.kernelspec import read_kernelspec
from jupyter_selfheal.own_process import open_byte_code_folder

PREFIX = "PYTHONPYCACHEPREFIX"
"""Python's own variable for where byte code is read from and written to, in place of the folders beside the sources."""

_SECONDS = 90.0
"""How long may be compiled; a kernel compiles the rest itself, as it would without us."""

MOST_MB = 1_024
"""The folder is begun anew where it holds more: environments that are gone stay in it."""


@functools.lru_cache(maxsize=256)
def prepare(kernelspec: str, modules: tuple[str, ...]) -> str:
    """Where kernels of a kernelspec are to read byte code from, compiled for what they import of ``modules``; empty where the environment has its own.

    Linux only, as elsewhere what a kernel writes stays.
    """
    if sys.platform != "linux" or os.environ.get(PREFIX):
        return ""
    argv, env, _ = read_kernelspec(kernelspec)
    if not argv or not Path(argv[0]).name.startswith("python") or PREFIX in env:
        return ""
    part = f"{Path(argv[0]).name}-{hashlib.sha256(argv[0].encode()).hexdigest()[:16]}"
    kept = open_byte_code_folder(part)
    if not kept:
        return ""
    with contextlib.suppress(OSError, subprocess.SubprocessError, KernelError):
        missing = _ask_uncompiled(argv[0], env, kept, modules)
        if missing:
            make_room(os.path.dirname(kept))
            if kept := open_byte_code_folder(part):
                _compile(argv[0], env, kept, missing)
        return kept if missing is not None else ""
    return ""


def give_byte_code_folder(argv: list[str], env: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """A kernel's command line and environment with the folder of its byte code as an option of Python: no cell, and nothing that a cell
    starts, sees a variable that the user's own kernel has not."""
    kept = env.get(PREFIX, "")
    rest = {name: value for name, value in env.items() if name != PREFIX}
    return ([argv[0], "-X", f"pycache_prefix={kept}", *argv[1:]] if kept else argv), rest


def _ask_uncompiled(python: str, env: dict[str, str], kept: str, modules: tuple[str, ...]) -> list[str] | None:
    """See :func:`~jupyter_selfheal.inside.byte_code.find_uncompiled`; nothing is imported."""
    code = f"{write_loading_code('byte_code')}\nimport json\nprint(json.dumps(load().find_uncompiled({list(modules)!r}, {kept!r})))"
    asked = subprocess.run(
        [python, "-c", _without_folder(code)], env={**os.environ, **env}, cwd=os.sep, capture_output=True, text=True, timeout=30, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        missing: list[str] | None = json.loads(asked.stdout)
        return missing
    except ValueError as error:
        raise KernelError(f"{python} does not say what is compiled: {asked.stderr.strip()[-200:]}") from error


def _compile(python: str, env: dict[str, str], kept: str, names: list[str]) -> None:
    """Have the modules compiled by their import, where nothing else can be written and no network is reached. What that does not get to,
    as a package takes too long or ends the process, each kernel compiles itself.

    The working directory is the folder above ``kept``, in which no module lies: ``PYTHONPATH`` may name it by a dot.
    """
    code = f"{write_loading_code('byte_code')}\nload().compile_modules({names!r})\nimport os\nos._exit(0)"
    policy = {"writes": "discard", "strict": True, "network": False}
    own = {**env, PREFIX: kept, "PYTHONDONTWRITEBYTECODE": "", "MPLBACKEND": "agg"}
    argv = [python, "-c", _without_folder(code)]
    process = KernelProcess("byte code", os.path.dirname(kept), argv, own, policy, (kept,))
    try:
        until = time.monotonic() + _SECONDS
        while process.exit_code() is None and time.monotonic() < until:
            process.read_reports(0.5)
    finally:
        process.kill_all()
        process.remove_folder()


def make_room(folder: str) -> None:
    """Begin the folder of all byte code anew where it holds too much. Whoever reads from it meanwhile compiles what is gone."""
    if _measure_folder(folder) > MOST_MB << 20:
        for part in Path(folder).iterdir():
            shutil.rmtree(part, ignore_errors=True)


def _measure_folder(folder: str) -> int:
    size = 0
    for place, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):  # another command makes room just now
                size += os.lstat(os.path.join(place, name)).st_size
    return size


def _without_folder(code: str) -> str:
    """Code whose process imports nothing from its working directory, where modules of the notebook lie."""
    return f"import sys\nsys.path[:] = [path for path in sys.path if path]\n{code}"
