"""Whole heals: scripted healers and users, and a kernel that really runs the code."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.loop.events import Derived, TrialEnded
from jupyter_selfheal.model import (
    BASELINE,
    Applicability,
    Attempt,
    Case,
    Choice,
    Decision,
    Diagnosis,
    FailureKind,
    Insert,
    Install,
    Locus,
    Oracle,
    Patch,
    Reason,
    Replace,
    Role,
    Run,
    SkipReason,
    Start,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.ports import Answer, Starts, TrialKernel
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import (
    ScriptedApprover,
    ScriptedDiagnoser,
    ScriptedHealer,
    ScriptedScorer,
    build_scripted_dependencies,
)
from tests.heals import UNSAFE, MakeStage, events, model, names, request_of, with_
from tests.stages import Stage, answer, replacement


def test_a_safe_patch_is_proven_from_both_starts_and_applied_when_approved(stage: MakeStage) -> None:
    s = stage("total = [1, 2]", "n = len(total)\nn.uper()")
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(s.replaced("n.uper()", "str(n).upper()"))])])
    outcome = heal(s.case, parts)
    assert outcome.reason is Reason.HEALED
    assert outcome.applied[0].patch.title == "n.uper() → str(n).upper()"
    assert outcome.proposal[0].proven_from == (Start.BEFORE_CELL, Start.AFTER_FAILURE)
    assert names(parts)[0] == "Started"
    assert names(parts)[-2:] == ["Decided", "Ended"]


@pytest.mark.parametrize(
    ("setup", "cell", "old", "new", "starts"),
    [
        ("total = [1, 2]", "total.uper()", "uper()", "copy()", 1),
        ("total = [1, 2]", "print(total\nlen(total)", "total\n", "total)\n", 1),
        ("total = [1, 2]", "print(total, totl)", "totl", "total", 1),
        ("total = [1, 2]", "len(total)\ntotal.uper()", "uper()", "copy()", 2),
        ("rest = iter([1, 2])", "print(sum(rest), totl)", "totl", "0", 2),
        ("rest = iter([1, 2])", "sum(rest) / 0", "/ 0", "/ 2", 2),
        ("rest = iter([1, 2])", "[n.uper for n in rest]", "n.uper", "n.real", 2),
        ("total = [1, 2]", "for x in (1, 2):\n    total.append(x)\n    x.uper()", "x.uper()", "str(x)", 2),
        ("total = []\ndef add(n):\n    total.append(n)\n    return n", "add(1).uper()", ".uper()", ".real", 2),
    ],
)
def test_what_ran_nothing_yet_is_not_tried_twice(
    stage: MakeStage, setup: str, cell: str, old: str, new: str, starts: int
) -> None:
    """After the failure the state is the one before it, unless something of the cell ran or changed something."""
    s = stage(setup, cell)
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(s.replaced(old, new))])])
    outcome = heal(s.case, parts)
    assert outcome.reason is Reason.HEALED
    assert outcome.proposal[0].proven_from == (Start.BEFORE_CELL, Start.AFTER_FAILURE)[:starts]


def test_where_nobody_goes_on_after_the_failure_a_patch_is_tried_from_before_the_cell_alone(stage: MakeStage) -> None:
    s = stage("total = [1, 2]", "total.append(3)\ntotal.uper()")
    parts = build_scripted_dependencies(
        dataclasses.replace(s.starts, goes_on_after=False),
        [ScriptedHealer([answer(s.replaced("total.uper()", "len(total)"))])],
    )
    outcome = heal(s.case, parts)
    assert outcome.reason is Reason.HEALED
    assert outcome.proposal[0].proven_from == (Start.BEFORE_CELL,)
    assert outcome.proposal[0].notes == ()


def test_a_failure_that_does_not_come_again_is_shown_but_never_proven(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    healthy = Case(s.case.failure.__class__(**{**fields_of(s), "source": "x"}), s.case.notebook)
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(replacement("c1", "x", "x", "x + 0"))])])
    outcome = heal(healthy, parts)
    assert outcome.reason is Reason.REJECTED  # the scripted user stops at what is not proven
    assert outcome.proposal[0].proven_from == ()
    assert any("did not come again 3 times" in note for note in outcome.proposal[0].notes)
    assert not events(parts, TrialEnded)


def test_a_cell_that_is_cut_off_before_its_failure_is_not_said_to_run_well(stage: MakeStage) -> None:
    """It waits for what its first run left, say: the card said that the failure did not come again."""
    s = stage("x = 1", "x.nope")
    waits = Case(s.case.failure.__class__(**{**fields_of(s), "source": "while x:\n    pass"}), s.case.notebook)
    healer = ScriptedHealer([answer(replacement("c1", waits.failure.source, "x:", "0:"))])
    parts = build_scripted_dependencies(s.starts, [healer], config=HealConfig(timeout=0.05))
    notes = heal(waits, parts).proposal[0].notes
    assert any("still running when its time was up" in note for note in notes), notes
    assert not any("did not come again" in note for note in notes)


def fields_of(s: Stage) -> dict[str, object]:
    failure = s.case.failure
    return {name: getattr(failure, name) for name in failure.__slots__}


def test_the_run_that_the_caller_saw_is_not_the_reproduction(stage: MakeStage) -> None:
    s = stage("x = 1", "x / 0")
    trial, _ = s.starts.before[0].run(request_of("x / 0"))
    asked = len(s.starts.before[0].requests)  # type: ignore[attr-defined]
    parts = build_scripted_dependencies(s.starts, [])
    assert heal(s.case, parts, baseline=trial).reason is Reason.EXHAUSTED
    assert len(s.starts.before[0].requests) == asked + 1  # type: ignore[attr-defined]


def test_what_does_not_parse_is_not_run_again_to_see_that_it_does_not_parse(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope(")
    trial, _ = s.starts.before[0].run(request_of("x.nope("))
    asked = len(s.starts.before[0].requests)  # type: ignore[attr-defined]
    parts = build_scripted_dependencies(s.starts, [])
    assert heal(s.case, parts, baseline=trial).reason is Reason.EXHAUSTED
    assert len(s.starts.before[0].requests) == asked  # type: ignore[attr-defined]


def test_a_cell_with_several_broken_calls_is_healed_call_by_call(stage: MakeStage) -> None:
    s = stage("x = [3, 1]", "a = x.lenght\nb = x.siez\nc = x.summ\nprint(a, b, c)")

    def rules(case: Case, history: Sequence[Attempt]) -> Answer:
        fixes = {"lenght": "len(x)", "siez": "len(x)", "summ": "sum(x)"}
        name = next(n for n in fixes if n in case.failure.evalue)
        assert f"x.{name}" in case.notebook.cell("c1").source
        return answer(replacement("c1", case.failure.source, f"x.{name}", fixes[name]))

    parts = build_scripted_dependencies(s.starts, [ScriptedHealer(rules)])
    outcome = heal(s.case, parts)
    assert outcome.reason is Reason.HEALED
    assert outcome.applied[0].patch.edits == (
        Replace("c1", s.source, "a = len(x)\nb = len(x)\nc = sum(x)\nprint(a, b, c)"),
    )
    assert outcome.applied[0].trial.step(Role.CELL).outputs[0].text == "2 2 4\n"  # type: ignore[union-attr]
    assert len(events(parts, Derived)) == 2


def test_a_guess_that_leads_to_a_wrong_value_is_built_upon_after_the_next_healer_was_asked(stage: MakeStage) -> None:
    s = stage("marks = [1, 3]\nabsent = []", "mean = sum(marks) / len(absent)\nassert mean == 2")
    guess = s.replaced("len(absent)", "max(len(absent), 1)", UNSAFE)
    right = s.replaced("len(absent)", "len(marks)", UNSAFE, healer="search")
    healers = [ScriptedHealer([answer(guess)]), ScriptedHealer([answer(right)], "search")]
    parts = build_scripted_dependencies(s.starts, healers)
    outcome = heal(s.case, parts)
    assert outcome.proposal[0].candidates[0].patch.edits == right.edits
    assert not events(parts, Derived)


def test_a_dead_end_is_left_for_the_next_best_patch(stage: MakeStage) -> None:
    s = stage("x = [3, 1]", "y = x.frist\nprint(y + missing)")

    def rules(case: Case, history: Sequence[Attempt]) -> Answer:
        if "frist" in case.failure.evalue:
            return answer(
                replacement("c1", case.failure.source, "x.frist", "'three'"),
                replacement("c1", case.failure.source, "x.frist\nprint(y + missing)", "x[0]\nprint(y)", UNSAFE),
            )
        return answer()

    outcome = heal(s.case, build_scripted_dependencies(s.starts, [ScriptedHealer(rules)]))
    assert outcome.reason is Reason.HEALED
    assert "x[0]" in outcome.applied[0].patch.edits[0].source  # type: ignore[union-attr]


class Meeting:
    """A state from which trials of patches begin together or not at all."""

    def __init__(self, kernel: FakeKernel, parties: int) -> None:
        self.kernel, self.start, self.is_exact, self.isolation = kernel, kernel.start, True, kernel.isolation
        self.barrier = threading.Barrier(parties)

    def run(self, request: TrialRequest) -> tuple[Trial, TrialKernel | None]:
        if request.patch_id != BASELINE.id:
            self.barrier.wait(60)
        return self.kernel.run(request)

    def close(self) -> None:
        self.kernel.close()


def test_patches_of_one_answer_are_tried_at_once(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    (before,) = s.starts.before
    assert isinstance(before, FakeKernel)
    patches = [s.replaced("x.nope", f"x + {n}", UNSAFE) for n in range(3)]
    parts = build_scripted_dependencies(Starts((Meeting(before, 3),)), [ScriptedHealer([answer(*patches)])])
    outcome = heal(s.case, parts)
    assert [a.patch for a in outcome.attempts] == patches
    assert all(a.trial and a.trial.ran for a in outcome.attempts)


def test_healers_are_asked_in_order_and_only_while_nothing_is_good_enough(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    first = ScriptedHealer([answer()], name="memory")
    second = ScriptedHealer([answer(s.replaced("x.nope", "x"))], name="rules")
    third = model()
    heal(s.case, build_scripted_dependencies(s.starts, [first, second, third]))
    assert (len(first.calls), len(second.calls), len(third.calls)) == (1, 1, 0)


def test_the_same_patch_in_other_formatting_is_tried_once(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    one, other = s.replaced("x.nope", "x.again"), s.replaced("x.nope", "x . again  # there")
    parts = build_scripted_dependencies(
        s.starts, [ScriptedHealer([answer(one, other)]), ScriptedHealer([answer(other)], "search")]
    )
    assert heal(s.case, parts).reason is Reason.EXHAUSTED
    assert len(events(parts, TrialEnded)) == 1


def test_what_is_left_alone_is_not_rewritten(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    healer = ScriptedHealer([answer(s.replaced("x.nope", "x"))])
    unsure = Diagnosis("the server", Locus.ENVIRONMENT, confidence=60, advice="try again later")
    outcome = heal(s.case, build_scripted_dependencies(s.starts, [healer], diagnoser=ScriptedDiagnoser(unsure)))
    assert (outcome.reason, outcome.detail, healer.calls) == (Reason.ENVIRONMENT, "try again later", [])


def test_a_missing_module_gets_advice_and_is_not_installed_unasked(stage: MakeStage) -> None:
    s = stage("x = 1", "import not_there_at_all")
    patch = Patch((Insert("new", "%pip install not-there", "c1"),), "Install not-there")
    told = Diagnosis("it is not installed", Locus.ENVIRONMENT, skip_reason=SkipReason.MISSING_MODULE)
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(patch)])], diagnoser=ScriptedDiagnoser(told))
    outcome = heal(s.case, parts)
    assert outcome.reason is Reason.ENVIRONMENT
    assert outcome.proposal[0].candidates[0].patch == patch
    assert outcome.proposal[0].proven_from == ()
    assert not events(parts, TrialEnded)


@pytest.mark.parametrize(("known", "allowed"), [(True, True), (True, False), (False, True), (False, False)])
def test_only_a_known_distribution_is_installed_for_a_trial_and_only_where_that_is_allowed(
    stage: MakeStage, known: bool, allowed: bool, tmp_path: Path
) -> None:
    s = stage("x = 1", "import not_there_at_all")
    trust = Applicability.SAFE if known else Applicability.DISPLAY_ONLY
    patch = Patch((Install("not-there", "not_there_at_all"),), "Install not-there", applicability=trust)
    told = Diagnosis("it is not installed", Locus.ENVIRONMENT, skip_reason=SkipReason.MISSING_MODULE)
    installed: list[str] = []

    def install(requirement: str) -> str:
        installed.append(requirement)
        return str(tmp_path)

    parts = build_scripted_dependencies(
        s.starts,
        [ScriptedHealer([answer(patch)])],
        diagnoser=ScriptedDiagnoser(told),
        config=HealConfig(install=allowed),
    )
    outcome = heal(s.case, with_(parts, install=install))
    assert bool(installed) is (known and allowed)
    assert bool(events(parts, TrialEnded)) is (known and allowed)
    assert outcome.applied == ()
    assert (not installed) is bool(outcome.proposal), "what is not tried is shown"


def test_without_any_state_patches_are_shown_untried(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    approver = ScriptedApprover([Decision(Choice.APPROVE)])
    parts = build_scripted_dependencies(
        Starts(), [ScriptedHealer([answer(s.replaced("x.nope", "x"))]), model()], approver=approver
    )
    outcome = heal(s.case, parts, unproven="this kernel cannot be forked now: a thread runs")
    assert approver.proposals[0].proven_from == ()
    assert "a thread runs" in approver.proposals[0].notes[0]
    assert outcome.reason is Reason.HEALED  # the user may still take it


def test_a_missed_expectation_is_a_failure_and_an_unmissed_one_is_none(stage: MakeStage) -> None:
    check = (Run("assert y == 4, 'y is %s' % y", "check", Role.CHECK),)
    s = stage("x = [1, 3]", "y = sum(x) + 1", oracle=Oracle(checks=("assert y == 4",)))
    parts = build_scripted_dependencies(
        s.starts, [ScriptedHealer([answer(s.replaced(" + 1", ""))])], scorer=ScriptedScorer(oracle=check)
    )
    assert s.case.failure.kind is FailureKind.MISSED
    assert heal(s.case, parts).reason is Reason.HEALED
    fine = stage("x = [1, 3]", "y = sum(x)", oracle=Oracle(checks=("assert y == 4",)))
    parts = build_scripted_dependencies(fine.starts, [], scorer=ScriptedScorer(oracle=check))
    assert heal(fine.case, parts).reason is Reason.NOT_REPRODUCED


def test_a_cell_that_only_takes_long_is_said_to_take_long(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    source = "for n in range(10**12):\n    x += n"
    trial, _ = s.starts.before[0].run(dataclasses.replace(request_of(source), timeout=0.2))
    failure = dataclasses.replace(
        s.case.failure, source=source, kind=FailureKind.TIMED_OUT, ename="TimeoutError", evalue=""
    )
    cell = dataclasses.replace(s.case.notebook.cell("c1"), source=source)
    notebook = dataclasses.replace(s.case.notebook, cells=(s.case.notebook.cells[0], cell))
    outcome = heal(Case(failure, notebook), build_scripted_dependencies(s.starts, []), baseline=trial)
    assert outcome.reason is Reason.EXHAUSTED
    assert "stopped before it ended" in outcome.detail


def test_what_the_user_rejected_in_an_earlier_heal_is_neither_tried_nor_offered_nor_counted_again(
    stage: MakeStage,
) -> None:
    s = stage("x = [1]", "x.nope")
    first, second = s.replaced("x.nope", "x"), s.replaced("x.nope", "len(x)")
    case = dataclasses.replace(s.case, rejected=(first,))
    same_elsewhere = dataclasses.replace(first, title="the same in other words", healer="search")
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(first, same_elsewhere, second)])])
    outcome = heal(case, parts)
    assert [e.patch_id for e in events(parts, TrialEnded) if isinstance(e, TrialEnded)] == [second.id]
    assert outcome.applied[0].patch.id == second.id
    assert not any(attempt.rejection for attempt in outcome.attempts), "the memory has counted it"


def test_where_the_rejected_one_was_the_only_fix_that_is_said(stage: MakeStage) -> None:
    s = stage("x = [1]", "x.nope")
    only = s.replaced("x.nope", "x")
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(only)])])
    outcome = heal(dataclasses.replace(s.case, rejected=(only,)), parts)
    assert outcome.reason is Reason.REJECTED
    assert not outcome.is_dismissed
    assert not outcome.proposal
