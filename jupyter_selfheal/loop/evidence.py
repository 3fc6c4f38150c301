"""What the dossier holds in evidence: was it reproduced, what was seen before, what is good enough, what got further. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from jupyter_selfheal import source as src
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop import progress, stability
from jupyter_selfheal.loop.behaviour import list_like_rejected
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.model import (
    MAY_BE_MEANT,
    OTHER_THAN_STORED,
    Applicability,
    Attempt,
    Candidate,
    Case,
    FailureKind,
    Insert,
    Patch,
    Replace,
    Trial,
    Verdict,
)
from jupyter_selfheal.registry import load_traits

DERIVATIONS = 12
"""Failures behind the first one that are taken up: aged cells hold two to six broken calls."""

MISSED_STORED = 3.0
"""What gives another value than the stored one scores no more where that was all that was wrong."""


def is_reproduced(dossier: Dossier, config: HealConfig) -> bool | None:
    """Whether the failure was reproduced; None where it has to be run (again) to know.

    How often that is, :func:`.stability.choose_next_run` decides.
    """
    if stability.choose_next_run(dossier, config) is not None:
        return None
    return count_hits(dossier) > 0


def count_hits(dossier: Dossier) -> int:
    """How many of the baseline's runs failed as reported."""
    return sum(progress.is_reproduction(dossier.case, b.trial, b.missed) for b in dossier.baselines)


def find_baseline(dossier: Dossier) -> Trial | None:
    """The run of the cell as it is that failed as reported (the first one, where none did)."""
    for ran in dossier.baselines:
        if progress.is_reproduction(dossier.case, ran.trial, ran.missed):
            return ran.trial
    return dossier.baselines[0].trial if dossier.baselines else None


def build_patch_key(patch: Patch) -> str:
    """Equal for patches whose resulting sources differ in formatting only."""
    sources = {e.cell_id: _normalise_source(e.source) for e in patch.edits if isinstance(e, Replace | Insert)}
    others = [repr(e) for e in patch.edits if not isinstance(e, Replace | Insert)]
    placed = [f"{e.before}<{_normalise_source(e.source)}" for e in patch.edits if isinstance(e, Insert)]
    return repr((sorted(sources.items()) if not placed else sorted(s for s in sources.values()), placed, others))


@lru_cache(maxsize=4096)
def _normalise_source(source: str) -> str:
    return src.canonicalise(source)


def select_new(dossier: Dossier, patches: Iterable[Patch], limit: int) -> tuple[Patch, ...]:
    """The first ``limit`` patches that change something and were never seen, rejected ones included."""
    seen = {build_patch_key(p) for p in _list_known_patches(dossier)} | {build_patch_key(dossier.current.base)}
    new: list[Patch] = []
    for patch in patches:
        if patch.is_empty or build_patch_key(patch) in seen or _is_empty_change(patch):
            continue
        seen.add(build_patch_key(patch))
        new.append(patch)
    return tuple(new[:limit])


def _list_known_patches(dossier: Dossier) -> Iterable[Patch]:
    yield from (a.patch for a in dossier.archive)
    yield from (p for _, p in dossier.waiting)
    yield from (p for p, _ in dossier.awaiting_consent)
    yield from dossier.shown


def _is_empty_change(patch: Patch) -> bool:
    return all(isinstance(e, Replace) and _normalise_source(e.source) == _normalise_source(e.old) for e in patch.edits)


def list_rejected_ids(dossier: Dossier) -> frozenset[str]:
    """Ids of the patches that the user rejected."""
    return frozenset(a.patch.id for a in dossier.archive if a.rejection)


def list_candidates(dossier: Dossier) -> tuple[Candidate, ...]:
    """Every judged patch that was not rejected and does not do what a rejected one does, best first."""
    out = list_like_rejected(dossier.archive) - frozenset(dossier.preferred)
    last = {a.patch.id: a for a in dossier.archive if a.trial and a.verdict and a.patch.id not in out}
    ranked = [last[i] for i in dossier.order if i in last]
    preferred = [a for a in ranked if a.patch.id in dossier.preferred]
    return tuple(
        Candidate(a.patch, a.trial, a.verdict)
        for a in [*preferred, *(a for a in ranked if a not in preferred)]
        if a.trial and a.verdict
    )


def list_plausible(dossier: Dossier) -> tuple[Candidate, ...]:
    """Candidates that may be shown: they ran (or ran on) where the cell did not, and nothing contradicts them."""
    return tuple(c for c in list_candidates(dossier) if c.verdict.plausible)


def list_accepted(dossier: Dossier, config: HealConfig) -> tuple[Candidate, ...]:
    """What is proposed at once, best first; empty where nothing is good enough.

    Good enough: what the user wrote or pointed at; else a score of ``config.accept`` for a patch that may be applied. One that only
    lacks a fresh kernel to be run in, or somebody's word, is shown too, with its lower score: who is asked next would lack it as well.
    """
    candidates = list_candidates(dossier)
    if candidates and candidates[0].patch.id in dossier.preferred:
        return candidates
    good = [
        c
        for c in list_plausible(dossier)
        if (c.verdict.score >= config.accept or c.verdict.needs_word or _lacks_fresh_kernel(dossier, c))
        and not c.verdict.inconclusive
        and c.patch.applicability is not Applicability.DISPLAY_ONLY
        and not (stability.is_beyond_measuring(dossier) and stability.is_to_be_measured(dossier, c.patch))
    ]
    return (*good, *(c for c in list_plausible(dossier) if c not in good)) if good else ()


