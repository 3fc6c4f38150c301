"""What is left of a kernel that dies while a cell runs: which cell, and Python's own stack of the crash.

A small file beside the journals holds the running cell from before it starts until it has ended; a crash adds its stack
(`faulthandler`, https://docs.python.org/3/library/faulthandler.html). The worker, which outlives the kernel for a moment, makes of it
what the next kernel of the same notebook tells (:mod:`jupyter_selfheal.surfaces.worker.last_words`), or the next IPython of the same
profile in the same folder of the same terminal. Without a terminal nobody knows whose words they are, and none are kept.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import time
from pathlib import Path

FRESH_SECONDS = 600.0
"""How long after a terminal's IPython died the next one tells of it: a number of a terminal is given to another one some day."""


def take_told(path: str, seconds: float = float("inf")) -> dict[str, str]:
    """What whoever was here before has left (see :func:`~jupyter_selfheal.surfaces.worker.last_words.tell_death`), once; nothing where
    that was more than so many seconds ago."""
    told = Path(path)
    try:
        is_fresh = time.time() - told.stat().st_mtime < seconds
        found = json.loads(told.read_text(encoding="utf-8"))
        told.unlink()
    except (OSError, ValueError):
        return {}
    return dict(found) if is_fresh else {}


def sweep_terminals(folder: Path) -> None:
    """Remove what terminals left there that nobody will be told any more: it holds the source of cells. What a process that lives may
    write to stays, however old."""
    old = time.time() - FRESH_SECONDS
    for left in folder.glob("terminal-*"):
        pid = left.suffix.removeprefix(".")
        with contextlib.suppress(OSError):  # somebody else was faster
            if left.stat().st_mtime < old and not (pid.isdecimal() and _is_alive(int(pid))):
                left.unlink()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True


class LastWords:
    """One kernel's file, or one terminal IPython's. Nothing is written where it has no path, or where somebody else catches faults."""

    def __init__(self, path: str, *, in_terminal: bool = False) -> None:
        self._path = path
        self._in_terminal = in_terminal
        self._file = -1
        self._pid = os.getpid()

    def start(self) -> None:
        """Begin to keep them, and let go of those that are of no more use."""
        if not self._path:
            return
        sweep_terminals(Path(self._path).parent)
        if faulthandler.is_enabled():
            return
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
        faulthandler.enable(self._file, all_threads=False)

    def begin_cell(self, cell_id: str, source: str) -> None:
        """A cell is about to run."""
        if self._file >= 0:
            running = {"cell": cell_id, "source": source, "in_terminal": self._in_terminal}
            line = json.dumps(running).encode() + b"\n"
            os.ftruncate(self._file, 0)
            os.write(self._file, line)

    def end_cell(self) -> None:
        """It has ended, one way or another."""
        if self._file >= 0:
            os.ftruncate(self._file, 0)

    def stop(self) -> None:
        """The kernel goes in order."""
        if self._file >= 0 and os.getpid() == self._pid:
            faulthandler.disable()
            os.close(self._file)
            self._file = -1
            Path(self._path).unlink(missing_ok=True)
