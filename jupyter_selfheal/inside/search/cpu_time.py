"""What processes have used of the processor: this one with its children, and any other by its number."""

from __future__ import annotations

import os
import time

try:
    import resource
except ImportError:  # Windows and Pyodide, where nothing is forked
    resource = None  # type: ignore[assignment]


def read_cpu_time_of(pid: int) -> float:
    """CPU seconds of a process (Linux); the wall clock where that cannot be read."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return time.monotonic()


def read_cpu_time() -> float:
    """CPU seconds of this process and its ended children."""
    if resource is None:
        return time.process_time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
