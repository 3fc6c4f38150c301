"""Waiting for what may block, and not waiting any more once the heal is cancelled.

Everything slow that a command needs (a healer, a judge, a trial, a state) is called through :func:`run_cancellable`, by
:mod:`.runner`, :mod:`.advisers` and :mod:`.trial_states`. Trials that run side by side are the one exception:
:meth:`.TrialStates.try_patches` waits for several at once, by the same ``TICK``, and raises the same :class:`Cancelled`.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

from jupyter_selfheal.loop.threads import start_work

T = TypeVar("T")

TICK = 0.05
"""Seconds between two looks at the cancellation."""


class Cancelled(Exception):
    """The heal was cancelled while something was under way."""


def run_cancellable(
    call: Callable[[], T], cancel: threading.Event, discard: Callable[[T], object] = lambda value: None
) -> T:
    """The result of a call on a thread of its own, which is left behind when ``cancel`` is set.

    Raises what the call raises, or :class:`Cancelled`. What a call still returns that was left behind is given to
    ``discard``, so that a kernel which it holds is closed. The thread is a daemon: one that hangs holds up nobody.
    """
    finished: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()
    lock, is_left_behind = threading.Lock(), threading.Event()

    def work() -> None:
        value: T | None = None
        failure: BaseException | None = None
        try:
            value = call()
        except BaseException as error:
            failure = error
        with lock:
            if not is_left_behind.is_set():
                finished.put((value, failure))
                return
        if failure is None:
            discard(value)  # type: ignore[arg-type]

    start_work(work, "selfheal-work")
    while not cancel.is_set():
        try:
            value, failure = finished.get(timeout=TICK)
        except queue.Empty:
            continue
        if failure is not None:
            raise failure
        return value  # type: ignore[return-value]
    with lock:
        is_left_behind.set()  # from here on the thread discards what it returns; before, it has put it here
    if not finished.empty():
        value, failure = finished.get()
        if failure is None:
            discard(value)  # type: ignore[arg-type]
    raise Cancelled
