"""The effects: what is asked is asked once, what is left behind is let go of, and nothing undeclared is read."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Sequence

import pytest

from jupyter_selfheal.loop import machine
from jupyter_selfheal.loop.cancellation import Cancelled, run_cancellable
from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.loop.events import Derived, Scored
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.loop.trial_states import TrialStates
from jupyter_selfheal.model import Attempt, Case, Cost, FailureKind, Keep, Patch, Reason, Trial, TrialRequest
from jupyter_selfheal.ports import Judgement, Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import ListJournal, ScriptedHealer, ScriptedScorer, build_scripted_dependencies
from tests.heals import MakeStage, events, with_
from tests.stages import answer, replacement
from tests.waiting import PATIENCE
from tests.work import count_calls


@pytest.mark.parametrize("moment", ["while it runs", "as it ends"])
def test_what_a_call_that_was_left_behind_returns_is_discarded(moment: str) -> None:
    cancel, go_on, discarded = threading.Event(), threading.Event(), threading.Event()

    def call() -> str:
        cancel.set()
        if moment == "while it runs":
            go_on.wait(PATIENCE)
        return "a kernel"

    with pytest.raises(Cancelled):
        run_cancellable(call, cancel, lambda value: value == "a kernel" and discarded.set())
    go_on.set()
    assert discarded.wait(PATIENCE)


class Closing(FakeKernel):
    """Lets the state behind a patch be run again only after the heal has been cancelled and is over."""

    def __init__(self, of: FakeKernel, cancel: threading.Event, over: threading.Event) -> None:
        super().__init__(of._history)
        self.cancel, self.over, self.closed = cancel, over, threading.Event()

    def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
        trial, kept = super().run(request)
        if request.keep is Keep.ALWAYS and kept is not None:
            self.cancel.set()
            self.over.wait(PATIENCE)
            kept.close = self.closed.set  # type: ignore[method-assign]
        return trial, kept


def test_a_state_that_is_kept_after_the_heal_was_cancelled_is_closed(stage: MakeStage) -> None:
    s = stage("x = [1]", "y = x.nope\nz = y.wrong")
    cancel, over = threading.Event(), threading.Event()
    first = s.starts.before[0]
    assert isinstance(first, FakeKernel)
    kernel = Closing(first, cancel, over)
    further = [replacement("c1", s.source, "x.nope", text) for text in ("x", "x[0]", "len(x)")]  # too many to keep each
    parts = build_scripted_dependencies(Starts((kernel,)), [ScriptedHealer([answer(*further)])])
    outcome = heal(s.case, parts, cancel=cancel)
    assert events(parts, Derived)
    assert outcome.reason is Reason.CANCELLED
    assert not kernel.closed.is_set()
    over.set()
    assert kernel.closed.wait(PATIENCE)


class Counting(FakeKernel):
    """Counts the states that are kept from it."""

    kept = 0

    def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
        trial, state = super().run(request)
        self.kept += state is not None
        return trial, state


@pytest.mark.parametrize(("source", "patched", "kept"), [("x.nope", "x", 0), ("x.nope\nx.wrong", "x", 1)])
def test_only_a_state_in_which_a_patch_fails_is_kept(stage: MakeStage, source: str, patched: str, kept: int) -> None:
    """To keep one takes as long as the trial, and nobody goes on from where all is well."""
    s = stage("x = [1]", source)
    first = s.starts.before[0]
    assert isinstance(first, FakeKernel)
    kernel = Counting(first._history)
    patch = replacement("c1", s.source, "x.nope", patched)
    heal(s.case, build_scripted_dependencies(Starts((kernel,)), [ScriptedHealer([answer(patch)])]))
    assert kernel.kept == kept


class Declared:
    """A scorer with what the port declares and nothing else."""

    __slots__ = ("_scripted",)

    def __init__(self) -> None:
        self._scripted = ScriptedScorer()

    def judge(
        self, case: Case, baseline: Trial, tried: Sequence[tuple[Patch, Trial]], history: Sequence[Attempt]
    ) -> Judgement:
        verdicts = self._scripted.judge(case, baseline, tried, history).verdicts
        return Judgement(verdicts, Cost(), {"asked": len(tried)})

    def __getattr__(self, name: str) -> object:
        assert name in ("list_oracle_steps", "find_missed_expectation", "worst_case", "rank"), (
            f"{name} is no part of the port"
        )
        return getattr(self._scripted, name)


def test_what_a_judge_was_asked_comes_with_its_judgement(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    parts = with_(
        build_scripted_dependencies(s.starts, [ScriptedHealer([answer(s.replaced(".nope", ""))])]), scorer=Declared()
    )
    assert heal(s.case, parts).reason is Reason.HEALED
    assert [e.record for e in events(parts, Scored) if isinstance(e, Scored)] == [{"asked": 1}]


def test_each_command_is_worked_out_once(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(s.replaced(".nope", ""))])])
    listed = count_calls(lambda: heal(s.case, parts), of=machine.list_commands.__code__)
    assert listed == len(events(parts))  # one after each event
    assert isinstance(parts.journal, ListJournal)


class Remembering(FakeKernel):
    """Remembers which patches were run."""

    def __init__(self, of: FakeKernel) -> None:
        super().__init__(of._history)
        self.ran: list[str] = []

    def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
        self.ran.append(request.patch_id)
        return super().run(request)


@pytest.mark.parametrize(
    ("kind", "times"), [(FailureKind.TIMED_OUT, 0), (FailureKind.DIED, 0), (FailureKind.RAISED, 1)]
)
def test_a_patch_that_was_cut_off_is_not_run_again_for_the_state_behind_it(
    kind: FailureKind, times: int, stage: MakeStage
) -> None:
    s = stage("x = [1]", "y = x.nope")
    first = s.starts.before[0]
    assert isinstance(first, FakeKernel)
    kernel = Remembering(first)
    patch = replacement("c1", s.source, "x.nope", "x.wrong")
    behind = dataclasses.replace(
        s.case, base=patch, failure=dataclasses.replace(s.case.failure, kind=kind, source="y = x.wrong")
    )
    states = TrialStates(build_scripted_dependencies(Starts((kernel,)), []), threading.Event())
    states.prepare_states(Dossier("run", s.case, behind, derived=(patch.id,)))
    states.close()
    assert kernel.ran.count(patch.id) == times
