"""What every provider must do. A plug-in's author subclasses :class:`ProviderConformance` and runs pytest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager

import pytest

from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.ports import ModelRequest, Provider
from jupyter_selfheal.testing.fake_model_server import Fails, Line, Says

SCHEMA = {
    "type": "object",
    "properties": {"x": {"type": "integer"}},
    "required": ["x"],
    "additionalProperties": False,
}


def build_request(**more: object) -> ModelRequest:
    """A small request of the default model."""
    given: dict[str, object] = {
        "system": "Be brief.",
        "messages": (("user", "Say something."),),
        "model": "claude-sonnet-5-5",
        "max_tokens": 300,
        "timeout": 30.0,
    }
    return ModelRequest(**{**given, **more})  # type: ignore[arg-type]


class ProviderConformance(ABC):
    """Subclass as ``TestMine`` and say how to make a provider whose model follows a script."""

    @abstractmethod
    def provider(self, *lines: Line) -> AbstractContextManager[Provider]:
        """A provider whose model answers with these lines, one a request (retries count as requests)."""

    def test_a_reply_is_whole_priced_and_told_in_pieces(self) -> None:
        pieces: list[str] = []
        with self.provider(Says("hello there, this is the reply")) as provider:
            reply = provider.complete(build_request(), pieces.append)
        assert (reply.text, reply.stop) == ("hello there, this is the reply", "end")
        assert "".join(pieces) == reply.text
        assert reply.cost.calls == 1
        assert reply.cost.usd > 0
        assert reply.cost.input_tokens > 0
        assert reply.cost.output_tokens > 0

    def test_a_schema_is_accepted(self) -> None:
        with self.provider(Says('{"x": 1}')) as provider:
            assert provider.complete(build_request(schema=SCHEMA)).text == '{"x": 1}'

    @pytest.mark.parametrize(("stop", "meaning"), [("max_tokens", "truncated"), ("refusal", "refused")])
    def test_why_it_stopped_is_said_and_its_cost_is_counted(self, stop: str, meaning: str) -> None:
        with self.provider(Says("so far", stop=stop)) as provider:
            reply = provider.complete(build_request())
        assert reply.stop == meaning
        assert reply.cost.usd > 0

    @pytest.mark.parametrize(
        ("status", "kind", "meaning"),
        [
            (401, "authentication_error", "auth"),
            (402, "billing_error", "quota"),
            (403, "permission_error", "auth"),
            (404, "not_found_error", "invalid"),
        ],
    )
    def test_an_error_that_stays_is_raised_at_once_with_advice(self, status: int, kind: str, meaning: str) -> None:
        with self.provider(Fails(status, kind), Says("never asked for")) as provider:
            with pytest.raises(ProviderError) as raised:
                provider.complete(build_request())
            assert raised.value.kind == meaning
            assert raised.value.cost is None
            assert "\n" not in str(raised.value)

    def test_the_worst_case_is_not_exceeded(self) -> None:
        with self.provider(Says("x" * 600, input_tokens=40, output_tokens=300)) as provider:
            worst, reply = provider.worst_case(build_request()), provider.complete(build_request())
        assert 0 < reply.cost.usd <= worst.usd

    def test_a_longer_request_and_a_longer_reply_cost_more_at_worst(self) -> None:
        with self.provider() as provider:
            plain = provider.worst_case(build_request()).usd
            assert provider.worst_case(build_request(max_tokens=600)).usd > plain
            assert provider.worst_case(build_request(messages=(("user", "x" * 4000),))).usd > plain

    def test_a_model_without_a_price_is_unknown_not_free(self) -> None:
        with self.provider(Says("hello")) as provider:
            unpriced = build_request(model="a-model-nobody-sells")
            assert provider.worst_case(unpriced).unknown
            assert provider.complete(unpriced).cost.unknown
