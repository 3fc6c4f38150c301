"""Verdicts: how good a tried patch is, and why."""

from __future__ import annotations

from dataclasses import dataclass

from jupyter_selfheal.model.patch import Patch, RunCells
from jupyter_selfheal.model.trial import Role, Trial
from jupyter_selfheal.numbers import read_number

UNCONFIRMED = "It runs, but nothing in the notebook confirms the result."
"""The reason of a verdict that no evidence decides."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How good a tried patch is, and why.

    ``score`` is 0–10; ``plausible`` means that it ran where the baseline raised or missed (or, ``inconclusive``, ran on
    to the time limit), and that no oracle contradicts it. ``proofs`` are short nouns, strongest first ("expected value", "asserts below", "runs"); ``reasons``
    are sentences for a person. ``tampering`` names what caps it. ``inconclusive`` says why nothing can be said
    ("network blocked"), empty otherwise. ``feedback`` goes into the next attempt. ``confidence`` 0–100.
    """

    patch_id: str
    score: float
    plausible: bool
    proofs: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    tampering: tuple[str, ...] = ()
    inconclusive: str = ""
    feedback: str = ""
    confidence: int = 100
    oracle_met: bool = False
    difference: str = ""
    """In a sentence, how what it gives differs in value from what is stored; empty where it does not."""

    needs_word: bool = False
    """Nothing speaks against it, and too little for it: what is missing is somebody's word, not another patch."""

    checks: int = 0
    """Single values that were compared and held."""

    may_be_meant: bool = False
    """What it mends may be meant (:attr:`Diagnosis.may_be_meant`): only somebody's word may apply it."""

    untold: str = ""
    """A slip with which the few checks that it meets would hold as well; empty where they tell enough, or it was not asked."""

    @property
    def is_shown_to_run(self) -> bool:
        """Whether it ran to its end, and nothing contradicts it."""
        return self.plausible and not self.inconclusive

    def __post_init__(self) -> None:
        if read_number(self.score, 0, 10) is None or read_number(self.confidence, 0, 100) is None:
            raise ValueError(f"no verdict: score {self.score!r} of 10, confidence {self.confidence!r} of 100")


REJECTED_BEFORE = "in an earlier heal of this failure"
"""The reason of a rejection that came with the case: it is counted where it was made."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One patch that was tried (or could not be), archived before anything overwrites it."""

    patch: Patch
    trial: Trial | None = None
    verdict: Verdict | None = None
    rejection: str = ""
    """The user's reason for rejecting it, or :data:`REJECTED_BEFORE`; ``-`` where none was given, empty where it was not rejected."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A patch with the evidence for it."""

    patch: Patch
    trial: Trial
    verdict: Verdict

    @property
    def cells_run_again(self) -> tuple[str, ...]:
        """Cells that its trial ran before the failing one without the patch naming them: they follow from what it changes."""
        named = {i for e in self.patch.edits if isinstance(e, RunCells) for i in e.cell_ids} | {
            *self.patch.cells_touched
        }
        setup = (s.cell_id for s in self.trial.steps if s.role == Role.SETUP.value)
        return tuple(dict.fromkeys(i for i in setup if i and i not in named))
