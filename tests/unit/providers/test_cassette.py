"""A model that is recorded over a socket, and replayed without a key or a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ConfigError, ProviderError
from jupyter_selfheal.model import Oracle, Reason
from jupyter_selfheal.providers.cassette import ReplayingProvider, hash_request
from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from jupyter_selfheal.testing.provider_conformance import build_request
from tests.model_stage import FIX, WRONG, case_of, heal, hypothesis, reply


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)


def test_a_replayed_heal_is_bit_for_bit_the_recorded_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of(oracle=Oracle(expect="7"))
    lines = [Says(reply(hypothesis(WRONG))), Says(reply(hypothesis(FIX)))]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")

    def recording(url: str, retry: Any) -> Any:
        return engine.build_provider(HealConfig(record=str(tmp_path), base_url=url))

    def replaying(url: str, retry: Any) -> Any:
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        return engine.build_provider(HealConfig(replay=str(tmp_path), base_url="http://127.0.0.1:9"))

    first, _, _, asked = heal(case, lines, make=recording)
    again, _, _, asked_again = heal(case, [], make=replaying)
    assert (len(asked), len(asked_again)) == (2, 0)
    assert first.reason is again.reason is Reason.HEALED
    assert again.cost == first.cost
    assert [(a.patch, a.verdict) for a in again.attempts] == [(a.patch, a.verdict) for a in first.attempts]


def test_a_new_request_is_named(tmp_path: Path) -> None:
    with FakeModelServer([Says("hello")]) as server:
        provider = engine.build_provider(HealConfig(record=str(tmp_path), base_url=server.url))
        provider._inner.inner._key = "k"  # type: ignore[attr-defined]
        provider.complete(build_request())
    replay = engine.build_provider(HealConfig(replay=str(tmp_path)))
    assert replay.complete(build_request(timeout=5.0)).text == "hello", "how long it is waited for is no matter"
    other = build_request(messages=(("user", "# Something else"),))
    with pytest.raises(
        ProviderError, match=f"new fix request to claude-sonnet-5-5 .{hash_request(other)}.*Something else"
    ):
        replay.complete(other)
    assert isinstance(replay, ReplayingProvider)
    assert replay.missing == [other]


def test_the_same_request_gets_its_replies_in_their_order(tmp_path: Path) -> None:
    with FakeModelServer([Says("one"), Says("two")]) as server:
        provider = engine.build_provider(HealConfig(record=str(tmp_path), base_url=server.url))
        provider._inner.inner._key = "k"  # type: ignore[attr-defined]
        said = [provider.complete(build_request()).text for _ in range(2)]
    replay = engine.build_provider(HealConfig(replay=str(tmp_path)))
    assert [replay.complete(build_request()).text for _ in range(3)] == [*said, "two"]
    (path,) = tmp_path.glob("*.json")
    assert json.loads(path.read_text())["written_by"] == "model"
    assert path.stat().st_mode & 0o077 == 0


def test_secrets_that_a_model_made_up_are_not_kept_and_placeholders_are(tmp_path: Path) -> None:
    key = "ghp_" + "k" * 36
    with FakeModelServer([Says(f"SELFHEAL_SECRET_2_ and {key}")]) as server:
        provider = engine.build_provider(HealConfig(record=str(tmp_path), base_url=server.url))
        provider._inner.inner._key = "k"  # type: ignore[attr-defined]
        provider.complete(build_request())
    kept = next(tmp_path.glob("*.json")).read_text()
    assert key not in kept
    assert "SELFHEAL_SECRET_2_" in kept


def test_a_reply_by_hand_answers_by_what_a_request_holds(tmp_path: Path) -> None:
    def write(name: str, *contains: str) -> None:
        made = {"version": 1, "written_by": "hand", "answers": {"purpose": "fix", "contains": contains}}
        (tmp_path / f"{name}.json").write_text(json.dumps({**made, "replies": [{"text": {"is": name}}]}))

    write("any", "Say")
    write("closest", "Say", "something")
    replay = engine.build_provider(HealConfig(replay=str(tmp_path)))
    assert replay.complete(build_request()).text == '{"is": "closest"}'
    assert replay.complete(build_request(messages=(("user", "Say it."),))).text == '{"is": "any"}'
    with pytest.raises(ProviderError):
        replay.complete(build_request(purpose="judge"))


def test_what_is_no_recording_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no recording"):
        engine.build_provider(HealConfig(replay=str(tmp_path / "none")))
    (tmp_path / "x.json").write_text('{"version": 9}')
    with pytest.raises(ConfigError, match=r"x\.json: this reply of the recording cannot be read .*: remove it"):
        engine.build_provider(HealConfig(replay=str(tmp_path)))
    with pytest.raises(ConfigError, match="leave one of the two out"):
        engine.build_provider(HealConfig(replay=str(tmp_path), record=str(tmp_path)))


def test_a_replay_needs_no_key_and_no_consent() -> None:
    assert engine.why_no_model(HealConfig()) is not None
    assert engine.why_no_model(HealConfig(replay="anywhere")) is None
