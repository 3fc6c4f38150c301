"""Numbers from outside are numbers, and within their range, wherever they come in."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.journal.describe import describe_event, format_request_record
from jupyter_selfheal.journal.inspect import sum_costs
from jupyter_selfheal.loop.limits import find_exceeded_limit
from jupyter_selfheal.loop.states import Account
from jupyter_selfheal.model import Cost
from jupyter_selfheal.numbers import read_count, read_number
from jupyter_selfheal.providers.anthropic import read_usage as anthropic_usage
from jupyter_selfheal.providers.openai_compatible import _read_usage as openai_usage
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.retry import read_retry_after

NONE_OF_THEM = (
    math.nan,
    math.inf,
    -math.inf,
    "nan",
    "inf",
    "abc",
    "",
    None,
    True,
    [1],
    {},
    10**400,
    "1e999",
    Decimal(1),
)


@pytest.mark.parametrize("value", NONE_OF_THEM, ids=repr)
def test_what_is_no_number_is_read_as_none(value: Any) -> None:
    assert read_number(value) is None
    assert read_count(value) is None


@pytest.mark.parametrize(("value", "number"), [(1, 1.0), ("2.5", 2.5), (0, 0.0), (10, 10.0), (-0.0, 0.0)])
def test_a_number_within_its_range_is_read(value: Any, number: float) -> None:
    assert read_number(value, 0, 10) == number
    assert read_number(value, 11) is None
    assert read_count(value) == (None if number % 1 else number)


@pytest.mark.parametrize("value", [*NONE_OF_THEM, -5], ids=repr)
def test_no_entrance_lets_it_through(value: Any) -> None:
    counts = {"prompt_tokens": value, "completion_tokens": value, "prompt_tokens_details": {"cached_tokens": value}}
    assert openai_usage(counts) == {"input": 0, "output": 0, "cache_read": 0}
    assert openai_usage({"prompt_tokens": 1, "prompt_tokens_details": value})["input"] == 1
    usage = type("Usage", (), dict.fromkeys(
        ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"), value
    ))  # fmt: skip
    assert anthropic_usage(usage()) == {"output": 0}
    assert read_retry_after(value) == -1.0
    body = {"$": "Settled", "id": "c", "cost": {"$": "Cost", "usd": value}}
    assert math.isfinite(sum(cost.usd for cost in sum_costs([body]).values()))
    assert describe_event(body)
    assert format_request_record({"calls": [{"usd": value}]})


@pytest.mark.parametrize("price", [math.nan, math.inf, -1.0])
def test_a_price_that_is_no_number_is_an_unknown_price(price: float) -> None:
    assert (
        Prices("nobody", price_in=price, price_out=price)
        .compute_cost("no-such-model", {"input": 5, "output": 5})
        .unknown
    )


def test_a_sum_that_is_no_number_passes_no_limit() -> None:
    for usd in (math.nan, math.inf, -0.5):
        with pytest.raises(ValueError, match="no cost"):
            Cost(usd)
    assert find_exceeded_limit(Account(allowance=math.nan, session_allowance=1.0), Cost(0.01), HealConfig())
    assert find_exceeded_limit(Account(allowance=1.0, session_allowance=math.nan), Cost(0.01), HealConfig())


def test_a_limit_is_named_as_it_was_given() -> None:
    said = [
        find_exceeded_limit(Account(allowance=usd, session_allowance=9.0), Cost(1.0), HealConfig())
        for usd in (0.025, 0.3)
    ]
    assert "of the budget of $0.025 is" in str(said[0])
    assert "of the budget of $0.30 is" in str(said[1])
