"""What to do next: the discipline of the loop, as pure functions of the dossier.

:func:`next_move` is the whole of it. What the user asked to be tried comes first, and after too many rejections the heal
pauses. Then, in the order in which the moves are worth their price:

1. a patch that is good enough is proposed;
2. a *safe* patch that got past the failure is built upon;
3. patches that wait are tried, the most trustworthy first: an unsafe one cannot outrank an accepted safe one;
4. any patch that got further is built upon, the furthest first;
5. the next free healer is asked;
6. patches that add capabilities are put to the user, before a model is paid;
7. a model is asked: money first, then attempts, then whether it would be a waste;
8. what runs but convinces nobody is shown;
9. the heal ends, with the reason that is nearest to the truth.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from jupyter_selfheal import source as src
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop import limits, progress
from jupyter_selfheal.loop.events import (
    AskHealer,
    Close,
    Command,
    Derive,
    Pause,
    PriceCall,
    Propose,
    TryPatches,
)
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.model import (
    Applicability,
    Attempt,
    Candidate,
    Case,
    Cost,
    Diagnosis,
    Ending,
    Insert,
    Install,
    Isolation,
    Locus,
    Patch,
    Proposal,
    Reason,
    Replace,
    Start,
    Trial,
    Verdict,
)

DERIVATIONS = 12
"""Failures behind the first one that are taken up: aged cells hold two to six broken calls."""

ASKED_FOR = sys.maxsize
"""In place of a number of derivations: a patch that the user wrote, or allowed to be tried."""

UNTRIED = ("memory", "rules")
"""Healers whose patches are worth showing though nothing can be tried."""

SURE = 80
"""Confidence below which a cause in the environment is left alone."""


def next_move(dossier: Dossier, config: HealConfig) -> Command:
    """The next command of a heal that is between two pieces of work."""
    if dossier.unproven:
        return _show_only(dossier)
    if any(at == ASKED_FOR for at, _ in dossier.waiting):
        return TryPatches(next_tier(dossier))
    if dossier.rejections >= config.rejections:
        return Pause(f"{dossier.rejections} proposals were rejected", Reason.REJECTED)
    best = accepted(dossier, config)
    if best:
        return Propose(proposal(dossier, best))
    further = getting_further(dossier)
    if further and further[0].patch.applicability is Applicability.SAFE:
        return Derive(further[0].patch.id)
    depth = len(dossier.derived)
    if any(at == depth for at, _ in dossier.waiting):
        return TryPatches(next_tier(dossier))
    shown = plausible(dossier)
    if further and not shown:
        return Derive(further[0].patch.id)
    free = next((h for h in open_healers(dossier) if h not in dossier.paid), "")
    if free:
        return AskHealer(free, dossier.current)
    if dossier.waiting:
        return TryPatches(next_tier(dossier))
    if dossier.held:
        return Propose(held_proposal(dossier))
    return _paid_move(dossier, config, shown)


def _paid_move(dossier: Dossier, config: HealConfig, shown: tuple[Candidate, ...]) -> Command:
    paid = next((h for h in open_healers(dossier) if h in dossier.paid), "")
    wasted = limits.wasted(dossier, config) if paid else None
    if not paid or wasted:
        shown = shown or tuple(c for c in candidates(dossier) if c.verdict.inconclusive)
        return Propose(proposal(dossier, shown)) if shown else _close(dossier, wasted)
    if paid not in dossier.prices:
        return PriceCall(paid)
    worst = dossier.prices[paid]
    why = limits.over_budget(dossier.account, worst, config)
    if not why and len(dossier.rounds) < config.attempts:
        return AskHealer(paid, dossier.current, worst)
    if shown:
        return Propose(proposal(dossier, shown))
    if why:
        return Pause(why, Reason.OVER_BUDGET)
    return Pause(f"{len(dossier.rounds)} attempts did not heal it", Reason.EXHAUSTED)


def _show_only(dossier: Dossier) -> Command:
    """Nothing can be tried: only those who need no trial are asked."""
    free = next((h for h in open_healers(dossier) if h in UNTRIED), "")
    if free:
        return AskHealer(free, dossier.current)
    left = [p for p in dossier.shown if p.id not in rejected(dossier)]
    if left:
        return Propose(untried_proposal(dossier, left, dossier.unproven))
    reason = Reason.REJECTED if rejected(dossier) else Reason.NOT_REPRODUCED
    return Close(reason, dossier.unproven)


def _close(dossier: Dossier, wasted: Reason | None) -> Command:
    if wasted:
        detail = {
            Reason.STUCK: "the attempts repeat themselves",
            Reason.NO_IMPROVEMENT: "the attempts do not get better",
        }
        return Close(wasted, detail[wasted])
    if left_alone(dossier.diagnosis):
        return Close(Reason.ENVIRONMENT, dossier.diagnosis.advice or dossier.diagnosis.cause)
    if dossier.shut:
        return Close(dossier.shut[-1].reason, dossier.shut[-1].message)
    if rejected(dossier):
        return Close(Reason.REJECTED, "every patch that was found was rejected")
    return Close(Reason.EXHAUSTED, "no patch was found that heals it")


# --- the failure ----------------------------------------------------------------------------------------------------


def reproduction(dossier: Dossier, config: HealConfig) -> bool | None:
    """Whether the failure was reproduced; None where it has to be run (again) to know.

    A failure that does not come up at the first run is run up to three times, unless the cell is slow: flakiness is
    said, with the rate.
    """
    runs, hits = len(dossier.baselines), hits_of(dossier)
    slow = dossier.case.failure.seconds > 10
    if runs < config.reproduce or (not hits and runs < 3 and not slow):
        return None
    return hits > 0


def hits_of(dossier: Dossier) -> int:
    """How many of the baseline's runs failed as reported."""
    return sum(progress.reproduces(dossier.case, b.trial, b.missed) for b in dossier.baselines)


