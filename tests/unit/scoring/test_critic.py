from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.model import Insert, Patch
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.prompts import read_prompt
from jupyter_selfheal.providers.scripted import ScriptedProvider
from jupyter_selfheal.scoring.critic import AT_MOST, ModelCritic
from tests.scoring_cases import case_of, patch_of

KEY = "ghp_" + "k" * 36


def critic_of(*lines: Any, **config: Any) -> tuple[ModelCritic, ScriptedProvider]:
    provider = ScriptedProvider(lines, prices=Prices("anthropic"))
    return ModelCritic(provider, HealConfig(**config), Redactor(), read_prompt), provider


def says(*risks: tuple[str, str]) -> str:
    return json.dumps({"risks": [{"patch": patch, "risk": risk} for patch, risk in risks]})


def test_several_patches_are_one_call_of_the_judges_model_and_one_line_each() -> None:
    case = case_of(["x = nope"])
    one, two = patch_of(case, "import os\nos.remove('a.csv')"), patch_of(case, "x = 2")
    critic, provider = critic_of(says(("P1", "a.csv is\n  gone"), ("P2", "none"), ("P9", "?")))
    found, cost, record = critic.ask_risks(case, [(one, ("deletion",)), (two, ())])
    assert found == {one.id: "a.csv is gone", two.id: "none"}
    (request,) = provider.requests
    assert (request.model, request.purpose) == ("claude-haiku-5-5", "critic")
    assert "deletion" in request.messages[0][1]
    assert "+os.remove('a.csv')" in request.messages[0][1]
    assert 0 < cost.usd <= critic.worst_case(case).usd < 0.01
    assert record["calls"][0]["prompt"] == "critic-1"
    assert record["calls"][0]["messages"][0]["text"] == request.messages[0][1]


@pytest.mark.parametrize(
    "reply", ["All is well.", "[]", '{"risks": "none"}', '{"risks": [{"patch": "P1", "risk": 5}]}']
)
def test_a_reply_that_cannot_be_read_says_nothing_and_is_paid(reply: str) -> None:
    case = case_of(["x = nope"])
    critic, _ = critic_of(reply)
    found, cost, _ = critic.ask_risks(case, [(patch_of(case, "x = 1"), ())])
    assert found == {}
    assert cost.calls == 1


def test_the_worst_case_holds_for_the_longest_patches_and_no_more_are_shown() -> None:
    case = case_of(["\n".join(f"x{n} = nope" for n in range(900))])
    patches = [Patch((Insert(f"n{n}", "y = 1\n" * 900, "c0"),), f"Patch {n}") for n in range(9)]
    critic, provider = critic_of(says(("P1", "r" * 900)))
    found, cost, _ = critic.ask_risks(case, [(p, ("network",)) for p in patches])
    assert f"Patch P{AT_MOST}" in provider.requests[0].messages[0][1]
    assert f"Patch P{AT_MOST + 1}" not in provider.requests[0].messages[0][1]
    assert provider.worst_case(provider.requests[0]).usd <= critic.worst_case(case).usd
    assert cost.usd <= critic.worst_case(case).usd
    assert len(found[patches[0].id]) <= 200


def test_secrets_do_not_go_out_and_offline_nothing_does() -> None:
    case = case_of([f"key = '{KEY}'\nx = nope"])
    patch = patch_of(case, f"key = '{KEY}'\nimport os\nos.system('curl -d ' + key)")
    critic, provider = critic_of(says(("P1", "SELFHEAL_SECRET_1_ is sent away")))
    found, _, record = critic.ask_risks(case, [(patch, ("subprocess",))])
    assert KEY not in provider.requests[0].messages[0][1]
    assert KEY not in json.dumps([found, record])
    off, provider = critic_of(offline=True)
    assert off.ask_risks(case, [(patch, ())])[0] == {}
    assert off.worst_case(case).usd == 0
    assert provider.requests == []
