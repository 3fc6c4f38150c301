"""Our own retries, so that the budget, the deadline and Ctrl-C hold (an SDK's obey ``retry-after`` without a cap)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.model import Cost
from jupyter_selfheal.numbers import read_number

T = TypeVar("T")

SENDINGS = 2
"""Times a request may be sent at a price: a second time only where the first reply broke off half-way."""

UNPAID = "unpaid"
"""The kind of error of a sending that was not made, because what was set aside does not pay for it."""

_AGAIN = frozenset({"rate_limited", "overloaded", "server", "network"})


class SendingFailed(Exception):
    """One sending failed. ``after`` is how long the server asked to wait (seconds; negative: nothing said). ``billed`` is what
    may have been billed all the same, None where nothing was."""

    def __init__(self, error: ProviderError, after: float = -1.0, billed: Cost | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.after = after
        self.billed = billed


@dataclass(frozen=True)
class Retry:
    """Sends until it works, the tries are used up, or the deadline would be passed.

    ``tries`` counts all sendings; ``base`` is the first wait in seconds, doubled each time, with jitter. ``sleep`` must let
    KeyboardInterrupt through.
    """

    tries: int = 4
    base: float = 0.5
    sleep: Callable[[float], object] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def run(self, send: Callable[[float, Cost], T], seconds: float, tries: int = 0) -> tuple[T, Cost]:
        """The result of ``send(seconds left, billed so far)`` and what the failed sendings were billed. ``tries`` goes before ours.

        ``send`` raises :class:`SendingFailed`. Raises :class:`ProviderError`, whose ``cost`` is what was billed.
        """
        deadline, billed, paid, tries = self.clock() + seconds, Cost(), 0, tries or self.tries
        earlier: ProviderError | None = None
        for sending in range(1, tries + 1):
            try:
                return send(max(deadline - self.clock(), 0.01), billed), billed
            except SendingFailed as failure:
                error = earlier if failure.error.kind == UNPAID and earlier is not None else failure.error
                earlier = error
                if failure.billed is not None:
                    billed, paid = billed + failure.billed, paid + 1
                wait = (
                    failure.after if failure.after >= 0 else self.base * 2 ** (sending - 1) * random.uniform(0.8, 1.2)
                )
                late = self.clock() + wait >= deadline
                if failure.error.kind not in _AGAIN or paid >= SENDINGS or sending == tries or late:
                    raise _build_final_error(
                        error, billed, sending, wait if late and failure.after >= 0 else 0.0
                    ) from failure
                self.sleep(wait)
        raise AssertionError("a retry has at least one try")


def _build_final_error(error: ProviderError, billed: Cost, sendings: int, asked_wait: float) -> ProviderError:
    message = str(error)
    if asked_wait:
        message += f"; it asks to wait {asked_wait:.0f} s, which is past the time limit of this call"
    elif sendings > 1:
        message += f" (after {sendings} tries)"
    cost = billed if billed != Cost() else None
    return ProviderError(message, kind=error.kind, status=error.status, request_id=error.request_id, cost=cost)


def read_retry_after(header: str | None) -> float:
    """A ``retry-after`` header in seconds; negative where there is none, or it is a date or no number of seconds."""
    seconds = read_number(header, 0)
    return -1.0 if seconds is None else seconds
