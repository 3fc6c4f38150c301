"""Who decides in a batch run: a policy, or a person at the terminal."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from jupyter_selfheal.model import (
    MAY_BE_MEANT,
    Applicability,
    Candidate,
    Choice,
    Cost,
    Decision,
    Notebook,
    Proposal,
    Reason,
)
from jupyter_selfheal.scoring.met_by_luck import ON_A_GUESS
from jupyter_selfheal.surfaces.card import ACCEPTED, Card
from jupyter_selfheal.surfaces.dialogue import NOBODY, Answer, Dialogue
from jupyter_selfheal.surfaces.words import format_money, format_proposal_status


@dataclass(frozen=True, slots=True)
class PolicyApprover:
    """``all`` applies the best patch that scores at least ``accept``, ``safe`` only one that is safe, ``none`` none.

    A pause (budget, attempts) ends the heal, as there is nobody to ask; a fix that adds a capability is passed over, and the
    next healer is asked. ``choices`` are answers to questions that hold fixes up, by cell: of the fixes that give the answer the best
    one is applied, as far as the policy goes. Where it is ``offline``, nobody can allow the network.
    """

    policy: str
    accept: float
    choices: Mapping[str, str] = field(default_factory=dict)
    offline: bool = False
    asks_person: ClassVar[bool] = False

    def decide(self, proposal: Proposal) -> Decision:
        """Approve the best candidate that the policy allows, else stop."""
        by = f"--approve {self.policy}"
        if proposal.needs_consent:
            needs = ", ".join(proposal.needs_consent)
            remedy = "--approve ask lets you allow it"
            if self.offline and "network" in proposal.needs_consent:
                return Decision(
                    Choice.REJECT, text=f"the fix adds {needs}, which --offline rules out: without that {remedy}", by=by
                )
            return Decision(Choice.REJECT, text=f"the fix adds {needs}: {remedy}", by=by)
        chosen, is_said = self.choices.get(proposal.failure.cell_id, ""), False
        for question in proposal.blocking:
            if chosen in question.answers:
                proposal, is_said = _keep_chosen(proposal, question.answers[chosen]), True
                continue
            values = " or ".join(question.answers)
            unknown = f"; {chosen!r}, which --answers gives, is none of these" if chosen else ""
            why = f"fixes with equal evidence differ: {question.text} {values}{unknown}"
            return Decision(Choice.STOP, text=why, by=by)
        for candidate in proposal.candidates if self.policy != "none" and proposal.proven_from else ():
            if self.allows(candidate, is_said=is_said):
                return Decision(Choice.APPROVE, candidate.patch.id, by=by)
        return Decision(Choice.STOP, text=self._explain_refusal(proposal), by=by)

    def _explain_refusal(self, proposal: Proposal) -> str:
        if not proposal.candidates:
            return "the policy applies nothing"
        best = proposal.candidates[0]
        if not proposal.proven_from:
            why = f"it could not be proven{f': {proposal.notes[-1]}' if proposal.notes else ''}"
            return best.verdict.feedback if best.verdict.plausible else why
        if _is_only_judged(best):
            return f"only a model's judgement speaks for it ({best.verdict.score:g} of 10): nothing that ran shows that it is right"
        if best.verdict.score < self.accept or not best.verdict.plausible:
            if best.verdict.may_be_meant:
                why = MAY_BE_MEANT[0].lower() + MAY_BE_MEANT[1:].rstrip(".")
            elif best.verdict.difference:
                why = "it gives something else than is stored"
            elif best.patch.rival:
                why = f"another change may be meant: {best.patch.rival}"
            elif best.verdict.needs_word:
                why = "hardly more than one value speaks for it, and many programs give that one"
            elif any(reason.startswith(ON_A_GUESS) for reason in best.verdict.reasons):
                why = f"it is a guess on top of another ({best.patch.guess_before}), and hardly more than one value speaks for both"
            else:
                is_checked = not {"runs", "judge"}.issuperset(best.verdict.proofs)
                luck = "it passes what is checked here, and so might a wrong fix"
                why = best.verdict.feedback or (luck if is_checked else "it runs, but nothing here confirms the result")
            return f"it scores {best.verdict.score:g}, below {self.accept:g}: {why}"
        unsafe = "it may change what the code means"
        if self.policy != "all" and any(map(replace(self, policy="all").allows, proposal.candidates)):
            is_safe = any(map(replace(self, policy="safe").allows, proposal.candidates))
            if self.policy == "none":
                return "heal applies it" if is_safe else "heal applies it (heal --in-place with --approve all)"
            return f"{unsafe}: heal --approve all applies it"
        return unsafe

    def decide_after_pause(self, why: str, reason: Reason, proposal: Proposal | None, cost: Cost) -> Decision:
        """Stop."""
        return Decision(Choice.STOP, text=why, by=f"--approve {self.policy}")

    def allows(self, candidate: Candidate, *, is_said: bool = False) -> bool:
        """Whether the policy would apply it. Where the user ``is_said`` to mean it, and a check holds, a doubt which is meant is answered."""
        verdict, patch = candidate.verdict, candidate.patch
        is_enough = verdict.score >= self.accept or (is_said and not {"runs", "judge"}.issuperset(verdict.proofs))
        if not verdict.plausible or not is_enough or patch.applicability is Applicability.DISPLAY_ONLY:
            return False
        if _is_only_judged(candidate):
            return False
        return self.policy == "all" or patch.applicability is Applicability.SAFE


def _keep_chosen(proposal: Proposal, patch_ids: Collection[str]) -> Proposal:
    return replace(proposal, candidates=tuple(c for c in proposal.candidates if c.patch.id in patch_ids))


def _is_only_judged(candidate: Candidate) -> bool:
    """Whether nothing but a judge's own idea of the cell speaks for a patch: a naive judge likes whatever runs. Where the user said in
    words what the cell is for, it is held against those."""
    return "judge" in candidate.verdict.proofs and not candidate.verdict.oracle_met


UNANSWERED = "nobody answered; `--approve all` asks for no answer"
"""Why nothing was applied where the input has ended, or there is none."""

TO_DECISION = {
    "apply": Choice.APPROVE,
    "reject": Choice.REJECT,
    "edit": Choice.EDIT,
    "retry": Choice.RETRY,
    "answer": Choice.ANSWER,
    "allow": Choice.CONSENT,
    "continue": Choice.CONTINUE,
    "budget": Choice.RAISE_BUDGET,
}
"""What is decided by a choice of the dialogue; every other one stops the heal."""


@dataclass(slots=True)
class AllSafe:
    """Whether a person has accepted every safe fix of a notebook, once for all its cells; ``accept`` is the score from which a fix may be."""

    accept: float = ACCEPTED
    is_chosen: bool = False

    def decide(self, proposal: Proposal) -> Decision | None:
        """The approval of a safe fix, if that was chosen; None: the person is asked."""
        decision = PolicyApprover("safe", self.accept).decide(proposal) if self.is_chosen else None
        return replace(decision, by="user") if decision is not None and decision.choice is Choice.APPROVE else None


@dataclass(slots=True)
class TerminalApprover:
    """Shows each proposal to a person at the terminal, and asks."""

    notebook: Notebook
    dialogue: Dialogue
    all_safe: AllSafe = field(default_factory=AllSafe)

    def decide(self, proposal: Proposal) -> Decision:
        """Block until there is a word; end of input stops."""
        if not proposal.candidates:
            return Decision(Choice.STOP)
        card = make_card(proposal)
        while (decision := self.all_safe.decide(proposal)) is None:
            answer = self.dialogue.decide(card, self.notebook)
            if answer.choice != "safe":
                return self._to_decision(answer, proposal.candidates[answer.page].patch.id)
            self.all_safe.is_chosen = True
            if self.all_safe.decide(proposal) is None:
                self.dialogue.say("This one is not safe: decide about it.")
        self.dialogue.show(card, self.notebook)
        self.dialogue.say("Accepted: it is safe.")
        return decision

    def decide_after_pause(self, why: str, reason: Reason, proposal: Proposal | None, cost: Cost) -> Decision:
        """Go on in a way that helps at that limit, or stop."""
        decision = self._to_decision(self.dialogue.ask_at_pause(f"{why} (spent {format_money(cost)})", reason))
        return decision if decision.choice is not Choice.STOP else replace(decision, text=why)

    @staticmethod
    def _to_decision(answer: Answer, patch_id: str = "") -> Decision:
        if answer.choice == NOBODY:
            return Decision(Choice.STOP, text=UNANSWERED, by=NOBODY)
        choice = TO_DECISION.get(answer.choice, Choice.STOP)
        return Decision(choice, "" if choice is Choice.STOP else patch_id, answer.text)


def make_card(proposal: Proposal) -> Card:
    """A proposal as every surface shows it."""
    failure = proposal.failure
    return Card(
        "",
        failure.cell_id,
        failure.headline,
        phase="proposed",
        status=format_proposal_status(proposal),
        proposal=(proposal,),
    )
