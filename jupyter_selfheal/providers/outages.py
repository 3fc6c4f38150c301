"""A service that was down repeatedly is sent nothing more of anybody's cells before it has answered a probe.

The probe is a request of a few words, sent once: whatever kept the calls from being answered (a key, an account, a network, an
overload) keeps it too, so its answer says that the service is back. It is paid out of what the call has set aside, whose reply may be
as much shorter (ADR 12).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.model import Cost
from jupyter_selfheal.ports import ModelReply, ModelRequest, Provider

if TYPE_CHECKING:
    from jupyter_selfheal.providers.pot import Pot

REPEATED = 2
"""Calls in a row that an outage ended, each after its retries, before only a probe is sent."""

REST = 1.0
"""Seconds for which the answer to one probe stands for all who ask at once."""

PROBE_SECONDS = 10.0

_ROUNDING = 1e-12

NOT_SENT = "after two outages in a row no cell is sent before a probe is answered"

_DOWN = frozenset({"auth", "quota", "rate_limited", "overloaded", "server", "network", "timeout"})


@dataclass(slots=True)
class Outages:
    """How many calls in a row found a service down: in this process, or for all processes of a command in the length of a file."""

    path: Path | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while one probes, so that the others wait for its answer."""
    refused: tuple[float, ProviderError] | None = None
    """When the last probe found it down, and how."""
    _count: int = 0

    @property
    def count(self) -> int:
        """Outages since the last answer."""
        if self.path is None:
            return self._count
        try:
            return self.path.stat().st_size
        except FileNotFoundError:  # none so far, or another process has just had an answer
            return 0

    def add_outage(self) -> None:
        """One more call found it down."""
        if self.path is None:
            self._count += 1
            return
        with open(self.path, "ab", opener=_open_private) as marks:
            marks.write(b"!")

    def forget_outages(self) -> None:
        """The service has answered: earlier outages count no more, for other processes neither."""
        self._count, self.refused = 0, None
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def watch_service(provider: Provider, pot: Pot | None = None) -> Provider:
    """``provider``, which is only probed once it was down repeatedly: for this process, or for all that pay out of ``pot``. One whose answers
    take hours (``answers_at_once`` is False) is left as it is."""
    if not getattr(provider, "answers_at_once", True):
        return provider
    if pot is not None:
        return ProbingProvider(provider, Outages(pot.locate_outages(provider.name)))
    return ProbingProvider(provider, _count_in_process(provider.name, getattr(provider, "address", "")))


@cache
def _count_in_process(name: str, address: str) -> Outages:
    return Outages()


@dataclass(slots=True)
class ProbingProvider:
    """Asks ``inner``; after :data:`REPEATED` outages in a row only once it has answered a probe."""

    inner: Provider
    outages: Outages
    clock: Callable[[], float] = time.monotonic
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.inner.name

    def worst_case(self, request: ModelRequest) -> Cost:
        """See :class:`~jupyter_selfheal.ports.Provider`."""
        return self.inner.worst_case(request)

    def complete(self, request: ModelRequest, progress: Callable[[str], Any] | None = None) -> ModelReply:
        """See :class:`~jupyter_selfheal.ports.Provider`. Raises :class:`ProviderError` without sending the request where the probe
        is not answered."""
        probed = self._probe_service(request)
        fitting = request if probed == Cost() else self._shorten_reply(request, probed)
        try:
            reply = self.inner.complete(fitting, progress)
        except ProviderError as error:
            if is_outage(error):
                self.outages.add_outage()
            if probed != Cost():
                error.cost = probed + (error.cost or _guess_cost(error, self.inner.worst_case(fitting)))
            raise
        self.outages.forget_outages()
        return reply if probed == Cost() else replace(reply, cost=probed + reply.cost)

    def _shorten_reply(self, request: ModelRequest, probed: Cost) -> ModelRequest:
        """The request with so much shorter a reply that it and the probe cost no more than it alone could."""
        spent = probed.input_tokens + probed.output_tokens
        shorter = replace(request, max_tokens=max(request.max_tokens - spent, 1))
        after, most = probed + self.inner.worst_case(shorter), self.inner.worst_case(request)
        tokens = after.input_tokens + after.output_tokens - most.input_tokens - most.output_tokens
        if tokens > 0 or after.usd > most.usd + _ROUNDING:
            why = f"{self.name} answers again; what was set aside for this call went for the probe: try again"
            raise ProviderError(why, kind="overloaded", cost=probed)
        return shorter

    def _probe_service(self, request: ModelRequest) -> Cost:
        """What it cost to find that the service answers; nothing where no outage was repeated."""
        if self.outages.count < REPEATED:
            return Cost()
        with self.outages.lock:
            if self.outages.count < REPEATED:
                return Cost()
            known = self.outages.refused
            if known is not None and self.clock() - known[0] < REST:
                raise _refuse_request(known[1], Cost())
            probe = build_probe(request)
            try:
                cost = self.inner.complete(probe).cost
            except ProviderError as error:
                self.outages.refused = (self.clock(), error)
                raise _refuse_request(error, error.cost or _guess_cost(error, self.inner.worst_case(probe))) from error
            self.outages.forget_outages()
            return cost


def is_outage(error: ProviderError) -> bool:
    """Whether it says that the service would answer nobody, and not only this request."""
    return error.kind in _DOWN or error.status == 404


def build_probe(request: ModelRequest) -> ModelRequest:
    """A request to the same model that says nothing of anybody's."""
    return ModelRequest(
        "Reply with one word.", (("user", "ok"),), request.model, 16, purpose="probe", timeout=PROBE_SECONDS, tries=1
    )


def _guess_cost(error: ProviderError, worst: Cost) -> Cost:
    """What a call cost of which nothing is known: its worst case where it may have been answered."""
    return worst if error.kind == "timeout" else Cost()


def _refuse_request(error: ProviderError, cost: Cost) -> ProviderError:
    return ProviderError(
        f"{error}; {NOT_SENT}", kind=error.kind, status=error.status, request_id=error.request_id, cost=cost
    )


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
