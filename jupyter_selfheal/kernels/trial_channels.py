"""One trial's channels, seen from the engine: the request goes out, the results and the guard's report come in."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import struct
import time
from typing import Any

from jupyter_selfheal.errors import RUN_AGAIN, KernelError
from jupyter_selfheal.kernels.trial_results import FrameReader, ResultReader
from jupyter_selfheal.model import Probe, Run, Step, TrialRequest

GONE = f"the saved state has expired, or ran out of memory{RUN_AGAIN}"
SILENT = f"nothing was heard of the trial, as the machine may be out of processes, files or memory{RUN_AGAIN}"


class NotBegun(KernelError):
    """Nothing was heard of a trial: no code of it ran. Its state may be there all the same."""


class Channels:
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

    def close_theirs(self) -> None:
        """Their ends were sent."""
        for end in self.theirs:
            end.close()
        self.theirs = []

    def take_control(self) -> socket.socket:
        """The connection to the kept zygote; the caller closes it."""
        return self._control.pop()

    def __enter__(self) -> Channels:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close whatever is still open."""
        self.close_theirs()
        for end in (self.results, self.status, *self._control):
            end.close()


def send_request(
    results: socket.socket, request: TrialRequest, folders: tuple[str, ...], *, asks: bool = False
) -> None:
    """Everything that the trial must know, as one frame. ``asks``: once its steps are run, it waits for questions."""
    limits = request.sandbox
    body = json.dumps(
        {
            "steps": [_encode_step(step) for step in request.steps],
            "keep": request.keep.value,
            "paths": list(request.paths),
            "output_bytes": limits.output_kb * 1024,
            "plan": {
                "network": limits.network,
                "writes": limits.writes,
                "memory_mb": limits.memory_mb,
                "folders": list(folders),
            },
            "asks": asks,
            "brief": request.is_brief,
            "stop_after": request.stop_after,
        }
    ).encode()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it is gone already: the status says how
        results.sendall(struct.pack(">I", len(body)) + body)


def send_question(results: socket.socket, probe: Probe, *, is_ahead: bool = False) -> None:
    """A question to a trial that waits for some; ``is_ahead``: its source alone is read. Raises ``OSError`` where the trial is gone."""
    body = json.dumps({**_encode_step(probe), "ahead": is_ahead}).encode()
    results.sendall(struct.pack(">I", len(body)) + body)


def _encode_step(step: Step) -> dict[str, Any]:
    if isinstance(step, Run):
        also = {"with_asides": True} if step.with_asides else {}
        return {"code": step.code, "cell_id": step.cell_id, "go_on": step.go_on, "timeout": step.timeout, **also}
    return {"source": step.source, "argument": step.argument, "name": step.name, "timeout": step.timeout}


def read_results(channels: Channels, reading: ResultReader, deadline: float) -> dict[str, Any]:
    """Read until the guard has reported and the trial has said its last word, or its end of the channel is closed.

    The guard need not be heard where the trial's last word says that nothing can come after it (``Trial._leave``).
    """
    frames, report = FrameReader(), b""
    poll = select.poll()
    waiting = {channels.results.fileno(), channels.status.fileno()}
    for number in waiting:
        poll.register(number, select.POLLIN)
    while waiting and not (reading.done is not None and (reading.is_over or channels.status.fileno() not in waiting)):
        ready = poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
        if not ready:
            raise KernelError(f"the trial kernel does not answer: {GONE}")
        for number, _ in ready:
            is_status = number == channels.status.fileno()
            data = _receive_bytes(channels.status if is_status else channels.results)
            if not data:
                waiting.discard(number)
                poll.unregister(number)
            elif is_status:
                report += data
            else:
                _take_frames(frames, data, reading)
    try:
        fields = json.loads(report)
    except (ValueError, RecursionError) as error:
        if reading.done is None:
            raise (KernelError(GONE) if reading.was_heard else NotBegun(SILENT)) from error
        return {}
    return fields if isinstance(fields, dict) else {}


def _take_frames(frames: FrameReader, data: bytes, reading: ResultReader) -> None:
    """What the trial says, as far as it has come. The user's code runs in the process that writes it: it may be anything."""
    try:
        for frame in frames.take_frames(data):
            reading.take_frame(frame)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise KernelError(f"the trial sent what cannot be read ({type(error).__name__}: {error})") from error


def _receive_bytes(end: socket.socket) -> bytes:
    try:
        return end.recv(1 << 20)
    except ConnectionResetError:
        return b""
