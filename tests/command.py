"""``jupyter selfheal heal`` as a user runs it: in a process of its own (see :mod:`tests.command_server`), in a folder of its own."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.batches import notebook
from tests.command_server import CommandServer, list_python_settings
from tests.waiting import wait_until

AT_START = dict(os.environ)
"""The environment before any test changed it."""
HEAL = [sys.executable, "-m", "jupyter_selfheal", "heal", "--offline"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, with journals in another one."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def write(path: Path, *cells: dict[str, Any] | str, **metadata: Any) -> Path:
    path.write_text(json.dumps(notebook(*cells, **metadata), indent=1) + "\n")
    return path


class Done(subprocess.CompletedProcess[str]):
    """A command that has ended, with what it says of one notebook where it was asked for ``--json``."""

    @property
    def said(self) -> str:
        return self.stdout + self.stderr

    @property
    def notebook(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.stdout)["notebooks"][0]
        return found

    @property
    def cells(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.notebook["cells"]
        return found


def heal(
    *words: str | Path, cwd: Path | None = None, seconds: float = 120, ends: int | None = None, online: bool = False
) -> Done:
    """Run the command in the folder of the first notebook, unless another is named. It must end with the code ``ends``.

    Nothing may be left running then.
    """
    folder = cwd or next(word for word in words if isinstance(word, Path)).parent
    done = run_command(["heal", *([] if online else ["--offline"]), *map(str, words)], folder, os.environ, seconds)
    assert ends in (None, done.returncode), done.said
    assert nothing_is_left_running(folder)
    return done


def run_command(words: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float = 120) -> Done:
    """Run ``jupyter selfheal`` with these words in a folder, in a fork of the server or, where Python itself is to start otherwise, anew.

    Raises ``subprocess.TimeoutExpired`` after so many seconds.
    """
    server = start_server()
    if list_python_settings(environment) != server.settings:
        command = [*HEAL[:3], *words]
        ran = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
        return Done(command, ran.returncode, ran.stdout, ran.stderr)
    with tempfile.TemporaryDirectory() as kept:
        outputs = Path(kept, "stdout"), Path(kept, "stderr")
        code = server.run(words, folder, environment, outputs, seconds)
        return Done([*HEAL[:3], *words], code, *(file.read_text() for file in outputs))


@functools.cache
def start_server() -> CommandServer:
    """The server of this process."""
    return CommandServer(AT_START)


def read_cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text())["cells"]
    return found


def sources(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in read_cells(path)]


def ours(place: Path) -> list[psutil.Process]:
    """Processes that work in the folder, or were started for it."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and (process.cwd() or "").startswith(str(place)):
                found.append(process)
        except psutil.Error:
            continue
    return found


def sleeping(place: Path) -> list[psutil.Process]:
    """The ``sleep`` commands that run in the folder."""
    found = []
    for process in ours(place):
        try:
            if process.name() == "sleep":
                found.append(process)
        except psutil.Error:
            continue
    return found


def nothing_is_left_running(place: Path) -> bool:
    return wait_until(lambda: not ours(place))


def read_refusal(done: subprocess.CompletedProcess[str]) -> str:
    """The one line in which the command said why it cannot do its work, and exited with 2."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("jupyter selfheal: ")
    return done.stderr
