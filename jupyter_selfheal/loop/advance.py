"""How each event changes what is known. One small pure function an event, called by the machine."""

from __future__ import annotations

from dataclasses import replace

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop import evidence, policy, progress, stability
from jupyter_selfheal.loop.events import (
    CRITIC,
    JUDGE,
    Answered,
    BaselineRan,
    CapabilitiesChecked,
    CellJudged,
    Derived,
    DiagnosisMade,
    Priced,
    Repeated,
    Reserved,
    Scored,
    Settled,
    Started,
    TrialEnded,
)
from jupyter_selfheal.loop.states import (
    Account,
    Consented,
    Diagnosed,
    Dossier,
    Judged,
    Patched,
    Reported,
    Reproduced,
    Reservation,
    Shut,
    State,
    Stopping,
    Tried,
    Trying,
)
from jupyter_selfheal.model import (
    REJECTED_BEFORE,
    Attempt,
    Cost,
    ErrorInfo,
    Failure,
    FailureKind,
    Patch,
    Reason,
    Role,
    SkipReason,
    Trial,
    compose,
)


def on_started(event: Started, config: HealConfig) -> Reported | Reproduced:
    """A new dossier. Where nothing can be tried there is nothing to reproduce either."""
    account = Account(
        config.budget_usd, config.session_budget_usd, tokens=config.token_ceiling, session=event.session_spent
    )
    case = event.case
    dossier = Dossier(
        run=event.run,
        case=case,
        current=case,
        healers=event.healers,
        paid=event.paid,
        unproven=event.unproven,
        can_make_anew=event.can_make_anew,
        is_exact=event.is_exact,
        met=(progress.build_signature(case.failure, case.notebook),),
        archive=tuple(Attempt(patch, rejection=REJECTED_BEFORE) for patch in case.rejected),
        account=account,
    )
    return Reproduced(dossier) if event.unproven else Reported(dossier)


def on_baseline(state: Reported, event: BaselineRan, config: HealConfig) -> Reported | Reproduced | Stopping:
    """One more run of the cell as it is. A failure that does not come again leaves nothing to prove."""
    dossier = replace(state.dossier, baselines=(*state.dossier.baselines, event))
    if has_words_to_check(dossier):
        return Reported(dossier)
    known = evidence.is_reproduced(dossier, config)
    if known is None:
        return Reported(dossier)
    repeats = stability.count_repeats(dossier.case, dossier.baselines)
    dossier = replace(
        dossier, case=replace(dossier.case, repeats=repeats), current=replace(dossier.current, repeats=repeats)
    )
    if not known:
        if dossier.case.failure.kind is FailureKind.MISSED and not dossier.case.failure.evalue:
            words = "; what its specification says was not checked" if dossier.case.oracle.spec else ""
            return Stopping(dossier, Reason.NOT_REPRODUCED, f"the cell matches the expected value{words}")
        return Reproduced(replace(dossier, unproven=_say_why_not_reproduced(dossier, event)))
    if repeats.is_flaky:
        dossier = add_note(dossier, f"flaky: {repeats.words}")
    return Reproduced(_add_missed_text(dossier, event.missed))


def _say_why_not_reproduced(dossier: Dossier, event: BaselineRan) -> str:
    """What the last run of the cell as it is showed in place of the failure that was reported."""
    case, trial, runs = dossier.case, event.trial, len(dossier.baselines)
    times = "the one time" if runs == 1 else f"{runs} times"
    why = f"the failure did not come again {times} that the cell was run from the same state"
    seen = progress.find_failure(case, case.failure.source, trial)
    if seen is not None and seen.kind is FailureKind.TIMED_OUT:
        why = "run once more, the cell was still running when its time was up, and had not come to its failure"
    elif error := find_left_behind(case.failure, trial):
        why = f"run once more, the cell fails of what it wrote before it failed, which cannot be taken back here ({error.words})"
    return f"{why} ({', '.join(trial.blocked)} is not allowed in a trial)" if trial.blocked else why


