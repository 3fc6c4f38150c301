"""When no model is asked, it is said why, and nothing is sent."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import Reason
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from jupyter_selfheal.testing.scripted import ListJournal, ScriptedApprover
from tests.model_stage import GOOD, SOURCES, case_of


@pytest.mark.parametrize(
    ("config", "key", "why"),
    [
        ({"offline": True, "consent": True}, "k", "--offline"),
        ({"consent": True}, "", "set ANTHROPIC_API_KEY"),
        ({"consent": True, "provider": "openai_compatible"}, "", "set OPENAI_API_KEY"),
        ({"consent": False}, "k", "before you agree"),
        ({"consent": True, "healers": ("memory",)}, "k", "not among the healers"),
    ],
)
def test_nothing_is_sent_and_it_is_said_what_would_change_that(
    config: dict[str, Any], key: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    if key:
        monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    made = HealConfig(**{"healers": ("language_model",), "memory": False, **config})
    assert why in str(engine.why_no_model(made))
    with FakeModelServer([Says(GOOD)] * 9) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        starts = Starts(before=(FakeKernel(SOURCES[:1]),))
        outcome = engine.heal(case_of(), starts, config=made, approver=ScriptedApprover(), journal=ListJournal())
        assert server.requests == []
    assert outcome.reason is Reason.EXHAUSTED
    assert outcome.cost.usd == 0


def test_with_a_key_and_consent_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    made = HealConfig(healers=("language_model",), consent=True, hypotheses=1, memory=False)
    assert engine.why_no_model(made) is None
    with FakeModelServer([Says(GOOD), *[Says("{}")] * 8]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        starts = Starts(before=(FakeKernel(SOURCES[:1]),))
        outcome = engine.heal(case_of(), starts, config=made, approver=ScriptedApprover(), journal=ListJournal())
        assert server.requests
    assert {a.patch.healer for a in outcome.attempts} == {"language_model"}


def test_a_local_server_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    made = HealConfig(provider="openai_compatible", base_url="http://localhost:11434/v1", consent=True)
    assert engine.why_no_model(made) is None


def test_advice_names_the_option_and_the_setting_of_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch and a session say the same sentence."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    told = str(engine.why_no_model(HealConfig()))
    assert "`--consent`" in told
    assert "c.SelfHeal.consent" in told
