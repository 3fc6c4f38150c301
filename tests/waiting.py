"""Waiting for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 90.0
"""Seconds that anything waited for may take, on a machine that does much else: only a failure takes that long."""


def wait_until(holds: Callable[[], object], seconds: float = PATIENCE, pause: float = 0.02) -> bool:
    """Ask again after each pause until it holds; False where it did not within so many seconds."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(pause)
    return True