def baseline(dossier: Dossier) -> Trial | None:
    """The run of the cell as it is that failed as reported (the first one, where none did)."""
    for ran in dossier.baselines:
        if progress.reproduces(dossier.case, ran.trial, ran.missed):
            return ran.trial
    return dossier.baselines[0].trial if dossier.baselines else None


def left_alone(diagnosis: Diagnosis) -> bool:
    """True where no code is rewritten: the cause is not in the code, or that is likelier than not."""
    return bool(diagnosis.leave_alone) or (diagnosis.locus is Locus.ENVIRONMENT and diagnosis.confidence < SURE)


def healers_for(dossier: Dossier, diagnosis: Diagnosis) -> tuple[str, ...]:
    """Who may be asked about the failure at hand: nobody where it is left alone, but the rules about an installation."""
    if not left_alone(diagnosis):
        return dossier.healers
    return tuple(h for h in dossier.healers if h == "rules" and diagnosis.leave_alone == "missing module")


def open_healers(dossier: Dossier) -> tuple[str, ...]:
    """Who may be asked next, in order."""
    shut = {s.healer for s in dossier.shut}
    return tuple(h for h in healers_for(dossier, dossier.diagnosis) if h not in shut and h not in dossier.asked)


# --- patches --------------------------------------------------------------------------------------------------------


def key(patch: Patch) -> str:
    """Equal for patches whose resulting sources differ in formatting only."""
    sources = {e.cell_id: _canonical(e.source) for e in patch.edits if isinstance(e, Replace | Insert)}
    others = [repr(e) for e in patch.edits if not isinstance(e, Replace | Insert)]
    placed = [f"{e.before}<{_canonical(e.source)}" for e in patch.edits if isinstance(e, Insert)]
    return repr((sorted(sources.items()) if not placed else sorted(s for s in sources.values()), placed, others))


