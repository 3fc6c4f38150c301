"""The real Anthropic SDK, and the client for compatible servers, against a server that misbehaves."""

from __future__ import annotations

import json
import socket
import threading
from typing import Any

import pytest

from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.ports import ModelRequest, Provider
from jupyter_selfheal.providers.anthropic import AnthropicProvider
from jupyter_selfheal.providers.openai_compatible import OpenAICompatibleProvider
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.retry import Retry
from jupyter_selfheal.testing.fake_model_server import Fails, FakeModelServer, HangsUp, Says
from jupyter_selfheal.testing.provider_conformance import SCHEMA, build_request
from tests.providers import Make, both, claude, compatible


class Naps:
    """A sleep that only writes down how long it was asked to be."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)


@both
@pytest.mark.parametrize(
    ("status", "kind"),
    [(429, "rate_limit_error"), (500, "api_error"), (503, "api_error"), (529, "overloaded_error")],
)
def test_passing_trouble_is_tried_again(make: Make, status: int, kind: str) -> None:
    naps = Naps()
    with FakeModelServer([Fails(status, kind), Fails(status, kind), Says("well again")]) as server:
        reply = make(server.url, retry=Retry(sleep=naps)).complete(build_request())
    assert reply.text == "well again"
    assert reply.cost.calls == 1, "an error before the reply is not billed"
    assert len(naps.asked) == 2
    assert 0.3 < naps.asked[0] < naps.asked[1]


@both
def test_it_gives_up_after_its_tries_and_says_how_many(make: Make) -> None:
    with FakeModelServer([Fails(529, "overloaded_error")] * 9) as server:
        with pytest.raises(ProviderError, match="after 3 tries") as raised:
            make(server.url, retry=Retry(tries=3, sleep=Naps())).complete(build_request())
        assert len(server.requests) == 3
    assert (raised.value.kind, raised.value.status) == ("overloaded", 529)


@both
def test_retry_after_is_obeyed_within_the_deadline_and_not_beyond(make: Make) -> None:
    naps = Naps()
    with FakeModelServer([Fails(429, "rate_limit_error", retry_after="7"), Says("fine")]) as server:
        assert make(server.url, retry=Retry(sleep=naps)).complete(build_request()).text == "fine"
    assert naps.asked == [7.0]
    with FakeModelServer([Fails(429, "rate_limit_error", retry_after="3600"), Says("fine")]) as server:
        with pytest.raises(ProviderError, match="3600 s") as raised:
            make(server.url, retry=Retry(sleep=naps)).complete(build_request())
        assert len(server.requests) == 1
    assert raised.value.kind == "rate_limited"


@both
@pytest.mark.parametrize("how", ["overloaded", "hangs up"])
def test_a_reply_that_breaks_off_is_asked_for_once_more_and_both_are_paid(make: Make, how: str) -> None:
    with FakeModelServer([Says("a long reply that breaks off", breaks=how), Says("whole")]) as server:
        provider = make(server.url, retry=Retry(sleep=Naps()))
        asked = build_request(max_tokens=4_000)
        reply, worst = provider.complete(asked), provider.worst_case(asked)
        left = [r.body["max_tokens"] for r in server.requests]
    assert reply.text == "whole"
    assert reply.cost.calls == 2
    assert left[1] < left[0], "the second may only write what the first left"
    assert reply.cost.usd <= worst.usd, "one sending is set aside: the second must fit into what the first left of it"


@both
def test_a_second_break_is_the_end_and_its_cost_is_told(make: Make) -> None:
    with FakeModelServer([Says("one two three four", breaks="overloaded")] * 4) as server:
        with pytest.raises(ProviderError) as raised:
            make(server.url, retry=Retry(sleep=Naps())).complete(build_request(max_tokens=4_000))
        assert len(server.requests) == 2
    assert raised.value.kind == "overloaded"
    assert raised.value.cost is not None
    assert raised.value.cost.usd > 0
    assert raised.value.cost.calls == 2


def test_no_second_sending_is_made_that_was_not_set_aside() -> None:
    with FakeModelServer([Says("one two three four", breaks="overloaded")] * 4) as server:
        provider, asked = claude(server.url, retry=Retry(sleep=Naps())), build_request(max_tokens=300)
        with pytest.raises(ProviderError) as raised:
            provider.complete(asked)
        assert len(server.requests) == 1
    assert raised.value.kind == "overloaded"
    assert raised.value.cost is not None
    assert 0 < raised.value.cost.usd <= provider.worst_case(asked).usd


@both
def test_a_stream_without_an_end_is_truncated(make: Make) -> None:
    with FakeModelServer([Says("one two three four", breaks="silent end")]) as server:
        reply = make(server.url).complete(build_request())
    assert reply.stop == "truncated"
    assert reply.cost.usd > 0
    assert reply.cost.output_tokens >= len(reply.text) / 4, "what was written is paid, not what was at its beginning"


@both
def test_a_server_that_is_too_slow_times_out_and_counts_as_spent(make: Make) -> None:
    with FakeModelServer([Says("late", delay=3.0), Says("never")]) as server:
        with pytest.raises(ProviderError) as raised:
            make(server.url).complete(build_request(timeout=1.5))
        assert len(server.requests) == 1
    assert raised.value.kind == "timeout"
    assert raised.value.cost is not None


@both
def test_a_server_that_drips_times_out_too(make: Make) -> None:
    with FakeModelServer([Says("one two three four five six", drip=0.4)]) as server:
        asked = make(server.url)
        with pytest.raises(ProviderError) as raised:
            asked.complete(build_request(timeout=0.9))
    assert raised.value.kind == "timeout"


@both
def test_a_server_that_is_not_there_is_a_network_error_that_costs_nothing(make: Make) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ProviderError) as raised:
        make(url, retry=Retry(tries=2, sleep=Naps())).complete(build_request())
    assert raised.value.kind == "network"
    assert raised.value.cost is None


@both
def test_a_connection_that_is_closed_without_a_word_is_tried_again(make: Make) -> None:
    with FakeModelServer([HangsUp(), Says("fine")]) as server:
        assert make(server.url, retry=Retry(sleep=Naps())).complete(build_request()).text == "fine"


@both
def test_ctrl_c_passes_at_once(make: Make) -> None:
    def interrupt(text: str) -> None:
        raise KeyboardInterrupt

    with FakeModelServer([Says("one two three")]) as server, pytest.raises(KeyboardInterrupt):
        make(server.url).complete(build_request(timeout=120.0), interrupt)

    def no_nap(seconds: float) -> None:
        raise KeyboardInterrupt

    with FakeModelServer([Fails(529, "overloaded_error"), Says("x")]) as server, pytest.raises(KeyboardInterrupt):
        make(server.url, retry=Retry(sleep=no_nap)).complete(build_request())


def test_cached_tokens_are_priced_as_such() -> None:
    with FakeModelServer([Says("x", input_tokens=1000, output_tokens=0, cache_read=9000, cache_write=0)]) as server:
        cached = claude(server.url).complete(build_request())
    with FakeModelServer([Says("x", input_tokens=10_000, output_tokens=0)]) as server:
        plain = claude(server.url).complete(build_request())
    assert cached.usage["input"] == plain.usage["input"] == 10_000
    assert cached.usage["cache_read"] == 9000
    assert 0 < cached.cost.usd < plain.cost.usd / 2


def test_what_the_sdk_sends() -> None:
    asked = build_request(schema=SCHEMA, effort="low", messages=(("user", "case"), ("user", "history")))
    with FakeModelServer([Says("{}")]) as server:
        claude(server.url).complete(asked)
        got = server.requests[0]
    assert got.path == "/v1/messages"
    assert got.headers["authorization"] == "Bearer sk-test" or got.headers.get("x-api-key") == "sk-test"
    assert got.body == {
        "model": "claude-sonnet-5-5",
        "max_tokens": 300,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "case", "cache_control": {"type": "ephemeral"}}],
            },
            {"role": "user", "content": [{"type": "text", "text": "history"}]},
        ],
        "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
    }


@both
def test_a_conversation_goes_out_with_its_roles(make: Make) -> None:
    said = (("user", "a"), ("assistant", "b"), ("user", "c"))
    with FakeModelServer([Says("d")]) as server:
        assert make(server.url).complete(build_request(messages=said)).text == "d"
        messages = [m for m in server.requests[0].body["messages"] if m["role"] != "system"]
    texts = [m["content"] if isinstance(m["content"], str) else m["content"][0]["text"] for m in messages]
    assert list(zip((m["role"] for m in messages), texts, strict=True)) == list(said)


def test_no_key_is_said_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for provider, name in ((AnthropicProvider(), "ANTHROPIC_API_KEY"), (OpenAICompatibleProvider(), "OPENAI_API_KEY")):
        with pytest.raises(ProviderError, match=name) as raised:
            provider.complete(build_request())
        assert raised.value.kind == "auth"


def test_a_local_server_needs_no_key_and_reports_no_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with FakeModelServer([Says("hello", usage=False)]) as server:
        provider = OpenAICompatibleProvider(base_url=server.url + "/v1")
        reply = provider.complete(build_request(model="llama3.3"))
        assert "authorization" not in server.requests[0].headers
    assert reply.cost.unknown
    assert reply.cost.input_tokens > 0
    assert reply.cost.output_tokens > 0


def test_the_users_own_price_rules_where_none_is_listed() -> None:
    with FakeModelServer([Says("hello", input_tokens=1_000_000, output_tokens=1_000_000)]) as server:
        own = Prices(api_url=server.url, price_in=0.5, price_out=1.5)
        provider = OpenAICompatibleProvider(base_url=server.url + "/v1", prices=own)
        reply = provider.complete(build_request(model="llama3.3"))
    assert reply.cost.usd == pytest.approx(2.0)
    assert not reply.cost.unknown


def test_a_server_that_refuses_strict_json_is_asked_more_loosely_from_then_on() -> None:
    def answer(received: Any) -> Any:
        form = received.body.get("response_format", {}).get("type", "")
        if form == "json_schema":
            return Fails(400, "invalid_request_error", "response_format json_schema is not supported")
        return Says('{"x": 1}')

    with FakeModelServer([answer] * 5) as server:
        provider = compatible(server.url)
        assert provider.complete(build_request(schema=SCHEMA)).text == '{"x": 1}'
        provider.complete(build_request(schema=SCHEMA))
        forms = [r.body["response_format"]["type"] for r in server.requests]
        assert json.dumps(SCHEMA) in server.requests[1].body["messages"][0]["content"]
    assert forms == ["json_schema", "json_object", "json_object"]


def test_a_deployment_of_azure_is_asked_in_its_own_form() -> None:
    with FakeModelServer([Says("from a deployment"), Says("from version 1")]) as server:
        classic = f"{server.url}/openai/deployments/gpt-x?api-version=2024-10-21"
        assert compatible(server.url, base_url=classic).complete(build_request()).text == "from a deployment"
        compatible(server.url, base_url=f"{server.url}/openai/v1/").complete(build_request())
        first, second = server.requests
    assert first.path == "/openai/deployments/gpt-x/chat/completions?api-version=2024-10-21"
    assert (first.headers.get("api-key"), first.headers.get("authorization")) == ("sk-test", None)
    assert second.path == "/openai/v1/chat/completions"
    assert (second.headers.get("api-key"), second.headers.get("authorization")) == (None, "Bearer sk-test")


def test_a_gateway_that_knows_the_limit_by_its_newer_name_is_asked_with_that_from_then_on() -> None:
    def answer(received: Any) -> Any:
        if "max_tokens" in received.body:
            said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
            return Fails(400, "invalid_request_error", said)
        return Says("fine")

    with FakeModelServer([answer] * 3) as server:
        provider = compatible(server.url)
        assert [provider.complete(build_request()).text for _ in range(2)] == ["fine", "fine"]
        assert ["max_tokens" in r.body for r in server.requests] == [True, False, False]


def test_the_sdk_is_not_imported_before_it_is_needed() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from jupyter_selfheal.providers.anthropic import AnthropicProvider as A;"
        "from jupyter_selfheal.providers.openai_compatible import OpenAICompatibleProvider as O; A(), O();"
        "print(sorted({'anthropic', 'httpx2', 'genai_prices'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout.strip() == "[]", ran.stderr


def test_two_threads_may_ask_at_once() -> None:
    texts: list[str] = []
    with FakeModelServer([Says("a", delay=0.2), Says("b", delay=0.2)]) as server:
        provider: Provider = claude(server.url)
        asked: ModelRequest = build_request()
        threads = [threading.Thread(target=lambda: texts.append(provider.complete(asked).text)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert sorted(texts) == ["a", "b"]