def _lacks_fresh_kernel(dossier: Dossier, candidate: Candidate) -> bool:
    repeats = dossier.repeated.get(candidate.patch.id)
    return repeats is not None and bool(repeats.refused) and candidate.verdict.score == stability.DOUBTED


def hold_to_word(dossier: Dossier, verdict: Verdict, config: HealConfig) -> Verdict:
    """A verdict as it is where the failure may be meant, whatever the patch gives: good enough for the user's word, and not without it.

    So where somebody went on below the failure, and got there what the patch changes.
    """
    known = (dossier.root, dossier.diagnosis)
    is_held = any(d.may_be_meant or (d.kept and verdict.difference) for d in known)
    if not is_held or not verdict.plausible:
        return verdict
    return replace(
        verdict,
        score=min(verdict.score, stability.DOUBTED),
        reasons=(MAY_BE_MEANT, *verdict.reasons),
        needs_word=verdict.needs_word or verdict.score >= config.accept,
        may_be_meant=True,
    )


def list_further(dossier: Dossier, *, is_unasked: bool = False) -> tuple[Attempt, ...]:
    """Attempts that got past the failure at hand and met another: safe ones first, then the furthest.

    ``is_unasked`` says that somebody who may know the failure at hand, and costs nothing, was not asked yet.
    """
    if len(dossier.derived) >= DERIVATIONS:
        return ()
    here = dossier.current
    out = list_rejected_ids(dossier)
    ranked = []
    for attempt in dossier.archive:
        if attempt.patch.id in dossier.derived or attempt.patch.id in out or not _can_build_on(attempt):
            continue
        case = find_case_behind(dossier, attempt)
        if case is None:
            continue
        reach, gain = progress.measure_reach(case.failure), progress.measure_reach(here.failure)
        seen = progress.build_signature(case.failure, case.notebook) in dossier.met
        if seen or reach < gain:
            continue
        further = reach > gain
        is_early = bool(dossier.derived) and (is_unasked or not dossier.asked)
        if not further and (is_early or progress.is_of_its_own_making(here.failure, case.failure)):
            continue  # what came as far by another way waits until those who may know were asked about the failure at hand
        ranked.append(((attempt.patch.applicability if further else Applicability.UNSAFE, reach), attempt))
    return tuple(attempt for _, attempt in sorted(ranked, key=lambda item: item[0], reverse=True))


def fails_where_mended(dossier: Dossier, attempt: Attempt) -> bool:
    """Whether a cell that did not parse fails in a line that the patch mended: it may have to be read in another way."""
    case = find_case_behind(dossier, attempt)
    here = dossier.current.failure
    if case is None or here.kind is not FailureKind.SYNTAX or case.failure.kind is FailureKind.SYNTAX:
        return False
    lines = case.failure.source.splitlines()
    line = lines[case.failure.line - 1] if 0 < case.failure.line <= len(lines) else ""
    return bool(line.strip()) and line not in here.source.splitlines()


def is_refuted_guess(dossier: Dossier, attempt: Attempt) -> bool:
    """Whether a patch that is not sure to be meant got the cell to run and to a wrong value: what fits at once is better."""
    case = find_case_behind(dossier, attempt)
    is_wrong = case is not None and (case.failure.kind is FailureKind.MISSED or case.failure.ename == "AssertionError")
    return is_wrong and attempt.patch.applicability is not Applicability.SAFE


def _can_build_on(attempt: Attempt) -> bool:
    return (
        attempt.trial is not None
        and attempt.patch.applicability is not Applicability.DISPLAY_ONLY
        and not (attempt.verdict and (attempt.verdict.is_shown_to_run or attempt.verdict.tampering))
    )


def find_silent_difference(dossier: Dossier, shown: Sequence[Candidate]) -> Candidate | None:
    """The best fix of memory or a rule that is about to be shown, where the cell gives another value than is stored with it as a
    release may have changed something else in silence; None where it does not, or that was asked before."""
    if not dossier.case.may_differ_silently or dossier.current.failure.is_silent:
        return None
    known = next((c for c in shown if load_traits(c.patch.healer).trusted), None)
    is_new = known is not None and known.patch.id not in dossier.derived
    return known if known and is_new and known.trial.ran and known.verdict.difference else None


def hold_to_stored(dossier: Dossier, verdict: Verdict) -> Verdict:
    """A verdict as it is on top of a fix that runs and differs: what does not give what is stored either, or may be another thing, is no answer."""
    if not (dossier.current.failure.is_silent and dossier.derived):
        return verdict
    is_safe = any(
        a.patch.id == verdict.patch_id and a.patch.applicability is Applicability.SAFE for a in dossier.archive
    )
    if is_safe and not verdict.difference:
        return verdict
    return replace(verdict, plausible=False, score=min(verdict.score, MISSED_STORED), oracle_met=False)


def find_case_behind(dossier: Dossier, attempt: Attempt) -> Case | None:
    """The case behind an attempt, or None."""
    if attempt.trial is None:
        return None
    missed = attempt.verdict.feedback if attempt.verdict and not attempt.verdict.plausible else None
    case = dossier.case
    if attempt.verdict and attempt.verdict.plausible and attempt.trial.ran:
        missed = OTHER_THAN_STORED if case.may_differ_silently and attempt.verdict.difference else None
        return progress.build_case_behind(case, attempt.patch, attempt.trial, missed)
    return progress.build_case_behind(
        case, attempt.patch, attempt.trial, missed if attempt.trial.ran and case.oracle else None
    )
