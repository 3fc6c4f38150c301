"""What the user says to a proposal, and what the heal makes of it: a no, an edit, an answer, a consent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.loop.events import TrialEnded
from jupyter_selfheal.model import (
    Case,
    Choice,
    Decision,
    Patch,
    Question,
    Reason,
    Trial,
    Verdict,
)
from jupyter_selfheal.ports import Answer
from jupyter_selfheal.testing.scripted import (
    ScriptedApprover,
    ScriptedHealer,
    ScriptedScorer,
    build_scripted_dependencies,
)
from tests.heals import UNSAFE, MakeStage, costly, events, model
from tests.stages import answer


def test_a_rejection_goes_into_the_history_of_the_next_attempt(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    approver = ScriptedApprover([Decision(Choice.REJECT, text="x must stay a number")])
    later = model(costly(answer(s.replaced("x.nope", "x + 0", UNSAFE))))
    parts = build_scripted_dependencies(
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
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(*patches)])], approver=approver)
    outcome = heal(s.case, parts)
    assert approver.pauses == ["3 proposals were rejected"]
    assert outcome.applied[0].patch == patches[3]


def test_an_edit_becomes_a_patch_of_the_users_and_is_tried(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    approver = ScriptedApprover([Decision(Choice.EDIT, text="x + 41"), Decision(Choice.APPROVE)])
    parts = build_scripted_dependencies(
        s.starts, [ScriptedHealer([answer(s.replaced("x.nope", "x"))])], approver=approver
    )
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
    outcome = heal(s.case, build_scripted_dependencies(s.starts, [healer], approver=approver))
    assert approver.proposals[0].questions == (question,)
    assert outcome.applied[0].patch == two
    assert "The user says: 3" in outcome.attempts[0].rejection


class DoubtingScorer(ScriptedScorer):
    """Says of each patch the doubt that it came with."""

    def _build_verdict(self, case: Case, patch: Patch, trial: Trial) -> Verdict:
        verdict = super()._build_verdict(case, patch, trial)
        return replace(verdict, reasons=(f"Another change may be meant: {patch.rival}.",))


@pytest.mark.parametrize(
    ("rival", "twins", "is_settled"),
    [
        ("`f([9])` gives 3 with it, and 1 with another change that passes the same checks", "", True),
        ("`f([1])` raises IndexError with it", "", True),
        ("other changes pass the same checks, and which is meant cannot be told", "same", True),
        # near misses: another call, another change that gives the answer as well, a doubt about something else
        ("`f([9, 1])` gives 3 with it, and 1 with another change that passes the same checks", "", False),
        ("other changes pass the same checks, and which is meant cannot be told", "", False),
        ("2 changes together fit 2 failing checks too easily", "same", False),
    ],
)
def test_a_doubt_that_the_answer_decides_is_not_said_again(
    stage: MakeStage, rival: str, twins: str, is_settled: bool
) -> None:
    s = stage("x = 1", "def f(a):\n    return a.nope\nassert f([2, 3]) == 5")
    made = [s.replaced("a.nope", text, UNSAFE) for text in ("sum(a)", "sum(a) + 0", "len(a) + 3")]
    behaviours = (twins or "one", twins or "other", "third")
    one, twin, out = (replace(p, behaviour=b, rival=rival) for p, b in zip(made, behaviours, strict=True))
    question = Question("What should `f([1])` return?", {"1": (one.id, twin.id), "4": (out.id,)}, subject="f([1])")
    approver = ScriptedApprover([Decision(Choice.ANSWER, text="1"), Decision(Choice.STOP)])
    healer = ScriptedHealer([Answer((one, twin, out), questions=(question,))])
    heal(s.case, build_scripted_dependencies(s.starts, [healer], approver=approver, scorer=DoubtingScorer()))
    before, after = (proposal.candidates[0].verdict for proposal in approver.proposals)
    doubt = f"Another change may be meant: {rival}."
    assert doubt in before.reasons
    assert (doubt not in after.reasons) is is_settled
    assert after.reasons[0] == "It gives what you said: 1."


def test_added_capabilities_wait_for_the_user(stage: MakeStage) -> None:
    s = stage("x = 1", "x.nope")
    patch = s.replaced("x.nope", "import subprocess\nsubprocess.run(['true'])", UNSAFE)
    approver = ScriptedApprover([Decision(Choice.CONSENT), Decision(Choice.APPROVE)])
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(patch)])], approver=approver)
    outcome = heal(s.case, parts)
    asked, proven = approver.proposals
    assert asked.needs_consent
    assert asked.proven_from == ()
    assert proven.proven_from
    assert outcome.applied[0].patch == replace(patch, risk="it could start another program")
    refused = ScriptedApprover([Decision(Choice.REJECT)])
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(patch)])], approver=refused)
    assert heal(s.case, parts).reason is Reason.REJECTED
    assert not events(parts, TrialEnded)


def test_what_does_the_same_as_a_rejected_patch_is_not_offered_again(stage: MakeStage) -> None:
    s = stage("x = 1", "print(x.nope)")
    one, same, other = (s.replaced("x.nope", text) for text in ("x + 1", "x - -1", "x + 2"))
    approver = ScriptedApprover([Decision(Choice.REJECT), Decision(Choice.APPROVE)])
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(one, same, other)])], approver=approver)
    outcome = heal(s.case, parts)
    assert [c.patch for c in approver.proposals[1].candidates] == [other]
    assert outcome.applied[0].patch == other


def test_what_the_search_saw_do_the_same_is_not_offered_again(stage: MakeStage) -> None:
    s = stage("x = 1", "def f(a, b):\n    return a.nope\nassert f(2, 3) == 5")
    made = [s.replaced("a.nope", text, UNSAFE) for text in ("a + b", "a - -b", "a * 2 + 1")]
    one, same, other = (replace(p, behaviour=b) for p, b in zip(made, ("sum", "sum", "double"), strict=True))
    approver = ScriptedApprover([Decision(Choice.REJECT), Decision(Choice.STOP)])
    healers = [ScriptedHealer([answer(one, same, other)])]
    heal(s.case, build_scripted_dependencies(s.starts, healers, approver=approver))
    assert [c.patch for c in approver.proposals[1].candidates] == [other]


def test_equal_outputs_of_changed_definitions_do_not_make_two_patches_one(stage: MakeStage) -> None:
    s = stage("x = 2", "def f(n):\n    return n.nope\nprint(f(2))")
    one, other = s.replaced("n.nope", "n + n"), s.replaced("n.nope", "n * n")
    approver = ScriptedApprover([Decision(Choice.REJECT), Decision(Choice.APPROVE)])
    heal(s.case, build_scripted_dependencies(s.starts, [ScriptedHealer([answer(one, other)])], approver=approver))
    assert [c.patch for c in approver.proposals[1].candidates] == [other]
