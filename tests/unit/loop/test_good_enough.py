"""What is proposed at once, what is seen as new, and what a trial may do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop.evidence import list_accepted, select_new
from jupyter_selfheal.loop.limits import find_exceeded_limit
from jupyter_selfheal.loop.repeated_trials import _is_accepted
from jupyter_selfheal.loop.states import Account, Dossier
from jupyter_selfheal.loop.trials import build_sandbox
from jupyter_selfheal.model import (
    Applicability,
    Attempt,
    Case,
    Cost,
    Ending,
    Failure,
    Isolation,
    Patch,
    Replace,
    Start,
    Trial,
    Verdict,
)

CONFIG = HealConfig()
CASE = Case(Failure("c", "total(rows)", ename="NameError"))
PATCH = Patch((Replace("c", "total(rows)", "sum(rows)"),), "sum", applicability=Applicability.SAFE)


def accept(patch: Patch, **verdict: object) -> bool:
    trial = Trial(patch.id, (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("forked"))
    found = replace(Verdict(patch.id, 8.0, True), **verdict)  # type: ignore[arg-type]
    return bool(list_accepted(Dossier("run", CASE, CASE, archive=(Attempt(patch, trial, found),), order=(patch.id,)), CONFIG))  # fmt: skip


def test_a_patch_that_scores_enough_is_proposed_at_once() -> None:
    assert accept(PATCH)
    assert not accept(PATCH, score=6.9)
    assert accept(PATCH, score=6.0, needs_word=True)


def test_what_is_asked_of_runs_that_are_repeated_is_asked_of_a_patch_that_was_accepted_and_no_other() -> None:
    other = replace(PATCH, title="another one", edits=(Replace("c", "total(rows)", "max(rows)"),))
    trial = Trial(PATCH.id, (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("forked"))
    scores = ((PATCH, 7.0), (other, 6.9))
    archive = tuple(Attempt(p, replace(trial, patch_id=p.id), Verdict(p.id, score, True)) for p, score in scores)
    dossier = Dossier("run", CASE, CASE, archive=archive, order=(PATCH.id, other.id))
    assert _is_accepted(dossier, PATCH, 7.0)
    assert not _is_accepted(dossier, other, 7.0)


def test_what_was_cut_or_is_only_to_be_looked_at_is_not_good_enough_by_itself() -> None:
    assert not accept(PATCH, inconclusive="it was cut")
    assert not accept(replace(PATCH, applicability=Applicability.DISPLAY_ONLY))


def test_a_patch_that_changes_the_formatting_alone_is_none() -> None:
    dossier = Dossier("run", CASE, CASE)
    formatted = Patch((Replace("c", "total(rows)", "total( rows )"),), "blanks")
    assert select_new(dossier, [formatted, PATCH, replace(PATCH, title="the same")], 9) == (PATCH,)
    assert select_new(dossier, [PATCH], 0) == ()


@pytest.mark.parametrize(
    ("network", "offline", "may"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_offline_closes_the_network_of_trials_whatever_else_is_set(network: bool, offline: bool, may: bool) -> None:
    assert build_sandbox(CONFIG.with_(network=network, offline=offline)).network is may


def test_a_budget_of_nothing_allows_no_price_that_is_not_known() -> None:
    worst = Cost(input_tokens=10, unknown=True)
    config = CONFIG.with_(budget_usd=0)
    assert "the budget is $0" in (find_exceeded_limit(Account(0.0, 1.0, tokens=200_000), worst, config) or "")
    assert find_exceeded_limit(Account(0.1, 1.0, tokens=200_000), worst, CONFIG) is None
