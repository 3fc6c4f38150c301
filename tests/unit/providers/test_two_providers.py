"""The model that fixes and the one that judges may be of different providers."""

from __future__ import annotations

import json

import pytest

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.model import BASELINE
from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from jupyter_selfheal.testing.provider_conformance import build_request
from tests.scoring_cases import case_of, patch_of, try_patch

WORD = json.dumps({"score_a": 7, "score_b": 7, "better": "equal", "feedback_a": "", "feedback_b": ""})


def test_the_judge_may_be_of_another_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    case = case_of(["x = nope"])
    patch = patch_of(case, "x = 1 + 1")
    with FakeModelServer([Says("fixed")]) as fixing, FakeModelServer([Says(WORD)] * 2) as judging:
        config = HealConfig(
            base_url=fixing.url,
            judge_provider="openai_compatible",
            judge_base_url=judging.url + "/v1",
            judge_model="qwen-mini",
        )
        provider = engine.build_provider(config)
        assert provider.complete(build_request()).text == "fixed"
        scorer = engine.build_judged_scorer(config, engine.choose_judging_provider(config, provider), Redactor())
        scorer.judge(case, try_patch(case, BASELINE), [(patch, try_patch(case, patch))], ())
        assert [r.path for r in fixing.requests] == ["/v1/messages"]
        assert [(r.path, r.body["model"]) for r in judging.requests] == [("/v1/chat/completions", "qwen-mini")] * 2


def test_without_another_one_both_are_the_same() -> None:
    provider = engine.build_provider(HealConfig())
    assert engine.choose_judging_provider(HealConfig(), provider) is provider


def test_a_temperature_goes_to_servers_that_take_one() -> None:
    with FakeModelServer([Says("a"), Says("b")]) as server:
        provider = engine.build_provider(HealConfig(provider="openai_compatible", base_url=server.url + "/v1"))
        provider.complete(build_request(temperature=0.3))
        provider.complete(build_request())
        assert [r.body.get("temperature") for r in server.requests] == [0.3, None]
