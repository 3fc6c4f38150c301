"""Claude, by the official SDK (2.x, verified against its source): streamed, with structured output and our own retries.

The SDK is imported on the first call only: it costs seconds and thousands of modules.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jupyter_selfheal.model import Cost
from jupyter_selfheal.numbers import read_count
from jupyter_selfheal.ports import ModelReply, ModelRequest
from jupyter_selfheal.providers.partial_reply import PartialReply, find_reply_limit, list_request_texts
from jupyter_selfheal.providers.prices import Prices, estimate_request_tokens
from jupyter_selfheal.providers.provider_errors import build_error, classify_error, read_key
from jupyter_selfheal.providers.retry import Retry, SendingFailed, read_retry_after

if TYPE_CHECKING:
    import anthropic

STOPS = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "truncated",
    "model_context_window_exceeded": "context",
    "refusal": "refused",
}
"""The API's stop reasons in our words."""


class AnthropicProvider:
    """Models of Anthropic.

    ``key`` is the API key, empty to read ``key_variable`` at the time of the call. ``base_url`` is empty for Anthropic's
    own (or ``ANTHROPIC_BASE_URL``). The SDK's telemetry is off, so that no cell can travel in a span.
    """

    libraries = ("anthropic", "httpx2", "genai_prices")
    """What a call stands on, and takes seconds to import."""

    def __init__(
        self,
        *,
        name: str = "anthropic",
        key: str = "",
        key_variable: str = "ANTHROPIC_API_KEY",
        base_url: str = "",
        prices: Prices | None = None,
        retry: Retry | None = None,
    ) -> None:
        self.name = name
        self._key = key
        self._key_variable = key_variable
        self._base_url = base_url
        self._prices = prices or Prices("anthropic")
        self._retry = retry or Retry()
        self._client: anthropic.Anthropic | None = None

    @property
    def address(self) -> str:
        """Where the service is; empty for Anthropic's own."""
        return self._base_url or os.environ.get("ANTHROPIC_BASE_URL", "")

    def worst_case(self, request: ModelRequest) -> Cost:
        """See :class:`~jupyter_selfheal.ports.Provider`."""
        tokens = estimate_request_tokens(*list_request_texts(request))
        return self._prices.worst_case(request.model, tokens, request.max_tokens)

    def complete(self, request: ModelRequest, progress: Callable[[str], Any] | None = None) -> ModelReply:
        """See :class:`~jupyter_selfheal.ports.Provider`. ``progress`` gets each piece of text as it comes."""
        client = self._connect()

        def send(seconds: float, billed: Cost) -> ModelReply:
            left = find_reply_limit(self._prices, request, billed)
            return self._send_request(client, request, left, seconds, progress)

        reply, billed = self._retry.run(send, request.timeout, request.tries)
        return reply if billed == Cost() else _replace_cost(reply, billed + reply.cost)

    def _connect(self) -> anthropic.Anthropic:
        key = read_key(self.name, self._key, self._key_variable)
        if not key:
            raise build_error(self.name, "auth", "no key is set", key=self._key_variable)
        if self._client is None or self._client.api_key != key:
            import anthropic
            import httpx2

            try:
                self._client = anthropic.Anthropic(
                    api_key=key, base_url=self._base_url or None, max_retries=0, open_telemetry=False
                )
            except httpx2.InvalidURL as error:
                raise build_error(self.name, "invalid", str(error)) from error
        return self._client

    def _send_request(
        self,
        client: anthropic.Anthropic,
        request: ModelRequest,
        max_tokens: int,
        seconds: float,
        progress: Callable[[str], Any] | None,
    ) -> ModelReply:
        import anthropic
        import httpx2

        from jupyter_selfheal.providers.deadline_stream import check_while_reading

        partial = PartialReply(self.name, self._retry.clock() + seconds, self._retry.clock)
        try:
            stream: Any = client.messages.create(**build_arguments(request, max_tokens), stream=True, timeout=seconds)
            with stream:
                check_while_reading(stream.response, partial.check_deadline)
                partial.request_id = stream.response.headers.get("request-id", "")
                for event in stream:
                    _read_event(event, partial, progress)
        except anthropic.APIStatusError as error:
            said = error.api_message or error.message
            kind = classify_error(error.status_code, str(error.type or ""), said)
            failed = build_error(
                self.name,
                kind,
                said,
                key=self._key_variable,
                status=error.status_code,
                request_id=error.request_id or partial.request_id,
            )
            after = read_retry_after(error.response.headers.get("retry-after"))
            raise SendingFailed(failed, after, self._estimate_bill(request, partial)) from error
        except anthropic.APITimeoutError as error:
            failed = build_error(self.name, "timeout", "timed out")
            raise SendingFailed(failed, billed=self._estimate_bill(request, partial, certain=True)) from error
        except anthropic.APIConnectionError as error:
            failed = build_error(self.name, "network", str(error.__cause__ or error))
            raise SendingFailed(failed, billed=self._estimate_bill(request, partial)) from error
        except (TimeoutError, httpx2.RequestError) as error:  # the SDK does not wrap what breaks in mid-stream
            slow = isinstance(error, TimeoutError | httpx2.TimeoutException)
            failed = build_error(self.name, "timeout" if slow else "network", str(error) or type(error).__name__)
            raise SendingFailed(failed, billed=self._estimate_bill(request, partial, certain=slow)) from error
        except (ValueError, anthropic.APIError) as error:  # what comes is no JSON, or none of the API's
            failed = build_error(self.name, "server", f"what it sent cannot be read: {error}")
            raise SendingFailed(failed, billed=self._estimate_bill(request, partial)) from error
        if not partial.began:
            raise SendingFailed(build_error(self.name, "server", "it sent nothing; is the base URL that of the API?"))
        return partial.to_reply(self._prices, request.model, STOPS)

    def _estimate_bill(self, request: ModelRequest, partial: PartialReply, certain: bool = False) -> Cost | None:
        """What a broken sending may cost: nothing before the reply began, unless it was cut while the server worked."""
        if not partial.began and not certain:
            return None
        usage = partial.estimate_usage(estimate_request_tokens(*list_request_texts(request)))
        return self._prices.compute_cost(request.model, usage)


