"""A fix of what may be meant is good enough for somebody's word, and is not applied without it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop import evidence, policy
from jupyter_selfheal.loop.commands import Close
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.model import (
    MAY_BE_MEANT,
    Applicability,
    Candidate,
    Case,
    Diagnosis,
    Ending,
    Failure,
    Isolation,
    Patch,
    Proposal,
    Replace,
    Start,
    Trial,
    Verdict,
)
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover

CASE = Case(Failure("c", "prnt(1)", ename="NameError", evalue="name 'prnt' is not defined"))
PATCH = Patch((Replace("c", "prnt(1)", "print(1)"),), "Print", applicability=Applicability.SAFE)
CONFIG = HealConfig()


@pytest.mark.parametrize(
    ("diagnosis", "verdict", "is_held"),
    [
        (Diagnosis("", kept=True, may_be_meant=True), Verdict("p", 9.0, True), True),
        (Diagnosis("", kept=True, may_be_meant=True), Verdict("p", 2.0, False), False),
        (Diagnosis("", kept=True), Verdict("p", 7.0, True), False),
        (Diagnosis("", kept=True), Verdict("p", 7.0, True, difference="stored 1, now 2"), True),
        (Diagnosis(""), Verdict("p", 7.0, True, difference="stored 1, now 2"), False),
    ],
)
def test_what_is_held_to_a_word(diagnosis: Diagnosis, verdict: Verdict, is_held: bool) -> None:
    held = evidence.hold_to_word(Dossier("run", CASE, CASE, root=diagnosis), verdict, CONFIG)
    if not is_held:
        assert held is verdict
        return
    assert (held.score, held.needs_word, held.reasons[0]) == (6.0, True, MAY_BE_MEANT)


def test_no_policy_applies_it_and_the_table_says_why() -> None:
    dossier = Dossier("run", CASE, CASE, diagnosis=Diagnosis("", kept=True, may_be_meant=True))
    verdict = evidence.hold_to_word(dossier, Verdict(PATCH.id, 9.0, True), CONFIG)
    trial = Trial(PATCH.id, (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("forked"))
    shown = Proposal(CASE.failure, dossier.diagnosis, (Candidate(PATCH, trial, verdict),))
    said = PolicyApprover("all", CONFIG.accept).decide(replace(shown, proven_from=(Start.BEFORE_CELL,)))
    assert said.text == "it scores 6, below 7: the saved output is the same error: it may be meant"


@pytest.mark.parametrize("advice", ["Counting begins at 0: the last one is `dogs[2]`.", "Count from 0", ""])
def test_why_there_is_no_fix_ends_its_sentences_once(advice: str) -> None:
    dossier = Dossier("run", CASE, CASE, diagnosis=Diagnosis("", advice=advice, may_be_meant=True))
    close = policy._build_close(dossier, None)
    assert isinstance(close, Close)
    assert close.detail.endswith(f". {MAY_BE_MEANT}")
    assert ".." not in close.detail
