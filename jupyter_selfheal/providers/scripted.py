"""A provider that says what it was told to: for tests, for demonstrations, and for replaying a run from its journal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.model import Cost
from jupyter_selfheal.ports import ModelReply, ModelRequest
from jupyter_selfheal.providers.partial_reply import list_request_texts
from jupyter_selfheal.providers.prices import Prices, estimate_request_tokens
from jupyter_selfheal.providers.provider_errors import build_error
from jupyter_selfheal.providers.token_count import estimate_text_tokens

Line = str | ModelReply | ProviderError | Callable[[ModelRequest], "str | ModelReply | ProviderError"]
"""What may stand in a script: a text, a whole reply, an error to raise, or a function of the request that gives one of these."""


class ScriptedProvider:
    """Plays its lines in order; ``requests`` keeps what it was asked. A text is priced as if the model had written it."""

    name = "scripted"

    def __init__(self, lines: Iterable[Line], *, prices: Prices | None = None) -> None:
        self._lines = iter(lines)
        self._prices = prices or Prices()
        self._lock = threading.Lock()
        self.requests: list[ModelRequest] = []

    def worst_case(self, request: ModelRequest) -> Cost:
        """See :class:`~jupyter_selfheal.ports.Provider`."""
        return self._prices.worst_case(
            request.model, estimate_request_tokens(*list_request_texts(request)), request.max_tokens
        )

    def complete(self, request: ModelRequest, progress: Callable[[str], Any] | None = None) -> ModelReply:
        """The next line. Raises :class:`ProviderError` where the line is one, or the script is at its end."""
        with self._lock:
            self.requests.append(request)
            line = next(self._lines, None)
        if line is None:
            raise build_error(self.name, "server", "the script has no further line")
        reply = line(request) if callable(line) else line
        if isinstance(reply, ProviderError):
            raise reply
        if isinstance(reply, str):
            written = min(estimate_text_tokens(reply), request.max_tokens)
            usage = {"input": estimate_request_tokens(*list_request_texts(request)), "output": written}
            cost = self._prices.compute_cost(request.model, usage)
            reply = ModelReply(reply, "end", cost, request.model, f"scripted-{len(self.requests)}", usage)
        if progress is not None and reply.text:
            progress(reply.text)
        return reply
