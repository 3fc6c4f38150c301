"""What is shown to the user, as far as it can be said without running anything. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from jupyter_selfheal.loop import evidence
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.model import (
    Candidate,
    Diagnosis,
    Ending,
    Failure,
    Isolation,
    Patch,
    Proposal,
    Start,
    Trial,
    Verdict,
)


def build_proposal(dossier: Dossier, candidates: tuple[Candidate, ...]) -> Proposal:
    """What is shown to the user, as far as it can be said without running anything."""
    alive = {c.patch.id for c in candidates}
    return Proposal(
        failure=dossier.case.failure,
        diagnosis=choose_diagnosis(dossier),
        candidates=candidates,
        proven_from=(candidates[0].trial.start,) if candidates and candidates[0].verdict.is_shown_to_run else (),
        baseline=evidence.find_baseline(dossier),
        cost=dossier.account.spent,
        spent_by=dossier.account.spent_by,
        notes=dossier.notes,
        questions=tuple(q for q in dossier.questions if sum(bool(alive & set(ids)) for ids in q.answers.values()) > 1),
    )


def build_consent_proposal(dossier: Dossier) -> Proposal:
    """The question whether a patch that adds capabilities may be tried."""
    patch, capabilities = dossier.awaiting_consent[0]
    why = f"not tried: it adds {', '.join(capabilities)}"
    return replace(build_untried_proposal(dossier, [patch], why), needs_consent=capabilities)


def build_untried_proposal(dossier: Dossier, patches: Iterable[Patch], why: str) -> Proposal:
    """Patches that were not tried, said to be so."""
    candidates = tuple(
        Candidate(
            patch,
            Trial(patch.id, (), Ending.CANCELLED, Start.AFTER_FAILURE, Isolation("none"), detail=why),
            Verdict(patch.id, 0.0, False, reasons=(why,), inconclusive=why),
        )
        for patch in patches
    )
    shown = build_proposal(dossier, candidates)
    return shown if why in shown.notes else replace(shown, notes=(*shown.notes, why))


def find_last_proposal(dossier: Dossier) -> tuple[Proposal, ...]:
    """What a heal that closes without a decision still has to show: advice, and how far it got. Never proven."""
    if dossier.proposals:
        return dossier.proposals[-1:]
    patches = [*dossier.shown]
    why = "not tried: " + (dossier.unproven or "this failure is left alone")
    if dossier.derived and not patches:
        patches = [dossier.current.base]
        why = format_partial_fix(dossier)
    return (build_untried_proposal(dossier, patches, why),) if patches else ()


def format_partial_fix(dossier: Dossier) -> str:
    """Which change got past the first failure, and the failure behind it."""
    return format_first_fix(dossier.current.base, dossier.current.failure)


def format_first_fix(patch: Patch, behind: Failure) -> str:
    """That a patch got past a failure, and the one behind it."""
    return f"fixed the first problem ({patch.title}); next: {behind.headline} (line {behind.line})"


def choose_diagnosis(dossier: Dossier) -> Diagnosis:
    """The diagnosis to show: the reported failure's, unless that is silent and the one at hand is not."""
    return dossier.root if dossier.root.cause or not dossier.diagnosis.cause else dossier.diagnosis


def find_diagnosis_at_end(dossier: Dossier) -> Diagnosis:
    """The diagnosis of the failure at hand; where it stands behind another one, that is said first."""
    if not dossier.derived or not dossier.root.cause or dossier.root.cause == dossier.diagnosis.cause:
        return dossier.diagnosis
    return replace(dossier.diagnosis, cause=f"{dossier.root.cause.rstrip('.')}. Behind it: {dossier.diagnosis.cause}")
