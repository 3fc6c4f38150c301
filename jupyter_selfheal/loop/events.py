"""What can happen in a heal: events, frozen data.

An event is a fact. It is written to the journal before anybody acts on it, and the journal is nothing but events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from jupyter_selfheal import wire
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import (
    JSON,
    Case,
    Cost,
    Decision,
    Diagnosis,
    Proposal,
    Reason,
    Repeats,
    Trial,
    Verdict,
)
from jupyter_selfheal.ports import Answer

wire.register(HealConfig)
wire.register(Answer)

JUDGE = "judge"
CRITIC = "critic"
"""Who is paid where it is not a healer."""


@wire.register
@dataclass(frozen=True, slots=True)
class Started:
    """A heal began. ``healers`` may be asked, in this order; those in ``paid`` (and the judge, if it is there) cost money.
    ``session_spent`` is what earlier heals of the session spent. ``unproven`` says why nothing can be tried (no state
    at hand), empty where something can."""

    run: str
    case: Case
    config: HealConfig
    healers: tuple[str, ...] = ()
    paid: tuple[str, ...] = ()
    session_spent: Cost = Cost()
    unproven: str = ""
    can_make_anew: bool = False
    """Whether the state before the cell can be made anew in a fresh kernel."""
    is_exact: bool = True
    """False where states are reconstructed by replay, so that each run costs the cells above once more."""


@wire.register
@dataclass(frozen=True, slots=True)
class BaselineRan:
    """The cell was run as it is. ``missed`` is what its oracle says where it ran through."""

    trial: Trial
    missed: str = ""
    anew: int = 0
    """0: from the state at hand; n: from the n-th state made anew, in a fresh kernel with another hash seed."""


@wire.register
@dataclass(frozen=True, slots=True)
class CellJudged:
    """A model said whether the cell does what its specification says. No ``scores`` (at most one) where it could not be asked or
    read: ``reason`` says why. ``settles`` names the reservation of the call."""

    scores: tuple[float, ...]
    reason: str
    cost: Cost = Cost()
    settles: str = ""
    record: JSON = None


@wire.register
@dataclass(frozen=True, slots=True)
class DiagnosisMade:
    """The failure at hand was looked at."""

    diagnosis: Diagnosis


@wire.register
@dataclass(frozen=True, slots=True)
class Priced:
    """The next call of ``who`` (a healer, or the judge) costs at most ``worst``."""

    who: str
    worst: Cost


@wire.register
@dataclass(frozen=True, slots=True)
class Reserved:
    """Money was set aside for a call that is about to be made. What is never settled counts as spent."""

    id: str
    who: str
    worst: Cost


@wire.register
@dataclass(frozen=True, slots=True)
class Settled:
    """The call is over, and this is what it really cost."""

    id: str
    cost: Cost


@wire.register
@dataclass(frozen=True, slots=True)
class Answered:
    """A healer gave its answer; ``settles`` names the reservation that its cost settles."""

    healer: str
    answer: Answer
    settles: str = ""


@wire.register
@dataclass(frozen=True, slots=True)
class HealerFailed:
    """A healer cannot go on: its service (``infrastructure``) or its code (``self_error``) failed."""

    healer: str
    reason: Reason
    message: str


@wire.register
@dataclass(frozen=True, slots=True)
class CapabilitiesChecked:
    """The patches at hand were looked at before any was run.

    ``capabilities`` that the cell did not have, and ``risks`` (what could go wrong, in one line), both by patch id. The rest
    is of a critic's paid call: ``settles`` names its reservation, ``record`` is what it was asked and said.
    """

    capabilities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    risks: Mapping[str, str] = field(default_factory=dict)
    cost: Cost = Cost()
    settles: str = ""
    note: str = ""
    record: JSON = None


@wire.register
@dataclass(frozen=True, slots=True)
class TrialEnded:
    """One patch was tried. Results of patches tried at once commute."""

    patch_id: str
    trial: Trial


@wire.register
@dataclass(frozen=True, slots=True)
class Scored:
    """The tried patches were judged. ``order`` are their ids, best first; ``settles`` a judge's reservation."""

    verdicts: tuple[Verdict, ...]
    order: tuple[str, ...]
    cost: Cost = Cost()
    settles: str = ""
    note: str = ""
    record: JSON = None
    """What a judge was asked and said, as the answer of a healer keeps it."""


@wire.register
@dataclass(frozen=True, slots=True)
class Derived:
    """The trial of this patch got past the failure and met another one, which is healed next, on top of the patch."""

    patch_id: str


@wire.register
@dataclass(frozen=True, slots=True)
class Repeated:
    """The cell was run several times, as it is and with a patch that is good enough otherwise."""

    patch_id: str
    repeats: Repeats


@wire.register
@dataclass(frozen=True, slots=True)
class ProposalMade:
    """Everything the user needs to decide is together."""

    proposal: Proposal


@wire.register
@dataclass(frozen=True, slots=True)
class PausedForUserAction:
    """A limit was reached. Comes before any final event: the user can go on, give a hint, raise the limit, or stop."""

    why: str
    reason: Reason
    cost: Cost = Cost()


@wire.register
@dataclass(frozen=True, slots=True)
class Decided:
    """The user, or a policy in their name, said something."""

    decision: Decision


@wire.register
@dataclass(frozen=True, slots=True)
class CancelRequested:
    """Ctrl-C, or the user closed the card."""


@wire.register
@dataclass(frozen=True, slots=True)
class Broke:
    """Our own machinery failed (``infrastructure``: a kernel, a disk; ``self_error``: a bug of ours)."""

    reason: Reason
    message: str


@wire.register
@dataclass(frozen=True, slots=True)
class Ended:
    """The heal is over."""

    reason: Reason
    detail: str = ""


Event: TypeAlias = (
    Started
    | BaselineRan
    | CellJudged
    | DiagnosisMade
    | Priced
    | Reserved
    | Settled
    | Answered
    | HealerFailed
    | CapabilitiesChecked
    | TrialEnded
    | Scored
    | Derived
    | Repeated
    | ProposalMade
    | PausedForUserAction
    | Decided
    | CancelRequested
    | Broke
    | Ended
)
