"""Whole heals: scripted healers and users, and a kernel that really runs the code."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import KernelError, ProviderError
from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.loop.events import Derived, PausedForUserAction, Reserved, TrialEnded
from jupyter_selfheal.model import (
    BASELINE,
    Applicability,
    Attempt,
    Case,
    Choice,
    Cost,
    Decision,
    Diagnosis,
    FailureKind,
    Insert,
    Install,
    Locus,
    Oracle,
    Outcome,
    Patch,
    Question,
    Reason,
    Replace,
    Role,
    Run,
    Start,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.ports import Answer, Parts, Starts, TrialKernel
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import (
    ListJournal,
    ScriptedApprover,
    ScriptedDiagnoser,
    ScriptedHealer,
    ScriptedScorer,
    scripted_parts,
)
from tests.stages import Stage, answer, replacement

MakeStage = Callable[..., Stage]
UNSAFE = Applicability.UNSAFE


def events(parts: Parts, kind: type | None = None) -> list[object]:
    found = list(parts.journal.events())
    return found if kind is None else [e for e in found if isinstance(e, kind)]


def names(parts: Parts) -> list[str]:
    return [type(e).__name__ for e in events(parts)]


def model(*answers: Answer | Exception, worst: float = 0.01) -> ScriptedHealer:
    return ScriptedHealer(answers, name="language_model", paid=True, worst=Cost(usd=worst, calls=1))


def costly(answer_: Answer, usd: float = 0.004) -> Answer:
    return Answer(answer_.patches, answer_.diagnosis, Cost(usd=usd, calls=1), exhausted=False)


# --- the ordinary way -----------------------------------------------------------------------------------------------


def test_a_safe_patch_is_proven_from_both_starts_and_applied_when_approved(stage: MakeStage) -> None:
    s = stage("total = [1, 2]", "n = len(total)\nn.uper()")
    parts = scripted_parts(s.starts, [ScriptedHealer([answer(s.replaced("n.uper()", "str(n).upper()"))])])
    outcome = heal(s.case, parts)
    assert outcome.reason is Reason.HEALED
    assert outcome.applied[0].patch.title == "n.uper() → str(n).upper()"
    assert outcome.proposal[0].proven_from == (Start.BEFORE_CELL, Start.AFTER_FAILURE)
    assert names(parts)[0] == "Started"
    assert names(parts)[-2:] == ["Decided", "Ended"]


def test_a_failure_that_does_not_come_again_is_shown_but_never_proven(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    healthy = Case(s.case.failure.__class__(**{**fields_of(s), "source": "x"}), s.case.notebook)
    parts = scripted_parts(s.starts, [ScriptedHealer([answer(replacement("c1", "x", "x", "x + 0"))])])
    outcome = heal(healthy, parts)
    assert outcome.reason is Reason.REJECTED  # the scripted user stops at what is not proven
    assert outcome.proposal[0].proven_from == ()
    assert any("did not come again 3 times" in note for note in outcome.proposal[0].notes)
    assert not events(parts, TrialEnded)


def fields_of(s: Stage) -> dict[str, object]:
    failure = s.case.failure
    return {name: getattr(failure, name) for name in failure.__slots__}


def test_flakiness_is_said_with_the_rate(stage: MakeStage) -> None:
    s = stage("import itertools\nturn = itertools.count()", "1 / 0")
    trial, _ = s.starts.before[0].run(_request("1"))
    parts = scripted_parts(s.starts, [ScriptedHealer([answer(s.replaced("1 / 0", "1 / 1"))])])
    outcome = heal(s.case, parts, baseline=trial)
    assert outcome.reason is Reason.HEALED
    assert "flaky: fails 1 of 2 times" in outcome.proposal[0].notes


def _request(code: str):  # type: ignore[no-untyped-def]
    return TrialRequest((Run(code, "c1"),))


def test_the_callers_own_run_is_the_reproduction(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    trial, _ = s.starts.before[0].run(_request("x.nope"))
    asked = len(s.starts.before[0].requests)  # type: ignore[attr-defined]
    parts = scripted_parts(s.starts, [])
    assert heal(s.case, parts, baseline=trial).reason is Reason.EXHAUSTED
    assert len(s.starts.before[0].requests) == asked  # type: ignore[attr-defined]


def test_a_cell_with_several_broken_calls_is_healed_call_by_call(stage: MakeStage) -> None:
    s = stage("x = [3, 1]", "a = x.lenght\nb = x.siez\nc = x.summ\nprint(a, b, c)")

    def rules(case: Case, history: Sequence[Attempt]) -> Answer:
        fixes = {"lenght": "len(x)", "siez": "len(x)", "summ": "sum(x)"}
        name = next(n for n in fixes if n in case.failure.evalue)
        assert f"x.{name}" in case.notebook.cell("c1").source
        return answer(replacement("c1", case.failure.source, f"x.{name}", fixes[name]))

    parts = scripted_parts(s.starts, [ScriptedHealer(rules)])
    outcome = heal(s.case, parts)
    assert outcome.reason is Reason.HEALED
    assert outcome.applied[0].patch.edits == (
        Replace("c1", s.source, "a = len(x)\nb = len(x)\nc = sum(x)\nprint(a, b, c)"),
    )
    assert outcome.applied[0].trial.step(Role.CELL).outputs[0].text == "2 2 4\n"  # type: ignore[union-attr]
    assert len(events(parts, Derived)) == 2


def test_a_dead_end_is_left_for_the_next_best_patch(stage: MakeStage) -> None:
    s = stage("x = [3, 1]", "y = x.frist\nprint(y + missing)")

    def rules(case: Case, history: Sequence[Attempt]) -> Answer:
        if "frist" in case.failure.evalue:
            return answer(
                replacement("c1", case.failure.source, "x.frist", "'three'"),
                replacement("c1", case.failure.source, "x.frist\nprint(y + missing)", "x[0]\nprint(y)", UNSAFE),
            )
        return answer()

    outcome = heal(s.case, scripted_parts(s.starts, [ScriptedHealer(rules)]))
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
    parts = scripted_parts(Starts((Meeting(before, 3),)), [ScriptedHealer([answer(*patches)])])
    outcome = heal(s.case, parts)
    assert [a.patch for a in outcome.attempts] == patches
    assert all(a.trial and a.trial.ran for a in outcome.attempts)


def test_healers_are_asked_in_order_and_only_while_nothing_is_good_enough(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    first = ScriptedHealer([answer()], name="memory")
    second = ScriptedHealer([answer(s.replaced("x.nope", "x"))], name="rules")
    third = model()
    heal(s.case, scripted_parts(s.starts, [first, second, third]))
    assert (len(first.calls), len(second.calls), len(third.calls)) == (1, 1, 0)


def test_the_same_patch_in_other_formatting_is_tried_once(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    one, other = s.replaced("x.nope", "x.again"), s.replaced("x.nope", "x . again  # there")
    parts = scripted_parts(s.starts, [ScriptedHealer([answer(one, other)]), ScriptedHealer([answer(other)], "search")])
    assert heal(s.case, parts).reason is Reason.EXHAUSTED
    assert len(events(parts, TrialEnded)) == 1


def test_what_is_left_alone_is_not_rewritten(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    healer = ScriptedHealer([answer(s.replaced("x.nope", "x"))])
    unsure = Diagnosis("the server", Locus.ENVIRONMENT, confidence=60, advice="try again later")
    outcome = heal(s.case, scripted_parts(s.starts, [healer], diagnoser=ScriptedDiagnoser(unsure)))
    assert (outcome.reason, outcome.detail, healer.calls) == (Reason.ENVIRONMENT, "try again later", [])


def test_a_missing_module_gets_advice_and_is_not_installed_unasked(stage: MakeStage) -> None:
    s = stage("x = 1", "import not_there_at_all")
    patch = Patch((Insert("new", "%pip install not-there", "c1"),), "Install not-there")
    told = Diagnosis("it is not installed", Locus.ENVIRONMENT, leave_alone="missing module")
    parts = scripted_parts(s.starts, [ScriptedHealer([answer(patch)])], diagnoser=ScriptedDiagnoser(told))
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
    told = Diagnosis("it is not installed", Locus.ENVIRONMENT, leave_alone="missing module")
    installed: list[str] = []

    def install(requirement: str) -> str:
        installed.append(requirement)
        return str(tmp_path)

    parts = scripted_parts(
        s.starts,
        [ScriptedHealer([answer(patch)])],
        diagnoser=ScriptedDiagnoser(told),
        config=HealConfig(install=allowed),
    )
    outcome = heal(s.case, _with(parts, install=install))
    assert bool(installed) is (known and allowed)
    assert bool(events(parts, TrialEnded)) is (known and allowed)
    assert outcome.applied == ()
    assert (not installed) is bool(outcome.proposal), "what is not tried is shown"


def test_without_any_state_patches_are_shown_untried(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    approver = ScriptedApprover([Decision(Choice.APPROVE)])
    parts = scripted_parts(Starts(), [ScriptedHealer([answer(s.replaced("x.nope", "x"))]), model()], approver=approver)
    outcome = heal(s.case, parts, unproven="this kernel cannot be forked now: a thread runs")
    assert approver.proposals[0].proven_from == ()
    assert "a thread runs" in approver.proposals[0].notes[0]
    assert outcome.reason is Reason.HEALED  # the user may still take it


def test_a_missed_expectation_is_a_failure_and_an_unmissed_one_is_none(stage: MakeStage) -> None:
    check = (Run("assert y == 4, 'y is %s' % y", "check", Role.CHECK),)
    s = stage("x = [1, 3]", "y = sum(x) + 1", oracle=Oracle(checks=("assert y == 4",)))
    parts = scripted_parts(
        s.starts, [ScriptedHealer([answer(s.replaced(" + 1", ""))])], scorer=ScriptedScorer(oracle=check)
    )
    assert s.case.failure.kind is FailureKind.MISSED
    assert heal(s.case, parts).reason is Reason.HEALED
    fine = stage("x = [1, 3]", "y = sum(x)", oracle=Oracle(checks=("assert y == 4",)))
    parts = scripted_parts(fine.starts, [], scorer=ScriptedScorer(oracle=check))
    assert heal(fine.case, parts).reason is Reason.NOT_REPRODUCED


# --- the user -------------------------------------------------------------------------------------------------------


def test_a_rejection_goes_into_the_history_of_the_next_attempt(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    approver = ScriptedApprover([Decision(Choice.REJECT, text="x must stay a number")])
    later = model(costly(answer(s.replaced("x.nope", "x + 0", UNSAFE))))
    parts = scripted_parts(
        s.starts, [ScriptedHealer([answer(s.replaced("x.nope", "str(x)"))]), later], approver=approver
    )
    outcome = heal(s.case, parts)
    (_, history), *_ = later.calls
    assert [a.rejection for a in history] == ["x must stay a number"]
    assert outcome.applied[0].patch.title == "x.nope → x + 0"
    assert outcome.attempts[0].rejection == "x must stay a number"


def test_three_rejections_pause_and_continue_goes_on(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    patches = [s.replaced("x.nope", f"x + {n}") for n in range(4)]
    no = Decision(Choice.REJECT)
    approver = ScriptedApprover([no, no, no, Decision(Choice.CONTINUE), Decision(Choice.APPROVE)])
    parts = scripted_parts(s.starts, [ScriptedHealer([answer(*patches)])], approver=approver)
    outcome = heal(s.case, parts)
    assert approver.pauses == ["3 proposals were rejected"]
    assert outcome.applied[0].patch == patches[3]


def test_an_edit_becomes_a_patch_of_the_users_and_is_tried(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    approver = ScriptedApprover([Decision(Choice.EDIT, text="x + 41"), Decision(Choice.APPROVE)])
    parts = scripted_parts(s.starts, [ScriptedHealer([answer(s.replaced("x.nope", "x"))])], approver=approver)
    outcome = heal(s.case, parts)
    assert outcome.applied[0].patch.healer == "user"
    assert outcome.applied[0].trial.ran
    assert approver.proposals[1].candidates[0].patch.title == "Your edit"


def test_one_value_decides_where_patches_disagree(stage: MakeStage) -> None:
    s = stage("x = [3, 1, 2]", "y = x.nope")
    one, two = s.replaced("x.nope", "min(x)"), s.replaced("x.nope", "max(x)")
    question = Question("should y be 1 or 3?", {"1": (one.id,), "3": (two.id,)})
    approver = ScriptedApprover([Decision(Choice.ANSWER, text="3"), Decision(Choice.APPROVE)])
    healer = ScriptedHealer([Answer((one, two), questions=(question,))])
    outcome = heal(s.case, scripted_parts(s.starts, [healer], approver=approver))
    assert approver.proposals[0].questions == (question,)
    assert outcome.applied[0].patch == two
    assert "The user says: 3" in outcome.attempts[0].rejection


def test_added_capabilities_wait_for_the_user(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    patch = s.replaced("x.nope", "import subprocess\nsubprocess.run(['true'])", UNSAFE)
    approver = ScriptedApprover([Decision(Choice.CLEAR), Decision(Choice.APPROVE)])
    parts = scripted_parts(s.starts, [ScriptedHealer([answer(patch)])], approver=approver)
    outcome = heal(s.case, parts)
    held, proven = approver.proposals
    assert held.needs_clearance
    assert held.proven_from == ()
    assert proven.proven_from
    assert outcome.applied[0].patch == replace(patch, risk="it could start another program")
    refused = ScriptedApprover([Decision(Choice.REJECT)])
    parts = scripted_parts(s.starts, [ScriptedHealer([answer(patch)])], approver=refused)
    assert heal(s.case, parts).reason is Reason.REJECTED
    assert not events(parts, TrialEnded)


# --- money and limits -----------------------------------------------------------------------------------------------


def test_money_is_set_aside_before_a_call_and_settled_after(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    parts = scripted_parts(s.starts, [model(costly(answer(s.replaced("x.nope", "x", UNSAFE))))])
    outcome = heal(s.case, parts)
    order = names(parts)
    assert order.index("Priced") < order.index("Reserved") < order.index("Answered")
    assert outcome.cost == Cost(usd=0.004, calls=1)


def test_over_the_budget_it_pauses_before_it_ends_and_never_calls(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    dear = model(worst=0.2)
    approver = ScriptedApprover()
    parts = scripted_parts(s.starts, [dear], approver=approver)
    outcome = heal(s.case, parts)
    assert (outcome.reason, dear.calls) == (Reason.OVER_BUDGET, [])
    assert "$0.2000" in approver.pauses[0]
    assert names(parts).index("PausedForUserAction") < names(parts).index("Ended")
    raised = ScriptedApprover([Decision(Choice.RAISE_BUDGET, text="0.5"), Decision(Choice.STOP)])
    parts = scripted_parts(s.starts, [model(worst=0.2)], approver=raised)
    heal(s.case, parts)
    assert len(events(parts, Reserved)) == 1


def test_the_sessions_ceiling_holds_whatever_is_said(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    dear = model(worst=0.05)
    approver = ScriptedApprover([Decision(Choice.CONTINUE)] * 5)
    parts = scripted_parts(s.starts, [dear], approver=approver)
    parts = _with(parts, session_spent=Cost(usd=0.98))
    assert heal(s.case, parts).reason is Reason.OVER_BUDGET
    assert (len(approver.pauses), dear.calls) == (1, [])


def _with(parts: Parts, **changes: object) -> Parts:
    return replace(parts, **changes)  # type: ignore[arg-type]


def _failing(s: Stage, n: int) -> Answer:
    """An answer whose patch fails in its own way."""
    return costly(answer(s.replaced("x.nope", f"raise ValueError('{'abcdefgh'[n]}' * {n + 1})", UNSAFE)))


def test_the_attempts_are_limited_and_continue_resets_them(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    healer = model(*(_failing(s, n) for n in range(8)), worst=0.0001)
    approver = ScriptedApprover([Decision(Choice.CONTINUE), Decision(Choice.STOP)])
    config = HealConfig(attempts=2, no_improvement_after=9)
    outcome = heal(s.case, scripted_parts(s.starts, [healer], approver=approver, config=config))
    assert (outcome.reason, len(healer.calls)) == (Reason.EXHAUSTED, 4)
    assert approver.pauses == ["2 attempts did not heal it"] * 2


def test_the_same_answers_again_are_stuck(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    same = [costly(answer(s.replaced("x.nope", f"x.nope + {n}", UNSAFE))) for n in range(5)]
    healer = model(*same)
    outcome = heal(s.case, scripted_parts(s.starts, [healer]))
    assert (outcome.reason, len(healer.calls)) == (Reason.STUCK, 2)


def test_no_better_score_ends_it(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    healer = model(*(_failing(s, n) for n in range(8)), worst=0.0001)
    config = HealConfig(attempts=9, no_improvement_after=2)
    outcome = heal(s.case, scripted_parts(s.starts, [healer], config=config))
    assert (outcome.reason, len(healer.calls)) == (Reason.NO_IMPROVEMENT, 3)


@pytest.mark.parametrize("reason", [Reason.TRUNCATED, Reason.REFUSED])
def test_a_healer_that_says_stop_is_not_asked_again(stage: MakeStage, reason: Reason) -> None:
    s = stage("x = 1", "x.nope")
    healer = model(Answer(cost=Cost(usd=0.01), exhausted=False, stop=reason.value))
    outcome = heal(s.case, scripted_parts(s.starts, [healer]))
    assert (outcome.reason, len(healer.calls), outcome.cost.usd) == (reason, 1, 0.01)


def test_an_unreachable_provider_ends_the_paid_path_but_keeps_what_is_there(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    down = model(ProviderError("no route to the provider", kind="network"))
    parts = scripted_parts(s.starts, [down])
    outcome = heal(s.case, parts)
    assert (outcome.reason, outcome.cost.usd) == (Reason.INFRASTRUCTURE, 0.0)
    rule = ScriptedHealer([answer(s.replaced("x.nope", "x", UNSAFE))])
    down = model(ProviderError("no route to the provider", kind="network"))
    outcome = heal(s.case, scripted_parts(s.starts, [rule, down]))
    assert outcome.reason is Reason.HEALED
    assert "language_model: no route to the provider" in outcome.proposal[0].notes


def test_a_bug_in_a_healer_ends_that_healer_only(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    healers = [ScriptedHealer([KeyError("a bug")]), ScriptedHealer([answer(s.replaced("x.nope", "x"))], "search")]
    assert heal(s.case, scripted_parts(s.starts, healers)).reason is Reason.HEALED


def test_a_model_that_is_not_sure_has_nothing_rewritten(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    unsure = Answer(
        (s.replaced("x.nope", "x", UNSAFE),), (Diagnosis("perhaps the disk", confidence=60),), exhausted=False
    )
    parts = scripted_parts(s.starts, [model(unsure)])
    assert heal(s.case, parts).reason is Reason.ENVIRONMENT
    assert not events(parts, TrialEnded)


# --- cancelling and breaking ----------------------------------------------------------------------------------------


def test_cancelling_ends_the_journal_properly_even_while_a_healer_hangs(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    cancel, hang = threading.Event(), threading.Event()

    def hanging(case: Case, history: Sequence[Attempt]) -> Answer:
        cancel.set()
        hang.wait(60)
        return Answer()

    healer = ScriptedHealer(hanging, name="language_model", paid=True, worst=Cost(usd=0.03))
    parts = scripted_parts(s.starts, [healer])
    outcome = heal(s.case, parts, cancel=cancel)
    hang.set()
    assert outcome.reason is Reason.CANCELLED
    assert names(parts)[-2:] == ["CancelRequested", "Ended"]
    assert outcome.cost.usd == 0.03, "what was never settled counts as spent"
    assert s.starts.before[0].run(_request("x"))[0].ran, "the caller's states are the caller's"


def test_ctrl_c_at_a_question_is_a_cancellation(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")

    class Gone(ScriptedApprover):
        def decide(self, proposal: object) -> Decision:  # type: ignore[override]
            raise KeyboardInterrupt

    parts = scripted_parts(s.starts, [ScriptedHealer([answer(s.replaced("x.nope", "x"))])], approver=Gone())
    outcome = heal(s.case, parts)
    assert (outcome.reason, outcome.applied) == (Reason.CANCELLED, ())
    assert outcome.attempts, "what was tried is in the archive"


def test_a_dead_kernel_is_infrastructure_and_a_bug_is_a_self_error(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    for kernel in s.starts.before:
        kernel.close()
    assert heal(s.case, scripted_parts(s.starts, [])).reason is Reason.INFRASTRUCTURE

    class Broken(ScriptedDiagnoser):
        def diagnose(self, case: Case, facts: object) -> Diagnosis:  # type: ignore[override]
            raise ZeroDivisionError("ours")

    fresh = stage("x = 1", "x.nope")
    outcome = heal(fresh.case, scripted_parts(fresh.starts, [], diagnoser=Broken()))
    assert (outcome.reason, outcome.detail) == (Reason.SELF_ERROR, "ZeroDivisionError: ours")


def test_listeners_and_learners_are_told_and_cannot_break_the_heal(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    heard: list[str] = []
    learnt: list[Outcome] = []

    def bad(event: object) -> None:
        raise RuntimeError("a listener's own")

    parts = scripted_parts(s.starts, [ScriptedHealer([answer(s.replaced("x.nope", "x"))])])
    parts = _with(parts, listeners=(lambda e: heard.append(type(e).__name__), bad), learners=(learnt.append,))
    outcome = heal(s.case, parts)
    assert heard == names(parts)
    assert learnt == [outcome]


def test_a_paused_event_precedes_every_end_at_a_limit(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    parts = scripted_parts(s.starts, [model(worst=5.0)], journal=ListJournal())
    heal(s.case, parts)
    (paused,) = events(parts, PausedForUserAction)
    assert isinstance(paused, PausedForUserAction)
    assert paused.reason is Reason.OVER_BUDGET


def test_the_state_an_earlier_failure_left_is_still_the_state_before_this_cell(stage: MakeStage) -> None:
    s = stage("x = [1]", "x.append(2)\nx.nope")
    left = FakeKernel([Run("x = [1]"), Run("raise ValueError", go_on=True)], start=Start.AFTER_FAILURE)
    parts = scripted_parts(Starts((left,)), [ScriptedHealer([answer(s.replaced("x.nope", "len(x)"))])])
    outcome = heal(s.case, parts)
    assert outcome.proposal[0].proven_from == (Start.BEFORE_CELL,)
    assert outcome.applied[0].trial.step(Role.CELL).outputs[0].data["text/plain"] == "2"  # type: ignore[union-attr]


def test_the_state_behind_a_patch_is_kept_and_its_cell_not_run_again(stage: MakeStage) -> None:
    s = stage("x = [3, 1]", "a = x.lenght\nb = x.siez")
    seen: list[Starts] = []

    class Looking(ScriptedHealer):
        def propose(self, case: Case, starts: Starts, facts: object, history: Sequence[Attempt]) -> Answer:  # type: ignore[override]
            seen.append(starts)
            name = "lenght" if "lenght" in case.failure.evalue else "siez"
            return answer(replacement("c1", case.failure.source, f"x.{name}", "len(x)"))

    parts = scripted_parts(s.starts, [Looking()])
    outcome = heal(s.case, parts)
    assert outcome.reason is Reason.HEALED
    behind = seen[1].after[0]
    assert behind is not s.starts.after[0]
    with pytest.raises(KernelError):
        behind.run(_request("a"))  # closed by the heal that made it
    assert len(s.starts.before[0].requests) == 4  # type: ignore[attr-defined]  # stage, baseline, two patches


def test_a_cell_that_is_mended_in_part_says_how_far_and_shows_it_unproven(stage: MakeStage) -> None:
    s = stage("x = [3, 1]", "a = x.lenght\nb = missing")
    parts = scripted_parts(s.starts, [ScriptedHealer([answer(s.replaced("x.lenght", "len(x)"))])])
    outcome = heal(s.case, parts)
    assert outcome.reason is Reason.EXHAUSTED
    assert outcome.detail.startswith("mended as far as line 2, then: NameError: name 'missing'")
    assert outcome.proposal[0].candidates[0].patch.title == "x.lenght → len(x)"
    assert outcome.proposal[0].proven_from == ()
