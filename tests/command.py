"""``jupyter selfheal heal`` as a user runs it: a process of its own, in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.batches import notebook

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


def heal(*words: str | Path, cwd: Path, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*HEAL, *map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=seconds, check=False
    )


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
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if not ours(place):
            return True
        time.sleep(0.1)
    return False


def one_line(done: subprocess.CompletedProcess[str], *says: str) -> None:
    """The command said one line, in which all of this stands, and exited with 2."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("jupyter selfheal: ")
    for text in says:
        assert text in done.stderr
