"""Claude by Message Batches: at half the price, and answered within a day. For benchmarks and nightly runs, where nobody waits.

Each call is a batch of one request (https://docs.claude.com/en/docs/build-with-claude/batch-processing), so that everything else stays as it
is: reservations, recordings, the order of a heal. Programs that are healed at once (``--jobs``) wait for theirs side by side.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.model import Cost
from jupyter_selfheal.ports import ModelReply, ModelRequest
from jupyter_selfheal.providers.anthropic import STOPS, AnthropicProvider, build_arguments, read_usage
from jupyter_selfheal.providers.provider_errors import build_error, classify_error
from jupyter_selfheal.providers.retry import SendingFailed

if TYPE_CHECKING:
    import anthropic

PRICE = 0.5
"""What a batch costs of the price of a call that is answered at once."""

FIRST_WAIT, LONGEST_WAIT = 2.0, 60.0
"""Seconds between two looks at a batch: half as long again each time, up to the second."""

SECONDS = 60.0
"""For one request about a batch: it is answered at once, whatever the batch takes."""


class MessageBatchesProvider(AnthropicProvider):
    """Models of Anthropic, asked by batches. ``sleep`` waits between two looks, and must let KeyboardInterrupt through."""

    answers_at_once = False

    sleep: Callable[[float], object] = staticmethod(time.sleep)

    def worst_case(self, request: ModelRequest) -> Cost:
        """See :class:`~jupyter_selfheal.ports.Provider`."""
        return _halve_cost(super().worst_case(request))

    def complete(self, request: ModelRequest, progress: Callable[[str], Any] | None = None) -> ModelReply:
        """See :class:`~jupyter_selfheal.ports.Provider`. ``progress`` is called at each look, and may raise: the
        batch is cancelled. The text comes in one piece."""
        batches = self._connect().messages.batches
        entry: Any = {"custom_id": "call", "params": build_arguments(request, request.max_tokens)}
        most = self.worst_case(request)
        batch = self._ask(lambda: batches.create(requests=[entry], timeout=SECONDS), most)
        try:
            self._wait_for_batch(batches, batch.id, progress)
            results = self._ask(lambda: list(batches.results(batch.id, timeout=SECONDS)))
        except BaseException as error:
            with contextlib.suppress(Exception):  # what is asked for no longer need not be paid
                batches.cancel(batch.id, timeout=SECONDS)
            if isinstance(error, ProviderError):
                error.cost = most  # it may have been answered all the same
            raise
        reply = self._read_result(request, results)
        if progress is not None:
            progress(reply.text)
        return reply

    def _wait_for_batch(
        self, batches: anthropic.resources.messages.Batches, batch: str, progress: Callable[[str], Any] | None
    ) -> None:
        wait = FIRST_WAIT
        while self._ask(lambda: batches.retrieve(batch, timeout=SECONDS)).processing_status != "ended":
            if progress is not None:
                progress("")
            self.sleep(wait)
            wait = min(LONGEST_WAIT, 1.5 * wait)

    def _read_result(self, request: ModelRequest, results: list[Any]) -> ModelReply:
        """The reply. Raises :class:`~jupyter_selfheal.errors.ProviderError` where the batch ended without one, which is not billed."""
        result = results[0].result if results else None
        kind = getattr(result, "type", "missing")
        if kind == "errored":
            error = result.error.error  # type: ignore[union-attr]
            raise build_error(self.name, classify_error(400, str(error.type)), error.message, key=self._key_variable)
        if kind != "succeeded":
            raise build_error(self.name, "server", f"the batch ended without a reply ({kind})")
        message = result.message  # type: ignore[union-attr]
        text = "".join(block.text for block in message.content if block.type == "text")
        cost = _halve_cost(self._prices.compute_cost(request.model, read_usage(message.usage)))
        stop = STOPS.get(str(message.stop_reason), "other")
        return ModelReply(text, stop, cost, model=message.model, usage=read_usage(message.usage))

    def _ask(self, call: Callable[[], Any], most: Cost | None = None) -> Any:
        """What the service says to one request about a batch, with the retries of any call.

        ``most`` is what a request may cost that was sent and gets no whole answer: it is not sent again then, as there is no way to ask
        for a batch by what is in it. One that never left this machine is.
        """
        import anthropic
        import httpx2

        def send(seconds: float, billed: Cost) -> Any:
            try:
                return call()
            except anthropic.APIStatusError as error:
                said = error.api_message or error.message
                kind = classify_error(error.status_code, str(error.type or ""), said)
                failed = build_error(self.name, kind, said, key=self._key_variable, status=error.status_code)
                raise SendingFailed(failed) from error
            except anthropic.APITimeoutError as error:
                kind = "network" if most is None else "timeout"
                raise SendingFailed(build_error(self.name, kind, "timed out"), billed=most) from error
            except (anthropic.APIError, httpx2.RequestError, ValueError) as error:  # it breaks off, or is no JSON
                said, never_sent = str(error.__cause__ or error), isinstance(error.__cause__, httpx2.ConnectError)
                if most is None or never_sent:
                    raise SendingFailed(build_error(self.name, "network", said)) from error
                why = f"it broke off, and is not sent again, since the batch may have been made: {said}"
                raise SendingFailed(build_error(self.name, "timeout", why), billed=most) from error

        return self._retry.run(send, SECONDS)[0]


def _halve_cost(cost: Cost) -> Cost:
    return replace(cost, usd=cost.usd * PRICE)
