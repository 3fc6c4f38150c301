"""Facts: questions to the state after the failure, asked once."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.healers.facts import KernelFacts, is_only_read
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.model import (
    JSON,
    Case,
    Cell,
    Failure,
    FailureKind,
    Keep,
    Notebook,
    Probe,
    Reason,
    Start,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.ports import Facts, Starts, TrialKernel
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import ScriptedApprover

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


class Slow(FakeKernel):
    """A kernel whose questions are answered when they are let, and which remembers the states kept from it."""

    def __init__(self, *cells: str) -> None:
        super().__init__(cells)
        self.is_asked, self.may_end = threading.Event(), threading.Event()
        self.kept: list[FakeKernel] = []

    def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
        trial, kept = super().run(request)
        self.kept += [kept] if kept else []
        if any(isinstance(step, Probe) for step in request.steps):
            self.is_asked.set()
            assert self.may_end.wait(60)
        return trial, kept


def test_closing_waits_for_no_question_and_what_that_keeps_is_let_go() -> None:
    before = Slow("x = 1")
    facts = KernelFacts(before, Failure("c", CELL))
    asking = threading.Thread(target=facts.ask, args=(NAMES, "y"), daemon=True)
    asking.start()
    assert before.is_asked.wait(60)
    closing = threading.Thread(target=facts.close, daemon=True)
    closing.start()
    closing.join(30)
    was_closed = not closing.is_alive()
    before.may_end.set()
    asking.join(60)
    assert was_closed, "closing waited for the answer"
    with pytest.raises(KernelError):
        before.kept[0].run(TrialRequest(()))


def test_a_heal_that_is_cancelled_waits_for_no_question(tmp_path: Path) -> None:
    after, cancel = Slow("x = 1", "x.nope"), threading.Event()
    failure = Failure("c", "x.nope", ename="AttributeError", evalue="'int' object has no attribute 'nope'", line=1)
    case = Case(failure, Notebook((Cell("c", "x.nope"),)))
    reasons: list[Reason] = []

    def heal() -> None:
        with JsonlJournal.create("run", folder=tmp_path) as journal:
            starts = Starts(before=(Slow("x = 1"),), after=(after,))
            config = HealConfig(offline=True)
            outcome = engine.heal(
                case, starts, config=config, approver=ScriptedApprover(), journal=journal, cancel=cancel
            )
            reasons.append(outcome.reason)

    healing = threading.Thread(target=heal, daemon=True)
    healing.start()
    assert after.is_asked.wait(60)
    cancel.set()
    healing.join(30)
    ended = list(reasons)
    after.may_end.set()
    healing.join(60)
    assert ended == [Reason.CANCELLED]


def test_closing_lets_go_of_the_kept_state_only(before: FakeKernel) -> None:
    facts = KernelFacts(before, Failure("c", CELL))
    facts.ask(NAMES, "y")
    facts.close()
    facts.close()
    assert facts.ask(NAMES, "x") == [True, "ZeroDivisionError"], "asked anew of the state that was given"


def test_a_copy_that_is_made_while_the_heal_ends_is_let_go() -> None:
    class Line:
        closed = 0

        def ask(self, probe: Probe) -> JSON:
            raise AssertionError("nobody asks")

        def prepare(self, source: str) -> None:
            raise AssertionError("the heal has ended")

        def close(self) -> None:
            self.closed += 1

    class Answering(FakeKernel):
        def open_questions(self) -> Line:
            facts.close()
            return line

    line = Line()
    facts = KernelFacts(Answering("x = 1"))
    facts.open_line(NAMES)
    assert line.closed == 1


@pytest.mark.parametrize(
    ("expressions", "reads_only"),
    [
        (["frame.shape", "len(frame)", "(frame.a == 1).all()"], True),
        (["rows["], True),
        (["next(rows)"], False),
        (["sum(rows)"], False),
        (["frame.a", "model.fit(x)"], False),
        (["[r for r in rows]"], False),
        (["(n := 3)"], False),
    ],
)
def test_a_question_that_calls_something_may_change_the_state(expressions: list[str], reads_only: bool) -> None:
    asked: JSON = {"question": "describe", "argument": {"expressions": [*expressions]}}
    assert is_only_read(asked) is reads_only
    assert not is_only_read({"expressions": ["frame.shape"]}), "a question of another form may do anything"
