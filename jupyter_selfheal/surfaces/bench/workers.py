"""Worker processes, and programs that threads wait for, which end at once when the measuring is stopped, by Ctrl-C or by who reads the rows no further."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import active_children, get_context
from pathlib import Path
from types import FrameType

STOP_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

_STOPPED = threading.Event()
"""In a worker: nothing is begun any more, also not what the pool had handed over before it was shut."""

_ENDING = threading.Event()
"""In a worker: a signal came that ends the process itself."""


@contextlib.contextmanager
def open_workers(processes: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of so many processes. Where the block is left by an exception what they do is interrupted, and what waits is dropped.

    Without that the pool's own end waits for all of it, which may be minutes. A further signal that comes while they end changes
    nothing: ``timeout`` and the end of a terminal send more than one, to us and to the workers.
    """
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=_note_interrupts) as pool:
        try:
            yield pool
        except BaseException:
            with _ignore_stop_signals():
                for worker in active_children():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(worker.pid or 0, signal.SIGINT)
                pool.shutdown(cancel_futures=True)
            raise


_CHILDREN: set[subprocess.Popen[bytes]] = set()
"""The programs that threads of this process wait for; guarded by the lock."""

_CHILDREN_LOCK = threading.Lock()

_CUT = threading.Event()
"""These were asked to end, and no further one is started."""


@contextlib.contextmanager
def open_threads(at_once: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of so many threads, which run programs by :func:`run_program`. Where the block is left by an exception these are asked to end, and
    what waits is dropped. As with :func:`open_workers`, further signals change nothing while they end."""
    _CUT.clear()
    with ThreadPoolExecutor(at_once) as pool:
        try:
            yield pool
        except BaseException:
            with _ignore_stop_signals():
                with _CHILDREN_LOCK:
                    _CUT.set()
                    for child in _CHILDREN:
                        child.terminate()
                pool.shutdown(cancel_futures=True)
            raise


def run_program(
    words: Sequence[str], *, cwd: Path, env: Mapping[str, str], timeout: float, given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end, as :func:`subprocess.run` does, and capture what it prints. Raises KeyboardInterrupt where all are to end."""
    with _CHILDREN_LOCK:
        if _CUT.is_set():
            raise KeyboardInterrupt
        pipe = subprocess.PIPE
        child = subprocess.Popen(words, cwd=cwd, env=env, stdin=pipe if given else None, stdout=pipe, stderr=pipe)
        _CHILDREN.add(child)
    with child:
        try:
            printed, said = child.communicate(given or None, timeout)
        except BaseException:
            child.kill()
            raise
        finally:
            with _CHILDREN_LOCK:
                _CHILDREN.discard(child)
    return subprocess.CompletedProcess(words, child.returncode, printed, said)


@contextlib.contextmanager
def _ignore_stop_signals() -> Iterator[None]:
    """In the main thread, where alone handlers can be set; elsewhere no signal arrives as an exception."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _list_heeded_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """In a worker, around its work: an interrupt ends it, and all that would follow. Raises KeyboardInterrupt where one came before.

    What else ends a group of processes ends the worker too, once its work has put away what it holds.
    """
    if _STOPPED.is_set():
        raise KeyboardInterrupt
    for number in _list_heeded_signals():
        signal.signal(number, _interrupt_work)
    try:
        yield
    except KeyboardInterrupt:
        _STOPPED.set()
        if _ENDING.is_set():
            os._exit(1)
        raise
    finally:
        _note_interrupts()


def _interrupt_work(number: int, frame: FrameType | None) -> None:
    """The first signal alone: a second one, from the terminal and from the parent, would cut what puts things away."""
    if number != signal.SIGINT:
        _ENDING.set()
    if not _STOPPED.is_set():
        _STOPPED.set()
        raise KeyboardInterrupt


def _note_interrupts() -> None:
    """A worker that waits has nothing to interrupt: that there was one is kept in mind."""
    for number in _list_heeded_signals():
        signal.signal(number, _stop_workers if number == signal.SIGINT else signal.SIG_DFL)


def _list_heeded_signals() -> list[int]:
    """All but what is ignored, as ``nohup`` has it; an interrupt is heeded even so, as by it the parent ends its workers."""
    return [n for n in STOP_SIGNALS if n == signal.SIGINT or signal.getsignal(n) not in (signal.SIG_IGN, None)]


def _stop_workers(number: int, frame: FrameType | None) -> None:
    _STOPPED.set()
