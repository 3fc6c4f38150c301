"""A trial that answers one question after the other, each in a copy of itself.

The copy ends with its answer, so that what a question does (load a module, use up an iterator) is gone for the next. The trial
has entered the sandbox already and has read what the questions are written in: a question costs one fork, not a trial of its own.

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

    ``prepare`` reads a question once for all copies, ``answer`` gives its result in one; ``limit(seconds)`` tells the guard how
    long it may take (0: no limit).
    """
    while (question := _receive_question(results)) is not None:
        prepare(question)
        if question["ahead"]:
            continue
        seconds = float(question["timeout"])
        limit(seconds + _BEYOND)
        send("answer", _answer_in_copy(question, answer, seconds))
        limit(0.0)


def _receive_question(results: socket.socket) -> dict[str, Any] | None:
    size = descriptors.receive_bytes(results, 4, IDLE_SECONDS)
    data = descriptors.receive_bytes(results, int.from_bytes(size, "big"), _BEYOND) if size else b""
    return json.loads(data) if data else None


def _answer_in_copy(
    question: dict[str, Any], answer: Callable[[dict[str, Any]], dict[str, Any]], seconds: float
) -> dict[str, Any]:
    me = os.getpid()
    read, write = os.pipe2(os.O_CLOEXEC)
    pid = after_fork.fork()
    if pid == 0:
        try:
            after_fork.die_with_parent(me)
            os.close(read)
            text = json.dumps(answer(question)).encode("utf-8", "backslashreplace")
            while text:
                text = text[os.write(write, text) :]
        finally:
            os._exit(0)
    os.close(write)
    data: bytes | None = None
    try:
        data = _read_all(read, seconds)
    finally:
        os.close(read)
        if data is None:
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    with contextlib.suppress(ValueError):
        return dict(json.loads(data)) if data is not None else _UNANSWERED
    return _DIED


def _read_all(number: int, seconds: float) -> bytes | None:
    """What a pipe gives until it is closed; None where that takes too long."""
    data, until = bytearray(), time.monotonic() + seconds
    poll = select.poll()
    poll.register(number, select.POLLIN)
    while poll.poll(max(0.0, until - time.monotonic()) * 1000):
        part = os.read(number, 1 << 16)
        if not part:
            return bytes(data)
        data += part
    return None
