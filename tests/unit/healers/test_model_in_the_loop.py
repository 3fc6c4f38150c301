"""The language model in the product's own loop: the real SDK, over a socket, against a server that misbehaves."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal import wire
from jupyter_selfheal.journal.describe import find_request_record
from jupyter_selfheal.model import Choice, Decision, Oracle, Reason
from jupyter_selfheal.testing.fake_model_server import Fails, HangsUp, Says
from tests.model_stage import FIX, GOOD, WRONG, case_of, claude, compatible, heal, hypothesis, reply, text_of


def test_the_best_hypothesis_by_evidence_is_proposed_and_the_cheat_is_not() -> None:
    case = case_of(oracle=Oracle(expect="7"))
    text = reply(
        hypothesis("total = 7\ntotal", "Cheat"),
        hypothesis(WRONG, "Guess"),
        hypothesis(FIX, "Spell the key right"),
    )
    outcome, approver, _, requests = heal(case, [Says(text)])
    assert outcome.reason is Reason.HEALED
    assert outcome.applied[0].patch.title == "Spell the key right"
    assert outcome.applied[0].verdict.oracle_met
    assert len(requests) == 1, "the oracle decides: no judge is asked"
    assert outcome.cost.usd > 0
    cheat = next(a for a in outcome.attempts if a.patch.title == "Cheat")
    assert cheat.verdict is not None
    assert cheat.verdict.score <= 3
    assert approver.proposals[0].candidates[0].patch.title == "Spell the key right"


@pytest.mark.parametrize("make", [claude, compatible])
def test_the_whole_way_goes_over_both_apis(make: Any) -> None:
    """A first idea that fails its trial, then two, one of which is a change elsewhere; no oracle, a judge, an approval."""
    elsewhere = hypothesis("prices = {'apple': 3, 'pear': 4, 'aple': 3}", "Add the key", cell="cell-1")
    fails = hypothesis("total = prices['appel'] + prices['pear']\ntotal", "Spell it otherwise")

    def answer(received: Any) -> Says:
        text, wanted = text_of(received), json.dumps(received.body)
        if "score_a" in wanted:
            return Says(json.dumps({"score_a": 8, "score_b": 8, "better": "equal", "feedback_a": "", "feedback_b": ""}))
        right = hypothesis(FIX, "Spell the key right")
        return Says(reply(right, elsewhere) if "2 distinct" in text else reply(fails))

    outcome, _, _, requests = heal(case_of(), [answer] * 9, make=make, hypotheses=2, budget_usd=1.0)
    assert outcome.reason is Reason.HEALED
    assert outcome.applied[0].patch.title == "Spell the key right", "of equals the one that the model gave first"
    risks = {a.patch.title: a.patch.risk for a in outcome.attempts}
    assert risks["Add the key"] == "another key was meant", (
        "what the model says itself; no other cell reads what changes"
    )
    assert [r.body["model"] for r in requests] == ["claude-sonnet-5-5"] * 2 + ["claude-haiku-5-5"] * 2
    assert {who: cost.calls for who, cost in outcome.spent_by.items()} == {"language_model": 2, "judge": 2}
    assert all(cost.usd > 0 for cost in outcome.spent_by.values())


def test_of_several_that_prove_right_the_one_is_proposed_that_the_model_gave_first() -> None:
    longer = (
        f"names = {{'aple': 'apple', 'pear': 'pear'}}\nspelt = {{names[k]: prices[names[k]] for k in names}}\n{FIX}"
    )
    text = reply(hypothesis(longer, "Spell all keys"), hypothesis(FIX, "Spell the key right"))
    outcome, approver, _, _ = heal(case_of(oracle=Oracle(expect="7")), [Says(text)])
    first, second = approver.proposals[0].candidates
    assert first.verdict.score == second.verdict.score
    assert [first.patch.title, second.patch.title] == ["Spell all keys", "Spell the key right"]
    assert outcome.applied[0].patch.title == "Spell all keys"


def test_feedback_of_a_miss_reaches_the_next_request() -> None:
    case = case_of(oracle=Oracle(expect="7"))
    wrong = reply(hypothesis(WRONG, "Guess"))
    outcome, _, _, requests = heal(case, [Says(wrong), Says(GOOD)])
    assert outcome.reason is Reason.HEALED
    second = requests[1].body["messages"][1]["content"][0]["text"]
    assert "expected 7, got 4" in second
    assert "different approach" in second


def test_a_users_rejection_and_hint_reach_the_next_request() -> None:
    case = case_of(oracle=Oracle(expect="7"))
    said = [Decision(Choice.REJECT, text="do not touch the sum")]
    outcome, _, _, requests = heal(
        case, [Says(reply(hypothesis(FIX))), Says(reply(hypothesis("total = sum(prices.values())\ntotal")))], said
    )
    assert outcome.reason is Reason.HEALED
    assert "do not touch the sum" in requests[1].body["messages"][1]["content"][0]["text"]


@pytest.mark.parametrize(("status", "sendings"), [(401, 1), (402, 1), (403, 1), (429, 4), (500, 4), (503, 4), (529, 4)])
def test_an_infrastructure_error_ends_the_paid_path_at_once_without_a_judge(status: int, sendings: int) -> None:
    outcome, _, _, requests = heal(case_of(), [*[Fails(status, "")] * sendings, Says(GOOD)])
    assert len(requests) == sendings
    assert {r.body["model"] for r in requests} == {"claude-sonnet-5-5"}
    assert outcome.reason is Reason.INFRASTRUCTURE
    assert outcome.cost.usd == 0


def test_a_reply_that_breaks_off_twice_is_infrastructure_and_paid() -> None:
    outcome, _, _, requests = heal(case_of(), [Says(GOOD, breaks="overloaded")] * 4)
    assert len(requests) == 2
    assert outcome.reason is Reason.INFRASTRUCTURE
    assert outcome.cost.usd > 0


def test_a_server_that_is_gone_is_infrastructure_and_free() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    outcome, _, _, _ = heal(case_of(), [], url=url)
    assert outcome.reason is Reason.INFRASTRUCTURE
    assert outcome.cost.usd == 0


def test_the_same_wrong_answer_again_and_again_is_stuck() -> None:
    wrong = Says(reply(hypothesis(WRONG)))
    outcome, _, _, requests = heal(case_of(oracle=Oracle(expect="7")), [wrong] * 9, attempts=9)
    assert outcome.reason is Reason.STUCK
    assert len(requests) < 5


def test_other_answers_that_get_no_better_are_no_improvement() -> None:
    sources = (
        "prices['pear'] * 9",
        "len(prices) + 30",
        "max(prices.values()) + 100",
        "min(prices.values()) - 50",
        "-1",
    )
    lines = [Says(reply(hypothesis(f"total = {source}\ntotal", source))) for source in sources]
    outcome, _, _, requests = heal(
        case_of(oracle=Oracle(expect="7")), lines * 2, attempts=9, no_improvement_after=2, budget_usd=1.0
    )
    assert outcome.reason is Reason.NO_IMPROVEMENT
    assert 2 < len(requests) <= 5


def test_a_malformed_reply_is_archived_paid_and_no_crash() -> None:
    outcome, _, journal, requests = heal(case_of(), [Says("I think that"), Says("no, really")] * 5)
    assert outcome.reason in (Reason.STUCK, Reason.NO_IMPROVEMENT, Reason.EXHAUSTED)
    assert outcome.cost.calls == len(requests)
    assert "malformed" in str(list(journal.events()))


def test_confidence_below_80_closes_as_environment_and_nothing_is_tried() -> None:
    outcome, approver, _, _ = heal(case_of(), [Says(reply(hypothesis(FIX), confidence=60))])
    assert outcome.reason is Reason.ENVIRONMENT
    assert outcome.attempts == ()
    assert approver.proposals == []


def test_after_too_many_attempts_it_pauses_and_goes_on_where_it_was() -> None:
    sources = ("prices['pear'] * 9", "len(prices) + 30", "prices['apple'] + prices['pear']")
    lines = [Says(reply(hypothesis(f"total = {source}\ntotal", source))) for source in sources]
    outcome, approver, _, requests = heal(
        case_of(oracle=Oracle(expect="7")), lines, [Decision(Choice.CONTINUE)], attempts=2, budget_usd=1.0
    )
    assert len(approver.pauses) == 1
    assert len(requests) == 3
    assert outcome.reason is Reason.HEALED


@pytest.mark.parametrize(("stop", "reason"), [("max_tokens", Reason.TRUNCATED), ("refusal", Reason.REFUSED)])
def test_truncation_and_refusal_close_the_heal_with_their_own_reason(stop: str, reason: Reason) -> None:
    outcome, _, _, requests = heal(case_of(), [Says(GOOD[:50], stop=stop)] * 3, max_tokens=1_000)
    assert outcome.reason is reason
    assert len(requests) == 1
    assert outcome.cost.usd > 0


def test_a_budget_too_small_for_the_worst_case_pauses_before_anything_is_sent() -> None:
    outcome, approver, _, requests = heal(case_of(), [Says(GOOD)], budget_usd=0.001)
    assert requests == []
    assert approver.pauses
    assert outcome.reason is Reason.OVER_BUDGET


def test_without_an_oracle_the_judge_decides_and_both_are_paid_for() -> None:
    def answer(received: Any) -> Says:
        if received.body["model"] != "claude-haiku-5-5":
            return Says(reply(hypothesis(FIX, "Spell the key right")))
        text = received.body["messages"][0]["content"][0]["text"]
        first = FIX in text.split("# Version B")[0].split("# Version A")[1]
        scores = (8, 2, "A") if first else (2, 8, "B")
        said = dict(zip(("score_a", "score_b", "better"), scores, strict=True), feedback_a="fine", feedback_b="fine")
        return Says(json.dumps(said), input_tokens=500, output_tokens=60)

    outcome, _, journal, requests = heal(case_of(), [answer] * 4)
    assert outcome.reason is Reason.HEALED
    assert outcome.applied[0].verdict.score == 8
    assert [r.body["model"] for r in requests] == ["claude-sonnet-5-5", "claude-haiku-5-5", "claude-haiku-5-5"]
    assert outcome.cost.calls == 3
    records = [record for event in journal.events() if (record := find_request_record(wire.encode(event)))]
    told = [part["text"] for record in records for call in record["calls"] for part in call["messages"]]
    sent = [p["text"] for r in requests for message in r.body["messages"] for p in message["content"]]
    assert sorted(told) == sorted(sent), "the judge is asked twice at once"


def test_what_a_person_approved_is_tried_first_and_for_free_the_next_time(tmp_path: Path) -> None:
    case, memory = case_of(oracle=Oracle(expect="7")), tmp_path / "memory.sqlite"
    first, _, _, _ = heal(case, [Says(GOOD)], [Decision(Choice.APPROVE)], remember=memory)
    assert first.reason is Reason.HEALED
    assert first.approved_by == "user"
    again, _, _, requests = heal(case, [Says(GOOD)], remember=memory)
    assert again.reason is Reason.HEALED
    assert again.applied[0].patch.healer == "memory"
    assert again.applied[0].patch.edits == first.applied[0].patch.edits
    assert requests == []
    assert again.cost.usd == 0


def test_a_damaged_memory_is_said_and_the_heal_goes_on(tmp_path: Path) -> None:
    memory = tmp_path / "memory.sqlite"
    memory.write_bytes(b"not a database" * 99)
    outcome, approver, _, _ = heal(case_of(oracle=Oracle(expect="7")), [Says(GOOD)], remember=memory)
    assert outcome.reason is Reason.HEALED
    assert any("set aside" in note for note in approver.proposals[0].notes)


# --- outages --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 403, 429, 500, 529, 0])
def test_an_outage_is_a_pause_and_continue_works_when_it_is_mended(status: int) -> None:
    """A status of 0 is a connection that is lost each time."""
    down: list[Any] = [Fails(status, "") if status else HangsUp()] * (1 if status in (401, 403) else 4)
    lines = [*down, Says(reply(hypothesis(FIX)))]
    outcome, approver, _, requests = heal(case_of(oracle=Oracle(expect="7")), lines, [Decision(Choice.CONTINUE)])
    assert len(approver.pauses) == 1
    assert "anthropic" in approver.pauses[0]
    assert outcome.reason is Reason.HEALED
    assert len(requests) == len(lines)


def test_an_outage_that_nobody_waits_for_ends_the_heal() -> None:
    outcome, approver, _, _ = heal(case_of(oracle=Oracle(expect="7")), [Fails(401, "")])
    assert len(approver.pauses) == 1
    assert outcome.reason is Reason.INFRASTRUCTURE
