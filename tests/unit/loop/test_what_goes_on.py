"""What is gone on from, who is asked again, and what is let go of: decisions that no whole heal shows alone."""

from __future__ import annotations

from dataclasses import replace
from threading import Event as Flag

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.loop import advance, evidence, limits, machine, policy, proposals, stability, states
from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.loop.commands import AskHealer, Derive
from jupyter_selfheal.loop.states import Account, Judged
from jupyter_selfheal.loop.trial_states import TrialStates
from jupyter_selfheal.loop.trials import build_request
from jupyter_selfheal.model import (
    Applicability,
    Attempt,
    Case,
    Cell,
    Choice,
    Cost,
    Decision,
    Diagnosis,
    Ending,
    Failure,
    FailureKind,
    Isolation,
    Locus,
    Notebook,
    Oracle,
    Patch,
    Reason,
    Repeats,
    Replace,
    Role,
    SkipReason,
    Start,
    StepResult,
    Trial,
    Verdict,
)
from jupyter_selfheal.ports import Answer
from jupyter_selfheal.testing.scripted import ScriptedScorer, build_scripted_dependencies
from tests.heals import MakeStage
from tests.unit.loop.test_machine import CASE, DOSSIER, FURTHER, PATCH

CONFIG = HealConfig()
GOT_PAST = replace(DOSSIER, archive=(Attempt(replace(PATCH, applicability=Applicability.SAFE), FURTHER),))
"""A heal with one patch that mends the first of two lines."""


def test_a_failure_behind_a_patch_is_taken_up_unless_it_was_rejected_or_it_is_the_thirteenth() -> None:
    (further,) = evidence.list_further(GOT_PAST)
    assert further.patch.id == PATCH.id
    rejected = replace(GOT_PAST, archive=(replace(GOT_PAST.archive[0], rejection="not that"),))
    assert evidence.list_further(rejected) == ()
    deep = replace(GOT_PAST, derived=tuple("abcdefghijkl"))
    assert evidence.list_further(replace(deep, derived=deep.derived[1:]))
    assert evidence.list_further(deep) == ()


def test_a_cell_that_does_not_parse_is_not_gone_on_from_at_once_where_something_says_what_it_gives() -> None:
    unread = replace(CASE, failure=replace(CASE.failure, kind=FailureKind.SYNTAX))
    told = replace(unread, oracle=Oracle(expect="7"))
    for case, current, move in ((unread, unread, Derive), (told, told, AskHealer), (told, CASE, Derive)):
        dossier = replace(GOT_PAST, case=case, current=current)
        assert type(policy.choose_next_move(dossier, CONFIG)) is move


def test_a_cell_that_did_not_parse_and_fails_in_a_line_that_was_mended_may_be_read_in_another_way_first() -> None:
    unread = replace(CASE, failure=replace(CASE.failure, kind=FailureKind.SYNTAX))
    for new, move in (("x\ny.nope", Derive), ("x\nz.nope", AskHealer)):
        patch = replace(PATCH, applicability=Applicability.SAFE, edits=(Replace("c", "x.nope\ny.nope", new),))
        dossier = replace(GOT_PAST, archive=(Attempt(patch, FURTHER),), case=unread, current=unread)
        assert type(policy.choose_next_move(dossier, CONFIG)) is move
        asked = replace(dossier, asked=dossier.healers)
        assert type(policy.choose_next_move(asked, CONFIG)) is Derive


def test_another_way_to_a_failure_as_far_waits_until_all_who_may_know_it_were_asked() -> None:
    other = Attempt(replace(PATCH, title="other", edits=(Replace("c", "x.nope\ny.nope", "x()\ny.nope"),)), FURTHER)
    behind = evidence.find_case_behind(GOT_PAST, GOT_PAST.archive[0])
    assert behind is not None
    first = replace(GOT_PAST, archive=(GOT_PAST.archive[0], other), derived=(PATCH.id,), current=behind)
    asked_one = replace(first, healers=("memory", "rules", "search"), asked=("memory",), met=frozenset())
    assert policy.choose_next_move(asked_one, CONFIG) == AskHealer("rules", behind)
    asked_both = replace(asked_one, asked=("memory", "rules"))
    assert policy.choose_next_move(asked_both, CONFIG) == Derive(other.patch.id)
    one_is_paid = replace(asked_one, paid=("rules",))
    assert policy.choose_next_move(one_is_paid, CONFIG) == Derive(other.patch.id), (
        "what costs money waits for what is free"
    )


