"""What decides whether a result is right: every oracle that trials are held to, strongest first.

Another one is one file with a class like these and a line in :data:`ORACLES`. What it saw goes into
:attr:`~jupyter_selfheal.scoring.evidence.Evidence.findings`, which the verdict weighs as they say.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import Case, Patch, Step, Trial
from jupyter_selfheal.scoring.asserts import AssertsBelow, OwnAsserts
from jupyter_selfheal.scoring.changed_inputs import ChangedInputs
from jupyter_selfheal.scoring.comments import CommentedResults
from jupyter_selfheal.scoring.docstrings import Doctests
from jupyter_selfheal.scoring.downstream import CellsBelow
from jupyter_selfheal.scoring.evidence import Evidence
from jupyter_selfheal.scoring.expected import UsersWord
from jupyter_selfheal.scoring.observed_calls import ObservedCalls
from jupyter_selfheal.scoring.stored import StoredOutput
from jupyter_selfheal.scoring.untold_parts import UntoldParts


class TrialOracle(Protocol):
    """One thing that tells a right result from a wrong one."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> Iterable[Step]:
        """What runs after the cell in every trial of a patch; no failure of one keeps the others from running."""
        ...

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        """The evidence with what was seen in a trial whose cell ran."""
        ...


ORACLES: tuple[TrialOracle, ...] = (
    UsersWord(),  # first: its probe reads the value of the cell that ran last
    Doctests(),
    CommentedResults(),
    OwnAsserts(),
    AssertsBelow(),
    ObservedCalls(),
    ChangedInputs(),  # before the cells below, which may change what it reads
    StoredOutput(),
    CellsBelow(),
    UntoldParts(),  # last: whether it is said hangs on how much the others have seen
)
