"""What a user's word does to a heal. Pure; only here does a heal become *Applied*, and only by an APPROVE."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.inside.search.call_shapes import read_call_shape
from jupyter_selfheal.loop import limits, policy
from jupyter_selfheal.loop.advance import add_note, close_healer, format_closing, release_patch
from jupyter_selfheal.loop.states import Applied, Consented, Dossier, Judged, Paused, Proposed, Stopping
from jupyter_selfheal.model import (
    DISMISSED,
    NOT_APPLIED,
    Applicability,
    Attempt,
    Candidate,
    Choice,
    Decision,
    Patch,
    Proposal,
    Reason,
    Replace,
)
from jupyter_selfheal.numbers import read_number
from jupyter_selfheal.registry import USER

CONFIRMED = 8.5
"""The score of what gives the one value that the user named: it covers that value, and no other."""

RIVALS = ("another change that passes the same checks", "other changes pass the same checks")
"""What a doubt says that is about nothing but which of the changes is meant."""

NO_REASON = "-"
"""Stands for the reason of a rejection that was given none."""


def on_proposal(state: Proposed, decision: Decision) -> Applied | Consented | Judged | Stopping:
    """The state after a word on a proposal."""
    dossier, shown = state.dossier, state.proposal
    candidate = find_candidate(shown, decision)
    match decision.choice:
        case Choice.APPROVE if candidate and not shown.needs_consent:
            return Applied(dossier, candidate, decision)
        case Choice.APPROVE | Choice.CONSENT if candidate and shown.needs_consent:
            return _grant_consent(dossier, candidate.patch)
        case Choice.REJECT if candidate:
            dossier = replace(dossier, rejections=dossier.rejections + 1)
            return Judged(_reject_candidate(dossier, candidate, decision.text))
        case Choice.EDIT:
            return _add_edit(dossier, candidate, decision)
        case Choice.RETRY | Choice.CONTINUE if candidate:
            return Judged(_reject_candidate(_add_hint(dossier, decision.text), candidate, decision.text))
        case Choice.ANSWER:
            return Judged(_take_answer(dossier, shown, decision.text))
        case Choice.RAISE_BUDGET:
            return Judged(_raise_budget(dossier, decision.text))
        case Choice.STOP:
            return Stopping(dossier, Reason.REJECTED, _format_stop(decision))
    return Judged(add_note(dossier, f"{decision.choice.value} {decision.patch_id or decision.text} fits nothing shown"))


def on_pause(state: Paused, decision: Decision, config: HealConfig) -> Applied | Judged | Stopping:
    """The state after a word on a pause. Whatever does not let the heal go on ends it."""
    dossier = state.dossier
    fresh = replace(dossier, rounds=(), rejections=0)
    if state.reason is Reason.INFRASTRUCTURE:
        fresh = _reopen_services(fresh)
    match decision.choice:
        case Choice.CONTINUE:
            return Judged(_extend_allowance(fresh, config) if state.reason is Reason.OVER_BUDGET else fresh)
        case Choice.RETRY:
            return Judged(_add_hint(fresh, decision.text))
        case Choice.RAISE_BUDGET if _parse_amount(decision.text) > 0:
            return Judged(_raise_budget(fresh, decision.text))
        case Choice.APPROVE if dossier.proposals:
            shown = dossier.proposals[-1]
            candidate = find_candidate(shown, decision)
            if candidate and not shown.needs_consent:
                return Applied(dossier, candidate, decision)
    return Stopping(dossier, state.reason, state.why)


def _reopen_services(dossier: Dossier) -> Dossier:
    """Whoever was closed because a service failed may be asked again; the failure is no note of what comes then."""
    failed = [s for s in dossier.shut if s.reason is Reason.INFRASTRUCTURE and s.healer in dossier.paid]
    told = {format_closing(s.healer, s.message) for s in failed}
    return replace(
        dossier,
        shut=tuple(s for s in dossier.shut if s not in failed),
        prices={},
        notes=tuple(note for note in dossier.notes if note not in told),
    )


def find_candidate(shown: Proposal, decision: Decision) -> Candidate | None:
    """The candidate that a decision is about: the one it names, else the best."""
    if not decision.patch_id:
        return shown.candidates[0] if shown.candidates else None
    return next((c for c in shown.candidates if c.patch.id == decision.patch_id), None)


def _grant_consent(dossier: Dossier, patch: Patch) -> Consented:
    dossier = release_patch(dossier, patch)
    return Consented(replace(dossier, waiting=(*dossier.waiting, (policy.ASKED_FOR, patch))))


def _reject_candidate(dossier: Dossier, candidate: Candidate, reason: str) -> Dossier:
    """The attempt gets the user's reason; a patch that was never tried is archived with it."""
    reason, patch = reason.strip() or NO_REASON, candidate.patch
    archive = tuple(replace(a, rejection=reason) if a.patch.id == patch.id else a for a in dossier.archive)
    if not any(a.patch.id == patch.id for a in dossier.archive):
        archive = (*archive, Attempt(patch, rejection=reason))
    return replace(release_patch(dossier, patch), archive=archive)


