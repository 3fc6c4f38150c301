"""The states of a heal, each with exactly the evidence it stands on.

    Reported → Reproduced → Diagnosed → Patched → Consented → Trying → Tried → Judged → Proposed → Applied → Closed
                                                                                   ↘ Paused ↗

Every state carries the :class:`Dossier`: what the heal has gathered so far, which only ever grows (counters that a user
resets apart). The states are not written anywhere; they are folded from the journal's events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from jupyter_selfheal.loop.events import BaselineRan
from jupyter_selfheal.model import (
    Attempt,
    Candidate,
    Case,
    Cost,
    Decision,
    Diagnosis,
    Patch,
    Proposal,
    Question,
    Reason,
    Repeats,
    Trial,
)


@dataclass(frozen=True, slots=True)
class Reservation:
    """What was set aside for a call of ``who`` (a healer, the judge, the critic)."""

    who: str
    worst: Cost


@dataclass(frozen=True, slots=True)
class Account:
    """The money of a heal. A reservation that was never settled (the process died in the call) counts as spent."""

    allowance: float = 0.0
    """Dollars this heal may spend in all."""
    session_allowance: float = 0.0
    """Dollars the session may spend in all."""
    tokens: int = 0
    """Tokens this heal may use in all, where a price is not known."""
    settled: Mapping[str, Cost] = field(default_factory=dict)
    """By who was paid."""
    reserved: Mapping[str, Reservation] = field(default_factory=dict)
    """By the id of the call."""
    session: Cost = Cost()
    """What earlier heals of the session spent."""

    @property
    def spent_by(self) -> Mapping[str, Cost]:
        """Everything settled, and every open reservation at its worst, by who was paid."""
        costs = dict(self.settled)
        for call in self.reserved.values():
            costs[call.who] = costs.get(call.who, Cost()) + call.worst
        return costs

    @property
    def spent(self) -> Cost:
        """What all of them cost together."""
        return sum(self.spent_by.values(), Cost())


@dataclass(frozen=True, slots=True)
class Shut:
    """A healer that is not asked again in this heal, and why."""

    healer: str
    reason: Reason
    message: str = ""


@dataclass(frozen=True, slots=True)
class Dossier:
    """What a heal has gathered so far."""

    run: str
    case: Case
    """The failure that was reported; every patch is tried and judged against it."""
    current: Case
    """The failure at hand: the reported one, or the one that came up behind it (healers are asked about this one)."""
    healers: tuple[str, ...] = ()
    paid: tuple[str, ...] = ()
    unproven: str = ""
    """Why nothing can be proven; patches are then shown untried."""
    baselines: tuple[BaselineRan, ...] = ()
    root: Diagnosis = Diagnosis(cause="")
    diagnosis: Diagnosis = Diagnosis(cause="")
    """Of the failure at hand; ``root`` is that of the reported one."""
    asked: tuple[str, ...] = ()
    """Healers that have said everything they have to say about the failure at hand."""
    shut: tuple[Shut, ...] = ()
    waiting: tuple[tuple[int, Patch], ...] = ()
    """Patches that may be tried and were not yet, each with the number of derivations it came after."""
    awaiting_consent: tuple[tuple[Patch, tuple[str, ...]], ...] = ()
    """Patches that add capabilities: not tried before the user says so."""
    shown: tuple[Patch, ...] = ()
    """Patches that will not be tried, as advice."""
    can_make_anew: bool = False
    """Whether the state before the cell can be made anew in a fresh kernel."""
    is_exact: bool = True
    """False where states are reconstructed by replay, so that each run costs the cells above once more."""
    repeated: Mapping[str, Repeats] = field(default_factory=dict)
    """By patch id: what came of running the cell several times with it."""
    archive: tuple[Attempt, ...] = ()
    """Every attempt, oldest first. It only grows; a verdict or a rejection is added to an attempt, nothing taken away."""
    order: tuple[str, ...] = ()
    """Ids of the judged patches, best first."""
    derived: tuple[str, ...] = ()
    """Ids of the patches whose failure behind was taken up."""
    met: tuple[str, ...] = ()
    """Every failure at hand so far, normalised."""
    preferred: tuple[str, ...] = ()
    """Patches that the user wrote or pointed at: proposed first, whatever their score."""
    account: Account = Account()
    prices: Mapping[str, Cost] = field(default_factory=dict)
    """The worst case of the next call of each healer (and the judge, and the critic) that was asked for its price."""
    rounds: tuple[int, ...] = ()
    """Length of the archive at each paid answer since the user last let the heal go on."""
    calls: int = 0
    rejections: int = 0
    notes: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    """Every proposal made, the last one last."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A cell failed. Nothing is known but what was seen."""

    dossier: Dossier


@dataclass(frozen=True, slots=True)
class Reproduced:
    """It failed again in the trial kernel, in the same way (or there is none, and the dossier says so)."""

    dossier: Dossier


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """It is known where the cause is believed to sit."""

    dossier: Dossier
    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class Patched:
    """A healer proposed these patches, new ones all of them."""

    dossier: Dossier
    healer: str
    patches: tuple[Patch, ...]


@dataclass(frozen=True, slots=True)
class Consented:
    """These patches add no capability, or the user allowed it: they may be tried."""

    dossier: Dossier


@dataclass(frozen=True, slots=True)
class Trying:
    """Patches are being tried at once: ``pending`` still run, ``done`` have ended, in whatever order."""

    dossier: Dossier
    patches: tuple[Patch, ...]
    done: Mapping[str, Trial] = field(default_factory=dict)

    @property
    def pending(self) -> tuple[Patch, ...]:
        return tuple(p for p in self.patches if p.id not in self.done)


@dataclass(frozen=True, slots=True)
class Tried:
    """All of them have ended and are in the archive."""

    dossier: Dossier
    tried: tuple[tuple[Patch, Trial], ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """Every attempt in the archive has its verdict."""

    dossier: Dossier


@dataclass(frozen=True, slots=True)
class Proposed:
    """The user has a proposal before them."""

    dossier: Dossier
    proposal: Proposal


@dataclass(frozen=True, slots=True)
class Paused:
    """A limit was reached, and the user was told."""

    dossier: Dossier
    why: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Applied:
    """The user approved this candidate."""

    dossier: Dossier
    candidate: Candidate
    decision: Decision


@dataclass(frozen=True, slots=True)
class Stopping:
    """The heal was cancelled, stopped or broke; all that is left is to say so."""

    dossier: Dossier
    reason: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Closed:
    """The heal is over; ``applied`` holds what the user approved, if anything."""

    dossier: Dossier
    reason: Reason
    detail: str = ""
    applied: tuple[Candidate, ...] = ()
    approved_by: str = ""


State: TypeAlias = (
    Reported
    | Reproduced
    | Diagnosed
    | Patched
    | Consented
    | Trying
    | Tried
    | Judged
    | Proposed
    | Paused
    | Applied
    | Stopping
    | Closed
)
