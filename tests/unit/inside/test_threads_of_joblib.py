"""Threads that an interrupted call of joblib leaves behind: they write to workers that were killed, and no fork may be made beside them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from jupyter_selfheal.inside.fork.thread_pools import end_processes_of_joblib

MORE_THAN_A_PIPE_HOLDS = bytes(1 << 20)


@pytest.fixture
def queue() -> Iterator[Any]:
    """A queue of tasks of which its thread cannot get rid: there is nobody who reads."""
    process_executor = pytest.importorskip(
        "joblib.externals.loky.process_executor", reason="scikit-learn brings joblib"
    )
    made = process_executor._SafeQueue(max_size=5, ctx=process_executor.get_context())
    made._ignore_epipe = True
    made.put(MORE_THAN_A_PIPE_HOLDS)
    yield made
    if not made._closed:
        made.close()
    made._reader.close()
    made._thread.join()


def test_a_thread_that_was_told_to_end_and_writes_what_nobody_reads_ends(queue: Any) -> None:
    queue.close()
    end_processes_of_joblib()
    assert not queue._thread.is_alive()
    assert queue._thread not in threading.enumerate()


def test_one_that_was_not_told_to_end_is_left_alone(queue: Any) -> None:
    end_processes_of_joblib()
    assert queue._thread.is_alive()
    assert not queue._reader.closed
