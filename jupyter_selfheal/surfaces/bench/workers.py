"""Worker processes that end at once when the measuring is stopped, by Ctrl-C or by who reads the rows no further."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children, get_context
from types import FrameType

_STOPPED = threading.Event()
"""In a worker: nothing is begun any more, also not what the pool had handed over before it was shut."""


@contextlib.contextmanager
def open_workers(processes: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of so many processes. Where the block is left by an exception what they do is interrupted, and what waits is dropped.

    Without that the pool's own end waits for all of it, which may be minutes.
    """
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=_note_interrupts) as pool:
        try:
            yield pool
        except BaseException:
            for worker in active_children():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker.pid or 0, signal.SIGINT)
            pool.shutdown(cancel_futures=True)
            raise


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """In a worker, around its work: an interrupt ends it, and all that would follow. Raises KeyboardInterrupt where one came before."""
    if _STOPPED.is_set():
        raise KeyboardInterrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        _STOPPED.set()
        raise
    finally:
        _note_interrupts()


def _note_interrupts() -> None:
    """A worker that waits has nothing to interrupt: that there was one is kept in mind."""
    signal.signal(signal.SIGINT, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    _STOPPED.set()
