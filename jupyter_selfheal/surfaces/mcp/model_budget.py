"""The dollars that all calls of one server may spend on a model together: an agent calls as often as it likes, and the user has said once how much."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.numbers import format_limit
from jupyter_selfheal.surfaces.mcp.meter import Meter


class ModelBudget:
    """What is left of it. Thread-safe: calls run on threads of their own, several at once."""

    def __init__(self, usd: float) -> None:
        self.usd = self.left = usd
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def set_aside(self, usd: float, meter: Meter) -> Iterator[None]:
        """Keep what a call may spend out of the others' reach; afterwards what it did not spend is there again.

        A call that breaks down may have spent all of it, as may one whose model has no known price. Raises :class:`UsageError` where less is left.
        """
        with self._lock:
            if usd > self.left + 1e-12:
                raise UsageError(
                    f"budget_usd is above what is left of what the user allowed for all calls together "
                    f"(${format_limit(self.left)} of ${format_limit(self.usd)}): ask for less"
                )
            self.left -= usd
        spent = usd
        try:
            yield
            spent = _find_spent(usd, meter)
        except UsageError:
            spent = _find_spent(usd, meter)
            raise
        finally:
            with self._lock:
                self.left += usd - spent


def _find_spent(usd: float, meter: Meter) -> float:
    return usd if meter.cost.unknown else min(meter.cost.usd, usd)
