"""What the machine wants done next: commands, frozen data. The driver performs them; what comes of it are events.

Of each command the arrow says which events it gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from jupyter_selfheal.model import Case, Cost, Patch, Proposal, Reason, Trial


@dataclass(frozen=True, slots=True)
class RunBaseline:
    """Run the cell as it is. → BaselineRan"""


@dataclass(frozen=True, slots=True)
class JudgeCell:
    """Ask a model whether the cell, which runs, does what its specification says; at most for ``worst``, not at all where that is
    None. → [Reserved] CellJudged"""

    worst: Cost | None


@dataclass(frozen=True, slots=True)
class Diagnose:
    """Say what the failure comes from. → DiagnosisMade"""

    case: Case


@dataclass(frozen=True, slots=True)
class PriceCall:
    """Say what the next call can cost at most. → Priced"""

    who: str


@dataclass(frozen=True, slots=True)
class AskHealer:
    """Ask for patches; where ``worst`` is not nothing, set it aside first. → [Reserved] Answered | HealerFailed"""

    healer: str
    case: Case
    worst: Cost = Cost()


@dataclass(frozen=True, slots=True)
class CheckCapabilities:
    """Look at patches for what they could do and what could go wrong; ``paid``: with a critic's help, at most for ``worst``.
    → [Reserved] CapabilitiesChecked"""

    patches: tuple[Patch, ...]
    paid: bool = False
    worst: Cost = Cost()


@dataclass(frozen=True, slots=True)
class TryPatches:
    """Try them, several at once. → TrialEnded for each"""

    patches: tuple[Patch, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Judge the tried patches; ``paid``: with a model's help, at most for ``worst``. → [Reserved] Scored"""

    tried: tuple[tuple[Patch, Trial], ...]
    paid: bool = False
    worst: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Derive:
    """Take up the failure behind this patch. → Derived"""

    patch_id: str


@dataclass(frozen=True, slots=True)
class Repeat:
    """Run the cell several times, as it is and with this patch. → Repeated"""

    patch: Patch


@dataclass(frozen=True, slots=True)
class Propose:
    """Put a proposal together; prove the best patch from the other start too. → ProposalMade"""

    proposal: Proposal


@dataclass(frozen=True, slots=True)
class AskDecision:
    """Wait for a word on the proposal. → Decided"""

    proposal: Proposal


@dataclass(frozen=True, slots=True)
class Pause:
    """Say that a limit is reached. → PausedForUserAction"""

    why: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class AskToContinue:
    """Wait for a word on the pause. → Decided"""

    why: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Close:
    """End the heal. → Ended"""

    reason: Reason
    detail: str = ""


Command: TypeAlias = (
    RunBaseline
    | JudgeCell
    | Diagnose
    | PriceCall
    | AskHealer
    | CheckCapabilities
    | TryPatches
    | Score
    | Derive
    | Repeat
    | Propose
    | AskDecision
    | Pause
    | AskToContinue
    | Close
)
