"""Language models behind one port (:class:`jupyter_selfheal.ports.Provider`): Anthropic, OpenAI-compatible, scripted."""

from __future__ import annotations

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.ports import Provider

PROVIDERS = ("anthropic", "openai_compatible")
"""Providers that a configuration can name (``scripted`` is made in code: it needs a script)."""


def provider_of(config: HealConfig) -> Provider:
    """The provider that the configuration names. Raises :class:`ConfigError` for an unknown one. Imports no SDK yet."""
    from jupyter_selfheal.providers.prices import Prices

    if config.provider == "anthropic":
        from jupyter_selfheal.providers.anthropic import AnthropicProvider

        return AnthropicProvider(
            base_url=config.base_url, prices=Prices("anthropic", price_in=config.price_in, price_out=config.price_out)
        )
    if config.provider == "openai_compatible":
        from jupyter_selfheal.providers.openai_compatible import OWN_URL, OpenAICompatibleProvider

        return OpenAICompatibleProvider(
            base_url=config.base_url, prices=Prices("", config.base_url or OWN_URL, config.price_in, config.price_out)
        )
    raise ConfigError(f"unknown provider {config.provider!r}: choose from {', '.join(PROVIDERS)}")


def missing_key(config: HealConfig) -> str:
    """Why no model can be asked, in words with what to do; empty where one can."""
    import os

    if config.provider == "anthropic" and not os.environ.get("ANTHROPIC_API_KEY"):
        return "no key for a language model: set ANTHROPIC_API_KEY"
    own = not config.base_url or config.base_url.startswith("https://api.openai.com")
    if config.provider == "openai_compatible" and own and not os.environ.get("OPENAI_API_KEY"):
        return "no key for a language model: set OPENAI_API_KEY, or a base URL of a local server"
    return ""
