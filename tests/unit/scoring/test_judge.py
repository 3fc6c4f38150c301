from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.model import BASELINE, Candidate, Case, Patch
from jupyter_selfheal.ports import ModelRequest
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.prompts import read_prompt
from jupyter_selfheal.providers.scripted import ScriptedProvider
from jupyter_selfheal.scoring.judge import ModelJudge
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.surfaces.words import format_proof
from tests.scoring_cases import case_of, patch_of, try_patch


class Plain:
    def redact(self, text: str) -> str:
        return text.replace("hunter2", "SELFHEAL_SECRET_1_")

    def restore(self, text: str) -> str:
        return text.replace("SELFHEAL_SECRET_1_", "hunter2")


def says(a: float, b: float, better: str = "equal", why: str = "it is off by one") -> str:
    return json.dumps({"score_a": a, "score_b": b, "better": better, "feedback_a": why, "feedback_b": why})


def prefers(good: str) -> Callable[[ModelRequest], str]:
    """A fair judge: whatever stands in whichever place, the version that holds ``good`` is better."""

    def reply(request: ModelRequest) -> str:
        first = request.messages[0][1].split("# Version B")[0]
        return says(8, 4, "A") if good in first.split("# Version A")[1] else says(4, 8, "B")

    return reply


def judge_of(*lines: Any, **config: Any) -> tuple[ModelJudge, ScriptedProvider]:
    provider = ScriptedProvider(lines, prices=Prices("anthropic"))
    return ModelJudge(provider, HealConfig(**config), Plain(), read_prompt), provider


def opinions(judge: ModelJudge, case: Case, patches: list[Patch]) -> Any:
    return judge.ask_opinions(case, try_patch(case, BASELINE), [(p, try_patch(case, p)) for p in patches], ())


def test_a_single_patch_is_paired_with_the_original_twice_with_the_order_swapped() -> None:
    case = case_of(["x = nope"])
    judge, provider = judge_of(prefers("x = 1"), prefers("x = 1"))
    patch = patch_of(case, "x = 1", healer="search", title="SECRET ORIGIN")
    found, cost, record = opinions(judge, case, [patch])
    texts = [r.messages[0][1] for r in provider.requests]
    assert {t.index("x = 1") < t.index("x = nope") for t in texts} == {True, False}
    assert found[patch.id].score == 8
    assert found[patch.id].confidence == 90
    assert cost.calls == 2
    assert cost.usd > 0
    assert sorted(call["messages"][0]["text"] for call in record["calls"]) == sorted(texts)
    assert record["calls"][0]["prompt"] == "judge-1"
    assert not any("SECRET ORIGIN" in t or "search" in t for t in texts), "blind to where a patch came from"
    assert {r.model for r in provider.requests} == {"claude-haiku-5-5"}


def test_a_judge_that_goes_by_the_order_is_trusted_less() -> None:
    case = case_of(["x = nope"])
    judge, _ = judge_of(says(8, 4, "A"), says(8, 4, "A"))
    one, two = patch_of(case, "x = 1"), patch_of(case, "x = 2")
    found, _, _ = opinions(judge, case, [one, two])
    assert found[one.id].score == found[two.id].score == 6
    assert found[one.id].confidence < 60
    assert "off by one" in found[one.id].feedback


def test_three_patches_go_in_a_ring_and_a_fourth_is_not_paid_for() -> None:
    case = case_of(["x = nope"])
    judge, provider = judge_of(*[prefers("x = 2")] * 6)
    patches = [patch_of(case, f"x = {n}") for n in range(1, 5)]
    found, cost, _ = opinions(judge, case, patches)
    assert len(provider.requests) == 6
    assert max(found, key=lambda i: found[i].score) == patches[1].id
    assert patches[3].id not in found
    worst = judge.worst_case(case, 4)
    assert 0 < cost.usd <= worst.usd
    assert worst.usd < 0.05


@pytest.mark.parametrize("reply", ["I like the first one", '{"score_a": "good"}', "[1, 2]", '{"score_a": 5',
     says(math.nan, math.nan), says(math.inf, 5), says(-1, 5), says(85, 85), says(True, 5)])  # fmt: skip