def _add_edit(dossier: Dossier, candidate: Candidate | None, decision: Decision) -> Consented | Judged:
    """What the user wrote becomes a patch of theirs, on top of the candidate's edits of other cells."""
    failure = dossier.case.failure
    if not decision.text.strip() or decision.text == failure.source:
        return Judged(add_note(dossier, "the edit changes nothing"))
    others = tuple(
        e
        for e in (candidate.patch.edits if candidate else ())
        if not (isinstance(e, Replace) and e.cell_id == failure.cell_id)
    )
    patch = Patch(
        edits=(*others, Replace(failure.cell_id, failure.source, decision.text)),
        title="Your edit",
        healer=USER,
        applicability=Applicability.UNSAFE,
        why="written by the user",
    )
    preferred = (patch.id, *(i for i in dossier.preferred if i != patch.id))
    dossier = replace(dossier, preferred=preferred)
    if dossier.unproven or any(a.patch.id == patch.id and a.trial for a in dossier.archive):
        dossier = replace(dossier, shown=(patch, *dossier.shown)) if dossier.unproven else dossier
        return Judged(dossier)
    return Consented(replace(dossier, waiting=(*dossier.waiting, (policy.ASKED_FOR, patch))))


def _take_answer(dossier: Dossier, shown: Proposal, answer: str) -> Dossier:
    """The user's one value: patches that give another are out; where none gives it, that is a hint for the next ones."""
    for question in shown.questions:
        right = question.answers.get(answer, ())
        if right:
            for candidate in shown.candidates:
                if (
                    any(candidate.patch.id in ids for ids in question.answers.values())
                    and candidate.patch.id not in right
                ):
                    dossier = _reject_candidate(dossier, candidate, f"{question.text} The user says: {answer}")
            first = tuple(c.patch.id for c in shown.candidates if c.patch.id in right)
            is_decided = _do_the_same(dossier, right)
            archive = tuple(
                _confirm_attempt(a, answer, question.subject, is_decided=is_decided) if a.patch.id in right else a
                for a in dossier.archive
            )
            left = tuple(q for q in dossier.questions if q != question)
            return replace(dossier, archive=archive, preferred=first, questions=left)
    hint = " ".join([*(q.text for q in shown.questions), f"The user says: {answer}"])
    for candidate in shown.candidates:
        dossier = _reject_candidate(dossier, candidate, hint)
    return _add_hint(replace(dossier, questions=()), hint)


def _do_the_same(dossier: Dossier, ids: Collection[str]) -> bool:
    """Whether the patches that give the answer were seen to do the same wherever they were compared: the answer decides between all others."""
    known = (*(patch for _, patch in dossier.waiting), *(a.patch for a in dossier.archive))
    behaviours = {patch.behaviour for patch in known if patch.id in ids}
    return len(behaviours) == 1 and "" not in behaviours


def _confirm_attempt(attempt: Attempt, answer: str, subject: str, *, is_decided: bool) -> Attempt:
    """The user's own value is an oracle: what gives it is met by that one. The doubt which of the changes is meant goes where the answer
    decides it: it is about a call like the one that was asked for, or no other change gives the answer."""
    known, rival = attempt.verdict, attempt.patch.rival
    if known is None:
        return attempt
    told = read_call_shape(rival.split("`")[1]) if rival.startswith("`") else None
    is_answered = (told is not None and told == read_call_shape(subject)) or (
        is_decided and any(words in rival for words in RIVALS)
    )
    reasons = tuple(r for r in known.reasons if not (is_answered and r == f"Another change may be meant: {rival}."))
    confirmed = replace(
        known,
        score=max(known.score, CONFIRMED),
        proofs=("your answer", *known.proofs),
        reasons=(f"It gives what you said: {answer}.", *reasons),
        oracle_met=True,
    )
    return replace(attempt, verdict=confirmed)


def _add_hint(dossier: Dossier, hint: str) -> Dossier:
    if not hint.strip():
        return dossier
    hints = (*dossier.case.hints, hint.strip())
    return replace(
        dossier, case=replace(dossier.case, hints=hints), current=replace(dossier.current, hints=hints), prices={}
    )


def _raise_budget(dossier: Dossier, text: str) -> Dossier:
    amount = _parse_amount(text)
    if amount <= 0:
        return add_note(dossier, f"{text!r} is no budget in dollars")
    account = dossier.account
    needed = account.session.usd + amount
    more = amount / account.allowance if account.allowance > 0 else 1.0
    raised = replace(
        account,
        allowance=amount,
        session_allowance=max(account.session_allowance, needed),
        tokens=max(account.tokens, round(account.tokens * more)),
    )
    return replace(dossier, account=raised)


def _extend_allowance(dossier: Dossier, config: HealConfig) -> Dossier:
    """The same allowance once more, as far as the session's ceiling lets; at the ceiling the paid path ends."""
    account = dossier.account
    allowance = min(account.allowance + config.budget_usd, account.session_allowance - account.session.usd)
    tokens = min(account.tokens + config.token_ceiling, limits.count_session_tokens_left(account, config))
    unknown = account.spent.unknown or any(worst.unknown for worst in dossier.prices.values())
    if tokens <= account.tokens if unknown else allowance <= account.allowance:
        for healer in dossier.paid:
            dossier = close_healer(dossier, healer, Reason.OVER_BUDGET, "the session's ceiling is reached")
        return dossier
    raised = replace(account, allowance=max(account.allowance, allowance), tokens=max(account.tokens, tokens))
    return replace(dossier, account=raised)


def _parse_amount(text: str) -> float:
    return read_number(text.strip().lstrip("$"), 0) or 0.0


def _format_stop(decision: Decision) -> str:
    """That it was stopped, and why."""
    stopped = DISMISSED if decision.by == "user" else NOT_APPLIED
    return f"{stopped}: {decision.text}" if decision.text else stopped
