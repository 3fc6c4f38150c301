"""A trial: the only process of a lineage in which code of the notebook runs.

Standard library only, with the modules beside it: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from typing import Any

from jupyter_selfheal.kernels import descriptors, event_loop, gate, guard, hygiene, sandbox
from jupyter_selfheal.kernels.capture import Capture, Frames, Memory
from jupyter_selfheal.kernels.steps import Last, Runner

_SHARED_MEMORY = [path for path in ("/dev/shm",) if os.path.ismount(path)]
"""Where named shared memory and semaphores are files: a trial must not unlink the user's."""


class State:
    """What a zygote holds and its trials start from."""

    def __init__(
        self, shell: Any, last: Last, capture: Capture, loop: Any, alive: int, signals: dict[int, Any]
    ) -> None:
        self.shell, self.last, self.capture, self.loop = shell, last, capture, loop
        self.alive = alive
        """A pidfd of the user's kernel, which nothing here may outlive."""
        self.signals = signals
        """The handlers that the user's kernel had set."""
        self._probed: dict[str, str] | None = None

    def probed(self) -> dict[str, str]:
        """The sandbox's layers that can be had here; tried once."""
        if self._probed is None:
            self._probed = sandbox.probe()
        return self._probed

    def forget_probe(self) -> None:
        """This process has been shut in, so that other layers can be had now."""
        self._probed = None


class Trial:
    """A trial that is about to run."""

    def __init__(
        self,
        state: State,
        order: dict[str, Any],
        channels: list[socket.socket],
        memory: Memory,
        words: int,
        parent: int,
    ) -> None:
        self.state, self.order = state, order
        self.results, *self.kept = channels
        self.memory, self.words, self.parent = memory, words, parent
        self.marks = {"received": order["received"], "guard": order["guarded"], "forked": time.monotonic()}
        self.layers: list[str] = []
        self.runner: Runner | None = None

    def run(self) -> socket.socket:
        """Run the request. Returns only where the state is kept: the end on which it is to wait as a zygote."""
        state = self.state
        hygiene.die_with_parent(self.parent)
        request = self._read_request()
        frames = Frames(self.results)
        self._isolate(request["plan"], frames)
        state.capture.begin(frames, self.memory, request["output_bytes"])
        self.runner = Runner(state.shell, state.capture, state.last, request["plan"], self.order["deadline"])
        self._settle(request)
        self.marks["ready"] = time.monotonic()
        self.runner.run(request["steps"], self._limit)
        self.marks["ran"] = time.monotonic()
        keep = request["keep"] == "always" or (request["keep"] == "on success" and not self.runner.failed)
        refused = ""
        if keep and not self.runner.timed_out:
            hygiene.stop_script_loop(state.shell)
            refused = gate.refusal(0)
        keep = keep and not self.runner.timed_out and not refused
        self._limit(0.0)
        frames.send("done", {"kept": keep, "refused": refused, "marks": self.marks})
        if not keep:
            raise SystemExit(0)
        self._freeze()
        return self.kept[0]

    def _read_request(self) -> dict[str, Any]:
        with self.results.makefile("rb") as stream:
            size = int.from_bytes(stream.read(4), "big")
            found: dict[str, Any] = json.loads(stream.read(size))
            return found

    def _limit(self, seconds: float) -> None:
        os.write(self.words, b"limit %f\n" % seconds)

    def _mine(self) -> list[int]:
        """Descriptors of our own, which stay as they are."""
        sockets = [self.results.fileno(), *(s.fileno() for s in self.kept)]
        return [*sockets, *self.memory.files.values(), self.words, self.state.alive]

    def _isolate(self, plan: dict[str, Any], frames: Frames) -> None:
        """Everything that must be done while this is still a process of one thread that ran no code of the user's."""
        os.setpgid(0, 0)
        hygiene.set_name("python")
        descriptors.quarantine(self._mine())
        descriptors.unshare_memory()
        self.marks["detached"] = time.monotonic()
        if not self.order["sandboxed"]:
            return
        files = descriptors.writable_files(self._mine())
        plan["folders"] = [*plan.get("folders", []), os.getcwd(), *_SHARED_MEMORY]
        try:
            self.layers = sandbox.enter(plan, self.state.probed())
        except sandbox.LayerFailed as error:
            frames.send("failed", str(error))
            raise SystemExit(0) from None
        if plan["writes"] != "allow":
            descriptors.detach_files(files, is_discarded=sandbox.OVERLAY in self.layers)
        frames.send("layers", self.layers, self.state.probed())

    def _settle(self, request: dict[str, Any]) -> None:
        """The last of it: the user's signal handlers, an event loop, what the request puts on the path."""
        assert self.runner is not None
        hygiene.hear_signals(self.state.signals)
        signal.signal(hygiene.STOPPED, self.runner.stop)
        self.state.loop = event_loop.settle(self.state.loop)
        sys.path[:0] = request["paths"]
        sys._selfheal_trial = True  # type: ignore[attr-defined]

    def _freeze(self) -> None:
        """From now on this state lives as long as its own connection, not as its guard."""
        self.state.capture.end()
        self.state.signals = hygiene.deaf_to_signals()
        self.state.signals.pop(hygiene.STOPPED, None)
        if self.order["sandboxed"]:
            self.state.forget_probe()
        descriptors.silence()
        hygiene.outlive_parent()
        hygiene.adopt_orphans()
        hygiene.set_name(hygiene.ZYGOTE)
        hygiene.new_executor_workers()
        os.write(self.words, guard.KEPT.encode() + b"\n")
        os.close(self.words)
        self.results.close()
        self.memory.close()
