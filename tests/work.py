"""Work that is counted, so that a loaded machine changes nothing about it; where it cannot be, its CPU-seconds are measured until they will do."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import CodeType, FrameType


def count_calls(work: Callable[[], object], of: CodeType | None = None) -> int:
    """How many functions, Python's and C's, the work calls on this thread; with ``of``, how often this one of Python's.

    See https://docs.python.org/3/library/sys.html#sys.setprofile for the events.
    """
    calls = 0

    def count(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += frame.f_code is of and event == "call" if of else event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


ATTEMPTS = 10
"""How often work is measured that seems to take too long: another program may slow this one down, and none makes it faster."""


def count_seconds(work: Callable[[], object]) -> float:
    """CPU-seconds of this process that the work takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def takes_less(limit: float, measure: Callable[[], float]) -> bool:
    """Whether what is measured is below the limit at least once."""
    return any(measure() < limit for _ in range(ATTEMPTS))
