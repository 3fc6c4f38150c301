"""The nouns of the product, in the order in which they come into being.

    Failure → Diagnosis → Patch → (consent) → Trial → Verdict → Proposal → Decision → Application

Everything here is frozen data from the standard library: no live objects, so that any of it can cross the pipe to the
worker, be written to the journal, and be read back (:mod:`jupyter_selfheal.wire`). Empty strings and empty tuples mean
"nothing"; there is no ``None`` soup.

Each noun is imported from its own module when it is first asked for: making a frozen class takes up to a millisecond, and most of
them are not needed to load the extension into the user's kernel.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_selfheal.model.case import DISMISSED, NOT_APPLIED, Case, Outcome, Reason
    from jupyter_selfheal.model.cost import Cost
    from jupyter_selfheal.model.diff import DiffLine, LineKind, diff_patch, diff_sources, format_diff
    from jupyter_selfheal.model.doubt import Doubt
    from jupyter_selfheal.model.failure import (
        MADE_UP_PLACE,
        MAY_BE_MEANT,
        OTHER_THAN_STORED,
        Diagnosis,
        Failure,
        FailureKind,
        Frame,
        Locus,
        SkipReason,
    )
    from jupyter_selfheal.model.launch import Launch
    from jupyter_selfheal.model.model_calls import ModelReply, ModelRequest
    from jupyter_selfheal.model.notebook import JSON, Agreement, Cell, Notebook, Oracle, Output
    from jupyter_selfheal.model.patch import (
        AS_LIKELY,
        BASELINE,
        Applicability,
        Edit,
        Insert,
        Install,
        Move,
        Patch,
        Replace,
        RunCells,
        compose,
    )
    from jupyter_selfheal.model.proposal import Choice, Decision, Proposal, Question
    from jupyter_selfheal.model.repeats import Repeats
    from jupyter_selfheal.model.trial import (
        OBSERVED_CALLS,
        OPEN,
        Ending,
        ErrorInfo,
        Isolation,
        Keep,
        Probe,
        Role,
        Run,
        Sandbox,
        Start,
        Step,
        StepResult,
        Trial,
        TrialRequest,
    )
    from jupyter_selfheal.model.verdict import REJECTED_BEFORE, UNCONFIRMED, Attempt, Candidate, Verdict

__all__ = [
    "AS_LIKELY",
    "BASELINE",
    "DISMISSED",
    "JSON",
    "MADE_UP_PLACE",
    "MAY_BE_MEANT",
    "NOT_APPLIED",
    "OBSERVED_CALLS",
    "OPEN",
    "OTHER_THAN_STORED",
    "REJECTED_BEFORE",
    "UNCONFIRMED",
    "Agreement",
    "Applicability",
    "Attempt",
    "Candidate",
    "Case",
    "Cell",
    "Choice",
    "Cost",
    "Decision",
    "Diagnosis",
    "DiffLine",
    "Doubt",
    "Edit",
    "Ending",
    "ErrorInfo",
    "Failure",
    "FailureKind",
    "Frame",
    "Insert",
    "Install",
    "Isolation",
    "Keep",
    "Launch",
    "LineKind",
    "Locus",
    "ModelReply",
    "ModelRequest",
    "Move",
    "Notebook",
    "Oracle",
    "Outcome",
    "Output",
    "Patch",
    "Probe",
    "Proposal",
    "Question",
    "Reason",
    "Repeats",
    "Replace",
    "Role",
    "Run",
    "RunCells",
    "Sandbox",
    "SkipReason",
    "Start",
    "Step",
    "StepResult",
    "Trial",
    "TrialRequest",
    "Verdict",
    "compose",
    "diff_patch",
    "diff_sources",
    "format_diff",
]

_HOMES = {
    "model_calls": "ModelReply ModelRequest",
    "notebook": "Agreement Cell JSON Notebook Oracle Output",
    "failure": "Diagnosis Failure FailureKind Frame Locus MADE_UP_PLACE MAY_BE_MEANT OTHER_THAN_STORED SkipReason",
    "patch": "AS_LIKELY Applicability BASELINE Edit Insert Install Move Patch Replace RunCells compose",
    "trial": "Ending ErrorInfo Isolation Keep OBSERVED_CALLS OPEN Probe Role Run Sandbox Start Step StepResult Trial TrialRequest",
    "verdict": "REJECTED_BEFORE UNCONFIRMED Attempt Candidate Verdict",
    "cost": "Cost",
    "diff": "DiffLine LineKind diff_patch diff_sources format_diff",
    "doubt": "Doubt",
    "launch": "Launch",
    "repeats": "Repeats",
    "proposal": "Choice Decision Proposal Question",
    "case": "Case DISMISSED NOT_APPLIED Outcome Reason",
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value
