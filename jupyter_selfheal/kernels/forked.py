"""The trial kernel that holds the exact state: the engine's end of a zygote (:mod:`~jupyter_selfheal.kernels.zygote`).

One connection carries requests, each with the ends of its own channels: the results (frames, written by the trial), the
status (written by the guard) and, where the state may be kept, the connection to the kept zygote. There is nothing to
multiplex and no lock but the one for sending; closing an end is the word to stop.
"""

from __future__ import annotations

import contextlib
import json
import select
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from jupyter_selfheal.errors import KernelError, SandboxError
from jupyter_selfheal.kernels import sandbox
from jupyter_selfheal.kernels.outputs import Frames, Reading
from jupyter_selfheal.model import Ending, Isolation, Keep, Run, Sandbox, Start, Step, Trial, TrialRequest

_PATIENCE = 20.0
"""Seconds beyond a trial's limit after which the machinery, not the code, is at fault."""
_GONE = "the frozen kernel is gone (killed, or out of memory): run the cell again to make a new one"


class ForkedKernel:
    """A :class:`~jupyter_selfheal.ports.TrialKernel` over a connected zygote.

    ``folders`` are those whose writes an overlay discards, besides the kernel's working directory. ``on_close`` is called
    once, when this state and every state kept from it were let go (to stop the kernel that it was forked from, say).
    """

    is_exact = True

    def __init__(
        self,
        control: socket.socket,
        start: Start = Start.BEFORE_CELL,
        *,
        folders: tuple[str, ...] = (),
        on_close: Callable[[], None] | None = None,
        lineage: _Lineage | None = None,
    ) -> None:
        self._control = control
        self._start = start
        self._folders = folders
        self._lineage = lineage or _Lineage(on_close)
        self._lineage.join()
        self._lock = threading.Lock()
        self._running: set[socket.socket] = set()
        self._closed = False
        self._probed: dict[str, str] | None = None

    @classmethod
    def connect(
        cls,
        path: str,
        start: Start = Start.BEFORE_CELL,
        *,
        folders: tuple[str, ...] = (),
        on_close: Callable[[], None] | None = None,
    ) -> ForkedKernel:
        """Connect to the socket that ``checkpoint`` named. A zygote takes one connection and ends with it.

        Raises :class:`KernelError` where nobody listens.
        """
        control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            control.connect(path)
        except OSError as error:
            control.close()
            raise KernelError(f"{_GONE} ({error.strerror})") from error
        return cls(control, start, folders=folders, on_close=on_close)

    @property
    def start(self) -> Start:
        """See :class:`~jupyter_selfheal.ports.TrialKernel`."""
        return self._start

    @property
    def isolation(self) -> Isolation:
        """What the default sandbox gives in this kernel's own environment; asked of the zygote once."""
        if self._probed is None:
            mine, theirs = socket.socketpair()
            with mine:
                with theirs:
                    self._send({"do": "probe"}, [theirs])
                mine.settimeout(_PATIENCE)
                with contextlib.suppress(OSError), mine.makefile("rb") as answer:
                    self._probed = json.loads(answer.read() or b"null")
            if self._probed is None:
                raise KernelError(_GONE)
        return isolation_of(Sandbox(), self._probed, ())

    def run(self, request: TrialRequest) -> tuple[Trial, ForkedKernel | None]:
        """See :meth:`jupyter_selfheal.ports.TrialKernel.run`."""
        began = time.monotonic()
        with _Channels(keep=request.keep is not Keep.NEVER) as channels:
            self._register(channels.status)
            try:
                order = {"do": "run", "deadline": began + request.timeout, "sandboxed": _is_sandboxed(request.sandbox)}
                self._send(order, channels.theirs)
                channels.give()
                reading = Reading(request.steps)
                _send_request(channels.results, request, self._folders)
                report = _listen(channels, reading, began + request.timeout + _PATIENCE)
            finally:
                self._forget(channels.status)
            trial = self._trial(request, reading, report, began)
            return trial, self._kept(channels, trial) if reading.kept else None

    def close(self) -> None:
        """See :class:`~jupyter_selfheal.ports.TrialKernel`. States kept from this one live on."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for status in self._running:
                with contextlib.suppress(OSError):
                    status.shutdown(socket.SHUT_WR)  # the guard takes it as the word to cancel, and still reports
            self._control.close()
        self._lineage.leave()

    def _send(self, order: Mapping[str, Any], ends: list[socket.socket]) -> None:
        with self._lock:
            if self._closed:
                raise KernelError("this state was closed: open a new one")
            try:
                socket.send_fds(self._control, [json.dumps(order).encode()], [end.fileno() for end in ends])
            except OSError as error:
                raise KernelError(_GONE) from error

    def _register(self, status: socket.socket) -> None:
        with self._lock:
            if self._closed:
                raise KernelError("this state was closed: open a new one")
            self._running.add(status)

    def _forget(self, status: socket.socket) -> None:
        with self._lock:
            self._running.discard(status)

    def _trial(self, request: TrialRequest, reading: Reading, report: Mapping[str, Any], began: float) -> Trial:
        if reading.failed:
            raise SandboxError(f"the trial was not run: {reading.failed}")
        ending, detail = _ending(report, reading)
        for name, text in report.get("tail", {}).items():
            if text:
                reading.output({"output_type": "stream", "name": name, "text": text})
        if ending is Ending.CANCELLED and not self._closed:
            raise KernelError(_GONE)
        died = detail if ending in (Ending.EXITED, Ending.KILLED, Ending.OUT_OF_MEMORY) else ""
        now = time.monotonic()
        return Trial(
            patch_id=request.patch_id,
            steps=reading.results(timed_out=ending is Ending.TIMED_OUT, died=died),
            ending=ending,
            start=self._start,
            isolation=isolation_of(request.sandbox, reading.probed, reading.layers),
            detail=detail,
            seconds=now - began,
            phases=_phases(began, now, (reading.done or {}).get("marks", {})),
            blocked=tuple(dict.fromkeys(reading.blocked)),
            peak_mb=float({**(reading.done or {}), **report}.get("peak_mb", 0.0)),
        )

    def _kept(self, channels: _Channels, trial: Trial) -> ForkedKernel:
        failed = any(s.status not in ("ok", "skipped") and s.role != "probe" for s in trial.steps)
        start = Start.AFTER_FAILURE if failed else Start.BEFORE_CELL
        return ForkedKernel(channels.take_control(), start, folders=self._folders, lineage=self._lineage)


class _Lineage:
    """The states that descend from one kernel: it is let go with the last of them."""

    def __init__(self, on_end: Callable[[], None] | None) -> None:
        self._on_end = on_end
        self._states = 0
        self._lock = threading.Lock()

    def join(self) -> None:
        with self._lock:
            self._states += 1

    def leave(self) -> None:
        with self._lock:
            self._states -= 1
            is_last = not self._states
        if is_last and self._on_end is not None:
            self._on_end()


class _Channels:
    """The two ends of each channel of one trial; whatever is still open at the end is closed."""

    def __init__(self, *, keep: bool) -> None:
        self.results, results = socket.socketpair()
        self.status, status = socket.socketpair()
        self.theirs = [results, status]
        self._control: list[socket.socket] = []
        if keep:
            control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._control.append(control)
            self.theirs.append(other)

    def give(self) -> None:
        """Their ends were sent."""
        for end in self.theirs:
            end.close()
        self.theirs = []

    def take_control(self) -> socket.socket:
        """The connection to the kept zygote; the caller closes it."""
        return self._control.pop()

    def __enter__(self) -> _Channels:
        return self

    def __exit__(self, *_: object) -> None:
        self.give()
        for end in (self.results, self.status, *self._control):
            end.close()


def _send_request(results: socket.socket, request: TrialRequest, folders: tuple[str, ...]) -> None:
    limits = request.sandbox
    body = json.dumps(
        {
            "steps": [_step(step) for step in request.steps],
            "keep": request.keep.value,
            "paths": list(request.paths),
            "output_bytes": limits.output_kb * 1024,
            "plan": {
                "network": limits.network,
                "writes": limits.writes,
                "memory_mb": limits.memory_mb,
                "folders": list(folders),
            },
        }
    ).encode()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it is gone already: the status says how
        results.sendall(struct.pack(">I", len(body)) + body)


def _step(step: Step) -> dict[str, Any]:
    if isinstance(step, Run):
        return {"code": step.code, "cell_id": step.cell_id, "go_on": step.go_on, "timeout": step.timeout}
    return {"source": step.source, "argument": step.argument, "name": step.name, "timeout": step.timeout}


def _listen(channels: _Channels, reading: Reading, deadline: float) -> dict[str, Any]:
    """Read until the guard has reported and the trial has said its last word, or its end of the channel is closed.

    The guard need not be heard where the trial's last word says that nothing can come after it (``Trial._leave``).
    """
    frames, report = Frames(), b""
    poll = select.poll()
    waiting = {channels.results.fileno(), channels.status.fileno()}
    for number in waiting:
        poll.register(number, select.POLLIN)
    while waiting and not (reading.done is not None and (reading.over or channels.status.fileno() not in waiting)):
        ready = poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
        if not ready:
            raise KernelError(f"the trial kernel does not answer: {_GONE}")
        for number, _ in ready:
            is_status = number == channels.status.fileno()
            data = _received(channels.status if is_status else channels.results)
            if not data:
                waiting.discard(number)
                poll.unregister(number)
            elif is_status:
                report += data
            else:
                for frame in frames.feed(data):
                    reading.take(frame)
    try:
        found: dict[str, Any] = json.loads(report)
    except ValueError as error:
        if reading.done is None:
            raise KernelError(_GONE) from error
        return {}
    return found


def _received(end: socket.socket) -> bytes:
    try:
        return end.recv(1 << 20)
    except ConnectionResetError:
        return b""


def _is_sandboxed(limits: Sandbox) -> bool:
    return not (limits.network and limits.writes == "allow" and not limits.memory_mb)


def _ending(report: Mapping[str, Any], reading: Reading) -> tuple[Ending, str]:
    word, code = report.get("ending", "finished"), int(report.get("code", 0))
    if word == "cancelled":
        return Ending.CANCELLED, "the state was closed while the trial ran"
    if word == "timed out":
        return Ending.TIMED_OUT, "the time limit was reached"
    if reading.done is not None:
        refused = str(reading.done.get("refused", ""))
        return Ending.FINISHED, f"the state could not be kept: {refused}" if refused else ""
    if report.get("oom"):
        return Ending.OUT_OF_MEMORY, "the system ended the trial, as memory ran out"
    if code < 0:
        return Ending.KILLED, f"the kernel's process was ended by {signal.Signals(-code).name}"
    return Ending.EXITED, f"the code ended the kernel's process with exit code {code}"


def _phases(began: float, now: float, marks: Mapping[str, float]) -> dict[str, float]:
    """Milliseconds by phase; the marks are of the system's one monotonic clock.

    ``ahead``, which is no part of the sum, is what forking the processes took before they were asked for.
    """
    found, before = {}, began
    if "ahead" in marks:
        found["ahead"] = round(marks["ahead"] * 1e3, 2)
    for name, at in [*((k, at) for k, at in marks.items() if k != "ahead"), ("reported", now)]:
        found[name] = round((at - before) * 1e3, 2)
        before = at
    return found


def isolation_of(limits: Sandbox, probed: Mapping[str, str], on: tuple[str, ...]) -> Isolation:
    """What a trial within such limits is isolated by: the layers that were ``on``, else those that would be."""
    if not _is_sandboxed(limits):
        return Isolation("forked")
    wanted = [] if limits.network else [sandbox.NETWORK]
    wanted += {"discard": [sandbox.OVERLAY, sandbox.READ_ONLY], "forbid": [sandbox.READ_ONLY]}.get(limits.writes, [])
    layers = on or tuple(layer for layer in [*wanted, sandbox.LIMITS] if not probed.get(layer, "not probed"))
    missing = tuple(f"{layer}: {probed.get(layer) or 'not on'}" for layer in wanted if layer not in layers)
    return Isolation("forked", tuple(layers), missing)
