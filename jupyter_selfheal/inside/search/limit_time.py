"""Cutting what runs too long: by a timer of CPU time, and by the clock in every loop where a system has no timers."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from jupyter_selfheal.inside.search.count_steps import OutOfTime

plain_signal: Any = sys.modules.get("_signal", signal)
"""The functions of ``signal`` without its enumerations, which take longer than many a call."""

TOOL = 4
"""Number under which Python calls us in every loop; 0, 1, 2 and 5 are a debugger's, a coverage tool's, a profiler's and an optimizer's."""
NEVER_CUT = ("<selfheal jupyter_selfheal", "<frozen", "/")
"""How the names of files begin whose code is not the notebook's: our own, which must come to its end, and libraries."""
_HAS_TIMERS = hasattr(signal, "setitimer")
_ENDS: list[float] = []
"""CPU times at which what runs within ``watch_clock`` is cut: one within another has its own."""


def _raise_out_of_time(number: int, frame: FrameType | None) -> None:
    raise OutOfTime


def limit_cpu_time(seconds: float) -> contextlib.AbstractContextManager[None]:
    """Raise OutOfTime after so many CPU seconds of this process, again and again while user code swallows it."""
    return _Timer(seconds) if _HAS_TIMERS else watch_clock(seconds)


class _Timer:
    """A timer of CPU time; no generator, which takes as long to enter and leave as many a call that is timed."""

    __slots__ = ("before", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.before: Any = None

    def __enter__(self) -> None:
        self.before = plain_signal.signal(signal.SIGVTALRM, _raise_out_of_time)
        plain_signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds, max(self.seconds / 4, 0.02))

    def __exit__(self, *error: object) -> None:
        plain_signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        plain_signal.signal(signal.SIGVTALRM, self.before)


@contextlib.contextmanager
def watch_clock(seconds: float) -> Iterator[None]:
    """The same where a system has no timers (Pyodide): Python looks at the clock in every loop and at every call of a cell's code.

    Needs ``sys.monitoring`` (Python 3.12), which leaves ``sys.settrace`` to those who count lines. A call into C is not cut.
    """
    monitoring: Any = getattr(sys, "monitoring")  # noqa: B009  mypy reads this file as Python 3.11

    def look(code: CodeType, *_: object) -> None:
        if time.process_time() > min(_ENDS) and not code.co_filename.startswith(NEVER_CUT):
            raise OutOfTime

    _ENDS.append(time.process_time() + seconds)
    if len(_ENDS) == 1:
        monitoring.use_tool_id(TOOL, "jupyter_selfheal")
        for event in (monitoring.events.JUMP, monitoring.events.PY_START):
            monitoring.register_callback(TOOL, event, look)
        monitoring.set_events(TOOL, monitoring.events.JUMP | monitoring.events.PY_START)
    try:
        yield
    finally:
        _ENDS.pop()
        if not _ENDS:
            monitoring.set_events(TOOL, 0)
            monitoring.free_tool_id(TOOL)
