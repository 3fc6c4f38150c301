"""What to do next: the discipline of the loop, as pure functions of the dossier.

:func:`choose_next_move` is the whole of it. What the user asked to be tried comes first, and after too many rejections the heal
pauses. Then, in the order in which the moves are worth their price:

1. a patch that is good enough is proposed; where chance has a hand in it, it is run several times first;
2. a *safe* patch that got past the failure is built upon, but for a cell that did not parse and fails in a line that it mended;
3. patches that wait are tried, the most trustworthy first: an unsafe one cannot outrank an accepted safe one;
4. any patch that got further is built upon, the furthest first; a guess that only led to a wrong value after the next;
5. the next free healer is asked;
6. patches that add capabilities are put to the user, before a model is paid;
7. a model is asked: money first, then attempts, then whether it would be a waste;
8. what runs but convinces nobody is shown;
9. the heal ends, with the reason that is nearest to the truth.
"""

from __future__ import annotations

import sys

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop import evidence, further_evidence, limits, progress, proposals, stability
from jupyter_selfheal.loop.commands import (
    AskHealer,
    Close,
    Command,
    Derive,
    Pause,
    PriceCall,
    Propose,
    Repeat,
    TryPatches,
)
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.model import (
    AS_LIKELY,
    MAY_BE_MEANT,
    Applicability,
    Candidate,
    Diagnosis,
    FailureKind,
    Install,
    Locus,
    Patch,
    Reason,
    SkipReason,
)
from jupyter_selfheal.registry import load_traits

ASKED_FOR = sys.maxsize
"""In place of a number of derivations: a patch that the user wrote, or allowed to be tried."""

_LEFT_IN_THE_END = (SkipReason.OWN_CHECK, SkipReason.FLAKY)
"""Failures that somebody may be asked about, and that are left alone where nobody had a fix."""

STOPPED_EARLY = "it was stopped before it ended, and nothing in its code is known to be wrong: let it run longer (heal {} SECONDS in a batch)"

MEANT_BEHIND = "an error that the notebook means to raise"
"""Ends what is said of a cell whose fault was mended, and that then fails as it is stored, or as it says."""

SURE = 80
"""Confidence below which a cause in the environment is left alone."""


def choose_next_move(dossier: Dossier, config: HealConfig) -> Command:
    """The next command of a heal that is between two pieces of work."""
    if dossier.unproven:
        return _choose_untried_move(dossier)
    if any(at == ASKED_FOR for at, _ in dossier.waiting):
        return TryPatches(select_next_tier(dossier))
    if dossier.rejections >= config.rejections:
        return Pause(f"{dossier.rejections} proposals were rejected", Reason.REJECTED)
    best = evidence.list_accepted(dossier, config)
    if best and stability.is_to_be_measured(dossier, best[0].patch):
        return Repeat(best[0].patch)
    if best and (silent := evidence.find_silent_difference(dossier, best)):
        return Derive(silent.patch.id)
    if best and not _is_asking_what_differs(dossier, best[0]):
        return Propose(proposals.build_proposal(dossier, best))
    is_unasked = any(load_traits(h).reasoned for h in list_open_healers(dossier) if h not in dossier.paid)
    further = evidence.list_further(dossier, is_unasked=is_unasked)
    has_oracle = bool(dossier.case.oracle) and dossier.current.failure.kind is FailureKind.SYNTAX
    is_sure = further and further[0].patch.applicability is Applicability.SAFE and not has_oracle
    if is_sure and not evidence.fails_where_mended(dossier, further[0]):
        return Derive(further[0].patch.id)
    depth = len(dossier.derived)
    if any(at == depth for at, _ in dossier.waiting):
        return TryPatches(select_next_tier(dossier))
    shown = evidence.list_plausible(dossier)
    free = next((h for h in list_open_healers(dossier) if h not in dossier.paid), "")
    is_unread = dossier.current.failure.kind is FailureKind.SYNTAX  # it can be read in many ways: all are known first
    is_late = bool(free) and further and (is_unread or evidence.is_refuted_guess(dossier, further[0]))
    if further and not shown and not is_late:
        return Derive(further[0].patch.id)
    if free:
        return AskHealer(free, dossier.current)
    if dossier.waiting:
        return TryPatches(select_next_tier(dossier))
    if dossier.awaiting_consent:
        return Propose(proposals.build_consent_proposal(dossier))
    is_last = not any(h in dossier.paid for h in list_open_healers(dossier))
    if is_last and (silent := evidence.find_silent_difference(dossier, shown)):
        return Derive(silent.patch.id)
    return _choose_paid_move(dossier, config, shown)


