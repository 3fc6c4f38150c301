"""How far a run is, and about how long it still takes, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

LEAST_DONE = 3
"""Notebooks that must be done before a guess is worth saying."""


class TimeLeft:
    """About how long the notebooks of a run still take: as long as those that are done took on average.

    A notebook that is unchanged takes hardly any time; there may be as many of them among those that are left as among those that are done.
    """

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._total, self._clock, self._began = total, clock, clock()

    def describe(self, done: int) -> str:
        """``about 12 min left``; empty where nothing can be said yet, or nothing is left."""
        if done < LEAST_DONE or done >= self._total:
            return ""
        seconds = (self._clock() - self._began) / done * (self._total - done)
        return f"about {format_seconds(seconds)} left"


def format_seconds(seconds: float) -> str:
    """A time as a person says it: ``40 s``, ``12 min``, ``2 h 10 min``."""
    if seconds < 59.5:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


class Bar:
    """A progress bar, called with how far it is, of how much, and what is done; nothing is shown without one of tqdm's."""

    def __init__(self, bar: Any = None) -> None:
        self._bar = bar

    def __call__(self, at: int, of: int, what: str) -> None:
        """Show that ``at`` ``of`` so many are done, and ``what`` is at work."""
        if self._bar is not None:
            self._bar.total, self._bar.n = max(of, 1), at
            self._bar.set_postfix_str(what)

    def clear(self) -> None:
        """Take it off its line, for what is printed next; it comes again with the next call."""
        if self._bar is not None:
            self._bar.clear()


@contextmanager
def show_progress(show_bar: bool, name: str, unit: str) -> Iterator[Bar]:
    """A progress bar on stderr, where it is to be shown."""
    if not show_bar:
        yield Bar()
        return
    from tqdm import tqdm

    bar_format = "{desc} {bar:20} {n}/{total}{postfix}"
    with tqdm(total=1, desc=name, unit=unit, leave=False, bar_format=bar_format, file=sys.stderr) as bar:
        yield Bar(bar)
