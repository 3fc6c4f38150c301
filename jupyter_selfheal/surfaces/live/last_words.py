"""What is left of a kernel that dies while a cell runs: which cell, and Python's own stack of the crash.

A small file beside the journals holds the running cell from before it starts until it has ended; a crash adds its stack
(`faulthandler`, https://docs.python.org/3/library/faulthandler.html). The worker, which outlives the kernel for a moment, makes of it
what the next kernel of the same notebook tells (:mod:`jupyter_selfheal.surfaces.worker.last_words`).
"""

from __future__ import annotations

import faulthandler
import json
import os
from pathlib import Path

TOLD = ".told"
"""What the worker writes beside the file of a kernel that died."""


def take_told(path: str) -> dict[str, str]:
    """What the kernel that was here before has left (``cell``, ``text``), once."""
    told = Path(path + TOLD)
    try:
        found = json.loads(told.read_text(encoding="utf-8"))
        told.unlink()
    except (OSError, ValueError):
        return {}
    return dict(found)


class LastWords:
    """One kernel's file. Nothing is written where it has no path, or where somebody else catches faults."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = -1
        self._pid = os.getpid()

    def start(self) -> None:
        """Begin to keep them."""
        if not self._path or faulthandler.is_enabled():
            return
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
        faulthandler.enable(self._file, all_threads=False)

    def begin_cell(self, cell_id: str, source: str) -> None:
        """A cell is about to run."""
        if self._file >= 0:
            line = json.dumps({"cell": cell_id, "source": source}).encode() + b"\n"
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
