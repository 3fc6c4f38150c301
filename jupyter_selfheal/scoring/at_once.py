"""Several calls that wait for somebody else, made at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def run_at_once(calls: Sequence[Callable[[], T]]) -> list[T | BaseException]:
    """What each call returns or raises, in their order.

    The threads are daemons (those of an executor would be waited for when Python ends), so that a server that hangs holds up
    nobody who has given up waiting.
    """
    results: list[T | BaseException] = [RuntimeError("it did not run")] * len(calls)

    def run(n: int) -> None:
        try:
            results[n] = calls[n]()
        except BaseException as error:
            results[n] = error

    threads = [threading.Thread(target=run, args=(n,), name="selfheal-ask", daemon=True) for n in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
