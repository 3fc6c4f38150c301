"""A fix runs and gives another value than is stored: memory and the rules are asked what else a release changed, and nobody else is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop import advance, evidence, policy
from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.loop.commands import AskHealer, Derive, Propose
from jupyter_selfheal.loop.states import Dossier, Tried
from jupyter_selfheal.model import (
    Applicability,
    Attempt,
    Case,
    Cell,
    Ending,
    Failure,
    FailureKind,
    Isolation,
    Notebook,
    Patch,
    Replace,
    Start,
    StepResult,
    Trial,
    Verdict,
    compose,
)

CONFIG = HealConfig()
SOURCE, FIXED = (
    "both = a.append(b)\nboth.c.fillna(0, inplace=True)",
    "both = concat(a, b)\nboth.c.fillna(0, inplace=True)",
)
CASE = Case(
    Failure("c", SOURCE, ename="AttributeError", line=1), Notebook((Cell("c", SOURCE),)), may_differ_silently=True
)
FIX = Patch((Replace("c", SOURCE, FIXED),), "Change `.append`", rule="API102", applicability=Applicability.SAFE)
FILL = compose(FIX, replace(FIX, edits=(Replace("c", FIXED, FIXED.replace("fillna", "filled")),), rule="PDA130"))
DIFFERS = "stored 0, now 3"
HEALERS = ("memory", "rules", "search")


def trial_of(patch: Patch) -> Trial:
    steps = (StepResult("ok"),)
    return Trial(patch.id, steps, Ending.FINISHED, Start.BEFORE_CELL, Isolation("forked"))


def tried(*rows: tuple[Patch, float, str], case: Case = CASE, **more: object) -> Dossier:
    """The dossier of patches with their scores and differences, all that may be asked about the failure asked."""
    archive = tuple(Attempt(p, trial_of(p), Verdict(p.id, score, True, difference=d)) for p, score, d in rows)
    known = {"healers": HEALERS, "asked": HEALERS, "archive": archive, "order": tuple(p.id for p, _, _ in rows)}
    return replace(Dossier("run", case, case), **{**known, **more})  # type: ignore[arg-type]


def go_on_from(dossier: Dossier, patch: Patch) -> Dossier:
    return advance.on_derivation(dossier, ev.Derived(patch.id)).dossier


@pytest.mark.parametrize("score", [7.0, 5.0])
def test_a_fix_that_differs_is_gone_on_from_before_it_is_shown(score: float) -> None:
    dossier = tried((FIX, score, DIFFERS))
    assert policy.choose_next_move(dossier, CONFIG) == Derive(FIX.id)
    behind = go_on_from(dossier, FIX)
    assert behind.current.failure.is_silent
    assert behind.current.failure.source == FIXED
    assert policy.list_healers(behind, behind.diagnosis) == ("memory", "rules")
    move = policy.choose_next_move(behind, CONFIG)
    assert isinstance(move, AskHealer)
    assert move.healer == "memory"


def test_the_fix_is_shown_where_nobody_knows_more() -> None:
    behind = go_on_from(tried((FIX, 7.0, DIFFERS)), FIX)
    move = policy.choose_next_move(replace(behind, asked=("memory", "rules")), CONFIG)
    assert isinstance(move, Propose)
    assert move.proposal.candidates[0].patch == FIX


@pytest.mark.parametrize(
    ("row", "case"),
    [
        ((FIX, 8.0, ""), CASE),  # it gives what is stored
        ((FIX, 7.0, DIFFERS), replace(CASE, may_differ_silently=False)),  # no statement there may have changed
        ((replace(FIX, healer="search"), 7.0, DIFFERS), CASE),  # a guess
    ],
)
def test_what_does_not_differ_for_such_a_reason_is_shown_as_it_is(row: tuple[Patch, float, str], case: Case) -> None:
    assert isinstance(policy.choose_next_move(tried(row, case=case), CONFIG), Propose)


@pytest.mark.parametrize(
    ("patch", "difference", "score"),
    [
        (FILL, "", 8.5),
        (FILL, DIFFERS, 3.0),
        (replace(FILL, applicability=Applicability.UNSAFE), "", 3.0),
    ],
)
def test_only_a_safe_fix_that_gives_what_is_stored_answers_that(patch: Patch, difference: str, score: float) -> None:
    behind = go_on_from(tried((FIX, 7.0, DIFFERS)), FIX)
    behind = replace(behind, archive=(*behind.archive, Attempt(patch, trial_of(patch))))
    verdict = Verdict(patch.id, 8.5, True, difference=difference, oracle_met=True)
    scored = ev.Scored(verdicts=(verdict,), order=(patch.id, FIX.id))
    judged = advance.on_scores(Tried(behind, ((patch, trial_of(patch)),)), scored, CONFIG).dossier
    assert judged.archive[-1].verdict is not None
    assert (judged.archive[-1].verdict.score, judged.archive[-1].verdict.plausible) == (score, score > 3)
    shown = evidence.list_accepted(judged, CONFIG)
    assert shown[0].patch == (patch if score > 3 else FIX)


def test_a_failure_of_that_kind_is_told_by_its_words() -> None:
    assert not Failure("c", "x", FailureKind.MISSED, evalue="expected 3").is_silent