def test_the_same_once_more_after_a_rejection_is_no_repetition() -> None:
    again = Attempt(PATCH, FURTHER, Verdict(PATCH.id, 2.0, False, feedback="the same"))
    stuck = replace(DOSSIER, archive=(again,) * 3, rounds=(0, 1, 2), paid=("rules",))
    assert limits.find_waste(stuck, CONFIG) is Reason.STUCK
    rejected = replace(stuck, archive=(replace(again, rejection="too long"),) * 3)
    assert limits.find_waste(rejected, CONFIG.with_(no_improvement_after=9)) is None


def test_who_answered_names_a_price_anew_before_the_next_call() -> None:
    priced = replace(DOSSIER, prices={"rules": Cost(0.5), "judge": Cost(0.25)})
    assert advance.on_answer(priced, ev.Answered("rules", Answer()), CONFIG).dossier.prices == {"judge": Cost(0.25)}


@pytest.mark.parametrize(
    ("reason", "is_proven", "is_withdrawn"),
    [
        (SkipReason.DELIBERATE, False, True),
        (SkipReason.DELIBERATE, True, False),
        (SkipReason.MISSING_CREDENTIAL, False, False),
    ],
)
def test_a_model_that_sees_that_a_failure_is_meant_takes_back_what_nothing_proves(
    reason: SkipReason, is_proven: bool, is_withdrawn: bool
) -> None:
    judged = Attempt(replace(PATCH, healer="m"), FURTHER, Verdict(PATCH.id, 8.0, True, oracle_met=is_proven))
    said = Answer(diagnosis=(Diagnosis("it is meant", Locus.ENVIRONMENT, skip_reason=reason, confidence=90),))
    after = advance.on_answer(replace(DOSSIER, paid=("m",), archive=(judged,)), ev.Answered("m", said), CONFIG)
    assert isinstance(after, Judged)
    assert bool(after.dossier.archive[0].rejection) is is_withdrawn


def test_a_patch_that_does_not_hold_by_chance_goes_behind_the_others() -> None:
    ranked = replace(DOSSIER, order=(PATCH.id, "other"))
    for doubt, order in (("", (PATCH.id, "other")), ("it failed once", ("other", PATCH.id))):
        assert advance.on_repeats(ranked, ev.Repeated(PATCH.id, Repeats(5, 5, 5, doubt=doubt))).dossier.order == order


def test_a_cell_that_was_cut_off_has_no_more_time_in_a_trial_than_it_had() -> None:
    for kind, seconds in ((FailureKind.RAISED, 120.0), (FailureKind.TIMED_OUT, 40.0)):
        case = replace(CASE, failure=replace(CASE.failure, kind=kind, seconds=40.0))
        assert build_request(case, PATCH, Start.BEFORE_CELL, ScriptedScorer(), CONFIG).timeout == seconds


def test_states_that_are_kept_are_let_go_of_with_the_next_trials_and_at_the_end(stage: MakeStage) -> None:
    s = stage("x = [3, 1]", "a = x.lenght\nb = missing")
    states = TrialStates(build_scripted_dependencies(s.starts), Flag())
    kept = []
    for name in ("len(x)", "x[0]"):
        patch = s.replaced("x.lenght", name)
        assert [e.patch_id for e in states.try_patches((patch,), s.case)] == [patch.id]
        kept.append(states._kept[patch.id])
    request = build_request(s.case, patch, Start.BEFORE_CELL, ScriptedScorer(), CONFIG)
    with pytest.raises(KernelError, match="closed"):
        kept[0].run(request)
    kept[1].run(request)
    states.close()
    with pytest.raises(KernelError, match="closed"):
        kept[1].run(request)


def test_what_failed_behind_the_reported_cell_is_said_after_what_that_came_from_and_once() -> None:
    root, behind = Diagnosis("`x` is misspelt."), Diagnosis("`y` has no `siez`.")
    derived = replace(DOSSIER, derived=("a",), root=root, diagnosis=behind)
    said = proposals.find_diagnosis_at_end(derived).cause
    assert said == "`x` is misspelt. Behind it: `y` has no `siez`."
    for same in (replace(derived, diagnosis=root), replace(derived, derived=(), diagnosis=behind)):
        assert proposals.find_diagnosis_at_end(same) is same.diagnosis


