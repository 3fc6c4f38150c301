"""The two ends of a heal: the case that it begins with, the outcome that it ends with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from jupyter_selfheal.model.cost import Cost
from jupyter_selfheal.model.failure import Diagnosis, Failure
from jupyter_selfheal.model.notebook import Notebook, Oracle
from jupyter_selfheal.model.patch import BASELINE, Patch
from jupyter_selfheal.model.proposal import Proposal
from jupyter_selfheal.model.repeats import Repeats
from jupyter_selfheal.model.verdict import Attempt, Candidate

DISMISSED = "left as it is by the user"
"""How the detail of a heal begins that the user ended."""

NOT_APPLIED = "not applied"
"""How the detail of a heal begins whose fix is only offered."""


class Reason(StrEnum):
    """Why a heal ended."""

    HEALED = "healed"
    REJECTED = "rejected"
    EXHAUSTED = "exhausted"
    """Nothing offline heals it, and there is no (further) model to ask."""
    OVER_BUDGET = "over_budget"
    STUCK = "stuck"
    NO_IMPROVEMENT = "no_improvement"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    INFRASTRUCTURE = "infrastructure"
    NOT_REPRODUCED = "not_reproduced"
    ENVIRONMENT = "environment"
    """Left alone: the diagnosis says why and what the user can do."""
    CANCELLED = "cancelled"
    SELF_ERROR = "self_error"


@dataclass(frozen=True, slots=True)
class Case:
    """Everything known when a heal begins: the failure, the notebook around it, what it must do, which healers may act.

    ``hints`` are the user's words for a model. ``packages`` are the versions installed where the cell runs. Of a *derived*
    case (the failure that came up behind the first one) ``notebook`` and ``failure`` already hold the sources after ``base``.
    """

    failure: Failure
    notebook: Notebook = Notebook()
    oracle: Oracle = Oracle()
    hints: tuple[str, ...] = ()
    base: Patch = BASELINE
    """Edits already made by an earlier round that got past the first failure; patches of this case come on top."""
    packages: Mapping[str, str] = field(default_factory=dict)
    repeats: Repeats = Repeats()
    """How often the cell failed when it was run again; known once the failure was reproduced."""
    rejected: tuple[Patch, ...] = ()
    """What the user rejected in an earlier heal of this failure: it is neither tried nor offered again."""
    may_differ_silently: bool = False
    """In the failing cell, or in one that it shows values of, a release may have made something else of a statement without a word: a fix with
    which the cell gives another value than is stored is not all."""
    search_was_vain: bool = False
    """Cells before it failed in the same line of a cell above, and what was tried for them mended nothing: only the healers that are trusted are asked."""
    patience: float = 0.0
    """Seconds that a trial of a rule's safe patch may take at least; other patches are tried by the settings' limit alone."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a heal ended, and with what."""

    reason: Reason
    failure: Failure
    diagnosis: Diagnosis = Diagnosis(cause="")
    applied: tuple[Candidate, ...] = ()
    """The approved candidate, if any (at most one)."""
    proposal: tuple[Proposal, ...] = ()
    """The last proposal shown, if any (at most one)."""
    attempts: tuple[Attempt, ...] = ()
    cost: Cost = Cost()
    seconds: float = 0.0
    detail: str = ""
    approved_by: str = ""
    """Who approved it: ``user``, or the policy that decided."""
    spent_by: Mapping[str, Cost] = field(default_factory=dict)
    """``cost`` by who was paid: ``language_model``, ``judge``, ``critic``."""

    @property
    def is_dismissed(self) -> bool:
        """Whether the user left the cell as it was, of whatever fixes there were."""
        return self.reason is Reason.REJECTED and self.detail.startswith(DISMISSED)
