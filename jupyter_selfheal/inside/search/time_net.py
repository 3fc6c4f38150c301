"""The net of CPU time and of the clock that catches a search which its steps do not end: on a busy machine, or where steps lead into slow C code."""

from __future__ import annotations

import math
import time

from jupyter_selfheal.inside.search import patience
from jupyter_selfheal.inside.search.cpu_time import read_cpu_time


class TimeNet:
    """The net of one search, from now on. ``seconds`` are those of the setting; ``most`` are the CPU seconds that whoever asks has left."""

    def __init__(self, seconds: float, most: float = math.inf) -> None:
        self.seconds, self.most = seconds, most
        self.ends_at = min(max(patience.NET * seconds, patience.LEAST_NET), most)
        """CPU seconds after which it has caught the search."""
        self.unfound = 0.0
        """CPU seconds after which the search was given up, as nearly all that is found comes sooner; 0 where it was not."""
        self.began = read_cpu_time()
        self.started = time.monotonic()

    def measure_cpu(self) -> float:
        """CPU seconds of this process and those that it has waited for, since the search began."""
        return read_cpu_time() - self.began

    def has_caught(self, is_found: bool) -> bool:
        """Whether it ends the search, in which something was found or nothing yet."""
        clock, cpu = time.monotonic() - self.started, self.measure_cpu()
        most = self.ends_at if is_found else min(max(patience.UNFOUND * self.seconds, patience.LEAST_NET), self.most)
        if not self.unfound and most <= cpu < self.ends_at:
            self.unfound = cpu
        return clock >= max(patience.CLOCK * self.seconds, patience.LEAST_CLOCK) or cpu >= min(self.ends_at, most)
