"""What a heal's outcome means for its cell: the status, and the words beside it."""

from __future__ import annotations

from typing import Any

from jupyter_selfheal.loop.plan import list_requirements
from jupyter_selfheal.model import Attempt, Outcome, Reason, SkipReason, Trial
from jupyter_selfheal.surfaces.notebook.records import Status


def find_status(outcome: Outcome) -> Status:
    """What becomes of a cell whose heal applied nothing."""
    if outcome.diagnosis.skip_reason is SkipReason.DELIBERATE:
        return Status.MEANT_TO_FAIL
    candidates = outcome.proposal[0].candidates if outcome.proposal else ()
    if any(c.verdict.plausible for c in candidates):
        return Status.PROPOSED
    if outcome.diagnosis.skip_reason or outcome.reason is Reason.ENVIRONMENT:
        return Status.LEFT_ALONE
    return Status.NOT_HEALED


def explain_not_healed(outcome: Outcome, status: Status) -> str:
    """Why nothing was applied, and what the user can do."""
    if status in (Status.LEFT_ALONE, Status.MEANT_TO_FAIL):
        advice = outcome.diagnosis.advice or outcome.diagnosis.cause
        if outcome.diagnosis.skip_reason is SkipReason.FLAKY:
            return f"{outcome.diagnosis.cause} {advice}"
        if outcome.detail.endswith(advice):  # it may say first what was mended before
            advice = outcome.detail
        tried = next((_describe_installation(a) for a in outcome.attempts if list_requirements(a.patch)), "")
        return f"{advice} ({tried})" if tried else advice
    shown = {c.patch.id for p in outcome.proposal for c in p.candidates[:1]} if status is Status.PROPOSED else None
    by_policy = next(
        (a.rejection for a in outcome.attempts if a.rejection.strip("-") and (shown is None or a.patch.id in shown)), ""
    )
    if outcome.reason is Reason.REJECTED and by_policy:
        return by_policy
    return outcome.detail or {
        Reason.EXHAUSTED: "no healer had a fix that works",
        Reason.NOT_REPRODUCED: "it did not fail again when it was run a second time",
        Reason.OVER_BUDGET: "the budget is used up",
        Reason.STUCK: "the same attempts came again",
        Reason.NO_IMPROVEMENT: "the attempts did not get better",
    }.get(outcome.reason, outcome.reason.value.replace("_", " "))


def _describe_installation(attempt: Attempt) -> str:
    """What came of an installation that was tried: a trial of no steps could not begin, as it could not be installed."""
    if attempt.trial is None or attempt.trial.ran or not attempt.trial.steps:
        return attempt.trial.detail if attempt.trial and not attempt.trial.ran else ""
    return f"{', '.join(list_requirements(attempt.patch))} was installed for a trial, and the cell failed: {describe_failure(attempt.trial)}"


def describe_failure(trial: Trial) -> str:
    """How the first step that failed did."""
    error = next((e for step in trial.steps for e in step.errors if not step.ok), None)
    return error.words[:200] if error is not None else trial.detail or trial.ending.value


def list_record_fields(outcome: Outcome, status: Status) -> dict[str, Any]:
    """What the record of a cell says of the heal of it."""
    shown = outcome.proposal[0] if outcome.proposal else None
    candidate = outcome.applied or (shown.candidates[:1] if shown is not None else ())
    return {
        "diagnosis": outcome.diagnosis,
        "candidate": candidate if status in (Status.HEALED, Status.PROPOSED) else (),
        "proven_from": shown.proven_from if shown is not None else (),
        "paused": outcome.reason is Reason.INFRASTRUCTURE,
        "seconds": outcome.seconds,
        "cost": outcome.cost,
        "cost_by": outcome.spent_by,
        "attempts": sum(a.trial is not None for a in outcome.attempts),
        "reason": outcome.reason.value,
        "questions": shown.questions if shown is not None and status is Status.PROPOSED else (),
    }