@lru_cache(maxsize=4096)
def _canonical(source: str) -> str:
    return src.canonical(source)


def new_patches(dossier: Dossier, patches: Iterable[Patch], limit: int) -> tuple[Patch, ...]:
    """The first ``limit`` patches that change something and were never seen, rejected ones included."""
    seen = {key(p) for p in _known(dossier)} | {key(dossier.current.base)}
    found: list[Patch] = []
    for patch in patches:
        if patch.is_empty or key(patch) in seen or _changes_nothing(patch):
            continue
        seen.add(key(patch))
        found.append(patch)
    return tuple(found[:limit])


def _known(dossier: Dossier) -> Iterable[Patch]:
    yield from (a.patch for a in dossier.archive)
    yield from (p for _, p in dossier.waiting)
    yield from (p for p, _ in dossier.held)
    yield from dossier.shown


def _changes_nothing(patch: Patch) -> bool:
    return all(isinstance(e, Replace) and _canonical(e.source) == _canonical(e.old) for e in patch.edits)


def advice_only(diagnosis: Diagnosis, patch: Patch, config: HealConfig) -> bool:
    """True for a patch that is shown but not tried: an installation that is not permitted, and where the failure is left
    alone everything but an installation that is."""
    installs = any(isinstance(e, Install) for e in patch.edits)
    return not config.install if installs else left_alone(diagnosis)


def next_tier(dossier: Dossier) -> tuple[Patch, ...]:
    """The waiting patches to try now: of the latest derivation, those that may be trusted most, likeliest first."""
    depth = max(at for at, _ in dossier.waiting)
    group = [p for at, p in dossier.waiting if at == depth]
    best = max(p.applicability for p in group)
    return tuple(sorted((p for p in group if p.applicability is best), key=lambda p: -p.prior))


# --- evidence -------------------------------------------------------------------------------------------------------


def rejected(dossier: Dossier) -> frozenset[str]:
    """Ids of the patches that the user rejected."""
    return frozenset(a.patch.id for a in dossier.archive if a.rejection)


def candidates(dossier: Dossier) -> tuple[Candidate, ...]:
    """Every judged patch that was not rejected, best first."""
    out = rejected(dossier)
    last = {a.patch.id: a for a in dossier.archive if a.trial and a.verdict and a.patch.id not in out}
    ranked = [last[i] for i in dossier.order if i in last]
    preferred = [a for a in ranked if a.patch.id in dossier.preferred]
    return tuple(
        Candidate(a.patch, a.trial, a.verdict)
        for a in [*preferred, *(a for a in ranked if a not in preferred)]
        if a.trial and a.verdict
    )


def plausible(dossier: Dossier) -> tuple[Candidate, ...]:
    """Candidates that may be shown: they ran where the cell did not, and nothing contradicts them."""
    return tuple(c for c in candidates(dossier) if c.verdict.plausible)


def accepted(dossier: Dossier, config: HealConfig) -> tuple[Candidate, ...]:
    """What is proposed at once, best first; empty where nothing is good enough.

    Good enough: what the user wrote or pointed at; else a score of ``config.accept`` for a patch that may be applied.
    """
    found = candidates(dossier)
    if found and found[0].patch.id in dossier.preferred:
        return found
    good = [
        c
        for c in plausible(dossier)
        if c.verdict.score >= config.accept
        and not c.verdict.inconclusive
        and c.patch.applicability is not Applicability.DISPLAY_ONLY
    ]
    return (*good, *(c for c in plausible(dossier) if c not in good)) if good else ()