def find_left_behind(failure: Failure, trial: Trial) -> ErrorInfo | None:
    """The error of a cell that is run again, where it fails of something that is there already: the folder, file or table that it made."""
    errors = (error for step in trial.steps if step.role == Role.CELL for error in step.errors)
    says = (e for e in errors if e.ename == "FileExistsError" or "already exists" in e.evalue)
    return next((e for e in says if e.ename != failure.ename), None)


def has_words_to_check(dossier: Dossier) -> bool:
    """Whether the cell ran and met what can be checked without a judge, and its specification is still to be judged."""
    failure, ran = dossier.case.failure, dossier.baselines[-1:]
    unmet = any(not b.trial.ran or b.missed for b in ran)
    is_open = failure.kind is FailureKind.MISSED and not failure.evalue and bool(dossier.case.oracle.spec)
    return is_open and bool(ran) and not unmet and JUDGE in dossier.paid


def on_cell_judged(state: Reported, event: CellJudged, config: HealConfig) -> Reproduced | Stopping:
    """A judge's word on the specification: below the score from which patches are accepted the cell missed it."""
    dossier = state.dossier
    if event.settles:
        dossier = on_payment(dossier, Settled(event.settles, event.cost))
    dossier = replace(dossier, prices={who: cost for who, cost in dossier.prices.items() if who != JUDGE})
    if not event.scores:
        return Stopping(dossier, Reason.INFRASTRUCTURE, f"its specification was not checked: {event.reason}")
    if event.scores[0] >= config.accept:
        return Stopping(dossier, Reason.NOT_REPRODUCED, event.reason)
    missed = f"its specification: {event.reason}"
    ran = replace(dossier.baselines[-1], missed=missed)
    dossier = _add_missed_text(replace(dossier, baselines=(*dossier.baselines[:-1], ran)), missed)
    return Reproduced(_forget_stored_output(dossier))


def _forget_stored_output(dossier: Dossier) -> Dossier:
    """What is stored of the cell is what the code gave that the judge speaks against: it says nothing about a patch."""
    failing = dossier.case.failure.cell_id
    cells = tuple(replace(c, stale=True) if c.id == failing else c for c in dossier.case.notebook.cells)
    case = replace(dossier.case, notebook=replace(dossier.case.notebook, cells=cells))
    return replace(dossier, case=case, current=case)


def _add_missed_text(dossier: Dossier, missed: str) -> Dossier:
    """A missed expectation that came without words gets those of the run that reproduced it."""
    failure = dossier.case.failure
    if failure.kind is not FailureKind.MISSED or failure.evalue:
        return dossier
    described = replace(failure, ename=failure.ename or progress.MISSED, evalue=missed)
    case = replace(dossier.case, failure=described)
    return replace(dossier, case=case, current=case, met=(progress.build_signature(described, case.notebook),))


def on_diagnosis(state: Reproduced, event: DiagnosisMade) -> Diagnosed:
    """What the failure at hand comes from; the first diagnosis is the root's."""
    dossier = state.dossier
    root = dossier.root if dossier.derived else event.diagnosis
    return Diagnosed(replace(dossier, diagnosis=event.diagnosis, root=root), event.diagnosis)


def on_answer(dossier: Dossier, event: Answered, config: HealConfig) -> Patched | Judged:
    """A healer's patches, put on top of what is already mended, those known dropped."""
    answer, healer = event.answer, event.healer
    if event.settles:
        dossier = on_payment(dossier, Settled(event.settles, answer.cost))
    elif answer.cost != Cost():
        dossier = replace(dossier, account=_add_cost(dossier.account, healer, answer.cost))
    if healer in dossier.paid:
        dossier = replace(dossier, rounds=(*dossier.rounds, len(dossier.archive)), calls=dossier.calls + 1)
    dossier = replace(
        dossier,
        prices={who: cost for who, cost in dossier.prices.items() if who != healer},
        questions=(*dossier.questions, *(q for q in answer.questions if q not in dossier.questions)),
    )
    for note in filter(None, (answer.note,)):
        dossier = add_note(dossier, note)
    if answer.stop:
        dossier = close_healer(dossier, healer, Reason(answer.stop), answer.note)
    for diagnosis in answer.diagnosis:
        if healer in dossier.paid and (diagnosis.confidence < policy.SURE or policy.is_left_alone(diagnosis)):
            unsure = replace(diagnosis, skip_reason=diagnosis.skip_reason or SkipReason.ENVIRONMENT)
            if diagnosis.skip_reason is SkipReason.DELIBERATE:
                dossier = _withdraw_unproven(dossier)
            return Judged(close_healer(replace(dossier, diagnosis=unsure), healer, Reason.ENVIRONMENT, diagnosis.cause))
        dossier = replace(dossier, root=dossier.root if dossier.root.cause else diagnosis)
    return _sift_patches(dossier, event, config)


