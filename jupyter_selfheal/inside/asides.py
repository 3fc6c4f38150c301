"""What fails beside a cell while it runs, and so does not reach it: in a thread that it started, in a callback of a widget, in how an
object says it is to be shown (``_repr_html_``), in the script of a ``%run``.

Python hands the first to :func:`threading.excepthook`; ipywidgets shows the second by itself (``CallbackDispatcher.__call__`` of
``ipywidgets/widgets/widget.py``, ``interactive.update`` of ``interaction.py``, 7.7 and 8.1), IPython the third (``catch_format_error``
of ``IPython/core/formatters.py``, 7.34 to 9), and the cell ends well.

Standard library only: it is also sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from typing import Any

DAEMON_SECONDS = 1.0
"""How long a trial waits for a thread that is meant to go on for ever; one of another kind is waited for to its end."""


RUN = re.compile(r"^\s*%run\s+(?!.*\B-[nedp]\b)\S", re.MULTILINE)
"""The magic that runs a script in the notebook's place; with `-e`, `-d` and `-p` what the script raises is meant or another tool's."""

CATCH_AND_SHOW = ("ipywidgets.widgets.", "IPython.core.formatters")
"""Modules that show by themselves what they caught."""


class AsideWatch:
    """Keeps the first exception of the user's threads, callbacks and displays, and leaves what is done about it as it was."""

    def __init__(self) -> None:
        self._in_thread: BaseException | None = None
        self._last_before: Any = None
        self._threads_before: set[threading.Thread] = set()
        self._before: Any = None

    def install(self) -> None:
        """Take the hook of threads; what was there goes on being called."""
        self._before = threading.excepthook
        threading.excepthook = self._hook

    def remove(self) -> None:
        """Put back what was there, unless somebody else took the hook since."""
        if threading.excepthook == self._hook:
            threading.excepthook = self._before
        self._in_thread = self._last_before = None
        self._threads_before = set()

    def begin(self) -> None:
        """A cell is about to run."""
        self._in_thread = None
        self._last_before = getattr(sys, "last_value", None)
        self._threads_before = set(threading.enumerate())

    def wait_for_threads(self) -> int:
        """Wait for the threads that the cell has started, so that what they raise is known. Returns how many still run: what those do
        later is not."""
        daemons_until = time.monotonic() + DAEMON_SECONDS
        started = set(threading.enumerate()) - self._threads_before
        for thread in started:
            thread.join(max(0.0, daemons_until - time.monotonic()) if thread.daemon else None)
        return sum(thread.is_alive() for thread in started)

    def take_error(self) -> BaseException | None:
        """What was raised beside the cell since :meth:`begin`; None where nothing was."""
        error, self._in_thread = self._in_thread, None
        before, self._last_before = self._last_before, None
        shown = getattr(sys, "last_value", None)
        if error is None and shown is not before and isinstance(shown, BaseException) and _is_shown_beside(shown):
            return shown
        return error

    def _hook(self, args: Any) -> None:
        if isinstance(args.exc_value, Exception) and self._in_thread is None:
            self._in_thread = args.exc_value
        self._before(args)


def find_error_of_script(code: str, shown_before: Any) -> BaseException | None:
    """What the script of a ``%run`` raised, where IPython has shown it since: it calls such a cell well ended, and all that the script would have
    made is missing below."""
    shown = getattr(sys, "last_value", None)
    if shown is shown_before or not isinstance(shown, Exception) or not RUN.search(code):
        return None
    return shown


def find_run(code: str) -> tuple[int, str]:
    """The line of the first ``%run`` of a cell, and its text."""
    return next(((n, line.strip()) for n, line in enumerate(code.split("\n"), 1) if RUN.match(line)), (0, ""))


def _is_shown_beside(error: BaseException) -> bool:
    """Whether it was caught by what calls the callbacks of widgets, or by what asks an object how it is shown."""
    tb = error.__traceback__
    caught_in = str(tb.tb_frame.f_globals.get("__name__", "")) if tb is not None else ""
    return caught_in.startswith(CATCH_AND_SHOW)
