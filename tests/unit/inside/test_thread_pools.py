"""Whether a worker of a thread pool rests, so that a fork loses nothing."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from jupyter_selfheal.inside.fork import thread_pools


class SlowlyTold(threading.Semaphore):
    """What an executor counts idle workers by; a worker that tells it so waits until somebody has looked."""

    def __init__(self) -> None:
        super().__init__(0)
        self.entered, self.looked = threading.Event(), threading.Event()

    def release(self, n: int = 1) -> None:
        self.entered.set()
        assert self.looked.wait(60)
        super().release(n)


def test_a_worker_that_only_says_that_it_rests_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told = SlowlyTold()
    monkeypatch.setattr(thread_pools, "_LAST_STEP", 60.0)
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: told.looked.set())
    monkeypatch.setattr(thread_pools, "time", clock)
    with ThreadPoolExecutor(1) as executor:
        executor._idle_semaphore = told  # type: ignore[assignment]
        executor.submit(int).result()
        assert told.entered.wait(60)
        (worker,) = executor._threads
        assert thread_pools.becomes_idle(worker)


def test_a_worker_that_begins_with_work_of_its_own_does_not_rest() -> None:
    begun, go = threading.Event(), threading.Event()

    def prepare() -> None:
        begun.set()
        go.wait(60)

    with ThreadPoolExecutor(1, initializer=prepare) as executor:
        executor.submit(int)
        assert begun.wait(60)
        (worker,) = executor._threads
        is_idle = thread_pools.becomes_idle(worker)
        go.set()
    assert not is_idle
