"""Byte code for kernels of an environment that holds none: compiled once, into the user's cache, and read by every kernel that we start.

See :mod:`~jupyter_selfheal.inside.byte_code`. Kernels read that folder; who writes to it is a process in which nothing of a notebook runs.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import time
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

_MOST_MB = 1_024
"""The folder is begun anew where it holds more: environments that are gone stay in it."""


@functools.lru_cache(maxsize=256)
def prepare(kernelspec: str, folder: str, modules: tuple[str, ...]) -> str:
    """Where kernels of a kernelspec are to read byte code from, compiled for what they import of ``modules``; empty where the environment has its own.

    ``folder`` is the notebook's. Linux only, as elsewhere what a kernel writes stays.
    """
    if sys.platform != "linux" or os.environ.get(PREFIX):
        return ""
    argv, env, _ = read_kernelspec(kernelspec)
    kept = open_byte_code_folder()
    if not kept or not Path(argv[0]).name.startswith("python") or PREFIX in env:
        return ""
    with contextlib.suppress(OSError, subprocess.SubprocessError, KernelError):
        missing = _ask_uncompiled(argv[0], env, kept, modules)
        if missing:
            _make_room(kept)
            _compile(argv[0], env, kept, folder, missing)
        return kept if missing is not None else ""
    return ""


def _ask_uncompiled(python: str, env: dict[str, str], kept: str, modules: tuple[str, ...]) -> list[str] | None:
    """See :func:`~jupyter_selfheal.inside.byte_code.find_uncompiled`; nothing is imported."""
    code = f"{_LOAD}\nimport json\nprint(json.dumps(load().find_uncompiled({list(modules)!r}, {kept!r})))"
    asked = subprocess.run(
        [python, "-c", _without_folder(code)], env={**os.environ, **env}, cwd=os.sep, capture_output=True, text=True, timeout=30, check=False
    )  # fmt: skip
    try:
        missing: list[str] | None = json.loads(asked.stdout)
        return missing
    except ValueError as error:
        raise KernelError(f"{python} does not say what is compiled: {asked.stderr.strip()[-200:]}") from error


def _compile(python: str, env: dict[str, str], kept: str, folder: str, names: list[str]) -> None:
    """Have the modules compiled by their import, where nothing else can be written and no network is reached."""
    code = f"{_LOAD}\nload().compile_modules({names!r})\nimport os\nos._exit(0)"
    policy = {"writes": "discard", "strict": True, "network": False}
    own = {**env, PREFIX: kept, "PYTHONDONTWRITEBYTECODE": "", "MPLBACKEND": "agg"}
    process = KernelProcess("byte code", folder, [python, "-c", _without_folder(code)], own, policy, (kept,))
    try:
        until = time.monotonic() + _SECONDS
        while process.exit_code() is None and time.monotonic() < until:
            process.read_reports(0.5)
        if process.exit_code() != 0:
            raise KernelError(f"byte code could not be compiled: {process.describe_end()}")
    finally:
        process.kill_all()
        process.remove_folder()


def _make_room(kept: str) -> None:
    if sum(file.stat().st_size for file in Path(kept).rglob("*.pyc")) > _MOST_MB << 20:
        for part in Path(kept).iterdir():
            shutil.rmtree(part, ignore_errors=True)


_LOAD = write_loading_code("byte_code")


def _without_folder(code: str) -> str:
    """Code whose process imports nothing from its working directory, where modules of the notebook lie."""
    return f"import sys\nsys.path[:] = [path for path in sys.path if path]\n{code}"
