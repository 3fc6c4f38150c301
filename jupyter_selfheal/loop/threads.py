"""Threads where there are any: Pyodide (Python in a browser) has none, and what a thread would do is done at once there."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, Final

HAS_THREADS: Final = str(sys.platform) != "emscripten"


class InlineExecutor(Executor):
    """Does what it is given at once, on the caller's thread. The interface is that of ``concurrent.futures``."""

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(call(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


def open_pool(workers: int, name: str, has_threads: bool = HAS_THREADS) -> Executor:
    """A pool of as many threads, or what stands in for it."""
    return ThreadPoolExecutor(workers, thread_name_prefix=name) if has_threads else InlineExecutor()


def start_work(work: Callable[[], None], name: str, has_threads: bool = HAS_THREADS) -> None:
    """Begin work that holds up nobody; where there are no threads, it is done when this returns."""
    if has_threads:
        threading.Thread(target=work, name=name, daemon=True).start()
    else:
        work()
