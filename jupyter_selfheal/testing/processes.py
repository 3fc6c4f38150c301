"""The processes that a test started, found wherever they went: by a mark that each inherits in its environment."""

from __future__ import annotations

import os
import time
from pathlib import Path

_NAME, _MARK = "SELFHEAL_CONFORMANCE", f"selfheal-conformance-{os.getpid()}"


def list_marked() -> list[int]:
    """Every process that descends from one in which :func:`mark_descendants` was called, dead ones too, except this process."""
    pids = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            environment = Path("/proc", name, "environ").read_bytes()
        except OSError:
            continue
        if _MARK.encode() in environment:
            pids.append(int(name))
    return pids


def mark_descendants() -> None:
    """Let every process started from here be found by :func:`list_marked`."""
    os.environ[_NAME] = _MARK


def stop_marking() -> None:
    """Let those that are started from now on not be found."""
    os.environ.pop(_NAME, None)


def is_gone(pid: int, seconds: float = 20.0) -> bool:
    """Wait until a process has ended (a zombie has, too); False where it is still there in the end."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.05)


def count_running(at_most: int | None = None, seconds: float = 20.0) -> int:
    """How many marked processes run (dead ones that nobody has waited for do not).

    Where there are more than ``at_most`` (where that is said), they are given so many seconds on the clock to end.
    """
    deadline = time.monotonic() + seconds
    while True:
        running = sum(not is_gone(pid, 0.0) for pid in list_marked())
        if at_most is None or running <= at_most or time.monotonic() > deadline:
            return running
        time.sleep(0.05)