def _is_asking_what_differs(dossier: Dossier, best: Candidate) -> bool:
    """Whether those who may know why a good fix gives another value than is stored are still being asked."""
    is_open = bool(dossier.waiting or list_open_healers(dossier))
    return dossier.current.failure.is_silent and bool(best.verdict.difference) and is_open


def _choose_paid_move(dossier: Dossier, config: HealConfig, shown: tuple[Candidate, ...]) -> Command:
    paid = next((h for h in list_open_healers(dossier) if h in dossier.paid), "")
    wasted = limits.find_waste(dossier, config) if paid else None
    if not paid or (wasted and not config.warn_only):
        shown = shown or tuple(c for c in evidence.list_candidates(dossier) if c.verdict.inconclusive)
        return Propose(proposals.build_proposal(dossier, shown)) if shown else _build_close(dossier, wasted)
    if paid not in dossier.prices:
        return PriceCall(paid)
    worst = dossier.prices[paid]
    why = limits.find_exceeded_limit(dossier.account, worst, config)
    if not why and len(dossier.rounds) < config.attempts:
        return AskHealer(paid, dossier.current, worst)
    if shown:
        return Propose(proposals.build_proposal(dossier, shown))
    if why:
        return Pause(_add_how_far(dossier, why), Reason.OVER_BUDGET)
    warning = f"; {limits.explain_waste(dossier, wasted)}" if wasted else ""
    return Pause(_add_how_far(dossier, f"{len(dossier.rounds)} attempts did not heal it{warning}"), Reason.EXHAUSTED)


def _choose_untried_move(dossier: Dossier) -> Command:
    """Nothing can be tried: only those who need no trial are asked."""
    free = next((h for h in list_open_healers(dossier) if load_traits(h).trusted), "")
    if free:
        return AskHealer(free, dossier.current)
    left = [p for p in dossier.shown if p.id not in evidence.list_rejected_ids(dossier)]
    if left:
        return Propose(proposals.build_untried_proposal(dossier, left, dossier.unproven))
    reason = Reason.REJECTED if evidence.list_rejected_ids(dossier) else Reason.NOT_REPRODUCED
    return Close(reason, dossier.unproven)


def _build_close(dossier: Dossier, wasted: Reason | None) -> Command:
    """The end, but where a service that is paid could not be reached: that is a pause, which the user may end when it is mended."""
    if wasted:
        return Close(wasted, _say_how_far(dossier, limits.explain_waste(dossier, wasted)))
    if dossier.derived and dossier.diagnosis.skip_reason is SkipReason.DELIBERATE:
        return Close(Reason.EXHAUSTED, f"{proposals.format_partial_fix(dossier)}, {MEANT_BEHIND}")
    if is_left_alone(dossier.diagnosis) or (dossier.diagnosis.skip_reason in _LEFT_IN_THE_END and not dossier.shut):
        why = dossier.diagnosis.advice or dossier.diagnosis.cause
        return Close(Reason.ENVIRONMENT, f"{proposals.format_partial_fix(dossier)}. {why}" if dossier.derived else why)
    if limits.is_outage(dossier):
        return Pause(_add_how_far(dossier, dossier.shut[-1].message), Reason.INFRASTRUCTURE)
    if dossier.shut:
        return Close(dossier.shut[-1].reason, _say_how_far(dossier, dossier.shut[-1].message))
    if evidence.list_rejected_ids(dossier):
        return Close(Reason.REJECTED, "Every fix that was found was rejected.")
    if dossier.current.failure.kind is FailureKind.TIMED_OUT and not dossier.diagnosis.advice:
        first = f"fixed the first problem ({dossier.current.base.title}); then " if dossier.derived else ""
        limit = "--trial-timeout" if dossier.derived else "--timeout"
        return Close(Reason.EXHAUSTED, f"{first}{STOPPED_EARLY.format(limit)}")
    if dossier.derived:
        return Close(Reason.EXHAUSTED, f"{proposals.format_partial_fix(dossier)}; no working fix found for that")
    advice = f". {dossier.diagnosis.advice}" if dossier.diagnosis.advice else ""
    if dossier.diagnosis.may_be_meant:
        advice = f"{advice.rstrip('.')}. {MAY_BE_MEANT}"
    return Close(Reason.EXHAUSTED, f"no working fix found{limits.name_untried(dossier)}{advice}")


