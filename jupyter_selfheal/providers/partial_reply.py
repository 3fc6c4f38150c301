"""A reply while it comes in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.model import Cost
from jupyter_selfheal.ports import ModelReply, ModelRequest
from jupyter_selfheal.providers.prices import Prices, estimate_request_tokens
from jupyter_selfheal.providers.retry import UNPAID, SendingFailed
from jupyter_selfheal.providers.token_count import estimate_text_tokens


@dataclass
class PartialReply:
    """What has come so far of the provider ``name``. ``deadline`` is on ``clock``; ``usage`` has the keys of :meth:`Prices.compute_cost`."""

    name: str
    deadline: float
    clock: Callable[[], float]
    model: str = ""
    request_id: str = ""
    stop: str = ""
    began: bool = False
    pieces: list[str] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)

    def begin(self, model: str, usage: Mapping[str, int]) -> None:
        """The server began to answer: from now on it may be billed."""
        self.began = True
        self.model = model
        self.usage.update(usage)

    def add_text(self, text: str, progress: Callable[[str], Any] | None) -> None:
        """One more piece of the text."""
        self.began = True
        self.pieces.append(text)
        if progress is not None:
            progress(text)

    def check_deadline(self) -> None:
        """Raise ``TimeoutError`` past the deadline: a server that drips would otherwise never time out."""
        if self.clock() > self.deadline:
            raise TimeoutError(f"{self.name} was still writing")

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def estimate_usage(self, input_high: int) -> dict[str, int]:
        """The usage of a reply that broke off: what was said, else counted high."""
        written = estimate_text_tokens(self.text)
        return {
            **self.usage,
            "input": self.usage.get("input") or input_high,
            "output": max(self.usage.get("output", 0), written),
        }

    def to_reply(self, prices: Prices, model: str, stops: Mapping[str, str], input_high: int = 0) -> ModelReply:
        """The whole reply. A server that reports no usage is counted high. A stream that ends without a stop reason broke
        off: it is truncated, and its usage is that of its beginning, so that it is counted high as well."""
        usage = dict(self.usage) if self.usage.get("input") and self.stop else self.estimate_usage(input_high)
        return ModelReply(
            text=self.text,
            stop=stops.get(self.stop, "other") if self.stop else "truncated",
            cost=prices.compute_cost(model, usage),
            model=self.model or model,
            request_id=self.request_id,
            usage=usage,
        )


LEAST_REPLY = 200
"""Tokens that a reply needs at least, to be worth a second sending."""


def find_reply_limit(prices: Prices, request: ModelRequest, billed: Cost) -> int:
    """Tokens that this sending's reply may have. Raises :class:`SendingFailed` where what is ``billed`` already leaves too little of
    what was set aside for the call."""
    tokens = estimate_request_tokens(*list_request_texts(request))
    left = prices.find_reply_limit(request.model, tokens, request.max_tokens, billed)
    if left < min(LEAST_REPLY, request.max_tokens):
        why = "the reply broke off, and what was set aside for the call does not pay for another"
        raise SendingFailed(ProviderError(why, kind=UNPAID))
    return left


def list_request_texts(request: ModelRequest) -> tuple[str, ...]:
    """Every text that is counted as input."""
    import json

    schema = json.dumps(request.schema) if request.schema is not None else ""
    return (request.system, schema, *(text for _, text in request.messages))
