"""The heal as a state machine: ``step(state, event, config) -> (state, commands)``, pure.

A state says what is known; :func:`list_commands` says what to do in it; an event is what came of that. Nothing here runs code,
reads a clock or knows a kernel. A journal's events folded (:func:`fold_events`) give the state in which a killed run goes on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import SelfHealError
from jupyter_selfheal.loop import advance, decisions, policy, risks
from jupyter_selfheal.loop.commands import (
    AskDecision,
    AskToContinue,
    CheckCapabilities,
    Close,
    Command,
    Diagnose,
    JudgeCell,
    PriceCall,
    RunBaseline,
    Score,
    TryPatches,
)
from jupyter_selfheal.loop.events import (
    CRITIC,
    JUDGE,
    Answered,
    BaselineRan,
    Broke,
    CancelRequested,
    CapabilitiesChecked,
    CellJudged,
    Decided,
    Derived,
    DiagnosisMade,
    Ended,
    Event,
    HealerFailed,
    PausedForUserAction,
    Priced,
    ProposalMade,
    Repeated,
    Reserved,
    Scored,
    Settled,
    Started,
    TrialEnded,
)
from jupyter_selfheal.loop.limits import find_exceeded_limit
from jupyter_selfheal.loop.states import (
    Applied,
    Closed,
    Consented,
    Diagnosed,
    Dossier,
    Judged,
    Patched,
    Paused,
    Proposed,
    Reported,
    Reproduced,
    State,
    Stopping,
    Tried,
    Trying,
)
from jupyter_selfheal.model import Cost, Reason

TRANSITIONS: Final[tuple[tuple[str, str, str], ...]] = (
    ("", "Started", "Reported"),
    ("", "Started", "Reproduced"),
    ("Reported", "BaselineRan", "Reported"),
    ("Reported", "BaselineRan", "Reproduced"),
    ("Reported", "BaselineRan", "Stopping"),
    ("Reported", "CellJudged", "Reproduced"),
    ("Reported", "CellJudged", "Stopping"),
    ("Reproduced", "DiagnosisMade", "Diagnosed"),
    *((at, "Answered", to) for at in ("Diagnosed", "Consented", "Judged") for to in ("Patched", "Judged")),
    *((at, "HealerFailed", "Judged") for at in ("Diagnosed", "Consented", "Judged")),
    ("Patched", "CapabilitiesChecked", "Consented"),
    *((at, "TrialEnded", to) for at in ("Diagnosed", "Consented", "Judged", "Trying") for to in ("Trying", "Tried")),
    ("Tried", "Scored", "Judged"),
    *((at, "Derived", "Reproduced") for at in ("Diagnosed", "Consented", "Judged")),
    *((at, "Repeated", "Judged") for at in ("Diagnosed", "Consented", "Judged")),
    *((at, "ProposalMade", "Proposed") for at in ("Diagnosed", "Consented", "Judged")),
    *((at, "PausedForUserAction", "Paused") for at in ("Diagnosed", "Consented", "Judged")),
    *(("Proposed", "Decided", to) for to in ("Applied", "Consented", "Judged", "Stopping")),
    *(("Paused", "Decided", to) for to in ("Applied", "Judged", "Stopping")),
    *((at, "Ended", "Closed") for at in ("Diagnosed", "Consented", "Judged", "Applied", "Stopping")),
)
"""(state, event, state after): every transition there is. Apart from these, ``Priced``, ``Reserved`` and ``Settled`` change
only the account, in any state, and ``CancelRequested`` and ``Broke`` lead from any state before *Applied* to Stopping."""

ANYWHERE: Final = (Priced, Reserved, Settled)
INTERRUPTS: Final = (CancelRequested, Broke)


class IllegalTransition(SelfHealError):
    """An event that cannot happen in this state: a bug of ours, or a journal of another release."""


def step(state: State | None, event: Event, config: HealConfig) -> tuple[State, tuple[Command, ...]]:
    """The state after an event, and what to do in it. Raises :class:`IllegalTransition`."""
    after = _apply_event(state, event, config)
    return after, list_commands(after, config)


def fold_events(events: Iterable[Event], config: HealConfig) -> State | None:
    """The state that a journal's events lead to; None where there are none."""
    state: State | None = None
    for event in events:
        state = _apply_event(state, event, config)
    return state


def list_commands(state: State, config: HealConfig) -> tuple[Command, ...]:
    """What to do in a state: one command, none where the heal is over."""
    match state:
        case Reported(dossier):
            return (_judge_cell(dossier, config) if advance.has_words_to_check(dossier) else RunBaseline(),)
        case Reproduced(dossier):
            return (Diagnose(dossier.current),)
        case Diagnosed(dossier) | Consented(dossier) | Judged(dossier):
            return (policy.choose_next_move(dossier, config),)
        case Patched():
            return (_check_capabilities(state, config),)
        case Trying():
            return (TryPatches(state.pending),)
        case Tried():
            return (_judge_trials(state, config),)
        case Proposed(_, proposal):
            return (AskDecision(proposal),)
        case Paused(_, why, reason):
            return (AskToContinue(why, reason),)
        case Applied():
            return (Close(Reason.HEALED),)
        case Stopping(_, reason, detail):
            return (Close(reason, detail),)
        case Closed():
            return ()


