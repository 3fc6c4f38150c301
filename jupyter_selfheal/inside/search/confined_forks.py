"""Work in a fork of this process, within limits of memory, recursion and time; where nothing can be forked, in this process."""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from jupyter_selfheal.inside.search.count_steps import OutOfTime

try:
    import resource
except ImportError:  # Windows and Pyodide, where nothing is forked
    resource = None  # type: ignore[assignment]

LEAST_MEMORY, MOST_MEMORY = 128 << 20, 768 << 20
"""Bytes a candidate may allocate beyond what the process has: twice what is resident, within these. One that fills 768 MiB
(``xs *= x`` in a loop over ``xs``) takes 0.6 CPU seconds, one that fills 256 MiB 0.14 to 0.3, and a thousand ordinary ones 0.3."""
DEEPEST = 5_000
"""Frames after which anything of ours ends with a RecursionError, whatever limit the notebook set: with calls from C code in between
(``sorted(key=…)``) 10,000 are more than a stack of 8 MB holds, and the process would die."""
HAS_FORKS = sys.platform != "emscripten"
"""False in a browser (Pyodide): all is then done in this process, one thing after the other, and a candidate that kills it ends the search."""
fork_process: Callable[[], int] = getattr(sys.modules.get("posix"), "fork", os.fork)


def write_all(pipe: int, data: bytes) -> None:
    """Write all of it: a pipe takes as much at once as it has room for."""
    while data:
        data = data[os.write(pipe, data) :]


def confine_fork(depth: int, memory: int = MOST_MEMORY) -> None:
    """Limits of a fork: memory, recursion, and no core file."""
    with contextlib.suppress(OSError, ValueError):
        with open("/proc/self/statm") as file:
            have, resident = (int(word) * resource.getpagesize() for word in file.read().split()[:2])
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = have + min(max(2 * resident, LEAST_MEMORY), memory)
        limit = most if soft == resource.RLIM_INFINITY else min(soft, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.setrecursionlimit(count_frames() + depth if depth else min(sys.getrecursionlimit(), DEEPEST))


@contextlib.contextmanager
def limit_recursion() -> Iterator[None]:
    """No deeper recursion than a stack holds, in this process."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(min(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def count_frames() -> int:
    """How deep this call is."""
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def run_in_fork(work: Callable[[], object], seconds: float, memory: int = MOST_MEMORY, cpu: float = math.inf) -> object:
    """The JSON-able value of ``work()`` run in a fork, or None where it dies, takes too long (wall seconds, and ``cpu`` seconds rounded up), or more memory."""
    return run_each_in_fork((work,), seconds, memory, cpu)[0]


def run_each_in_fork(
    works: Sequence[Callable[[], object]], seconds: float, memory: int = MOST_MEMORY, cpu: float = math.inf
) -> list[object]:
    """What :func:`run_in_fork` gives for each of several, one after the other in one fork, and in another one behind each of which it dies: to copy
    a process takes as long as thirty short runs. What one of them leaves in the process the next one finds."""
    if not HAS_FORKS:
        return [_run_in_this_process(work) for work in works]
    values: list[object] = []
    while len(values) < len(works):
        values += _run_to_first_death(works[len(values) :], seconds, memory, cpu)
    return values


def _run_to_first_death(works: Sequence[Callable[[], object]], seconds: float, memory: int, cpu: float) -> list[object]:
    """The values, down to None for what the fork died of."""
    read, write = os.pipe()
    pid = fork_process()
    if pid == 0:
        try:
            os.close(read)
            confine_fork(0, memory)
            for work in works:
                if cpu < math.inf:
                    _limit_cpu(time.process_time() + cpu)
                write_all(write, json.dumps(work()).encode() + b"\n")
        finally:
            os._exit(0)
    os.close(write)
    values: list[object] = []
    parts: list[bytes] = []
    end = time.monotonic() + seconds
    while (
        len(values) < len(works)
        and (left := end - time.monotonic()) > 0
        and select.select([read], [], [], left)[0]
        and (part := os.read(read, 1 << 16))
    ):
        parts.append(part)
        if b"\n" in part:
            *lines, rest = b"".join(parts).split(b"\n")
            values += map(json.loads, lines)
            parts, end = [rest], time.monotonic() + seconds
    os.close(read)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
    return values if len(values) == len(works) else [*values, None]


def _limit_cpu(seconds: float) -> None:
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _run_in_this_process(work: Callable[[], object]) -> object:
    """The value of ``work()`` as it would come out of a fork; None where it fails."""
    before = sys.gettrace(), sys.getprofile()
    try:
        return json.loads(json.dumps(work()))
    except (Exception, OutOfTime):
        return None
    finally:
        sys.settrace(before[0])
        if sys.getprofile() is not before[1]:  # cProfile's own cannot be set by hand
            sys.setprofile(before[1])


@contextlib.contextmanager
def skip_sleep() -> Iterator[None]:
    """``time.sleep`` returns at once: a sleeping candidate uses no CPU time, by which it would be cut."""
    sleep, time.sleep = time.sleep, lambda seconds, /: None
    try:
        yield
    finally:
        time.sleep = sleep
