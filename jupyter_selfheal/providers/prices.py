"""What a call costs: ``genai-prices`` (offline, https://github.com/pydantic/genai-prices), else the user's own price, else unknown."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jupyter_selfheal.model import Cost
from jupyter_selfheal.numbers import read_number
from jupyter_selfheal.providers.token_count import estimate_text_tokens

log = logging.getLogger(__name__)

OVERHEAD_TOKENS = 400
"""Tokens that a provider adds of itself (roles, the rendering of a schema), counted high."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of the models of one provider.

    ``provider`` is genai-prices' id; empty means found by ``api_url``, and where that is empty too by the model's name. ``price_in`` and ``price_out`` are the user's own price
    in dollars per million tokens for models that genai-prices does not know; negative means unknown.
    """

    provider: str = ""
    api_url: str = ""
    price_in: float = -1.0
    price_out: float = -1.0

    def compute_cost(self, model: str, usage: Mapping[str, int], calls: int = 1) -> Cost:
        """The cost of a call by its usage.

        ``usage`` has ``input`` (all input tokens, cached ones included), ``output``, and of the input ``cache_read`` and
        ``cache_write``. ``Cost.unknown`` where no price is known: then only the tokens count.
        """
        tokens_in, tokens_out = usage.get("input", 0), usage.get("output", 0)
        dollars = self._look_up_price(model, usage)
        price_in, price_out = read_number(self.price_in, 0), read_number(self.price_out, 0)
        if dollars is None and price_in is not None and price_out is not None:
            dollars = (tokens_in * price_in + tokens_out * price_out) / 1e6
        return Cost(dollars or 0.0, tokens_in, tokens_out, calls, unknown=dollars is None)

    def worst_case(self, model: str, tokens_in: int, tokens_out: int) -> Cost:
        """The most that one sending of a request can cost: all its input written to the cache (the dearest way), and its output
        limit used. A second sending is made only within what the first one left of this (:meth:`find_reply_limit`)."""
        plain = self.compute_cost(model, {"input": tokens_in, "output": tokens_out})
        cached = self.compute_cost(model, {"input": tokens_in, "output": tokens_out, "cache_write": tokens_in})
        return max(plain, cached, key=lambda c: c.usd)

    def find_reply_limit(self, model: str, tokens_in: int, tokens_out: int, billed: Cost) -> int:
        """Tokens that a reply may have so that it costs, with what is ``billed`` already, no more than :meth:`worst_case`; 0 or less
        where a sending does not fit any more."""
        if billed == Cost():
            return tokens_out
        whole = self.worst_case(model, tokens_in, tokens_out)
        if whole.unknown:
            return tokens_out - billed.output_tokens - billed.input_tokens
        empty = self.worst_case(model, tokens_in, 0)
        each = (whole.usd - empty.usd) / tokens_out
        return tokens_out if each <= 0 else min(tokens_out, int((whole.usd - billed.usd - empty.usd) / each))

    def _look_up_price(self, model: str, usage: Mapping[str, int]) -> float | None:
        from genai_prices import Usage, calc_price

        counted = Usage(
            input_tokens=usage.get("input", 0),
            output_tokens=usage.get("output", 0),
            cache_read_tokens=usage.get("cache_read", 0),
            cache_write_tokens=usage.get("cache_write", 0),
        )
        where: dict[str, Any] = {}
        if self.provider or self.api_url:
            where = {"provider_id": self.provider} if self.provider else {"provider_api_url": self.api_url}
        try:
            return read_number(float(calc_price(counted, model, **where).total_price), 0)
        except LookupError:
            return None
        except Exception as error:  # a price table that cannot price this usage is an unknown price, not a broken heal
            log.warning("genai-prices cannot price %s: %s", model, error)
            return None


def estimate_request_tokens(*texts: str) -> int:
    """How many tokens a request of these texts can be at most, counted high."""
    return OVERHEAD_TOKENS + sum(map(estimate_text_tokens, texts))
