"""A trial: the only process of a lineage in which code of the notebook runs.

Standard library only, with the modules beside it: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import tempfile
import time
from typing import Any

from jupyter_selfheal.inside.fork import (
    after_fork,
    apart,
    descriptors,
    event_loop,
    gate,
    guard,
    questions,
    sandbox,
    thread_pools,
)
from jupyter_selfheal.inside.fork.capture import Capture, Frames, Memory
from jupyter_selfheal.inside.fork.steps import Last, Runner, keep_tracebacks_brief

try:
    import resource
except ImportError:  # Windows and Pyodide, where nothing is forked
    resource = None  # type: ignore[assignment]

_SHARED_MEMORY = [path for path in ("/dev/shm",) if os.path.ismount(path)]
"""Where named shared memory and semaphores are files: a trial must not unlink the user's."""

_LITTLE_MB = 256
"""A trial that took less need not have given it back before the next one."""


class State:
    """What a zygote holds and its trials start from."""

    def __init__(
        self,
        shell: Any,
        last: Last,
        capture: Capture,
        loop: Any,
        alive: int,
        signals: dict[int, Any],
        headroom_mb: int,
    ) -> None:
        self.shell, self.last, self.capture, self.loop = shell, last, capture, loop
        self.calls_from_loop = loop is not None and loop.is_running()
        """Whether cells are called from the loop, as a kernel does and a terminal does not."""
        self.alive = alive
        """A pidfd of the user's kernel, which nothing here may outlive."""
        self.signals = signals
        """The handlers that the user's kernel had set."""
        self.headroom_mb = headroom_mb
        """MiB of free memory below which nothing is forked ahead."""
        self.known_probe: dict[str, str | None] | None = None
        """What :meth:`probe_layers` gave; None where that is not known, or may hold no more as this process has been shut in."""
        self.is_shut_in = False
        """Whether this process was kept from a sandboxed trial."""
        self.report = -1
        """A pipe on which the user's kernel is told what :meth:`probe_layers` found, for its next copies; -1 where it is not."""
        self.shares_memory = False
        """Whether this process has memory that its copies would share with it: they need not look for any where it has none."""

    def probe_layers(self) -> dict[str, str | None]:
        """The sandbox's layers that can be had here; tried once."""
        if self.known_probe is None:
            self.known_probe = sandbox.probe()
            if self.report >= 0:
                with contextlib.suppress(OSError):  # full, where nobody has read it: the kernel asks its next copy
                    os.write(self.report, json.dumps(self.known_probe).encode() + b"\n")
                os.close(self.report)
                self.report = -1
        return self.known_probe