def test_a_reply_that_cannot_be_read_counts_as_3(reply: str) -> None:
    case = case_of(["x = nope"])
    judge, _ = judge_of(reply, reply)
    patch = patch_of(case, "x = 1")
    found, _, _ = opinions(judge, case, [patch])
    assert (found[patch.id].score, found[patch.id].confidence) == (3, 10)


def test_an_error_carries_what_had_been_spent() -> None:
    case = case_of(["x = nope"])
    judge, _ = judge_of(says(5, 5), ProviderError("gone", kind="network"))
    with pytest.raises(ProviderError) as raised:
        opinions(judge, case, [patch_of(case, "x = 1")])
    assert raised.value.cost is not None
    assert raised.value.cost.calls == 1


def test_outputs_go_out_only_where_values_may() -> None:
    case = case_of(["password = 'hunter2'\nprint(nope)"])
    patch = patch_of(case, "password = 'hunter2'\nprint(40 + 2)")
    for allowed in (False, True):
        judge, provider = judge_of(says(5, 5), says(5, 5), send_values=allowed)
        opinions(judge, case, [patch])
        text = provider.requests[0].messages[0][1]
        assert ("showed:\n42" in text) is allowed
        assert "hunter2" not in text
        assert "SELFHEAL_SECRET_1_" in text


def test_offline_nothing_is_asked() -> None:
    case = case_of(["x = nope"])
    judge, provider = judge_of(offline=True)
    assert opinions(judge, case, [patch_of(case, "x = 1")])[0] == {}
    assert judge.worst_case(case, 3).usd == 0
    assert provider.requests == []


def test_the_scorer_takes_the_judges_word_within_4_and_8() -> None:
    case = case_of(["x = nope"])
    judge, _ = judge_of(says(10, 2, "A"), says(2, 10, "B"))
    patch = patch_of(case, "x = 1 + 1")
    scorer = EvidenceScorer(judge=judge)
    judged = scorer.judge(case, try_patch(case, BASELINE), [(patch, try_patch(case, patch))], ())
    assert judged.verdicts[0].score == 8
    assert "judge" in judged.verdicts[0].proofs
    assert (
        format_proof(Candidate(patch, try_patch(case, patch), judged.verdicts[0])) == "Confirmed by: judge, 90 % sure"
    )


@pytest.mark.parametrize(
    "replies", [("no object",) * 2, (says(3, 2, "A"), says(2, 3, "B")), (says(6, 2, "A"), says(2, 6, "B"))]
)
def test_a_judge_who_doubts_confirms_nothing(replies: tuple[str, str]) -> None:
    case = case_of(["x = nope"])
    patch = patch_of(case, "x = 1 + 1")
    scorer = EvidenceScorer(judge=judge_of(*replies)[0])
    verdict = scorer.judge(case, try_patch(case, BASELINE), [(patch, try_patch(case, patch))], ()).verdicts[0]
    assert format_proof(Candidate(patch, try_patch(case, patch), verdict)) == "Runs; result unconfirmed"


def test_the_judges_bill_is_that_of_all_its_calls() -> None:
    case = case_of(["x = nope"])
    patch = patch_of(case, "x = 1 + 1")
    scorer = EvidenceScorer(judge=judge_of(says(10, 2, "A"), says(2, 10, "B"))[0])
    judged = scorer.judge(case, try_patch(case, BASELINE), [(patch, try_patch(case, patch))], ())
    assert judged.cost.calls == len(judged.record["calls"]) == 2


@pytest.mark.parametrize(
    ("config", "model"),
    [
        ({"model": "qwen3-coder"}, "qwen3-coder"),
        ({"model": "qwen3-coder", "judge_model": "qwen3-mini"}, "qwen3-mini"),
        ({}, "claude-haiku-5-5"),
    ],
)
def test_a_provider_that_does_not_serve_the_default_judge_judges_with_its_own_model(
    config: dict[str, str], model: str
) -> None:
    case = case_of(["x = nope"])
    judge, provider = judge_of(says(5, 5), says(5, 5), **config)
    opinions(judge, case, [patch_of(case, "x = 1")])
    assert {r.model for r in provider.requests} == {model}


def test_two_patches_are_one_pair_and_each_further_one_a_pair_more() -> None:
    judge, _ = judge_of()
    none, one, two, three = (judge.worst_case(case_of(["x = nope"]), patches).usd for patches in range(4))
    assert (none, two) == (0, one)
    assert three == pytest.approx(3 * one)
