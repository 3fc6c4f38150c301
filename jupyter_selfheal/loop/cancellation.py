"""Waiting for what may block, and not waiting any more once the heal is cancelled."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

TICK = 0.05
"""Seconds between two looks at the cancellation."""


class Cancelled(Exception):
    """The heal was cancelled while something was under way."""


def away(call: Callable[[], T], cancel: threading.Event) -> T:
    """The result of a call on a thread of its own, which is left behind when ``cancel`` is set.

    Raises what the call raises, or :class:`Cancelled`. The thread is a daemon: one that hangs holds up nobody.
    """
    results: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            results.put((call(), None))
        except BaseException as error:
            results.put((None, error))

    threading.Thread(target=work, name="selfheal-work", daemon=True).start()
    while not cancel.is_set():
        try:
            value, error = results.get(timeout=TICK)
        except queue.Empty:
            continue
        if error is not None:
            raise error
        return value  # type: ignore[return-value]
    raise Cancelled
