"""Facts: questions to the state after the failure, asked once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.healers.facts import KernelFacts
from jupyter_selfheal.model import Failure, FailureKind, Keep, Probe, Start, Trial, TrialRequest
from jupyter_selfheal.ports import Facts, Starts, TrialKernel
from jupyter_selfheal.testing.fake_kernel import FakeKernel

NAMES = "def probe(shell, last, argument):\n    return [argument in shell.user_ns, type(last.error).__name__]"
CELL = "y = 2\n1 / 0"


@pytest.fixture
def before() -> FakeKernel:
    return FakeKernel(["x = 1"])


def test_a_state_before_the_cell_is_asked_after_the_cell_has_run(before: FakeKernel) -> None:
    facts: Facts = KernelFacts(before, Failure("c", CELL))
    assert facts.ask(NAMES, "y") == [True, "ZeroDivisionError"]
    assert facts.ask(NAMES, "z") == [False, "ZeroDivisionError"]
    assert len(before.requests) == 1, "the state after the cell is kept"


def test_a_state_after_the_failure_is_asked_as_it_is() -> None:
    after = FakeKernel(["x = 1", CELL], start=Start.AFTER_FAILURE)
    assert KernelFacts.of(Starts(after=(after,)), Failure("c", CELL)).ask(NAMES, "y") == [True, "ZeroDivisionError"]


@pytest.mark.parametrize("kind", [FailureKind.TIMED_OUT, FailureKind.DIED])
def test_a_cell_without_an_end_is_not_run_for_a_question(kind: FailureKind, before: FakeKernel) -> None:
    facts = KernelFacts(before, Failure("c", "while True:\n    pass", kind))
    assert facts.ask(NAMES, "x") == [True, "NoneType"]
    (request,) = before.requests
    assert [type(step) for step in request.steps] == [Probe]


def test_equal_questions_are_answered_once_and_a_raising_probe_answers_none() -> None:
    after = FakeKernel([CELL], start=Start.AFTER_FAILURE)
    facts = KernelFacts(after)
    for _ in range(3):
        assert facts.ask("def probe(shell, last, argument):\n    return 1 / 0") is None
    assert len(after.requests) == 1


def test_a_dead_kernel_has_no_facts() -> None:
    after = FakeKernel([CELL], start=Start.AFTER_FAILURE)
    after.close()
    assert KernelFacts(after).ask(NAMES, "y") is None


class Unkept(FakeKernel):
    """A kernel whose states cannot be kept, in which every trial takes this many seconds."""

    took = 0.0

    def run(self, request: TrialRequest) -> tuple[Trial, TrialKernel | None]:
        trial, _ = super().run(replace(request, keep=Keep.NEVER))
        return replace(trial, seconds=self.took), None


def test_where_no_state_is_kept_a_quick_cell_is_run_for_each_question() -> None:
    before = Unkept(["x = 1"])
    facts = KernelFacts(before, Failure("c", CELL))
    assert [facts.ask(NAMES, name) for name in "xyz"] == [[n in "xy", "ZeroDivisionError"] for n in "xyz"]
    assert len(before.requests) == 3


def test_where_no_state_is_kept_a_slow_cell_is_not_run_for_one_question_after_the_other() -> None:
    before = Unkept(["x = 1"])
    before.took = 40.0
    facts = KernelFacts(before, Failure("c", CELL))
    assert facts.ask(NAMES, "y") == [True, "ZeroDivisionError"]
    assert facts.ask(NAMES, "z") is None
    assert facts.ask(NAMES, "y") == [True, "ZeroDivisionError"]
    assert len(before.requests) == 1


def test_closing_lets_go_of_the_kept_state_only(before: FakeKernel) -> None:
    facts = KernelFacts(before, Failure("c", CELL))
    facts.ask(NAMES, "y")
    facts.close()
    facts.close()
    assert facts.ask(NAMES, "x") == [True, "ZeroDivisionError"], "asked anew of the state that was given"