def test_blanks_are_no_hint() -> None:
    paused = states.Paused(replace(DOSSIER, prices={"rules": Cost(0.5)}), "why", Reason.EXHAUSTED)
    for text, hints in (("  ", ()), (" use a list ", ("use a list",))):
        after, _ = machine.step(paused, ev.Decided(Decision(Choice.RETRY, text=text)), CONFIG)
        assert after.dossier.case.hints == after.dossier.current.hints == hints


def test_a_session_of_less_than_a_budget_has_one_heals_tokens() -> None:
    for session, budgets in ((0.05, 1), (0.1, 1), (0.4, 4)):
        left = limits.count_session_tokens_left(Account(0.1, session), CONFIG.with_(budget_usd=0.1))
        assert left == budgets * CONFIG.token_ceiling


def test_a_healer_that_is_free_is_no_service_that_may_come_back() -> None:
    down = replace(DOSSIER, shut=(states.Shut("rules", Reason.INFRASTRUCTURE, "no kernel"),))
    assert not limits.is_outage(down)
    assert limits.is_outage(replace(down, paid=("rules",)))


def test_of_patches_that_are_measured_one_too_many_passes_by_luck() -> None:
    measured = {str(n): Repeats(5, 5) for n in range(stability.MOST_REPEATED)}
    assert stability.is_beyond_measuring(replace(DOSSIER, repeated=measured))
    del measured["0"]
    assert not stability.is_beyond_measuring(replace(DOSSIER, repeated=measured))


def test_who_reasons_or_is_paid_does_not_take_whatever_passes() -> None:
    assert [h for h in ("memory", "rules", "search", "language_model") if stability.is_guesser(h)] == ["search"]


def test_a_cell_that_passes_in_place_is_not_measured_in_states_made_anew_too() -> None:
    drawn = Case(
        Failure("c1", "assert x < 0.5", ename="AssertionError", line=1, statement=0),
        Notebook((Cell("c0", "import random\nx = random.random()"), Cell("c1", "assert x < 0.5"))),
    )
    patch = Patch((Replace("c1", "assert x < 0.5", "assert x < 0.9"),), "a wider bound")
    dossier = replace(DOSSIER, case=drawn, current=drawn, baselines=(), can_make_anew=True)
    passes = Trial(
        "",
        (StepResult("ok", cell_id="c1", role=Role.CELL.value),),
        Ending.FINISHED,
        Start.BEFORE_CELL,
        Isolation("fake"),
    )
    plans = [stability.plan_repeats(replace(dossier, baselines=ran), patch) for ran in ((), (ev.BaselineRan(passes),))]
    assert [(bool(p.drawn), bool(p.anew)) for p in plans if p] == [(False, True), (True, False)]


@pytest.mark.parametrize(
    ("name", "says", "is_sure"),
    [
        ("NameError", "name 'y' is not defined", True),
        ("AttributeError", "'NoneType' object has no attribute 'y'", False),
        ("KeyError", "'y'", False),
    ],
)
def test_a_name_that_is_not_there_is_not_asked_for_twice(name: str, says: str, is_sure: bool) -> None:
    case = replace(CASE, failure=replace(CASE.failure, ename=name, evalue=says, seconds=0.1))
    assert stability.is_conclusive(case) is is_sure


@pytest.mark.parametrize(("seconds", "wanted"), [(0.2, 0), (9.0, 0), (27.0, None)])
def test_what_took_long_and_did_not_fail_as_reported_is_not_run_once_more(seconds: float, wanted: int | None) -> None:
    died = replace(CASE, failure=replace(CASE.failure, kind=FailureKind.DIED, ename="KernelDied", seconds=9.0))
    step = StepResult("timeout", cell_id="c", role=Role.CELL.value, seconds=seconds)
    cut = Trial("", (step,), Ending.TIMED_OUT, Start.BEFORE_CELL, Isolation("fake"), seconds=seconds)
    dossier = replace(DOSSIER, case=died, current=died, baselines=(ev.BaselineRan(cut),), is_exact=True)
    assert stability.choose_next_run(dossier, CONFIG) == wanted
