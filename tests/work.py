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


BESIDE = 3
"""How often the small work is measured before the large, and after it."""


def count_seconds(work: Callable[[], object]) -> float:
    """CPU-seconds of this process that the work takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def takes_less(limit: Callable[[], float], measure: Callable[[], float]) -> bool:
    """Whether what is measured is below the limit at least once. The limit, which is measured too, is taken anew before each attempt: a
    machine that is slow for a while is so for both."""
    return any(measure() < limit() for _ in range(ATTEMPTS))


def grows_less(factor: float, small: Callable[[], float], large: Callable[[], float]) -> bool:
    """Whether the large work takes less than so many times what the small takes, at least once where they are measured side by side.

    Of the small the least counts, of some before and some after the large: what slows all of them down slows that down too.
    """

    def find_least() -> float:
        return min(small() for _ in range(BESIDE))

    for _ in range(ATTEMPTS):
        before, spent = find_least(), large()
        if spent < factor * before and spent < factor * find_least():
            return True
    return False
