"""Proposals to the user, and the user's decisions on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from jupyter_selfheal.model.cost import Cost
from jupyter_selfheal.model.failure import Diagnosis, Failure
from jupyter_selfheal.model.trial import Start, Trial
from jupyter_selfheal.model.verdict import Candidate


@dataclass(frozen=True, slots=True)
class Question:
    """The one value to ask the user for, where plausible patches disagree.

    ``text``: "What should `f([3, 1, 2])` return?"; ``answers`` maps each answer's text to the ids of the patches that give it,
    the best patch's first. ``kind`` says what it is about: the value of an expression, ``subject``, after the cell; the cell's last
    value; or what it prints. ``blocks``: the patches are equally well supported, so that none is applied before it is answered.
    """

    text: str
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    subject: str = ""
    kind: str = ""
    """``value``, ``result`` or ``printed``; empty where an answer could not be written down as an expectation."""
    blocks: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is shown to the user: the best candidate first, and what was and was not proven."""

    failure: Failure
    diagnosis: Diagnosis
    candidates: tuple[Candidate, ...]
    proven_from: tuple[Start, ...] = ()
    """Empty: not proven (show-only)."""
    resumed: tuple[Trial, ...] = ()
    """The best patch's trial from after the failure, where the candidate's own is from before the cell: what resuming does."""
    baseline: Trial | None = None
    cost: Cost = Cost()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    """What was not proven, or is odd: "fails 2 of 3 times", "replayed cells 1, 3"."""
    questions: tuple[Question, ...] = ()
    needs_consent: tuple[str, ...] = ()
    """Capabilities that the best patch would add ("subprocess"); it is not tried before the user allows it."""
    spent_by: Mapping[str, Cost] = field(default_factory=dict)
    """``cost`` by who was paid: ``language_model``, ``judge``, ``critic``."""

    @property
    def blocking(self) -> tuple[Question, ...]:
        """Questions without whose answer nothing is applied by itself."""
        return tuple(q for q in self.questions if q.blocks)


class Choice(StrEnum):
    """What a user can say to a proposal or a pause."""

    APPROVE = "approve"
    REJECT = "reject"
    EDIT = "edit"
    RETRY = "retry"
    ANSWER = "answer"
    CONSENT = "consent"
    CONTINUE = "continue"
    RAISE_BUDGET = "raise_budget"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Decision:
    """A user's (or a policy's) word. ``text`` is the reason, hint, answer, edited source or new budget."""

    choice: Choice
    patch_id: str = ""
    text: str = ""
    by: str = "user"
    """``user``, or the policy that decided: ``--approve safe``."""