def _judge_cell(dossier: Dossier, config: HealConfig) -> Command:
    """Ask whether the cell does what its specification says, where that can be paid."""
    return JudgeCell(_find_affordable(JUDGE, dossier, config)) if JUDGE in dossier.prices else PriceCall(JUDGE)


def _check_capabilities(state: Patched, config: HealConfig) -> Command:
    """Look at the patches; a critic is asked only where there is something for it to say, and where it is paid for."""
    dossier = state.dossier
    if CRITIC not in dossier.paid or not risks.select_for_critic(dossier.case, state.patches, config):
        return CheckCapabilities(state.patches)
    if CRITIC not in dossier.prices:
        return PriceCall(CRITIC)
    worst = _find_affordable(CRITIC, dossier, config)
    return CheckCapabilities(state.patches, paid=worst is not None, worst=worst or Cost())


def _judge_trials(state: Tried, config: HealConfig) -> Command:
    """Judge with a model's help only where that is paid for; else without."""
    dossier = state.dossier
    if JUDGE not in dossier.paid:
        return Score(state.tried)
    if JUDGE not in dossier.prices:
        return PriceCall(JUDGE)
    worst = _find_affordable(JUDGE, dossier, config)
    return Score(state.tried, paid=worst is not None, worst=worst or Cost())


def _find_affordable(who: str, dossier: Dossier, config: HealConfig) -> Cost | None:
    """The worst case of a call of ``who``; None where the budget does not allow it."""
    worst = dossier.prices[who]
    return None if find_exceeded_limit(dossier.account, worst, config) else worst


def _apply_event(state: State | None, event: Event, config: HealConfig) -> State:
    if isinstance(event, Started) and state is None:
        return advance.on_started(event, config)
    if state is None or isinstance(state, Closed) or isinstance(event, Started):
        raise _refuse_event(state, event)
    if isinstance(event, ANYWHERE):
        return replace(state, dossier=advance.on_payment(state.dossier, event))
    if isinstance(event, INTERRUPTS):
        return _interrupt_state(state, event)
    match state, event:
        case Reported(), BaselineRan():
            return advance.on_baseline(state, event, config)
        case Reported(), CellJudged():
            return advance.on_cell_judged(state, event, config)
        case Reproduced(), DiagnosisMade():
            return advance.on_diagnosis(state, event)
        case Patched(), CapabilitiesChecked():
            return advance.on_capabilities_checked(state, event)
        case ((Trying() | Diagnosed() | Consented() | Judged()), TrialEnded()):
            return advance.on_trial_ended(state, event)
        case Tried(), Scored():
            return advance.on_scores(state, event, config)
        case Proposed(), Decided():
            return decisions.on_proposal(state, event.decision)
        case Paused(), Decided():
            return decisions.on_pause(state, event.decision, config)
        case Applied(), Ended():
            return Closed(
                state.dossier, event.reason, event.detail, applied=(state.candidate,), approved_by=state.decision.by
            )
        case Stopping(), Ended():
            return Closed(state.dossier, event.reason, event.detail)
        case ((Diagnosed() | Consented() | Judged()), _):
            return _apply_move(state, event, config)
    raise _refuse_event(state, event)


def _apply_move(state: Diagnosed | Consented | Judged, event: Event, config: HealConfig) -> State:
    """What came of the move that :func:`policy.choose_next_move` chose between two pieces of work."""
    dossier = state.dossier
    match event:
        case Answered():
            return advance.on_answer(dossier, event, config)
        case HealerFailed():
            return Judged(advance.close_healer(dossier, event.healer, event.reason, event.message))
        case Derived():
            return advance.on_derivation(dossier, event)
        case Repeated():
            return advance.on_repeats(dossier, event)
        case ProposalMade(proposal):
            return Proposed(replace(dossier, proposals=(*dossier.proposals, proposal)), proposal)
        case PausedForUserAction():
            return Paused(dossier, event.why, event.reason)
        case Ended():
            return Closed(dossier, event.reason, event.detail)
    raise _refuse_event(state, event)


def _interrupt_state(state: State, event: CancelRequested | Broke) -> State:
    """Whatever was going on stops; what the user approved before stays approved."""
    if isinstance(state, Applied | Stopping):
        return state
    dossier = advance.archive_running(state)
    if isinstance(event, Broke):
        return Stopping(dossier, event.reason, event.message)
    return Stopping(dossier, Reason.CANCELLED, "cancelled by the user")


def _refuse_event(state: State | None, event: Event) -> IllegalTransition:
    return IllegalTransition(
        f"{type(event).__name__} cannot happen in {type(state).__name__ if state else 'a new heal'}: the journal is of "
        "another release, or this is a bug; please report it with the journal"
    )


def format_mermaid() -> str:
    """The machine as a Mermaid state diagram (https://mermaid.js.org/syntax/stateDiagram.html)."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for before, event, after in TRANSITIONS:
        arrows.setdefault((before or "[*]", after), []).append(event)
    lines = ["stateDiagram-v2"]
    for (before, after), events in arrows.items():
        lines.append(f"    {before} --> {after}: {', '.join(dict.fromkeys(events))}")
    lines += [
        "    Closed --> [*]",
        "    note right of Stopping",
        "        from every state before Applied: CancelRequested, Broke",
        "    end note",
    ]
    return "\n".join(lines) + "\n"
