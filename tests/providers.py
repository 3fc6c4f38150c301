"""Both shipped providers, at an address of one's own: ``@both`` runs a test on each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jupyter_selfheal.ports import Provider
from jupyter_selfheal.providers.anthropic import AnthropicProvider
from jupyter_selfheal.providers.openai_compatible import OpenAICompatibleProvider
from jupyter_selfheal.providers.prices import Prices

Make = Callable[..., Provider]


def claude(url: str, **more: Any) -> Provider:
    return AnthropicProvider(**{"key": "sk-test", "base_url": url, **more})


def compatible(url: str, **more: Any) -> Provider:
    return OpenAICompatibleProvider(
        **{"key": "sk-test", "base_url": url + "/v1", "prices": Prices("anthropic"), **more}
    )


both = pytest.mark.parametrize("make", [claude, compatible])