class Trial:
    """A trial that waits for its order. ``began`` is when the fork of its guard did."""

    def __init__(
        self, state: State, orders: socket.socket, memory: Memory, words: int, parent: int, began: float
    ) -> None:
        self.state, self.orders = state, orders
        self.memory, self.words, self.parent = memory, words, parent
        self.began = began
        self.resident_at_first = _count_resident_pages()
        self.order: dict[str, Any] = {}
        self.ends: list[socket.socket] = []
        """Of the results and, where the state may be kept, of the connection to it; theirs as soon as there is an order."""
        self.marks: dict[str, float] = {}
        self.layers: list[str] = []
        self.runner: Runner | None = None

    @property
    def results(self) -> socket.socket:
        return self.ends[0]

    def run(self) -> socket.socket:
        """Run the request. Returns only where the state is kept: the end on which it is to wait as a zygote."""
        state = self.state
        self._detach_early()
        self._wait_for_order()
        request = self._read_request()
        frames = Frames(self.results)
        self._isolate_trial(request["plan"], frames)
        state.capture.begin(frames, self.memory, request["output_bytes"])
        self._settle_request(request)
        loop = state.loop if state.calls_from_loop else None
        self.runner = Runner(state.shell, state.capture, state.last, request["plan"], self.order["deadline"], loop)
        signal.signal(after_fork.STOPPED, self.runner.stop)
        self.marks["ready"] = time.monotonic()
        with keep_tracebacks_brief(state.shell) if request.get("brief") else contextlib.nullcontext():
            self.runner.run(request["steps"], self._limit_step, request.get("stop_after") or float("inf"))
        if request.get("asks"):
            asked = (self.runner.read_probe, self.runner.run_probe)
            questions.answer_questions(self.results, frames.send, *asked, self._limit_step)
        self.marks["ran"] = time.monotonic()
        keep = request["keep"] in ("always", "on failure" if self.runner.failed else "on success")
        refused = None
        if keep and not self.runner.timed_out:
            after_fork.stop_script_loop(state.shell)
            thread_pools.end_processes_of_joblib()
            refused = gate.find_refusal(0)
        keep = keep and not self.runner.timed_out and not refused
        self._limit_step(0.0)
        done = {"kept": keep, "refused": refused, "marks": self.marks, "peak_mb": _measure_peak_mb()}
        if not keep:
            self._leave_trial(frames, done)
        frames.send("done", {**done, "over": False})
        self._freeze_state()
        return self.ends[1]

    def _leave_trial(self, frames: Frames, done: dict[str, Any]) -> None:
        """The last word of a trial that is not kept; "over" where nothing can come after it.

        A process gives back its memory before it counts as ended, 20 ms at 1 GB. Where it has no other thread, nothing that it
        started is left and it took little memory (the next trial's limit goes by what is free), it lets go of its files
        itself, and nobody needs to wait for the rest. Else the guard has the last word.
        """
        assert self.runner is not None
        is_over = not self.runner.timed_out and self._is_alone() and self._measure_taken_mb() < _LITTLE_MB
        if is_over:
            descriptors.close_all({self.results.fileno(), self.words})
        frames.send("done", {**done, "over": is_over})
        os._exit(0)

    def _is_alone(self) -> bool:
        me = os.getpid()
        return (
            len(os.listdir("/proc/self/task")) == 1
            and not guard.list_children(me)
            and guard.list_children(self.parent) == [me]
        )

    def _measure_taken_mb(self) -> float:
        """MiB of memory that this process holds alone, at most: what was added, or what was written to and so copied."""
        added = (_count_resident_pages() - self.resident_at_first) * resource.getpagesize()
        copied = resource.getrusage(resource.RUSAGE_SELF).ru_minflt * resource.getpagesize()
        return max(added, copied) / 2**20

    def _read_request(self) -> dict[str, Any]:
        size = int.from_bytes(descriptors.receive_bytes(self.results, 4), "big")
        request: dict[str, Any] = json.loads(descriptors.receive_bytes(self.results, size))
        return request

    def _limit_step(self, seconds: float) -> None:
        os.write(self.words, b"limit %f\n" % seconds)

    def _list_own_descriptors(self) -> list[int]:
        """Descriptors of our own, which stay as they are."""
        sockets = [s.fileno() for s in (self.orders, *self.ends) if s.fileno() >= 0]
        return [*sockets, *self.memory.files.values(), self.words, self.state.alive]

    def _detach_early(self) -> None:
        """What can be done before there is an order."""
        after_fork.die_with_parent(self.parent)
        os.setpgid(0, 0)
        after_fork.set_name(after_fork.TRIAL)
        self.state.report = -1  # what is found in a trial holds there alone; the quarantine closes it
        descriptors.quarantine(self._list_own_descriptors(), {})
        if self.state.shares_memory:
            descriptors.unshare_memory()

    def _wait_for_order(self) -> None:
        """Wait for the order; the end of this process where there is none."""
        ready = time.monotonic()
        data, self.ends = descriptors.receive_message(self.orders)
        if not data:
            raise SystemExit(0)
        self.orders.send(b"+")
        self.orders.close()
        self.order = json.loads(data)
        self.state.known_probe = self.order["probed"]
        received = self.order["received"]
        self.marks = {"received": received, "taken": time.monotonic()}
        if ready < received:
            self.marks["ahead"] = ready - self.began

    def _isolate_trial(self, plan: dict[str, Any], frames: Frames) -> None:
        """Everything that must be done while this is still a process of one thread that ran no code of the user's."""
        own = self._list_own_descriptors()
        try:
            if plan["writes"] == apart.APART:
                plan["writes"] = "allow"
                apart.enter_where_possible(own, after_fork.find_history_file(self.state.shell))
            if not self.order["sandboxed"]:
                return
            files = descriptors.list_writable_files(own)
            plan["folders"] = [*plan.get("folders", []), os.getcwd(), *_SHARED_MEMORY]
            probed = self.state.probe_layers()
            if plan["writes"] == "discard" and probed.get(sandbox.OVERLAY):
                plan["shared"] = [*plan.get("shared", ()), *make_temporary_folder()]
            self.layers = sandbox.enter(plan, probed)
        except sandbox.LayerFailed as error:
            frames.send("failed", str(error))
            raise SystemExit(0) from None
        if plan["writes"] != "allow":
            descriptors.detach_files(files, is_discarded=sandbox.OVERLAY in self.layers)
        frames.send("layers", self.layers, self.state.probe_layers())

    def _settle_request(self, request: dict[str, Any]) -> None:
        """The last of it: the user's signal handlers, an event loop, what the request puts on the path."""
        after_fork.restore_signals(self.state.signals)
        self.memory.catch_faults()
        self.state.loop = event_loop.make_usable(self.state.loop)
        sys.path[:0] = request["paths"]
        sys._selfheal_trial = True  # type: ignore[attr-defined]

    def _settle_probe(self) -> None:
        """What is known of the layers in here, now that this process has been shut in: what was found outside need not hold."""
        state, probed = self.state, self.state.known_probe or {}
        state.known_probe = probed if state.is_shut_in and sandbox.holds_further_in(probed, self.layers) else None
        state.is_shut_in = True

    def _freeze_state(self) -> None:
        """From now on this state lives as long as its own connection, not as its guard."""
        self.state.capture.end()
        self.state.signals = after_fork.ignore_signals()
        self.state.signals.pop(after_fork.STOPPED, None)
        if self.order["sandboxed"]:
            self._settle_probe()
        descriptors.silence_streams()
        after_fork.outlive_parent()
        after_fork.adopt_orphans()
        after_fork.set_name(after_fork.ZYGOTE)
        self.state.shares_memory = descriptors.shares_memory()
        thread_pools.renew_all()
        after_fork.use_one_native_thread()
        os.write(self.words, guard.KEPT.encode() + b"\n")
        os.close(self.words)
        self.results.close()
        self.memory.close()


