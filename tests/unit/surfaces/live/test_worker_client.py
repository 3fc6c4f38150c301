"""The pipe to the worker."""

from __future__ import annotations

import os
from pathlib import Path

from jupyter_selfheal import messages, wire
from jupyter_selfheal.surfaces.live.worker_client import WorkerClient


def test_greeting_written_by_hand_is_the_message(tmp_path: Path) -> None:
    client = WorkerClient(tmp_path / "log", lambda message: None, lambda what, again: None)
    sent: list[str] = []
    client._queue_line = lambda line: not sent.append(line)  # type: ignore[method-assign]
    assert client.greet("1.2", "/work")
    assert client.greet("1.2", "/work", "/data/kernel-1")
    hellos = (
        messages.Hello("1.2", os.getpid(), "/work"),
        messages.Hello("1.2", os.getpid(), "/work", "/data/kernel-1"),
    )
    assert sent == [wire.dumps(hello) for hello in hellos]
