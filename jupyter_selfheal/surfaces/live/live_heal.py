"""One heal as the user's kernel sees it: the messages of the worker folded into a card, and shown."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from jupyter_selfheal import messages as m
from jupyter_selfheal.model import Candidate, Case, FailureKind, Outcome, Proposal, Reason, Start
from jupyter_selfheal.surfaces.card import Card
from jupyter_selfheal.surfaces.live import explanation, resume
from jupyter_selfheal.surfaces.live.plain_sentences import describe_failure
from jupyter_selfheal.surfaces.words import format_proposal_status


class View(Protocol):
    """Where a card is shown: the widget, or nothing until the terminal asks."""

    def show(self, heal: LiveHeal) -> None:
        """Show it for the first time; called on the main thread, inside the failing cell."""
        ...

    def update(self, heal: LiveHeal, before: Card) -> None:
        """It changed; called on any thread."""
        ...

    def close(self) -> None:
        """Let go of what the view holds (a comm). The last state stays readable."""
        ...


CLAIM_SECONDS = 2.0
"""How long a page may take from its claim to its word that the fix is in the notebook; then another page may claim.

Short, because a page that was closed or reloaded in between never says it. One that was only slow is not lost: what it says
too late is refused, and it takes its change back before anything has run.
"""

PROVEN_AGAIN = "Proven again from the state as it is now."
NOT_PROVEN_NOW = "From the state as it is now it could not be proven"

CLOSED_TEXTS = {
    Reason.REJECTED: "No other fix was found; nothing was changed.",
    Reason.EXHAUSTED: "No working fix found.",
    Reason.OVER_BUDGET: "The budget is used up.",
    Reason.STUCK: "Stopped: the attempts repeat themselves.",
    Reason.NO_IMPROVEMENT: "Stopped: the attempts get no better.",
    Reason.TRUNCATED: "Stopped: the model's reply was cut off.",
    Reason.REFUSED: "Stopped: the model refused.",
    Reason.INFRASTRUCTURE: "Stopped: the healing machinery failed. Run the cell again.",
    Reason.NOT_REPRODUCED: "The failure did not come again from the same state.",
    Reason.ENVIRONMENT: "Not changed",
    Reason.CANCELLED: "Stopped; nothing was changed.",
    Reason.SELF_ERROR: "Internal error; nothing was changed.",
}
DISMISSED_TEXT = "Dismissed; nothing was changed."


@dataclass(slots=True)
class LiveHeal:
    """A running, waiting or ended heal. Its card is replaced under ``lock``; ``settled`` is set when nobody need wait."""

    run: str
    case: Case
    card: Card
    view: View
    lock: threading.RLock = field(default_factory=threading.RLock)
    settled: threading.Event = field(default_factory=threading.Event)
    outcome: tuple[Outcome, ...] = ()
    journal: str = ""
    applied: tuple[Candidate, ...] = ()
    applied_at: float = 0.0
    """When that was (seconds of the monotonic clock): not in the order in which the cells failed, where several fixes waited."""
    is_undone: bool = False
    """Whether the old source is back."""
    repeats_work: bool = False
    """Whether resuming would do twice what the failing statement had begun (see :func:`.resume.repeats_work`)."""
    is_placed: bool = True
    """Whether its card is shown somewhere; of what failed in no cell, a page is told to show it."""
    is_waited_for: bool = False
    """Whether its cell waited until it was decided: what comes of it is then printed, and no card is shown."""
    proving: bool = False
    disturbed: bool = False
    """Whether the kernel ran other cells since the proposal."""
    has_run_again: bool = False
    """Whether its cell has run again, so that nobody waits for it: what the worker says before it hears of that revives nothing."""
    claimed: tuple[str, float] = ("", 0.0)
    """The page that carries the approval out, and when (seconds of the monotonic clock) it was handed it."""

    @property
    def source(self) -> str:
        """The cell that the card stands at, as it was: the failing one, or that of a callback which failed later."""
        failure, cell_id = self.case.failure, self.card.cell_id
        return failure.source if cell_id == failure.cell_id else self.case.notebook.cell(cell_id).source

    @property
    def fixed_source(self) -> str:
        """That cell as the applied fix leaves it; empty where none was applied."""
        return self.applied[0].patch.source_of(self.card.cell_id, self.source) if self.applied else ""

    @property
    def is_open(self) -> bool:
        """Whether it is at work, or waits for its user."""
        return self.card.phase in ("healing", "proposed", "paused") and not self.card.is_ahead

    @property
    def is_decided(self) -> bool:
        """Whether its user has said what is to become of it, or has run its cell again: nothing is left to say."""
        is_dismissed = any(outcome.is_dismissed for outcome in self.outcome)
        return self.card.phase == "applied" or (self.card.phase == "closed" and (is_dismissed or self.has_run_again))

    @property
    def has_proven_fix(self) -> bool:
        """Whether a fix that ran in a copy of the kernel waits for a word of the user's."""
        card = self.card
        return card.phase == "proposed" and not card.is_ahead and bool(card.proposal[0].proven_from)

    def claim_approval(self, page: str) -> float:
        """Hand the approval to one page: of several that show this heal, all but the first are refused.

        Returns 0 where it is handed over, else the seconds after which to ask again; infinite where that is of no use.
        """
        with self.lock:
            holder, since = self.claimed
            left = since + CLAIM_SECONDS - time.monotonic()
            if self.card.phase != "proposed":
                return math.inf
            if holder not in ("", page) and left > 0:
                return left
            self.claimed = (page, time.monotonic())
            return 0.0

    def take_approval(self, page: str) -> bool:
        """Whether the approval is still that page's to carry out; from then on it is nobody else's."""
        with self.lock:
            if self.card.phase != "proposed" or self.claimed[0] != page:
                return False
            self.claimed = (page, math.inf)
            return True

    def update_card(self, **changes: object) -> None:
        """Replace fields of the card and show it: under the lock, so that what is shown last is what the card is."""
        with self.lock:
            before, self.card = self.card, self.card.with_(**changes)
            if before != self.card:
                self.view.update(self, before)

    def end_as_run_again(self) -> None:
        """The cell has run again, and the card is gone: what the worker still says of the failure is shown to nobody."""
        with self.lock:
            self.has_run_again = True
            self.update_card(phase="closed", status="The cell has run again.", proposal=())
        self.settled.set()

    def fold_message(self, message: m.FromWorker) -> None:
        """Take in a message of the worker. Called on the reader thread."""
        with self.lock:
            if not self.has_run_again:
                self._fold_open(message)
            elif isinstance(message, m.Finished):
                self.outcome, self.journal = (message.outcome,), message.journal

    def _fold_open(self, message: m.FromWorker) -> None:
        if isinstance(message, m.Progress):
            self._fold_progress(message)
        elif isinstance(message, m.Proposed):
            self._fold_proposal(message)
        elif isinstance(message, m.Paused):
            self.update_card(
                phase="paused",
                paused_by=message.reason,
                status=f"Paused: {message.why}",
                attempts=tuple(line for line in self.card.attempts if message.why not in line),
                proposal=message.proposals or self.card.proposal,
            )
            self.settled.set()
        elif isinstance(message, m.Proven):
            self._fold_proof(message)
        elif isinstance(message, m.Finished):
            self._fold_outcome(message)
        elif isinstance(message, m.Notice):
            self.update_card(notes=(*self.card.notes, message.text))

    def _fold_progress(self, message: m.Progress) -> None:
        if self.card.phase in ("healing", "paused", "proposed", "closed"):
            again = self.card.attempts[-1:] == (message.text,)
            attempts = self.card.attempts if again else (*self.card.attempts, message.text)[-12:]
            self.update_card(
                phase="healing", attempts=attempts, status=f"{self.card.headline}: healing…", instructions=""
            )

    def _fold_proposal(self, message: m.Proposed) -> None:
        proposal = message.proposal
        cause = (proposal.candidates[0].patch.cause if proposal.candidates else "") or proposal.diagnosis.cause
        self.claimed, self.disturbed = ("", 0.0), False
        self.update_card(
            phase="proposed",
            headline=proposal.failure.headline or self.card.headline,
            status=format_proposal_status(proposal),
            proposal=(proposal,),
            cause=drop_said_message(cause, proposal.failure.headline),
            advice="" if proposal.candidates else proposal.diagnosis.advice,
            page=0,
            hint=explanation.hint_at_fix(proposal.candidates[0], self.case.failure) if proposal.candidates else "",
            resumable=() if self.repeats_work or self.case.failure.is_aside else tuple(self._list_resumable(proposal)),
            repeats=message.repeats,
            reruns=message.reruns,
            draft="",
        )
        self.settled.set()

    def _list_resumable(self, proposal: Proposal) -> Iterator[str]:
        """Ids of the patches of which what is left of the cell ran in a trial: resuming does what that trial did."""
        for at, candidate in enumerate(proposal.candidates):
            is_tried = candidate.trial.start is Start.AFTER_FAILURE and candidate.trial.ran
            is_tried = is_tried or (at == 0 and bool(proposal.resumed))
            if is_tried and resume.find_remaining_source(self.case.failure, candidate.patch):
                yield candidate.patch.id

    def _fold_proof(self, message: m.Proven) -> None:
        self.proving = False
        candidates = message.candidates
        if candidates and candidates[0].trial.ran and candidates[0].verdict.plausible:
            self.update_card(ran_since=0, notes=self._renew_proof_note(PROVEN_AGAIN))
        else:
            why = message.error or (
                candidates[0].verdict.reasons[0] if candidates and candidates[0].verdict.reasons else "it fails now"
            )
            self.update_card(notes=self._renew_proof_note(f"{NOT_PROVEN_NOW}: {why}"))
        self.settled.set()

    def _renew_proof_note(self, note: str) -> tuple[str, ...]:
        """The notes with what the last proof came to; what earlier ones came to holds no more."""
        return (*(n for n in self.card.notes if not n.startswith((PROVEN_AGAIN, NOT_PROVEN_NOW))), note)

    def _fold_outcome(self, message: m.Finished) -> None:
        self.outcome, self.journal = (message.outcome,), message.journal
        outcome = message.outcome
        if outcome.reason is Reason.HEALED:
            with self.lock:
                if self.card.phase != "applied":  # else the user is further on already: it may even be undone
                    self.update_card(phase="applied", status=f"{self.card.headline}: fixed")
        elif outcome.reason is Reason.NOT_REPRODUCED and self.case.failure.kind.value == "missed":
            reason = outcome.detail if self.case.oracle.spec else "Matches the expected value"
            self.update_card(phase="applied", status=f"✓ {reason}", attempts=())
        else:
            diagnosis = outcome.diagnosis
            text = DISMISSED_TEXT if outcome.is_dismissed else CLOSED_TEXTS.get(outcome.reason, outcome.reason.value)
            if outcome.reason is self.card.paused_by is Reason.INFRASTRUCTURE:  # a service, or a key: it was waited for
                text = CLOSED_TEXTS[Reason.CANCELLED]
            no_fix = outcome.reason in (Reason.EXHAUSTED, Reason.REJECTED)
            model = (self.card.model_off,) if self.card.model_off and no_fix else ()
            untested = (f"Your version, which was not tested:\n{self.card.draft}",) if self.card.draft else ()
            leave = f": {diagnosis.skip_reason.words}." if diagnosis.skip_reason else ""

            headline = self.card.headline
            if (
                self.case.failure.kind is FailureKind.MISSED
            ):  # what was expected and what came is known since its first trial
                headline = outcome.failure.headline or headline

            def is_said(sentence: str) -> bool:
                """Whether the status, the traceback above it or the explanation says that already."""
                said = (self.case.failure.headline, text.rstrip(".").lower())
                is_explained = any(line.startswith(sentence.rstrip(".")) for line in self.card.explanation)
                return sentence.startswith(said[0]) or sentence.lower() == said[1] or is_explained

            cause = "" if is_said(diagnosis.cause) else diagnosis.cause or self.card.cause
            general = describe_failure(self.case.failure) if cause and not self.card.teach else ""  # says less
            self.update_card(
                phase="closed",
                headline=headline,
                status=f"{headline}: {text.rstrip('.') if leave else text}{leave}",
                cause=cause,
                explanation=tuple(line for line in self.card.explanation if line != general),
                advice=diagnosis.advice or ("" if is_said(outcome.detail) else outcome.detail),
                notes=tuple(dict.fromkeys((*self.card.notes, *model, *untested))),
                proposal=(),
            )
        self.settled.set()


def drop_said_message(cause: str, headline: str) -> str:
    """The cause without the exception's own message, which the line above it says: ``Syntax error in line 2.``"""
    message = headline.partition(": ")[2].rstrip(".")
    before, found, after = cause.partition(f": {message}") if message else (cause, "", "")
    return f"{before}." if found and not after.strip(".") else cause


def build_new_card(run: str, case: Case, **more: Any) -> Card:
    """The card of a heal that has just begun."""
    start = {
        "cell_id": case.failure.cell_id,
        "headline": case.failure.headline or "missed what was expected",
        "status": f"{case.failure.headline or 'Checking what is expected'}: healing…",
    }
    return Card(run=run, **{**start, **more})
