"""What is found out while the cell as it is runs again: used where it is about that very failure, and nowhere else."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from jupyter_selfheal.loop.early_answers import DIAGNOSIS, EarlyAnswers
from jupyter_selfheal.model import Case, Diagnosis
from jupyter_selfheal.ports import Answer, Facts, Starts
from jupyter_selfheal.testing.scripted import NoFacts, ScriptedDiagnoser, ScriptedHealer, build_scripted_dependencies
from tests.heals import MakeStage
from tests.stages import answer
from tests.waiting import PATIENCE


class QuickHealer(ScriptedHealer):
    is_quick = True


def ask_again() -> None:
    raise AssertionError("it was asked again")


def begin(stage: MakeStage, *healers: ScriptedHealer, after: bool = True) -> tuple[EarlyAnswers, Case]:
    s = stage("x = 1", "x.nope")
    early = EarlyAnswers(build_scripted_dependencies(s.starts, list(healers), diagnoser=ScriptedDiagnoser()))
    early.begin(s.case, Starts(s.starts.before, s.starts.before if after else ()), NoFacts())
    return early, s.case


def test_each_is_asked_once_and_an_answer_is_given_once(stage: MakeStage) -> None:
    patch = stage("x = 1", "x.nope").replaced("x.nope", "x")
    quick = QuickHealer([answer(patch)])
    early, case = begin(stage, quick)
    assert isinstance(early.take(DIAGNOSIS, case, ask_again), Diagnosis)
    assert early.take("rules", case, ask_again).patches == (patch,)
    assert early.take("rules", case, lambda: "now") == "now"
    assert len(quick.calls) == 1


def test_an_answer_about_another_failure_is_not_taken(stage: MakeStage) -> None:
    early, case = begin(stage, QuickHealer())
    other = replace(case, hints=("look at x",))
    assert early.take("rules", other, lambda: "now") == "now"
    assert early.take(DIAGNOSIS, other, lambda: "now") == "now"


@pytest.mark.parametrize("healer", [ScriptedHealer(), QuickHealer(paid=True)], ids=["slow", "paid"])
def test_who_is_slow_or_paid_is_not_asked_early(stage: MakeStage, healer: ScriptedHealer) -> None:
    early, case = begin(stage, healer)
    early.take(DIAGNOSIS, case, ask_again)
    assert early.take("rules", case, lambda: "now") == "now"
    assert not healer.calls


def test_nothing_is_asked_where_a_question_would_run_the_cell(stage: MakeStage) -> None:
    early, case = begin(stage, QuickHealer(), after=False)
    assert early.take(DIAGNOSIS, case, lambda: "now") == "now"


def test_a_fault_comes_up_where_the_answer_is_taken(stage: MakeStage) -> None:
    early, case = begin(stage, QuickHealer([ValueError("a bug")]))
    with pytest.raises(ValueError, match="a bug"):
        early.take("rules", case, ask_again)


def test_an_answer_on_its_way_is_waited_for(stage: MakeStage) -> None:
    asked, go_on = threading.Event(), threading.Event()

    class Slow(QuickHealer):
        def propose(self, case: Case, starts: Starts, facts: Facts, history: object) -> Answer:
            asked.set()
            go_on.wait(PATIENCE)
            return Answer(note="late")

    early, case = begin(stage, Slow())
    assert asked.wait(PATIENCE)
    threading.Timer(0.01, go_on.set).start()
    assert early.take("rules", case, ask_again).note == "late"