def _say_how_far(dossier: Dossier, why: str) -> str:
    """Why the heal ends, after how far the cell is mended where that is further than it came by itself."""
    return f"{proposals.format_partial_fix(dossier)}; {why}" if _came_further(dossier) else why


def _add_how_far(dossier: Dossier, why: str) -> str:
    """The same where the user is asked what to do: the reason comes first."""
    return f"{why}; {proposals.format_partial_fix(dossier)}" if _came_further(dossier) else why


def _came_further(dossier: Dossier) -> bool:
    came, comes = (progress.measure_reach(failure) for failure in (dossier.case.failure, dossier.current.failure))
    return bool(dossier.derived) and comes > came


def is_left_alone(diagnosis: Diagnosis) -> bool:
    """True where no code is rewritten: the cause is not in the code, or that is likelier than not."""
    if diagnosis.skip_reason is not None and diagnosis.skip_reason.is_final:
        return True
    return diagnosis.locus is Locus.ENVIRONMENT and diagnosis.confidence < SURE


def list_healers(dossier: Dossier, diagnosis: Diagnosis) -> tuple[str, ...]:
    """Who may be asked about the failure at hand: nobody where it is left alone, but the rules about an installation."""
    if dossier.current.failure.is_silent:
        return tuple(h for h in dossier.healers if load_traits(h).trusted)
    if diagnosis.skip_reason is SkipReason.FLAKY:
        return tuple(h for h in dossier.healers if not stability.is_guesser(h))
    if not is_left_alone(diagnosis):
        return dossier.healers
    return tuple(
        h for h in dossier.healers if load_traits(h).installs and diagnosis.skip_reason is SkipReason.MISSING_MODULE
    )


def list_open_healers(dossier: Dossier) -> tuple[str, ...]:
    """Who may be asked next, in order."""
    shut = {s.healer for s in dossier.shut}
    return tuple(h for h in list_healers(dossier, dossier.diagnosis) if h not in shut and h not in dossier.asked)


def is_advice_only(diagnosis: Diagnosis, patch: Patch, config: HealConfig) -> bool:
    """True for a patch that is shown but not tried: an installation that is not permitted, or of a name that is no known
    distribution's (anybody may publish under it); and where the failure is left alone, everything but an installation."""
    if not any(isinstance(e, Install) for e in patch.edits):
        return is_left_alone(diagnosis)
    return not config.install or patch.applicability is Applicability.DISPLAY_ONLY


def select_next_tier(dossier: Dossier) -> tuple[Patch, ...]:
    """The waiting patches to try now: of the latest derivation, those that may be trusted most, likeliest first.

    Of what the search found, one trial proves all that did the same on every input. What something speaks against, and is less likely,
    is left out with them, until what nothing speaks against does not hold, where its trial could say nothing more than that the checks
    hold, which is known.
    """
    depth = max(at for at, _ in dossier.waiting)
    group = [p for at, p in dossier.waiting if at == depth]
    best = max(p.applicability for p in group)
    tier = [p for p in group if p.applicability is best]
    leaders = [p for p in tier if p.behaviour == p.id]
    if any(not p.rival for p in leaders):
        likely = AS_LIKELY * max(p.weight for p in leaders if not p.rival)
        is_told = further_evidence.can_tell_apart(dossier.case, leaders)
        first = [p for p in leaders if is_told or not p.rival or p.weight >= likely]
        tier = [p for p in tier if not p.behaviour or p in first]
    return tuple(sorted(tier, key=lambda p: -p.prior))
