"""Every safeguard of the paid path that is not in test_model_in_the_loop, with the real SDK over a socket."""

from __future__ import annotations

import itertools
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.loop.events import Derived, PausedForUserAction, Reserved, TrialEnded
from jupyter_selfheal.model import Choice, Cost, Decision, Failure, Oracle, Reason
from jupyter_selfheal.providers.retry import Retry
from jupyter_selfheal.testing.fake_model_server import Fails, Says
from tests.model_stage import FIX, GOOD, case_of, heal, hypothesis, reply, text_of


def of(journal: Any, kind: type) -> list[Any]:
    return [event for event in journal.events() if isinstance(event, kind)]


# --- the service ------------------------------------------------------------------------------------------------------


def test_a_reply_that_comes_too_late_is_infrastructure_and_counts_as_read() -> None:
    hours = itertools.count(step=3600.0)
    retry = Retry(clock=lambda: float(next(hours)))
    outcome, approver, _, requests = heal(case_of(), [Says(GOOD, delay=0.5)] * 3, retry=retry)
    assert outcome.reason is Reason.INFRASTRUCTURE
    assert outcome.cost.usd > 0
    assert len(requests) <= 1
    assert approver.proposals == []


def test_a_name_that_cannot_be_resolved_is_infrastructure_and_free(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_names(host: Any, *rest: Any, **more: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", no_names)
    outcome, _, _, _ = heal(case_of(), [], url="http://models.invalid", retry=Retry(tries=2, sleep=lambda s: None))
    assert outcome.reason is Reason.INFRASTRUCTURE
    assert "cannot be reached" in outcome.detail
    assert outcome.cost.usd == 0


def test_a_request_longer_than_the_context_window_is_truncated_and_said() -> None:
    outcome, _, _, requests = heal(case_of(), [Says("", stop="model_context_window_exceeded")] * 2)
    assert outcome.reason is Reason.TRUNCATED
    assert "larger context" in outcome.detail
    assert len(requests) == 1


def test_a_judge_that_cannot_be_reached_costs_the_heal_nothing_but_the_judge() -> None:
    def answer(received: Any) -> Any:
        return (
            Says(reply(hypothesis(FIX))) if "sonnet" in received.body["model"] else Fails(401, "authentication_error")
        )

    outcome, approver, _, _ = heal(case_of(), [answer] * 9, [Decision(Choice.APPROVE)])
    assert outcome.reason is Reason.HEALED
    assert any("no model judged" in note for note in approver.proposals[0].notes)
    assert set(outcome.spent_by) == {"language_model", "judge"}
    assert outcome.spent_by["judge"].usd == 0


# --- the judge --------------------------------------------------------------------------------------------------------


def judged(scores: tuple[float, float], why: str = "it should add the pears twice") -> Any:
    """A server whose judge always says the same of the first and the second version, whatever they are."""
    fixes = iter([reply(hypothesis(FIX, "First")), reply(hypothesis("total = 2 * prices['pear']\ntotal", "Second"))])

    def answer(received: Any) -> Says:
        if "sonnet" in received.body["model"]:
            return Says(next(fixes, reply()))
        better = "A" if scores[0] > scores[1] else "B" if scores[1] > scores[0] else "equal"
        told = {"score_a": scores[0], "score_b": scores[1], "better": better, "feedback_a": why, "feedback_b": why}
        return Says(json.dumps(told), input_tokens=400, output_tokens=50)

    return answer


def test_below_seven_the_judges_feedback_goes_into_the_next_attempt() -> None:
    outcome, approver, _, requests = heal(case_of(), [judged((5, 5))] * 12, [Decision(Choice.APPROVE)], budget_usd=1.0)
    fixes = [r for r in requests if "sonnet" in r.body["model"]]
    assert len(fixes) > 1
    assert "it should add the pears twice" in text_of(fixes[1])
    assert "different approach" in text_of(fixes[1])
    assert outcome.attempts[0].verdict.score < 7
    assert {who for who, cost in outcome.spent_by.items() if cost.usd > 0} == {"language_model", "judge"}
    assert sum(cost.usd for cost in outcome.spent_by.values()) == pytest.approx(outcome.cost.usd)
    assert approver.proposals[0].spent_by.keys() == outcome.spent_by.keys()


def test_a_judge_that_goes_by_the_order_lowers_the_confidence_of_the_verdict() -> None:
    agreeing, _, _, _ = heal(case_of(), [judged((7.5, 7.5))] * 9)
    swayed, _, _, _ = heal(case_of(), [judged((8, 7))] * 9)
    first, second = agreeing.attempts[0].verdict, swayed.attempts[0].verdict
    assert (first.score, second.score) == (7.5, 7.5)
    assert second.confidence < 60 < first.confidence


# --- money ------------------------------------------------------------------------------------------------------------


def test_the_sessions_ceiling_holds_before_anything_is_sent() -> None:
    earlier = {"session_spent": Cost(usd=0.99, calls=30)}
    outcome, approver, journal, requests = heal(case_of(), [Says(GOOD)], [Decision(Choice.CONTINUE)] * 3, more=earlier)
    assert requests == []
    assert outcome.reason is Reason.OVER_BUDGET
    assert "the session's ceiling of $1.00 would be passed" in approver.pauses[0]
    assert len(of(journal, PausedForUserAction)) == 1


def test_without_a_known_price_the_ceiling_of_tokens_rules() -> None:
    unlisted = {"model": "a-model-nobody-sells", "judge_model": "a-judge-nobody-sells"}
    case = case_of(oracle=Oracle(expect="7"))
    outcome, approver, _, requests = heal(case, [Says(GOOD)], token_ceiling=500, **unlisted)
    assert requests == []
    assert outcome.reason is Reason.OVER_BUDGET
    assert "price is not known" in approver.pauses[0]
    outcome, approver, _, requests = heal(case, [Says(GOOD)], **unlisted)
    assert outcome.reason is Reason.HEALED
    assert len(requests) == 1
    assert outcome.cost.unknown
    assert outcome.cost.input_tokens > 0


def test_to_continue_gives_the_tokens_once_more_and_a_raised_budget_in_proportion() -> None:
    case, unlisted = case_of(oracle=Oracle(expect="7")), {"model": "a-model-nobody-sells"}
    for word in (Decision(Choice.CONTINUE), Decision(Choice.RAISE_BUDGET, text="0.2")):
        outcome, approver, _, requests = heal(case, [Says(GOOD)], [word], token_ceiling=2_500, **unlisted)
        assert len(approver.pauses) == 1
        assert len(requests) == 1
        assert outcome.reason is Reason.HEALED


def test_the_tokens_of_earlier_heals_count_for_the_sessions_ceiling() -> None:
    earlier = {"session_spent": Cost(input_tokens=1_999_000, unknown=True)}
    outcome, approver, _, requests = heal(case_of(), [Says(GOOD)], model="a-model-nobody-sells", more=earlier)
    assert requests == []
    assert outcome.reason is Reason.OVER_BUDGET
    assert "the 1000 that the session has left" in approver.pauses[0]


def test_the_tokens_of_a_known_price_do_not_keep_the_user_from_going_on() -> None:
    earlier = {"session_spent": Cost(usd=0.2, input_tokens=5_000_000)}
    case, said = case_of(oracle=Oracle(expect="7")), [Decision(Choice.CONTINUE)]
    outcome, approver, _, requests = heal(case, [Says(GOOD)], said, budget_usd=0.012, max_tokens=4096, more=earlier)
    assert len(approver.pauses) == 1
    assert len(requests) == 1
    assert outcome.reason is Reason.HEALED


def test_a_budget_of_nothing_allows_no_price_that_is_not_known() -> None:
    outcome, approver, _, requests = heal(case_of(), [Says(GOOD)], model="a-model-nobody-sells", budget_usd=0.0)
    assert requests == []
    assert "price_in" in approver.pauses[0]
    assert outcome.reason is Reason.OVER_BUDGET


# --- what is tried ----------------------------------------------------------------------------------------------------


def test_a_patch_that_adds_a_capability_is_criticised_and_waits_for_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the fake kernel runs in this process
    (tmp_path / "prices.csv").write_text("apple,3")
    risky = f"import os\nos.remove('prices.csv')\n{FIX}"

    def answer(received: Any) -> Says:
        if "risks" in json.dumps(received.body["output_config"]):
            return Says(
                json.dumps({"risks": [{"patch": "P1", "risk": "prices.csv is gone for good"}]}), output_tokens=30
            )
        return Says(reply(hypothesis(risky, "Tidy up first")))

    said = [Decision(Choice.CONSENT), Decision(Choice.APPROVE)]
    outcome, approver, journal, requests = heal(case_of(oracle=Oracle(expect="7")), [answer] * 9, said)
    assert outcome.reason is Reason.HEALED
    assert outcome.applied[0].patch.risk == "prices.csv is gone for good"
    held = approver.proposals[0]
    assert held.needs_consent == ("deletion",)
    assert held.candidates[0].patch.risk == "prices.csv is gone for good"
    kinds = [type(e).__name__ for e in journal.events()]
    assert kinds.index("CapabilitiesChecked") < kinds.index("TrialEnded")
    assert [r.body["model"] for r in requests][:2] == ["claude-sonnet-5-5", "claude-haiku-5-5"]
    assert "+os.remove('prices.csv')" in text_of(requests[1])
    assert outcome.spent_by["critic"].usd > 0
    assert {r.who for r in of(journal, Reserved)} >= {"language_model", "critic"}


def test_what_a_change_of_another_cell_could_do_is_said_without_a_call() -> None:
    elsewhere = hypothesis("prices = {'apple': 3, 'pear': 4, 'aple': 3}", "Add the key", cell="cell-1")
    case = case_of("print(len(prices))", oracle=Oracle(expect="7"))
    outcome, approver, _, requests = heal(case, [Says(reply(elsewhere))])
    assert outcome.reason is Reason.HEALED
    assert len(requests) == 1
    risk = approver.proposals[0].candidates[0].patch.risk
    assert "cell 1 changes too: what cell 3 made of it may no longer be right" in risk
    assert "another key was meant" in risk, "the model's own word"


def test_nothing_is_tried_where_the_failure_does_not_come_again() -> None:
    case = case_of()
    healthy = Failure("id1", FIX, ename="KeyError", evalue="'aple'", line=1, statement=0)
    notebook = case.notebook.with_source("id1", FIX)
    outcome, approver, journal, requests = heal(type(case)(healthy, notebook), [Says(GOOD)])
    assert outcome.reason is Reason.NOT_REPRODUCED
    assert requests == []
    assert approver.proposals == []
    assert of(journal, TrialEnded) == []


CHEATS = [
    "try:\n    a = prices['aple']\nexcept KeyError:\n    pass\nb = prices['paer']\na + b",
    "try:\n    a = prices['aple']\nexcept KeyError:\n    a = 7\nb = prices['paer']\na + b",
    "a = 3\nb = prices['paer']\na + b",
    "b = prices['paer']\nb",
]
HONEST = ["a = prices['apple']\nb = prices['paer']\na + b", "a = prices.get('aple', 0)\nb = prices['paer']\na + b"]


@pytest.mark.parametrize("text", [*CHEATS, *HONEST])
def test_what_comes_behind_a_cheat_is_not_taken_up(text: str) -> None:
    source = "a = prices['aple']\nb = prices['paer']\na + b"
    case = case_of(oracle=Oracle(expect="7"))
    failure = Failure("id1", source, ename="KeyError", evalue="'aple'", line=1, statement=0)
    case = type(case)(failure, case.notebook.with_source("id1", source), case.oracle)
    outcome, _, journal, _ = heal(case, [Says(reply(hypothesis(text))), Says(reply())] * 2, budget_usd=1.0)
    first = outcome.attempts[0]
    assert first.trial.steps[0].errors[0].evalue == "'paer'", "it got past the failing statement"
    assert bool(first.verdict.tampering) is (text in CHEATS)
    assert (first.patch.id in [e.patch_id for e in of(journal, Derived)]) is (text in HONEST)
