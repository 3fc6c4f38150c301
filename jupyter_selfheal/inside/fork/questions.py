"""A trial that answers one question after the other, each in a copy of itself.

The copy ends with its answer, so that what a question does (load a module, use up an iterator) is gone for the next. The trial
has entered the sandbox already and has read what the questions are written in: a question costs one fork, not a trial of its own,
and that fork is made ahead, while nobody waits or the question before is answered: it is most of what a question takes.

Standard library only, with the modules beside it: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

from jupyter_selfheal.inside.fork import after_fork, descriptors

IDLE_SECONDS = 2.0
"""Seconds without a question after which the trial ends: whoever asks later gets another. Rules ask within milliseconds of each other."""

_BEYOND = 5.0
"""Seconds after a question's own limit at which the guard ends the trial, if this process did not end the copy."""

_UNANSWERED = {"status": "timeout"}
_DIED = {"status": "error"}


def answer_questions(
    results: socket.socket,
    send: Callable[..., None],
    prepare: Callable[[dict[str, Any]], object],
    answer: Callable[[dict[str, Any]], dict[str, Any]],
    limit: Callable[[float], None],
) -> None:
    """Answer what is asked on ``results`` until its other end is closed, or nothing was asked for a while.

    ``prepare`` reads a question once for all copies made from then on, ``answer`` gives its result in one; ``limit(seconds)``
    tells the guard how long it may take (0: no limit).
    """
    spare: _Copy | None = None
    while (question := _receive_question(results)) is not None:
        prepare(question)
        if question["ahead"]:
            with contextlib.suppress(OSError):
                spare = spare or _Copy(answer)
            continue
        seconds = float(question["timeout"])
        limit(seconds + _BEYOND)
        copy = spare or _Copy(answer)
        copy.send_question(question)
        spare = None
        with contextlib.suppress(OSError):  # of the process limit: the next question forks for itself
            spare = _Copy(answer)
        send("answer", copy.receive_answer(seconds))
        limit(0.0)
        copy.remove()
    if spare is not None:
        spare.remove()


def _receive_question(results: socket.socket) -> dict[str, Any] | None:
    size = descriptors.receive_bytes(results, 4, IDLE_SECONDS)
    data = descriptors.receive_bytes(results, int.from_bytes(size, "big"), _BEYOND) if size else b""
    return json.loads(data) if data else None


class _Copy:
    """A copy of this process that waits for one question. It is killed where this process ends."""

    def __init__(self, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        me = os.getpid()
        self._end, other = socket.socketpair()
        self._pid = after_fork.fork()
        if self._pid == 0:
            try:
                after_fork.die_with_parent(me)
                self._end.close()
                _answer_one(other, answer)
            finally:
                os._exit(0)
        other.close()

    def send_question(self, question: dict[str, Any]) -> None:
        """Ask it. One that has died says so in :meth:`receive_answer`."""
        data = json.dumps(question).encode("utf-8", "backslashreplace")
        with contextlib.suppress(OSError):
            self._end.sendall(len(data).to_bytes(4, "big") + data)

    def receive_answer(self, seconds: float) -> dict[str, Any]:
        """The answer, as soon as it is there: that the copy gives back its memory is not waited for."""
        data = _read_all(self._end, seconds)
        with contextlib.suppress(ValueError):
            return dict(json.loads(data)) if data is not None else _UNANSWERED
        return _DIED

    def remove(self) -> None:
        """Nothing is left of it."""
        self._end.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)


def _answer_one(end: socket.socket, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    size = descriptors.receive_bytes(end, 4)
    data = descriptors.receive_bytes(end, int.from_bytes(size, "big")) if size else b""
    if data:
        end.sendall(json.dumps(answer(json.loads(data))).encode("utf-8", "backslashreplace"))
    end.shutdown(socket.SHUT_RDWR)


def _read_all(end: socket.socket, seconds: float) -> bytes | None:
    """What a socket gives until its other end is closed; None where that takes too long."""
    data, until = bytearray(), time.monotonic() + seconds
    poll = select.poll()
    poll.register(end, select.POLLIN)
    while poll.poll(max(0.0, until - time.monotonic()) * 1000):
        try:
            part = end.recv(1 << 16)
        except ConnectionResetError:
            part = b""
        if not part:
            return bytes(data)
        data += part
    return None