def _withdraw_unproven(dossier: Dossier) -> Dossier:
    """Without the patches that a model gave before it saw that the failure is meant, but where something proves them."""
    archive = tuple(
        replace(a, rejection=a.rejection or "withdrawn: the failure is meant")
        if a.patch.healer in dossier.paid and not (a.verdict and a.verdict.oracle_met)
        else a
        for a in dossier.archive
    )
    return replace(dossier, archive=archive)


def _sift_patches(dossier: Dossier, event: Answered, config: HealConfig) -> Patched | Judged:
    composed = [compose(dossier.current.base, p) for p in event.answer.patches]
    advice = [p for p in composed if dossier.unproven or policy.is_advice_only(dossier.diagnosis, p, config)]
    new = evidence.select_new(dossier, (p for p in composed if p not in advice), config.max_patches)
    shown = evidence.select_new(dossier, advice, config.max_patches)
    dossier = replace(dossier, shown=(*dossier.shown, *shown))
    free = event.healer not in dossier.paid
    if event.answer.exhausted or (free and not new):
        dossier = replace(dossier, asked=(*dossier.asked, event.healer))
    return Patched(dossier, event.healer, new) if new else Judged(dossier)


def on_capabilities_checked(state: Patched, event: CapabilitiesChecked) -> Consented:
    """Patches that add capabilities wait for the user's consent; the others may be tried. Each has its risk with it."""
    dossier, depth = state.dossier, len(state.dossier.derived)
    if event.settles:
        dossier = on_payment(dossier, Settled(event.settles, event.cost))
    if event.note:
        dossier = add_note(dossier, event.note)
    patches = [replace(p, risk=event.risks.get(p.id, p.risk)) for p in state.patches]
    waiting = [(depth, p) for p in patches if not event.capabilities.get(p.id)]
    waits = [(p, tuple(event.capabilities[p.id])) for p in patches if event.capabilities.get(p.id)]
    prices = {who: cost for who, cost in dossier.prices.items() if who != CRITIC}
    return Consented(
        replace(
            dossier,
            waiting=(*dossier.waiting, *waiting),
            awaiting_consent=(*dossier.awaiting_consent, *waits),
            prices=prices,
        )
    )


def on_trial_ended(state: Trying | Diagnosed | Consented | Judged, event: TrialEnded) -> Trying | Tried:
    """One trial ended; when all have, they are archived, in the order of the patches whatever ended first."""
    if not isinstance(state, Trying):
        state = Trying(state.dossier, policy.select_next_tier(state.dossier))
    if event.patch_id not in {p.id for p in state.patches}:
        raise ValueError(f"patch {event.patch_id} is not being tried")
    state = replace(state, done={**state.done, event.patch_id: event.trial})
    return state if state.pending else archive_trials(state)


def archive_trials(state: Trying) -> Tried:
    """The trials that have ended, in the archive."""
    ended = tuple((p, state.done[p.id]) for p in state.patches if p.id in state.done)
    ids = {p.id for p in state.patches}
    dossier = replace(
        state.dossier,
        archive=(*state.dossier.archive, *(Attempt(patch, trial) for patch, trial in ended)),
        waiting=tuple((at, p) for at, p in state.dossier.waiting if p.id not in ids),
    )
    return Tried(dossier, ended)


def archive_running(state: State) -> Dossier:
    """The dossier of a state that is interrupted: what was tried is archived, judged or not."""
    return archive_trials(state).dossier if isinstance(state, Trying) else state.dossier


