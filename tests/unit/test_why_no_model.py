"""When no model is asked, it is said why, and nothing is sent."""

from __future__ import annotations

import os
from typing import Any

import pytest

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.loop.events import Reserved
from jupyter_selfheal.model import Choice, Cost, Decision, Proposal, Reason
from jupyter_selfheal.ports import Approver, ModelRequest, Starts
from jupyter_selfheal.providers.awaited import AwaitedProvider
from jupyter_selfheal.providers.scripted import ScriptedProvider
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from jupyter_selfheal.testing.scripted import ListJournal, ScriptedApprover
from tests.model_stage import GOOD, SOURCES, case_of, hypothesis, reply


@pytest.mark.parametrize(
    ("config", "key", "why", "ends"),
    [
        ({"offline": True, "consent": True}, "k", "--offline", Reason.EXHAUSTED),
        ({"consent": True}, "", "set ANTHROPIC_API_KEY", Reason.INFRASTRUCTURE),
        ({"consent": True, "provider": "openai_compatible"}, "", "set OPENAI_API_KEY", Reason.INFRASTRUCTURE),
        ({"consent": False}, "k", "before you agree", Reason.EXHAUSTED),
        ({"consent": False}, "", "set ANTHROPIC_API_KEY", Reason.EXHAUSTED),
        ({"consent": True, "offline": True}, "", "--offline", Reason.EXHAUSTED),
        ({"consent": True, "healers": ("memory",)}, "k", "not among the healers", Reason.EXHAUSTED),
    ],
)
def test_nothing_is_sent_and_it_is_said_what_would_change_that(
    config: dict[str, Any], key: str, why: str, ends: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that is wanted and only lacks its key is an outage; one that is not wanted is nothing to wait for."""
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
    assert outcome.reason is ends
    assert (why in outcome.detail) == (ends is Reason.INFRASTRUCTURE)
    assert outcome.cost.usd == 0


class MendsTheKey(ScriptedApprover):
    """At the pause the user sets the key that is missing, and says *Continue*."""

    def decide_after_pause(self, why: str, reason: Reason, proposal: Proposal | None, cost: Cost) -> Decision:
        os.environ["ANTHROPIC_API_KEY"] = "k"
        return Decision(Choice.CONTINUE)


def test_a_heal_waits_for_the_key_and_goes_on_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")
    made = HealConfig(healers=("language_model",), consent=True, hypotheses=1, memory=False)
    journal = ListJournal()
    with FakeModelServer([Says(GOOD), *[Says("{}")] * 8]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        starts = Starts(before=(FakeKernel(SOURCES[:1]),))
        outcome = engine.heal(case_of(), starts, config=made, approver=MendsTheKey(), journal=journal)
        assert server.requests
    assert [type(e).__name__ for e in journal.events()].count("PausedForUserAction") == 1
    assert {a.patch.healer for a in outcome.attempts} == {"language_model"}
    assert outcome.cost.usd > 0
    set_aside = [e.worst for e in journal.events() if isinstance(e, Reserved)]
    assert set_aside[0] == Cost()
    assert all(worst.usd > 0 for worst in set_aside[1:]), "no call without money set aside for it"


def test_a_key_that_comes_between_pricing_and_call_waits_for_the_next_call() -> None:
    missing = ["no key: set IT"]
    provider = AwaitedProvider("anthropic", lambda: missing[0] if missing else None, lambda: ScriptedProvider(["yes"]))
    request = ModelRequest("", (("user", "x"),), "m", 16, purpose="fix")
    assert provider.worst_case(request) == Cost()
    missing.clear()
    assert provider.worst_case(request) == Cost(), "what is asked again before the call is what was set aside"
    with pytest.raises(ProviderError, match="try again"):
        provider.complete(request)
    provider.worst_case(request)
    assert provider.complete(request).text == "yes"


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


@pytest.mark.parametrize(
    ("approver", "critics"),
    [(PolicyApprover("all", 7.0), 0), (ScriptedApprover(), 1)],
    ids=["a policy", "a person"],
)
def test_a_critic_is_paid_only_where_somebody_reads_it(
    approver: Approver, critics: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A patch that adds a capability is run by nobody's policy: what could go wrong with it needs no words there."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    made = HealConfig(healers=("language_model",), consent=True, hypotheses=1, memory=False)
    risky = reply(hypothesis("import subprocess\ntotal = int(subprocess.check_output(['echo', '7']))\ntotal"))
    with FakeModelServer([Says(risky), *[Says("{}")] * 8]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        starts = Starts(before=(FakeKernel(SOURCES[:1]),))
        outcome = engine.heal(case_of(), starts, config=made, approver=approver, journal=ListJournal())
        asked = [r.body["system"] for r in server.requests]
    assert sum("You look at patches" in str(system) for system in asked) == critics
    assert outcome.spent_by.get("critic", Cost()).calls == critics
    assert isinstance(approver, ScriptedApprover) or "one was not tried: the fix adds subprocess" in outcome.detail
