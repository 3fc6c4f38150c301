"""What a call costs: cells run, trials, seconds, dollars. Each call has a meter of its own."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from jupyter_selfheal.model import JSON, Cost, Role, Trial

_RUNS = frozenset(
    {Role.SETUP.value, Role.CELL.value, Role.DOWNSTREAM.value, Role.RECORDED.value, Role.FAILED_AGAIN.value}
)
_here = threading.local()


@dataclass(slots=True)
class Meter:
    """Counts what is run for one call. Thread-safe: a heal runs its trials on threads of its own."""

    trials: int = 0
    cells_run: int = 0
    cost: Cost = Cost()
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count_trial(self, trial: Trial) -> None:
        """One more run from a state, with the cells that came to run in it."""
        with self._lock:
            self.trials += 1
            self.cells_run += sum(s.role in _RUNS and s.status != "skipped" for s in trial.steps)

    def stop(self) -> None:
        """What it cost is known: the clock stands still."""
        self.ended = time.monotonic()

    def build_json(self) -> JSON:
        """What a result says of its cost."""
        now = time.monotonic() if self.ended is None else self.ended
        return {
            "usd": round(self.cost.usd, 6),
            "seconds": round(now - self.began, 3),
            "trials": self.trials,
            "cells_run": self.cells_run,
        }


def use_meter(meter: Meter) -> None:
    """Let what this thread runs be counted by the meter from here on."""
    _here.meter = meter


def get_meter() -> Meter:
    """The meter of this thread; one that nobody reads where it has none."""
    meter: Meter | None = getattr(_here, "meter", None)
    return meter if meter is not None else Meter()
