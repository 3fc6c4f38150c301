"""A process that has imported the command once and forks for each call: a command of its own for a test costs a second of CPU less.

What a call sees is what a new process would: its words, its folder, its environment, its output in files, its own end. How the command is
started anew, with a terminal or in other surroundings, is tested where a test starts it itself.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

PARTS = (
    "engine",
    "healers",
    "journal",
    "kernels",
    "loop",
    "scoring",
    "surfaces.cli",
    "surfaces.notebook",
    "surfaces.project",
)
PACKAGES = ("nbformat", "jupyter_client.blocking", "jupyter_client.kernelspec", "IPython.core.interactiveshell")
ELSEWHERE = ("_docs", "papermill")
"""Modules that the command never imports."""


def list_python_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """What of an environment is for the start of Python: its path and its switches."""
    return {name: value for name, value in environment.items() if name.startswith("PYTHON")}


class CommandServer:
    """Runs ``python -m jupyter_selfheal`` with given words, one call after another. It ends with the process that made it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.settings = list_python_settings(environment)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.command_server"], cwd=Path(__file__).parents[1],
            env={**environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
        )  # fmt: skip

    def run(
        self,
        words: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        outputs: tuple[Path, Path],
        seconds: float,
    ) -> int:
        """The exit code (minus a signal's number where one ended it), after at most ``seconds``; what it says goes into the two files.

        Raises ``subprocess.TimeoutExpired``.
        """
        call = {
            "words": [*words],
            "folder": str(folder),
            "environment": {**environment},
            "outputs": [*map(str, outputs)],
        }
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answers is not None
        asked.write(json.dumps(call).encode() + b"\n")
        pid = int(answers.readline())
        if not select.select([answers], [], [], seconds)[
            0
        ]:  # unbuffered: nothing that came is held where this does not see it
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            answers.readline()
            raise subprocess.TimeoutExpired([*words], seconds)
        return int(answers.readline())


def serve() -> None:
    """Fork for each call that comes; returns in the forks, set up as a process of the command is."""
    for name in PACKAGES:
        importlib.import_module(name)
    for part in PARTS:
        package = importlib.import_module(f"jupyter_selfheal.{part}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.rpartition(".")[2] not in ELSEWHERE:
                importlib.import_module(module.name)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        if not (pid := os.fork()):
            return _become_command(**json.loads(line))
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    sys.exit()


def _become_command(words: list[str], folder: str, environment: dict[str, str], outputs: list[str]) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, file in enumerate((os.devnull, *outputs)):
        opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0, closefd=False)  # what the server had read ahead is not this call's
    sys.argv = ["jupyter_selfheal/__main__.py", *words]
    sys.path[0] = folder
    # a process of ``--jobs`` imports what its parent's main module was
    sys.modules["__main__"] = importlib.import_module("jupyter_selfheal.__main__")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        serve()
    from jupyter_selfheal.surfaces.cli import run

    sys.exit(run())