def on_scores(state: Tried, event: Scored, config: HealConfig) -> Judged:
    """Verdicts are added to the attempts they are about; of what may be meant no patch is good enough by itself."""
    dossier = state.dossier
    if event.settles:
        dossier = on_payment(dossier, Settled(event.settles, event.cost))
    held = (evidence.hold_to_stored(dossier, verdict) for verdict in event.verdicts)
    verdicts = {v.patch_id: evidence.hold_to_word(dossier, v, config) for v in held}
    archive = tuple(
        replace(a, verdict=verdicts[a.patch.id]) if a.verdict is None and a.patch.id in verdicts else a
        for a in dossier.archive
    )
    prices = {who: cost for who, cost in dossier.prices.items() if who in dossier.healers}
    dossier = replace(dossier, archive=archive, order=event.order, prices=prices)
    return Judged(add_note(dossier, event.note) if event.note else dossier)


def on_repeats(dossier: Dossier, event: Repeated) -> Judged:
    """The patch's verdict says what came of it; what does not stand goes behind the others."""
    archive = tuple(
        replace(a, verdict=stability.adjust_verdict(a.verdict, event.repeats))
        if a.patch.id == event.patch_id and a.verdict
        else a
        for a in dossier.archive
    )
    order = dossier.order
    if event.repeats.doubt:
        order = (*(i for i in order if i != event.patch_id), event.patch_id)
    repeated = {**dossier.repeated, event.patch_id: event.repeats}
    return Judged(replace(dossier, archive=archive, order=order, repeated=repeated))


def on_derivation(dossier: Dossier, event: Derived) -> Reproduced:
    """The failure behind a patch becomes the one at hand; every healer may be asked again."""
    attempt = next(a for a in reversed(dossier.archive) if a.patch.id == event.patch_id)
    case = evidence.find_case_behind(dossier, attempt)
    if case is None:
        raise ValueError(f"nothing failed behind patch {event.patch_id}")
    return Reproduced(
        replace(
            dossier,
            current=replace(case, hints=dossier.case.hints),
            derived=(*dossier.derived, event.patch_id),
            met=(*dossier.met, progress.build_signature(case.failure, case.notebook)),
            asked=(),
            prices={},
        )
    )


def close_healer(dossier: Dossier, healer: str, reason: Reason, message: str) -> Dossier:
    """The healer is not asked again in this heal."""
    closed = replace(dossier, shut=(*dossier.shut, Shut(healer, reason, message)))
    return add_note(closed, format_closing(healer, message)) if message else closed


def format_closing(healer: str, message: str) -> str:
    """The note that says why a healer is not asked any more."""
    return f"{healer}: {message}"


def on_payment(dossier: Dossier, event: Priced | Reserved | Settled) -> Dossier:
    """Money: a price is known, an amount is set aside, a call is settled."""
    account = dossier.account
    if isinstance(event, Priced):
        return replace(dossier, prices={**dossier.prices, event.who: event.worst})
    if isinstance(event, Reserved):
        call = Reservation(event.who, event.worst)
        return replace(dossier, account=replace(account, reserved={**account.reserved, event.id: call}))
    who = account.reserved[event.id].who if event.id in account.reserved else event.id
    left = {name: call for name, call in account.reserved.items() if name != event.id}
    return replace(dossier, account=replace(_add_cost(account, who, event.cost), reserved=left))


def release_patch(dossier: Dossier, patch: Patch) -> Dossier:
    """A patch that the user answered about waits for consent no longer."""
    return replace(dossier, awaiting_consent=tuple((p, c) for p, c in dossier.awaiting_consent if p.id != patch.id))


def _add_cost(account: Account, who: str, cost: Cost) -> Account:
    return replace(account, settled={**account.settled, who: account.settled.get(who, Cost()) + cost})


def add_note(dossier: Dossier, note: str) -> Dossier:
    """The dossier with a note, which is said once."""
    return dossier if note in dossier.notes else replace(dossier, notes=(*dossier.notes, note))
