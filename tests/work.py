"""Work that is counted, so that a loaded machine changes nothing about it."""

from __future__ import annotations

import sys
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