def build_arguments(request: ModelRequest, max_tokens: int) -> dict[str, Any]:
    """The arguments of ``messages.create``: the stable prefix (system, and the first message where more follow) is cached."""
    cache = {"cache_control": {"type": "ephemeral"}}
    messages: list[dict[str, Any]] = []
    for n, (role, text) in enumerate(request.messages):
        first = n == 0 and len(request.messages) > 1
        messages.append({"role": role, "content": [{"type": "text", "text": text, **(cache if first else {})}]})
    config: dict[str, Any] = {}
    if request.schema is not None:
        config["format"] = {"type": "json_schema", "schema": request.schema}
    if request.effort:
        config["effort"] = request.effort
    return {
        "model": request.model,
        "max_tokens": max_tokens,
        "system": [{"type": "text", "text": request.system, **cache}],
        "messages": messages,
        **({"output_config": config} if config else {}),
    }


def _read_event(event: Any, partial: PartialReply, progress: Callable[[str], Any] | None) -> None:
    """Take what a stream event says. Cached tokens come apart from ``input_tokens`` and are added to the input."""
    if event.type == "message_start":
        partial.begin(event.message.model, read_usage(event.message.usage))
    elif event.type == "content_block_delta" and event.delta.type == "text_delta":
        partial.add_text(event.delta.text, progress)
    elif event.type == "message_delta":
        partial.stop = event.delta.stop_reason or partial.stop
        partial.usage.update(read_usage(event.usage))


def read_usage(usage: Any) -> dict[str, int]:
    """A message's usage with the keys of :meth:`Prices.compute_cost`."""
    counts = {"output": read_count(usage.output_tokens) or 0}
    plain = read_count(usage.input_tokens)
    if plain is not None:
        read = read_count(usage.cache_read_input_tokens) or 0
        write = read_count(usage.cache_creation_input_tokens) or 0
        counts |= {"input": plain + read + write, "cache_read": read, "cache_write": write}
    return counts


def _replace_cost(reply: ModelReply, cost: Cost) -> ModelReply:
    from dataclasses import replace

    return replace(reply, cost=cost)
