"""A model that is shown one cell and words about it: what goes out, and what its reply is worth."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import BASELINE, Case, Oracle
from jupyter_selfheal.ports import CellOpinion
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.prompts import read_prompt
from jupyter_selfheal.providers.scripted import ScriptedProvider
from jupyter_selfheal.scoring.cell_judge import ModelCellJudge, list_docstrings
from tests.scoring_cases import case_of, try_patch
from tests.unit.scoring.test_judge import Plain


def ask(case: Case, line: Any, *, known: bool = True, **config: Any) -> tuple[CellOpinion, str, ModelCellJudge]:
    """The opinion, what was sent, and the judge."""
    provider = ScriptedProvider([line], prices=Prices("anthropic"))
    judge = ModelCellJudge(provider, HealConfig(**config), Plain(), read_prompt)
    opinion = judge.judge_cell(case, try_patch(case, BASELINE) if known else None)
    return opinion, provider.requests[0].messages[0][1], judge


def case_with(words: str, *sources: str) -> Case:
    return replace(case_of(list(sources)), oracle=Oracle(spec=words))


def says(score: object, feedback: str = "it divides by 2") -> str:
    return json.dumps({"score": score, "feedback": feedback})


def test_the_words_the_cell_and_what_it_needs_go_out_once_and_within_the_worst_case() -> None:
    case = case_with("the mean of xs", "xs = [40, 2]", "unused = 1", "print(sum(xs))")
    opinion, text, judge = ask(case, says(3))
    assert (opinion.score, opinion.reason) == (3, "it divides by 2")
    assert "# What it is for\nthe mean of xs" in text
    assert "xs = [40, 2]" in text
    assert "unused" not in text
    assert opinion.record["calls"][0]["prompt"] == "cell-1"
    assert 0 < opinion.cost.usd <= judge.worst_case().usd < 0.05


@pytest.mark.parametrize("allowed", [False, True])
def test_what_it_put_out_goes_out_only_where_values_may_and_secrets_never(allowed: bool) -> None:
    case = case_with("the sum", "password = 'hunter2'\nprint(40 + 2)")
    _, text, _ = ask(case, says(9), send_values=allowed)
    assert ("showed:\n42" in text) is allowed
    assert "hunter2" not in text


def test_where_nobody_knows_what_it_put_out_nothing_is_said_of_it() -> None:
    _, text, _ = ask(case_with("the sum", "print(40 + 2)"), says(9), known=False)
    assert "What it did" not in text


@pytest.mark.parametrize(
    "reply", ["fine", says("good"), says(11), says(-1), says(True), says(8, ""), "[1]", '{"score": 9}']
)
def test_a_reply_that_cannot_be_read_says_nothing(reply: str) -> None:
    opinion, _, _ = ask(case_with("the sum", "print(42)"), reply)
    assert opinion.score is None
    assert "could not be read" in opinion.reason
    assert opinion.cost.calls == 1


def test_offline_it_costs_nothing_since_it_is_not_asked() -> None:
    judge = ModelCellJudge(
        ScriptedProvider([], prices=Prices("anthropic")), HealConfig(offline=True), Plain(), read_prompt
    )
    assert judge.worst_case().usd == 0


def test_docstrings_of_functions_and_classes_are_words() -> None:
    source = 'def f():\n    """One."""\nclass C:\n    """Two."""\n    def g(self):\n        pass'
    assert list_docstrings(source) == ["One.", "Two."]
