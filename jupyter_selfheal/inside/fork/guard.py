"""The process between a zygote and one trial: it holds the trial to its limits and leaves nothing of it behind.

The guard is the subreaper of its trial, so that not even ``setsid`` gets away from it. It reports on a socket of its own
(``status``), which no code of a notebook can reach, and takes the end of that socket as the word to cancel.

Standard library only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import time
from typing import Any

from jupyter_selfheal.inside.fork import after_fork
from jupyter_selfheal.inside.fork.capture import FAULTS, Memory

try:
    import resource
except ImportError:  # Windows and Pyodide, where nothing is forked
    resource = None  # type: ignore[assignment]

KEPT = "kept"
_GRACE = 0.5
"""Seconds a trial has to say where it is once its time is up."""
_LOOK = 0.1
_MOST_OUTPUT = 256 << 20
"""Bytes that C code or subprocesses may have written and the trial has not sent yet."""


class Limit:
    """When a trial or a step must end. What it waited for a processor that others had is none of its time, up to as much again."""

    def __init__(self, at: float, waited: float) -> None:
        self.at = at
        self._latest = 2 * at - time.monotonic()
        self._waited = waited

    def is_reached(self, now: float, trial: int) -> bool:
        """Whether its time is up, after what ``trial`` waited since."""
        if now >= self.at:
            waited = measure_waiting(trial)
            self.at, self._waited = min(self.at + waited - self._waited, self._latest), waited
        return now >= self.at


def measure_waiting(process: int) -> float:
    """Seconds that a process was ready to run and had no processor; 0 where the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{process}/schedstat", "rb") as f:
        return int(f.read().split()[1]) / 1e9
    return 0.0


class Guard:
    """Watches one trial until it ends, is kept, or must go."""

    def __init__(self, trial: int, order: dict[str, Any], status: socket.socket, words: int, memory: Memory) -> None:
        self.trial = trial
        self.status = status
        self.words = words
        """The reading end of the pipe on which the trial says "limit SECONDS" and "kept"."""
        self.memory = memory
        self.limit = Limit(float(order["deadline"]), measure_waiting(trial))
        self.step_limit = Limit(float("inf"), 0.0)
        self.kill_at = float("inf")
        self.ending = ""
        self.code = 0
        self._heard = b""
        self._kills = count_memory_kills()

    def watch(self, lifelines: list[int]) -> str:
        """Block until the trial is over: ``kept``, or how it ended. ``lifelines`` are pidfds of whom not to outlive."""
        ended = os.pidfd_open(self.trial)
        poll = select.poll()
        for number in (ended, self.words, *lifelines):
            poll.register(number, select.POLLIN)
        poll.register(self.status, select.POLLIN | select.POLLHUP)
        while True:
            soon = min(self.limit.at, self.step_limit.at, self.kill_at) - time.monotonic()
            ready = {number for number, _ in poll.poll(max(0.0, min(_LOOK, soon)) * 1000)}
            if self.words in ready and self._read_words() == KEPT:
                return KEPT
            if ended in ready:
                self._reap_trial()
                return self.ending
            if self.status.fileno() in ready or ready & set(lifelines):
                self.ending = "cancelled"
                self._end_it()
                return self.ending
            self._check_limits(time.monotonic())

    def _read_words(self) -> str:
        data = os.read(self.words, 4096)
        self._heard += data
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            if line == KEPT.encode():
                return KEPT
            seconds = float(line.split()[1])
            until = time.monotonic() + seconds if seconds else float("inf")
            self.step_limit = Limit(until, measure_waiting(self.trial))
            if self.ending != "timed out":  # it has stopped the step that was late by itself
                self.kill_at = float("inf")
        return ""

    def _check_limits(self, now: float) -> None:
        self.memory.limit_size(_MOST_OUTPUT)
        if now >= self.kill_at:
            self.ending = "timed out"
            self.kill_at = float("inf")
            kill_tree(self.trial)
            return
        is_over = self.limit.is_reached(now, self.trial)
        if is_over or self.step_limit.is_reached(now, self.trial):
            if is_over:
                self.ending, self.limit = "timed out", Limit(float("inf"), 0.0)
            self.step_limit = Limit(float("inf"), 0.0)
            self.kill_at = min(self.kill_at, now + _GRACE)
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.trial, after_fork.STOPPED)

    def _end_it(self) -> None:
        kill_tree(self.trial)
        self._reap_trial()

    def _reap_trial(self) -> None:
        _, status, _ = os.wait4(self.trial, 0)
        code = os.waitstatus_to_exitcode(status)
        self.code = code
        if not self.ending:
            self.ending = "killed" if code < 0 else "exited"

    def report_end(self, finished: bool) -> None:
        """Tell the engine how it ended; what the streams still hold goes along."""
        tail = {} if finished else {name: self.memory.read_rest(name, 1 << 20)[0] for name in ("stdout", "stderr")}
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        message: dict[str, Any] = {"ending": self.ending, "code": self.code, "peak_mb": round(peak, 1), "tail": tail}
        message["fault"] = self.memory.read_rest(FAULTS, 1 << 16)[0] if self.code < 0 else ""
        message["oom"] = self.code == -signal.SIGKILL and self.ending == "killed" and count_memory_kills() > self._kills
        with contextlib.suppress(OSError):  # whoever asked is gone
            self.status.sendall(json.dumps(message).encode())
        self.status.close()  # not by ending: a process gives back its memory first, which takes a while


def count_memory_kills() -> int:
    """Processes that the system has killed for want of memory since it was started."""
    with contextlib.suppress(OSError), open("/proc/vmstat", encoding="utf-8") as lines:
        return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)
    return 0


def kill_tree(first: int) -> None:
    """SIGKILL a trial's group and every descendant of this process, until none is left but the trial's own corpse.

    A whole group is killed in one system call, so that a fork bomb cannot outrun it.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(first, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(first, signal.SIGKILL)
    while rest := [pid for pid in list_children(os.getpid()) if pid != first]:
        kill_and_reap(rest)


def kill_and_reap(pids: list[int]) -> None:
    """Kill some children of this process with the groups that they lead, and reap those that are dead."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getpgid(pid) == pid:
                os.killpg(pid, signal.SIGKILL)
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)


def list_children(parent: int) -> list[int]:
    """The direct children of a process of one thread, zombies too."""
    try:
        with open(f"/proc/{parent}/task/{parent}/children", encoding="utf-8") as f:
            return [int(pid) for pid in f.read().split()]
    except OSError:  # a system without CONFIG_PROC_CHILDREN
        return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and read_parent(int(pid)) == parent]


def read_parent(pid: int) -> int:
    """The process whose child a process is, 0 where it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return int(f.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0
