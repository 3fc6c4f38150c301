"""Whole heals that come to a limit, are cancelled, or break."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import KernelError, ProviderError
from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.loop.events import PausedForUserAction, Reserved, Started, TrialEnded
from jupyter_selfheal.loop.limits import explain_waste
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.model import (
    REJECTED_BEFORE,
    Attempt,
    Case,
    Choice,
    Cost,
    Decision,
    Diagnosis,
    Failure,
    Outcome,
    Patch,
    Reason,
    Role,
    Run,
    Start,
)
from jupyter_selfheal.ports import Answer, Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import (
    ListJournal,
    ScriptedApprover,
    ScriptedDiagnoser,
    ScriptedHealer,
    build_scripted_dependencies,
)
from tests.heals import UNSAFE, MakeStage, costly, events, model, names, request_of, with_
from tests.stages import Stage, answer, replacement

# --- money and limits -----------------------------------------------------------------------------------------------


def test_money_is_set_aside_before_a_call_and_settled_after(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    parts = build_scripted_dependencies(s.starts, [model(costly(answer(s.replaced("x.nope", "x", UNSAFE))))])
    outcome = heal(s.case, parts)
    order = names(parts)
    assert order.index("Priced") < order.index("Reserved") < order.index("Answered")
    assert outcome.cost == Cost(usd=0.004, calls=1)


def test_over_the_budget_it_pauses_before_it_ends_and_never_calls(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    dear = model(worst=0.2)
    approver = ScriptedApprover()
    parts = build_scripted_dependencies(s.starts, [dear], approver=approver)
    outcome = heal(s.case, parts)
    assert (outcome.reason, dear.calls) == (Reason.OVER_BUDGET, [])
    assert "$0.2000" in approver.pauses[0]
    assert names(parts).index("PausedForUserAction") < names(parts).index("Ended")
    raised = ScriptedApprover([Decision(Choice.RAISE_BUDGET, text="0.5"), Decision(Choice.STOP)])
    parts = build_scripted_dependencies(s.starts, [model(worst=0.2)], approver=raised)
    heal(s.case, parts)
    assert len(events(parts, Reserved)) == 1


def test_the_sessions_ceiling_holds_whatever_is_said(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    dear = model(worst=0.05)
    approver = ScriptedApprover([Decision(Choice.CONTINUE)] * 5)
    parts = build_scripted_dependencies(s.starts, [dear], approver=approver)
    parts = with_(parts, session_spent=Cost(usd=0.98))
    assert heal(s.case, parts).reason is Reason.OVER_BUDGET
    assert (len(approver.pauses), dear.calls) == (1, [])


def test_a_pot_that_others_have_emptied_ends_the_paid_path_as_a_budget_does(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    refused = ProviderError("the notebooks of this command have used all", kind="budget", cost=Cost())
    outcome = heal(s.case, build_scripted_dependencies(s.starts, [model(refused)]))
    assert (outcome.reason, outcome.detail, outcome.cost.usd) == (Reason.OVER_BUDGET, str(refused), 0.0)


def _failing(s: Stage, n: int) -> Answer:
    """An answer whose patch fails in its own way."""
    return costly(answer(s.replaced("x.nope", f"raise ValueError('{'abcdefgh'[n]}' * {n + 1})", UNSAFE)))


def test_the_attempts_are_limited_and_continue_resets_them(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    healer = model(*(_failing(s, n) for n in range(8)), worst=0.0001)
    approver = ScriptedApprover([Decision(Choice.CONTINUE), Decision(Choice.STOP)])
    config = HealConfig(attempts=2, no_improvement_after=9)
    outcome = heal(s.case, build_scripted_dependencies(s.starts, [healer], approver=approver, config=config))
    assert (outcome.reason, len(healer.calls)) == (Reason.EXHAUSTED, 4)
    assert approver.pauses == ["2 attempts did not heal it"] * 2


def test_the_same_answers_again_are_stuck(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    same = [costly(answer(s.replaced("x.nope", f"x.nope + {n}", UNSAFE))) for n in range(5)]
    healer = model(*same)
    outcome = heal(s.case, build_scripted_dependencies(s.starts, [healer]))
    assert (outcome.reason, len(healer.calls)) == (Reason.STUCK, 2)


def test_no_better_score_ends_it(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    healer = model(*(_failing(s, n) for n in range(8)), worst=0.0001)
    config = HealConfig(attempts=9, no_improvement_after=2)
    outcome = heal(s.case, build_scripted_dependencies(s.starts, [healer], config=config))
    assert (outcome.reason, len(healer.calls)) == (Reason.NO_IMPROVEMENT, 3)


def test_how_alike_two_patches_are_that_count_as_the_same_is_a_setting(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    others = [costly(answer(s.replaced("x.nope", f"x.nope{'abcd'[n]}", UNSAFE))) for n in range(3)]
    for near, calls in ((0.95, 4), (0.8, 2)):  # the fourth says nothing more
        config = HealConfig(near_same=near, no_improvement_after=9)
        healer = model(*others)
        heal(s.case, build_scripted_dependencies(s.starts, [healer], config=config))
        assert len(healer.calls) == calls


def test_with_warn_only_waste_is_named_and_attempts_end_the_heal(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    healer = model(*[costly(answer(s.replaced("x.nope", "x.nope + 1", UNSAFE)))] * 9, worst=0.0001)
    approver, config = ScriptedApprover([Decision(Choice.STOP)]), HealConfig(warn_only=True, attempts=4)
    outcome = heal(s.case, build_scripted_dependencies(s.starts, [healer], approver=approver, config=config))
    assert (outcome.reason, len(healer.calls)) == (Reason.EXHAUSTED, 4)
    assert approver.pauses[0].startswith("4 attempts did not heal it; the ")


@pytest.mark.parametrize("reason", [Reason.TRUNCATED, Reason.REFUSED])
def test_a_healer_that_says_stop_is_not_asked_again(stage: MakeStage, reason: Reason) -> None:
    s = stage("x = 1", "x.nope")
    healer = model(Answer(cost=Cost(usd=0.01), exhausted=False, stop=reason.value))
    outcome = heal(s.case, build_scripted_dependencies(s.starts, [healer]))
    assert (outcome.reason, len(healer.calls), outcome.cost.usd) == (reason, 1, 0.01)


def test_an_unreachable_provider_ends_the_paid_path_but_keeps_what_is_there(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    down = model(ProviderError("no route to the provider", kind="network"))
    parts = build_scripted_dependencies(s.starts, [down])
    outcome = heal(s.case, parts)
    assert (outcome.reason, outcome.cost.usd) == (Reason.INFRASTRUCTURE, 0.0)
    rule = ScriptedHealer([answer(s.replaced("x.nope", "x", UNSAFE))])
    down = model(ProviderError("no route to the provider", kind="network"))
    outcome = heal(s.case, build_scripted_dependencies(s.starts, [rule, down]))
    assert outcome.reason is Reason.HEALED
    assert "language_model: no route to the provider" in outcome.proposal[0].notes


def test_an_outage_that_is_mended_is_no_note_of_what_comes_then(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    healer = model(
        ProviderError("no route to the provider", kind="network"), costly(answer(s.replaced("x.nope", "x", UNSAFE)))
    )
    approver = ScriptedApprover([Decision(Choice.CONTINUE)])
    outcome = heal(s.case, build_scripted_dependencies(s.starts, [healer], approver=approver))
    assert approver.pauses == ["no route to the provider"]
    assert outcome.proposal[0].candidates
    assert not any("no route" in note for note in outcome.proposal[0].notes)


def test_a_bug_in_a_healer_ends_that_healer_only(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    healers = [ScriptedHealer([KeyError("a bug")]), ScriptedHealer([answer(s.replaced("x.nope", "x"))], "search")]
    assert heal(s.case, build_scripted_dependencies(s.starts, healers)).reason is Reason.HEALED


def test_a_model_that_is_not_sure_has_nothing_rewritten(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    unsure = Answer(
        (s.replaced("x.nope", "x", UNSAFE),), (Diagnosis("perhaps the disk", confidence=60),), exhausted=False
    )
    parts = build_scripted_dependencies(s.starts, [model(unsure)])
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
    parts = build_scripted_dependencies(s.starts, [healer])
    outcome = heal(s.case, parts, cancel=cancel)
    hang.set()
    assert outcome.reason is Reason.CANCELLED
    assert names(parts)[-2:] == ["CancelRequested", "Ended"]
    assert outcome.cost.usd == 0.03, "what was never settled counts as spent"
    assert s.starts.before[0].run(request_of("x"))[0].ran, "the caller's states are the caller's"


def test_ctrl_c_at_a_question_is_a_cancellation(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")

    class Gone(ScriptedApprover):
        def decide(self, proposal: object) -> Decision:  # type: ignore[override]
            raise KeyboardInterrupt

    parts = build_scripted_dependencies(
        s.starts, [ScriptedHealer([answer(s.replaced("x.nope", "x"))])], approver=Gone()
    )
    outcome = heal(s.case, parts)
    assert (outcome.reason, outcome.applied) == (Reason.CANCELLED, ())
    assert outcome.attempts, "what was tried is in the archive"


def test_a_dead_kernel_is_infrastructure_and_a_bug_is_a_self_error(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    for kernel in s.starts.before:
        kernel.close()
    assert heal(s.case, build_scripted_dependencies(s.starts, [])).reason is Reason.INFRASTRUCTURE

    class Broken(ScriptedDiagnoser):
        def diagnose(self, case: Case, facts: object) -> Diagnosis:  # type: ignore[override]
            raise ZeroDivisionError("ours")

    fresh = stage("x = 1", "x.nope")
    outcome = heal(fresh.case, build_scripted_dependencies(fresh.starts, [], diagnoser=Broken()))
    assert (outcome.reason, outcome.detail) == (Reason.SELF_ERROR, "ZeroDivisionError: ours")


def test_listeners_and_learners_are_told_and_cannot_break_the_heal(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    heard: list[str] = []
    learnt: list[Outcome] = []

    def bad(event: object) -> None:
        raise RuntimeError("a listener's own")

    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(s.replaced("x.nope", "x"))])])
    parts = with_(parts, listeners=(lambda e: heard.append(type(e).__name__), bad), learners=(learnt.append,))
    outcome = heal(s.case, parts)
    assert heard == names(parts)
    assert learnt == [outcome]


def test_a_paused_event_precedes_every_end_at_a_limit(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    parts = build_scripted_dependencies(s.starts, [model(worst=5.0)], journal=ListJournal())
    heal(s.case, parts)
    (paused,) = events(parts, PausedForUserAction)
    assert isinstance(paused, PausedForUserAction)
    assert paused.reason is Reason.OVER_BUDGET


def test_the_state_an_earlier_failure_left_is_still_the_state_before_this_cell(stage: MakeStage) -> None:
    s = stage("x = [1]", "x.append(2)\nx.nope")
    left = FakeKernel([Run("x = [1]"), Run("raise ValueError", go_on=True)], start=Start.AFTER_FAILURE)
    parts = build_scripted_dependencies(Starts((left,)), [ScriptedHealer([answer(s.replaced("x.nope", "len(x)"))])])
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

    parts = build_scripted_dependencies(s.starts, [Looking()])
    outcome = heal(s.case, parts)
    assert outcome.reason is Reason.HEALED
    behind = seen[1].after[0]
    assert behind is not s.starts.after[0]
    with pytest.raises(KernelError):
        behind.run(request_of("a"))  # closed by the heal that made it
    assert len(s.starts.before[0].requests) == 4  # type: ignore[attr-defined]  # stage, baseline, two patches


def test_a_cell_that_is_mended_in_part_says_how_far_and_shows_it_unproven(stage: MakeStage) -> None:
    s = stage("x = [3, 1]", "a = x.lenght\nb = missing")
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(s.replaced("x.lenght", "len(x)"))])])
    outcome = heal(s.case, parts)
    assert outcome.reason is Reason.EXHAUSTED
    assert outcome.detail.startswith("fixed the first problem (x.lenght → len(x)); next: NameError: name 'missing'")
    assert outcome.proposal[0].candidates[0].patch.title == "x.lenght → len(x)"
    assert outcome.proposal[0].proven_from == ()


def test_a_run_that_is_resumed_without_its_key_says_that_the_model_is_not_there(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    parts = build_scripted_dependencies(s.starts, [model(costly(answer(s.replaced("x.nope", "!ls", UNSAFE))))])
    heal(s.case, parts)
    journal = list(parts.journal.events())
    for kind in ("Priced", "CapabilitiesChecked"):
        at = next(n for n, e in enumerate(journal) if type(e).__name__ == kind)
        before = [replace(e, paid=(*e.paid, "critic")) if isinstance(e, Started) else e for e in journal[:at]]
        resumed = build_scripted_dependencies(s.starts, [])
        outcome = heal(s.case, resumed, resume_from=before)  # type: ignore[arg-type]
        assert outcome.reason in (Reason.INFRASTRUCTURE, Reason.REJECTED), outcome.detail
        assert kind == "CapabilitiesChecked" or "not available any more" in outcome.detail


def test_a_model_that_repeats_itself_leaves_said_how_far_the_cell_is_mended(stage: MakeStage) -> None:
    s = stage("x = [3, 1]", "a = x.lenght\nb = missing")
    first = costly(answer(s.replaced("x.lenght", "len(x)")))
    again = [costly(answer(s.replaced("x.lenght", "len(x)"), s.replaced("missing", f"mising{n}"))) for n in range(9)]
    outcome = heal(s.case, build_scripted_dependencies(s.starts, [model(first, *again)]))
    assert outcome.reason in (Reason.STUCK, Reason.NO_IMPROVEMENT)
    assert outcome.detail.startswith("fixed the first problem (x.lenght → len(x)); next: NameError: name 'missing'")
    assert outcome.detail.endswith(("the attempts repeat themselves", "the attempts do not get better"))


def test_a_patch_of_an_earlier_heal_is_not_the_one_that_was_not_tried() -> None:
    case = Case(Failure("c1", "x.nope"))
    before, other = (
        Attempt(Patch((), "a"), rejection=REJECTED_BEFORE),
        Attempt(Patch((), "b"), rejection="it deletes a file"),
    )
    dossier = Dossier("run", case, case, archive=(before,))
    assert explain_waste(dossier, Reason.NO_IMPROVEMENT) == "the attempts do not get better"
    told = explain_waste(replace(dossier, archive=(other, before)), Reason.NO_IMPROVEMENT)
    assert told == "the attempts do not get better; one was not tried: it deletes a file"
