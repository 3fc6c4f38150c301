"""Thread pools of the user's state: whether they are at rest before a fork, and new workers for them after it.

A fork copies one thread. The pools in the copy believe in workers that are not there, and whoever gives them work would wait
for ever; so each gets a new beginning. Both kinds of the standard library are known, whoever made the pool (dask and
``asyncio.to_thread`` use the one, joblib the other). They are found through the lists that the library itself keeps of
workers and of pools: that is exact, and costs nothing where there are none. A walk over all objects would miss those that
``gc.freeze`` has put away, and write to the memory that this process shares with the kernel.

Trusted private names, checked in Python 3.11, 3.12 and 3.13: ``_threads_queues``, ``_worker`` and its variable ``work_item`` of
``concurrent.futures.thread``; the attributes of a ``ThreadPoolExecutor``; ``Thread._args``; ``_finalizer_registry`` of
``multiprocessing.util``; the attributes of a ``multiprocessing.pool.ThreadPool``.

Standard library only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

_EXECUTORS, _POOLS = "concurrent.futures.thread", "multiprocessing.pool"
HOMES = frozenset({_EXECUTORS, _POOLS})
"""The modules whose functions are the targets of the threads that this module knows."""

_PATIENCE = 2.0
"""Seconds that a worker is given to rest, or to end, once its result is out: on a busy machine it may take some."""
_LAST_STEP = 0.1
"""Seconds that one without work is given, which may also run what its pool begins with, for as long as that takes."""


# --- before a fork ------------------------------------------------------------------------------------------------


def becomes_idle(thread: threading.Thread) -> bool:
    """True once a thread of a pool waits for work and none is there for it, or has ended; False where there is work.

    In a fork the work of other threads would be lost, and whoever waits for a result would wait for ever. A thread whose
    results are out already, so that the cell has gone on, is given the moment that it needs to wait again or to end.
    """
    if getattr(getattr(thread, "_target", None), "__module__", "") == _POOLS:
        return _rests_in_pool(thread)
    return _rests_in_executor(thread)


def _rests_in_executor(worker: threading.Thread) -> bool:
    """Work that is being done is a frame further in, work that was just taken is a variable of the worker's loop, and what
    no worker has taken yet is in the queue. Without work a worker that is further in is on its way to wait (it tells its executor so)."""
    began = time.monotonic()
    while worker.is_alive():
        frame = innermost = sys._current_frames().get(worker.ident or 0)
        while frame is not None and not _is_worker_loop(frame):
            frame = frame.f_back
        work = frame.f_locals.get("work_item") if frame is not None else None
        if work is None:
            executor = _find_executor(worker)
            if frame is None or not (executor is None or executor._work_queue.empty()):
                return False
            if frame is innermost:
                return True
            del executor
        elif not work.future.done():
            return False
        if time.monotonic() > began + (_PATIENCE if work is not None else _LAST_STEP):
            return False
        del frame, innermost, work
        time.sleep(0.0005)
    return True


def _is_worker_loop(frame: FrameType) -> bool:
    code = frame.f_code
    return code.co_name == "_worker" and code.co_filename.endswith(os.path.join("futures", "thread.py"))


def _find_executor(worker: threading.Thread) -> Any:
    """The executor that a thread works for; None where that is gone.

    The arguments of a worker begin with a weak reference to it. A thread keeps them while it runs, and so for ever in a
    fork, where it does not run.
    """
    arguments = getattr(worker, "_args", ())
    return arguments[0]() if arguments and callable(arguments[0]) else None


def _rests_in_pool(thread: threading.Thread) -> bool:
    """What a pool was asked for stays in its ``_cache`` until all of the result is there."""
    for pool in _list_multiprocessing_pools():
        if thread in (*pool._pool, pool._worker_handler, pool._task_handler, pool._result_handler):
            if pool._state == _read_run_state():
                return _has_threads(pool) and not pool._cache
            if not _has_threads(pool):
                return False
    thread.join(_PATIENCE)  # its pool has ended, or is about to
    return not thread.is_alive()


def _list_multiprocessing_pools() -> Iterator[Any]:
    """The pools of ``multiprocessing`` that have not ended: each has registered what is to be done at its end."""
    util: Any = sys.modules.get("multiprocessing.util")
    module: Any = sys.modules.get(_POOLS)
    for finalizer in list(util._finalizer_registry.values()) if util is not None and module is not None else ():
        pool = finalizer._weakref() if finalizer._weakref is not None else None
        if isinstance(pool, module.Pool):
            yield pool


def _has_threads(pool: Any) -> bool:
    return isinstance(pool, sys.modules[_POOLS].ThreadPool)


def _read_run_state() -> Any:
    return sys.modules[_POOLS].RUN


def end_processes_of_joblib() -> None:
    """Let go of the workers that joblib keeps for its next call, where they have nothing to do: they are what no fork may be made beside.

    Only in a process of ours: joblib starts new ones when it is called again. An executor that the user may hold (loky's own) is left alone.
    Trusted names, checked with joblib 1.4 and 1.5: ``_executor`` of ``joblib.externals.loky.reusable_executor``, ``MemmappingExecutor``, its
    ``_pending_work_items`` and ``_running_work_items``; the arguments of a ``QueueFeederThread``, and ``_closed`` and ``_reader`` of its queue.
    """
    executor: Any = getattr(sys.modules.get("joblib.externals.loky.reusable_executor"), "_executor", None)
    is_idle = executor is not None and not (executor._pending_work_items or executor._running_work_items)
    if type(executor).__name__ == "MemmappingExecutor" and is_idle:
        with contextlib.suppress(Exception):  # then it is alive, and the gate says so
            executor.shutdown(wait=True)
    for thread in [t for t in threading.enumerate() if t.name == "QueueFeederThread"]:
        _end_feeder(thread)


def _end_feeder(thread: threading.Thread) -> None:
    """Have a thread end that was told to: where a call was interrupted, or raised, its workers were killed, and it writes what nobody reads.

    With the reader of this process gone as well, writing fails, and it goes. Workers that live read by one of their own.
    """
    queue = next(
        (q for a in getattr(thread, "_args", ()) if (q := getattr(a, "__self__", None)) and hasattr(q, "_closed")), None
    )
    if queue is None or not queue._closed or not type(queue).__module__.startswith("joblib."):
        return
    with contextlib.suppress(Exception):
        queue._reader.close()
    thread.join(_PATIENCE)


# --- after a fork -------------------------------------------------------------------------------------------------


def renew_all() -> None:
    """Give every pool of this process a new beginning; no thread is started before there is work for it.

    Safe, as no pool is at work: the gate has refused to fork, or to keep this state, otherwise. Where this process still
    has the old workers (a trial that is kept), they wait at the old queues, to which nothing comes any more.
    """
    module: Any = sys.modules.get(_EXECUTORS)
    if module is not None:
        for worker in list(module._threads_queues):
            executor = _find_executor(worker)
            if executor is not None:
                _renew_executor(executor)
        module._threads_queues.clear()
    for pool in _list_multiprocessing_pools():
        if _has_threads(pool) and pool._state == _read_run_state():
            pool._taskqueue = _FirstTask(pool)


def _renew_executor(executor: Any) -> None:
    executor._threads = set()
    executor._idle_semaphore = threading.Semaphore(0)
    executor._work_queue = type(executor._work_queue)()
    executor._shutdown_lock = threading.Lock()


class _FirstTask:
    """Takes the place of a pool's queue of tasks until the first task comes: then the pool begins anew, with new threads.

    The threads of such a pool are started with it, not with its first task; a fork that will not use it needs none.
    """

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def put(self, task: Any) -> None:
        """Start the pool's threads, and hand on the task.

        The task knows its result, and that the old cache that it was entered in: both are carried over.
        """
        pool = self._pool
        results = dict(pool._cache)
        pool._terminate.cancel()
        base: Any = sys.modules[_POOLS].Pool
        base.__init__(
            pool, pool._processes, pool._initializer, pool._initargs, pool._maxtasksperchild, context=pool._ctx
        )
        for result in results.values():
            result._cache = pool._cache
        pool._cache.update(results)
        pool._taskqueue.put(task)