def getting_further(dossier: Dossier) -> tuple[Attempt, ...]:
    """Attempts that got past the failure at hand and met another: safe ones first, then the furthest."""
    if len(dossier.derived) >= DERIVATIONS:
        return ()
    here = dossier.current
    out = rejected(dossier)
    found = []
    for attempt in dossier.archive:
        if attempt.patch.id in dossier.derived or attempt.patch.id in out or not _may_be_built_on(attempt):
            continue
        case = behind(dossier, attempt)
        if case is None:
            continue
        reach, gain = progress.reach(case.failure), progress.reach(here.failure)
        seen = progress.signature(case.failure, case.notebook) in dossier.met
        if seen or reach < gain:
            continue
        further = reach > gain
        if not further and progress.is_of_its_own_making(here.failure, case.failure):
            continue
        found.append(((attempt.patch.applicability if further else Applicability.UNSAFE, reach), attempt))
    return tuple(attempt for _, attempt in sorted(found, key=lambda item: item[0], reverse=True))


def _may_be_built_on(attempt: Attempt) -> bool:
    return (
        attempt.trial is not None
        and attempt.patch.applicability is not Applicability.DISPLAY_ONLY
        and not (attempt.verdict and (attempt.verdict.plausible or attempt.verdict.tampering))
    )


def behind(dossier: Dossier, attempt: Attempt) -> Case | None:
    """The case behind an attempt, or None."""
    if attempt.trial is None:
        return None
    missed = attempt.verdict.feedback if attempt.verdict and not attempt.verdict.plausible else ""
    case = dossier.case
    return progress.behind(case, attempt.patch, attempt.trial, missed if attempt.trial.ran and case.oracle else "")


# --- proposals ------------------------------------------------------------------------------------------------------


def proposal(dossier: Dossier, found: tuple[Candidate, ...]) -> Proposal:
    """What is shown to the user, as far as it can be said without running anything."""
    alive = {c.patch.id for c in found}
    return Proposal(
        failure=dossier.case.failure,
        diagnosis=told(dossier),
        candidates=found,
        proven_from=(found[0].trial.start,) if found and found[0].verdict.plausible else (),
        baseline=baseline(dossier),
        cost=dossier.account.spent,
        notes=dossier.notes,
        questions=tuple(q for q in dossier.questions if sum(bool(alive & set(ids)) for ids in q.answers.values()) > 1),
    )


def held_proposal(dossier: Dossier) -> Proposal:
    """The question whether a patch that adds capabilities may be tried."""
    patch, capabilities = dossier.held[0]
    why = f"not tried: it adds {', '.join(capabilities)}"
    return replace(untried_proposal(dossier, [patch], why), needs_clearance=capabilities)


def untried_proposal(dossier: Dossier, patches: Iterable[Patch], why: str) -> Proposal:
    """Patches that were not tried, said to be so."""
    found = tuple(
        Candidate(
            patch,
            Trial(patch.id, (), Ending.CANCELLED, Start.AFTER_FAILURE, Isolation("none"), detail=why),
            Verdict(patch.id, 0.0, False, reasons=(why,), inconclusive=why),
        )
        for patch in patches
    )
    shown = proposal(dossier, found)
    return shown if why in shown.notes else replace(shown, notes=(*shown.notes, why))


def last_words(dossier: Dossier) -> tuple[Proposal, ...]:
    """What a heal that closes without a decision still has to show: advice, and how far it got. Never proven."""
    if dossier.proposals:
        return dossier.proposals[-1:]
    found = [*dossier.shown]
    why = "not tried: " + (dossier.unproven or "this failure is left alone")
    if dossier.derived and not found:
        found = [dossier.current.base]
        why = f"gets as far as line {dossier.current.failure.line}, then: {dossier.current.failure.headline}"
    return (untried_proposal(dossier, found, why),) if found else ()


def told(dossier: Dossier) -> Diagnosis:
    """The diagnosis to show: the reported failure's, unless that is silent and the one at hand is not."""
    return dossier.root if dossier.root.cause or not dossier.diagnosis.cause else dossier.diagnosis


def costs(cost: Cost) -> bool:
    """Whether a price is one that must be reserved: dollars, tokens, or unknown."""
    return cost.usd > 0 or cost.unknown or cost.input_tokens + cost.output_tokens > 0
