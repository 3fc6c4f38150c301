"""What users and servers get wrong: keys and addresses that are none, replies that never come or cannot be read."""

from __future__ import annotations

import pytest

from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.providers.anthropic import AnthropicProvider
from jupyter_selfheal.providers.retry import Retry
from jupyter_selfheal.testing.fake_model_server import Fails, FakeModelServer, Received, Says
from jupyter_selfheal.testing.provider_conformance import build_request
from tests.providers import Make, both, compatible


def key_of(received: Received) -> str:
    return received.headers.get("x-api-key") or received.headers["authorization"].removeprefix("Bearer ")


@both
def test_a_server_that_only_pings_times_out_too(make: Make) -> None:
    with FakeModelServer([Says("never said", breaks="only pings")]) as server, pytest.raises(ProviderError) as raised:
        make(server.url).complete(build_request(timeout=0.9))
    assert raised.value.kind == "timeout"
    assert raised.value.cost is not None, "it was at work"


@both
def test_what_is_no_json_in_mid_stream_is_a_broken_reply(make: Make) -> None:
    with FakeModelServer([Says("one two three four", breaks="no JSON"), Says("whole")]) as server:
        reply = make(server.url, retry=Retry(sleep=lambda seconds: None)).complete(build_request(max_tokens=4_000))
    assert (reply.text, reply.cost.calls) == ("whole", 2)


@both
def test_a_base_url_that_is_none_says_what_to_check(make: Make) -> None:
    with pytest.raises(ProviderError, match="check the model's name and the base URL"):
        make("http://host:port").complete(build_request())


@both
def test_a_key_that_cannot_be_sent_is_said_to_be_wrong_and_never_shown(make: Make) -> None:
    with FakeModelServer([Says("heard")]) as server:
        for key in ("sk-\u201csecret\u201d", "sk-\nsecret"):
            with pytest.raises(ProviderError) as raised:
                make(server.url, key=key).complete(build_request())
            assert raised.value.kind == "auth"
            assert "secret" not in str(raised.value)
        assert make(server.url, key=" sk-secret\n").complete(build_request()).text == "heard"
        assert key_of(server.requests[0]) == "sk-secret"


def test_an_account_without_credit_is_no_mistake_in_the_request() -> None:
    said = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing."
    with FakeModelServer([Fails(400, "invalid_request_error", said)]) as server:
        with pytest.raises(ProviderError, match="no credit left: add credit") as raised:
            AnthropicProvider(base_url=server.url, key="sk-any").complete(build_request())
        assert (raised.value.kind, len(server.requests)) == ("quota", 1)


def test_a_key_that_was_corrected_is_used_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeModelServer([Fails(401, "authentication_error"), Says("welcome")]) as server:
        provider = AnthropicProvider(base_url=server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-old")
        with pytest.raises(ProviderError):
            provider.complete(build_request())
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-new")
        assert provider.complete(build_request()).text == "welcome"
        assert [key_of(r) for r in server.requests] == ["sk-old", "sk-new"]


def test_parts_of_a_message_are_joined_without_its_thoughts() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "said"}]
    with FakeModelServer([Says(parts)]) as server:  # type: ignore[arg-type]
        assert compatible(server.url).complete(build_request()).text == "said"
