"""The providers pass one suite; the real ones over a socket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jupyter_selfheal.model import Cost
from jupyter_selfheal.ports import ModelReply, Provider
from jupyter_selfheal.providers.anthropic import AnthropicProvider
from jupyter_selfheal.providers.message_batches import MessageBatchesProvider
from jupyter_selfheal.providers.openai_compatible import OpenAICompatibleProvider
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.provider_errors import build_error, classify_error
from jupyter_selfheal.providers.scripted import Line as ScriptLine
from jupyter_selfheal.providers.scripted import ScriptedProvider
from jupyter_selfheal.testing.fake_model_server import FakeModelServer, HangsUp, Line, Says
from jupyter_selfheal.testing.provider_conformance import ProviderConformance

KNOWN = Prices("anthropic")


class TestAnthropic(ProviderConformance):
    @contextmanager
    def provider(self, *lines: Line) -> Iterator[Provider]:
        with FakeModelServer(lines) as server:
            yield AnthropicProvider(key="k", base_url=server.url)


class TestMessageBatches(ProviderConformance):
    @contextmanager
    def provider(self, *lines: Line) -> Iterator[Provider]:
        with FakeModelServer(lines) as server:
            made = MessageBatchesProvider(key="k", base_url=server.url)
            made.sleep = lambda seconds: None
            yield made


class TestOpenAICompatible(ProviderConformance):
    @contextmanager
    def provider(self, *lines: Line) -> Iterator[Provider]:
        with FakeModelServer(lines) as server:
            yield OpenAICompatibleProvider(base_url=server.url + "/v1", prices=KNOWN)


class TestScripted(ProviderConformance):
    @contextmanager
    def provider(self, *lines: Line) -> Iterator[Provider]:
        yield ScriptedProvider([_line(said) for said in lines], prices=KNOWN)


def _line(said: Line) -> ScriptLine:
    """The line of a script that says the same as a line of the fake server."""
    assert not isinstance(said, HangsUp)
    if not isinstance(said, Says):
        return build_error("scripted", classify_error(said.status, said.type), said.message, status=said.status)
    stop = {"end_turn": "end", "max_tokens": "truncated", "refusal": "refused"}[said.stop]
    usage = {"input": said.input_tokens, "output": said.output_tokens}
    return lambda request: ModelReply(said.text, stop, KNOWN.compute_cost(request.model, usage))


def test_costs_add_up() -> None:
    assert Cost(0.1, 1, 2, 1) + Cost(0.2, 3, 4, 1) == Cost(0.30000000000000004, 4, 6, 2)
