"""What the model's healer makes of a reply: over a socket with the real SDK, and by script."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.healers.model.healer import LanguageModelHealer
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.model import (
    Applicability,
    Attempt,
    Cell,
    Insert,
    Locus,
    Patch,
    Reason,
    Replace,
    SkipReason,
)
from jupyter_selfheal.providers.anthropic import AnthropicProvider
from jupyter_selfheal.providers.prompts import read_prompt
from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from tests.model_answers import FIX, GOOD, SOURCES, ask, case_of, healer_of, hypothesis, reply


def test_three_hypotheses_become_three_unsafe_patches_best_first() -> None:
    healer, provider = healer_of(GOOD)
    answer = ask(healer, case_of())
    assert [p.title for p in answer.patches] == ["Spell the key right", "Sum all prices", "Take 0 where it is missing"]
    assert answer.patches[0].edits == (Replace("id2", SOURCES[2], FIX),)
    assert {p.applicability for p in answer.patches} == {Applicability.UNSAFE}
    assert answer.patches[0].risk == "another key was meant"
    assert [p.prior for p in answer.patches] == sorted((p.prior for p in answer.patches), reverse=True)
    assert answer.diagnosis[0].confidence == 95
    assert not answer.exhausted
    assert answer.cost.calls == 1
    assert "Give your best hypothesis" in provider.requests[0].messages[1][1]


def test_edits_of_other_cells_and_new_cells_are_understood() -> None:
    other = hypothesis("prices = {'aple': 3, 'pear': 4}", cell="cell-1")
    new = hypothesis("prices['aple'] = prices['apple']\n", action="insert_before")
    answer = ask(healer_of(reply(other, new, kind="elsewhere", cell="cell-1"))[0], case_of())
    assert answer.patches[0].edits == (Replace("id0", SOURCES[0], "prices = {'aple': 3, 'pear': 4}"),)
    made = answer.patches[1].edits[0]
    assert isinstance(made, Insert)
    assert (made.before, made.source) == ("id2", "prices['aple'] = prices['apple']")
    assert (answer.diagnosis[0].locus, answer.diagnosis[0].cell_id) == (Locus.ELSEWHERE, "id0")


def test_the_same_idea_twice_unknown_cells_and_empty_changes_are_dropped_and_said() -> None:
    text = reply(
        hypothesis(FIX),
        hypothesis(FIX.replace("'apple'", '"apple"') + "  # the same"),
        hypothesis(FIX, cell="cell-9"),
        hypothesis(SOURCES[2]),
    )
    answer = ask(healer_of(text)[0], case_of())
    assert len(answer.patches) == 1
    assert "the same as an earlier one" in answer.note
    assert "no cell 'cell-9'" in answer.note
    assert "changes nothing" in answer.note


def test_a_text_of_the_notebook_is_not_edited_as_if_it_ran() -> None:
    case = case_of()
    cells = (Cell("text", "The prices:", kind="markdown"), *case.notebook.cells)
    case = replace(case, notebook=replace(case.notebook, cells=cells))
    edits = [hypothesis("prices = {}", cell=cell) for cell in ("cell-1", "text", "cell-2")]
    answer = ask(healer_of(reply(*edits))[0], case)
    assert [p.cells_touched for p in answer.patches] == [("id0",)]
    assert "'cell-1' is no code cell" in answer.note
    added = ask(healer_of(reply(hypothesis("prices = {}", cell="cell-1", action="insert_before")))[0], case)
    assert len(added.patches) == 1


def test_one_hypothesis_is_asked_for_first_and_several_once_it_has_failed() -> None:
    tried = Attempt(Patch((Replace("id2", SOURCES[2], "1"),), "One", healer="language_model"))
    one = reply(hypothesis(FIX, "Spell the key right"))
    healer, provider = healer_of(one, GOOD)
    assert [p.title for p in ask(healer, case_of()).patches] == ["Spell the key right"]
    assert len(provider.requests) == 1, "nothing is paid for more before what is there was tried"
    assert "Give your best hypothesis" in provider.requests[0].messages[1][1]
    assert len(ask(healer, case_of(), [tried]).patches) == 3
    assert "Give 3 distinct hypotheses" in provider.requests[1].messages[1][1]


@pytest.mark.parametrize(
    "label", ["cell-3", "Cell 3", "cell 3", "[3]", "In [3]", "3", "`cell-3`", "failing cell", None]
)
def test_a_cell_is_named_as_people_name_it(label: str | None) -> None:
    entry = hypothesis(FIX, cell="cell-3")
    entry["edits"][0]["cell"] = label
    assert ask(healer_of(reply(entry))[0], case_of()).patches[0].edits == (Replace("id2", SOURCES[2], FIX),)


def test_what_is_missing_from_a_reply_and_can_be_inferred_is() -> None:
    bare = {"hypotheses": [{"source": f"```python\n{FIX}\n```"}]}
    answer = ask(healer_of(json.dumps(bare))[0], case_of())
    assert answer.patches[0].edits == (Replace("id2", SOURCES[2], FIX),)
    assert (answer.diagnosis[0].locus, answer.diagnosis[0].confidence) == (Locus.CODE, 80)
    elsewhere = {"hypotheses": {"title": "Other", "edits": {"cell": 1, "source": "prices = {'aple': 3, 'pear': 4}"}}}
    answer = ask(healer_of(json.dumps(elsewhere))[0], case_of())
    assert answer.diagnosis[0].locus is Locus.ELSEWHERE


def test_a_failure_that_is_meant_is_advice_and_no_patch() -> None:
    answer = ask(healer_of(reply(hypothesis(FIX), kind="stop"))[0], case_of())
    assert answer.diagnosis[0].skip_reason is SkipReason.DELIBERATE
    assert "Decide" in answer.diagnosis[0].advice


@pytest.mark.parametrize("around", ["Here it is:\n```json\n{}\n```\nGood luck!", "{{not json}} {}", "{} and {{}}"])
def test_the_first_json_object_is_taken_whatever_stands_around_it(around: str) -> None:
    healer, provider = healer_of(around.replace("{{", "{").replace("}}", "}").replace("{}", GOOD, 1))
    assert len(ask(healer, case_of()).patches) == 3
    assert len(provider.requests) == 1


def test_confidence_below_80_rewrites_nothing() -> None:
    for confidence, kind in ((79, "code"), (99, "environment"), (0.5, "code"), (100, "self")):
        answer = ask(healer_of(reply(hypothesis(FIX), confidence=confidence, kind=kind))[0], case_of())
        assert answer.patches == ()
        assert answer.diagnosis[0].confidence < 80
        assert answer.diagnosis[0].locus is Locus.ENVIRONMENT
        assert "nothing is rewritten" in answer.note


MALFORMED = [
    "I cannot do that.",
    "",
    "[1, 2]",
    '{"diagnosis": {}, "hypotheses": []}',
    reply(hypothesis(FIX), confidence="high"),
    reply(hypothesis(FIX), confidence=float("nan")),
    reply(hypothesis(FIX), confidence=1e400),
    reply(hypothesis(FIX), confidence=-3),
    reply(hypothesis(FIX), kind="weather"),
    reply({"title": "x", "edits": "none"}),
    reply({"title": "x", "edits": [{"cell": "cell-3", "source": 5}]}),
    reply(hypothesis(FIX))[:-40],
    '{"diagnosis": 1, "hypotheses": 2}',
]


@pytest.mark.parametrize("text", MALFORMED)
def test_a_malformed_reply_is_put_right_by_one_request(text: str) -> None:
    healer, provider = healer_of(text, GOOD)
    answer = ask(healer, case_of())
    assert len(answer.patches) == 3
    assert answer.cost.calls == 2
    assert [r.purpose for r in provider.requests] == ["fix", "repair"]
    assert [c["purpose"] for c in answer.record["calls"]] == ["fix", "repair"]


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_twice_is_told_and_paid_never_a_crash(text: str) -> None:
    healer, provider = healer_of(text, text)
    answer = ask(healer, case_of())
    assert answer.patches == ()
    assert "malformed" in answer.note
    assert answer.cost.calls == len(provider.requests) == 2
    assert answer.stop == ""


@pytest.mark.parametrize(
    ("said", "told"),
    [(["no json", "none"], "malformed reply"), ([reply(hypothesis(FIX, cell="cell-9"))], "hypothesis"), ([reply()], "no hypothesis")],
)  # fmt: skip
def test_what_held_nothing_to_try_is_told_and_no_request_is_sent_twice(said: list[str], told: str) -> None:
    healer, provider = healer_of(*said, GOOD)
    case, history = case_of(), ()
    assert ask(healer, case, history).patches == ()
    assert len(ask(healer, case, history).patches) == 3
    first, *_, last = [r for r in provider.requests if r.purpose == "fix"]
    assert first != last
    assert "nothing to try" not in first.messages[-1][1]
    assert told in last.messages[-1][1].split("nothing to try")[1]


def test_a_reply_that_was_foreseen_too_short_may_be_longer_the_next_time() -> None:
    with FakeModelServer([Says(GOOD[:100], stop="max_tokens"), Says(GOOD)]) as server:
        provider = AnthropicProvider(key="k", base_url=server.url)
        healer = LanguageModelHealer(provider, HealConfig(), Redactor(), read_prompt)
        first, worst = ask(healer, case_of()), healer.worst_case(case_of(), ())
        second = ask(healer, case_of())
        assert [r.body["max_tokens"] for r in server.requests] == [1_000, 4_096]
    assert (first.stop, first.patches) == ("", ())
    assert len(second.patches) == 3
    assert second.cost.usd <= worst.usd


def test_a_repair_is_made_only_within_what_was_set_aside() -> None:
    with FakeModelServer([Says("no json", input_tokens=10_000, output_tokens=4_000), Says(GOOD)]) as server:
        provider = AnthropicProvider(key="k", base_url=server.url)
        answer = ask(LanguageModelHealer(provider, HealConfig(), Redactor(), read_prompt), case_of())
        assert len(server.requests) == 1
    assert "malformed" in answer.note
    assert answer.cost.output_tokens == 4_000


def test_a_repair_that_fails_keeps_the_cost_of_the_first_call() -> None:
    healer, _ = healer_of("no json", ProviderError("it is overloaded", kind="overloaded"))
    answer = ask(healer, case_of())
    assert answer.stop == Reason.INFRASTRUCTURE
    assert answer.cost.calls == 1


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        ("max_tokens", Reason.TRUNCATED),
        ("model_context_window_exceeded", Reason.TRUNCATED),
        ("refusal", Reason.REFUSED),
    ],
)
def test_truncation_and_refusal_have_their_own_reasons_and_are_paid(stop: str, reason: Reason) -> None:
    with FakeModelServer([Says(GOOD[:100], stop=stop)]) as server:
        provider = AnthropicProvider(key="k", base_url=server.url)
        answer = ask(LanguageModelHealer(provider, HealConfig(max_tokens=1_000), Redactor(), read_prompt), case_of())
    assert answer.stop == reason
    assert answer.cost.usd > 0
    assert answer.note


def test_offline_nothing_is_sent() -> None:
    healer, provider = healer_of(GOOD, offline=True)
    assert ask(healer, case_of()).patches == ()
    assert healer.worst_case(case_of(), ()).usd == 0
    assert provider.requests == []