def _measure_peak_mb() -> float:
    """The most memory, in MiB, that this process or one that it waited for has had."""
    users = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return round(max(resource.getrusage(who).ru_maxrss for who in users) / 1024, 1)


def _count_resident_pages() -> int:
    """Pages of this process that are in memory."""
    with open("/proc/self/statm", encoding="utf-8") as f:
        return int(f.read().split()[1])


def make_temporary_folder() -> list[str]:
    """A temporary folder of the trial's own, for where no overlay can be made: without one a first import of Matplotlib fails.

    It is made in the folder of a kernel of ours, which goes with that kernel, or in the one of the trial that this one goes on from: what a
    process may write to only becomes less. Whose kernel is the user's gets none. Settings of Matplotlib that are there are read.
    """
    ours, base = os.environ.get("JUPYTER_SELFHEAL_SHARED", ""), os.environ.get("TMPDIR", "")
    if not ours:
        return []
    is_given = base.startswith(f"{ours}/")
    try:
        folder = tempfile.mkdtemp(dir=base if is_given else ours)
    except OSError:
        return []
    tempfile.tempdir = os.environ["TMPDIR"] = folder
    is_free = "MPLCONFIGDIR" not in os.environ and not os.path.isdir(os.path.expanduser("~/.config/matplotlib"))
    if is_free or (is_given and os.environ.get("MPLCONFIGDIR") == base):
        os.environ["MPLCONFIGDIR"] = folder
    return [folder]
