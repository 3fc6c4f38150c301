"""Calls by Message Batches, with the real SDK, against the stand-in server on a socket."""

from __future__ import annotations

import httpx2
import pytest

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.model import Oracle, Reason
from jupyter_selfheal.ports import ModelRequest
from jupyter_selfheal.providers.anthropic import AnthropicProvider
from jupyter_selfheal.providers.message_batches import MessageBatchesProvider
from jupyter_selfheal.providers.retry import Retry
from jupyter_selfheal.testing.fake_model_server import Fails, FakeModelServer, HangsUp, Says
from tests.model_stage import FIX, case_of, heal, hypothesis, reply

REQUEST = ModelRequest(system="s", messages=(("user", "u"),), model="claude-sonnet-5-5", max_tokens=99, effort="low")


def make(url: str, retry: Retry | None = None) -> MessageBatchesProvider:
    provider = MessageBatchesProvider(key="k", base_url=url, retry=retry or Retry(sleep=lambda seconds: None))
    provider.sleep = lambda seconds: None
    return provider


def test_a_batch_is_looked_at_until_it_ended_and_costs_half() -> None:
    said = Says("hello", input_tokens=1000, output_tokens=100)
    with FakeModelServer([said]) as server:
        answer = make(server.url).complete(REQUEST)
        assert server.batches["msgbatch_0000"][0] >= 2
        assert server.requests[0].body["max_tokens"] == 99
    with FakeModelServer([said]) as server:
        at_once = AnthropicProvider(key="k", base_url=server.url).complete(REQUEST)
    assert (answer.text, answer.stop, answer.usage) == (at_once.text, at_once.stop, at_once.usage)
    assert answer.cost.usd == at_once.cost.usd / 2 > 0
    assert make("").worst_case(REQUEST).usd == AnthropicProvider().worst_case(REQUEST).usd / 2


@pytest.mark.parametrize(
    ("how", "kind", "said"), [("expires", "server", "expired"), ("overloaded", "overloaded", "Overloaded")]
)
def test_a_batch_that_ends_without_a_reply_is_an_outage_and_free(how: str, kind: str, said: str) -> None:
    with FakeModelServer([Says("x", breaks=how)]) as server, pytest.raises(ProviderError, match=said) as caught:
        make(server.url).complete(REQUEST)
    assert (caught.value.kind, caught.value.cost) == (kind, None)


def test_passing_trouble_is_tried_again_and_a_refused_key_is_not() -> None:
    with FakeModelServer([Fails(529, "overloaded_error"), Says("hello")]) as server:
        assert make(server.url).complete(REQUEST).text == "hello"
    with FakeModelServer([Fails(401, "authentication_error")]) as server, pytest.raises(ProviderError) as caught:
        make(server.url).complete(REQUEST)
    assert caught.value.kind == "auth"


def test_who_gives_up_cancels_the_batch() -> None:
    def give_up(piece: str) -> None:
        raise KeyboardInterrupt

    with FakeModelServer([Says("x")]) as server:
        with pytest.raises(KeyboardInterrupt):
            make(server.url).complete(REQUEST, give_up)
        assert server.cancelled == ["msgbatch_0000"]


def test_a_batch_that_is_lost_sight_of_counts_as_paid() -> None:
    with FakeModelServer([Says("x")]) as server:
        provider = make(server.url)
        with pytest.raises(ProviderError, match="no such batch") as caught:
            provider.complete(REQUEST, lambda piece: server.batches.clear())
        assert server.cancelled == ["msgbatch_0000"]
    assert caught.value.cost == provider.worst_case(REQUEST)


def test_a_batch_that_may_have_been_made_is_not_made_again() -> None:
    import anthropic

    sent = []

    def time_out() -> None:
        sent.append("batch")
        raise anthropic.APITimeoutError(request=httpx2.Request("POST", "http://nowhere"))

    provider = make("")
    with pytest.raises(ProviderError) as caught:
        provider._ask(time_out, provider.worst_case(REQUEST))
    assert (caught.value.kind, caught.value.cost, sent) == ("timeout", provider.worst_case(REQUEST), ["batch"])
    with pytest.raises(ProviderError) as caught:
        provider._ask(time_out)
    assert (caught.value.kind, caught.value.cost, len(sent) > 2) == ("network", None, True), "a look at it is free"


def test_a_connection_that_is_reset_once_a_batch_was_made_makes_no_second_one() -> None:
    with FakeModelServer([HangsUp(), Says("x")]) as server:
        provider = make(server.url)
        with pytest.raises(ProviderError, match="may have been made") as caught:
            provider.complete(REQUEST)
        assert len(server.requests) == 1
    assert caught.value.cost == provider.worst_case(REQUEST)


def test_a_batch_that_never_left_this_machine_is_tried_again() -> None:
    naps: list[float] = []
    provider = make("http://127.0.0.1:9", retry=Retry(sleep=naps.append))
    with pytest.raises(ProviderError, match="after 4 tries") as caught:
        provider.complete(REQUEST)
    assert (len(naps), caught.value.cost) == (3, None)


def test_a_heal_goes_by_batches_at_half_the_price() -> None:
    lines = [Says(reply(hypothesis(FIX)))]
    costs = []
    for how in (make, None):
        outcome, *_ = heal(case_of(oracle=Oracle(expect="7")), lines, make=how)
        assert outcome.reason is Reason.HEALED
        costs.append(outcome.cost.usd)
    assert costs[0] == costs[1] / 2 > 0


def test_it_is_chosen_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    config = HealConfig(provider="anthropic_batches", consent=True)
    assert engine.why_no_model(config) is None
    assert isinstance(engine.build_provider(config), MessageBatchesProvider)
