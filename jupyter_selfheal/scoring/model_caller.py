"""What every question to a judging model has in common: who is asked, how the request is built, and what the journal keeps of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, ClassVar

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import JSON, Cost
from jupyter_selfheal.ports import ModelReply, ModelRequest, Provider, Redacts, build_call_record

Prompts = Callable[[str], tuple[str, str]]
"""Name of a prompt → (version, text)."""


class ModelCaller:
    """Asks ``config.judge_model`` with one prompt. ``prompts`` reads a prompt by its name.

    A subclass says which prompt, the schema of a reply, its tokens, what it is for in the account, and how long it is waited for.
    """

    prompt: ClassVar[str]
    schema: ClassVar[dict[str, JSON]]
    tokens: ClassVar[int] = 600
    purpose: ClassVar[str] = "judge"
    seconds: ClassVar[float] = 120.0

    def __init__(self, provider: Provider, config: HealConfig, redactor: Redacts, prompts: Prompts) -> None:
        self._provider = provider
        self._config = config
        self._redactor = redactor
        self._prompts = prompts

    def _price_longest(self, chars: int) -> Cost:
        """The most that one call with so many characters can cost; nothing offline."""
        return Cost() if self._config.offline else self._provider.worst_case(self._build_request("x" * chars))

    def _build_request(self, text: str) -> ModelRequest:
        return ModelRequest(
            system=self._prompts(self.prompt)[1],
            messages=(("user", text),),
            model=choose_model(self._provider.name, self._config),
            max_tokens=self.tokens,
            schema=self.schema,
            purpose=self.purpose,
            timeout=self.seconds,
        )

    def _ask(self, text: str) -> tuple[ModelReply, JSON]:
        """The reply to a text, whose secrets are replaced first, and the record of the call. Raises
        :class:`~jupyter_selfheal.errors.ProviderError`."""
        request = self._build_request(self._redactor.redact(text))
        reply = self._provider.complete(request)
        version, _ = self._prompts(self.prompt)
        return reply, build_call_record(
            request, reply, provider=self._provider.name, prompt=version, redactor=self._redactor
        )


def choose_model(provider: str, config: HealConfig) -> str:
    """The judge's model. Another provider does not serve the default one: there the fixing model judges too, unless one is set."""
    default = HealConfig()
    elsewhere = provider != "anthropic" and config.model != default.model
    return config.model if elsewhere and config.judge_model == default.judge_model else config.judge_model


def parse_first_object(text: str) -> dict[str, Any] | None:
    """The first JSON object of a text, whatever stands around it; None where there is none."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            value, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        return value if isinstance(value, dict) else None
    return None
