"""What the user chose, carried out: the same for the widget's buttons, the magics and the terminal."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from jupyter_selfheal import messages as m
from jupyter_selfheal.model import JSON, Applicability, Candidate, Choice, Decision, Start
from jupyter_selfheal.surfaces import words
from jupyter_selfheal.surfaces.live import patch_application, resume
from jupyter_selfheal.surfaces.live.cell_log import read_code_files
from jupyter_selfheal.surfaces.live.heal_dispatcher import HealDispatcher, renew_rejection_notes
from jupyter_selfheal.surfaces.live.live_heal import LiveHeal
from jupyter_selfheal.surfaces.live.session import LiveSession

TO_CHOICE = {
    "reject": Choice.REJECT,
    "edit": Choice.EDIT,
    "retry": Choice.RETRY,
    "answer": Choice.ANSWER,
    "allow": Choice.CONSENT,
    "continue": Choice.CONTINUE,
    "budget": Choice.RAISE_BUDGET,
    "stop": Choice.STOP,
}

CONSENT = (
    "What goes to the model: this cell, the cells it depends on, the text above, the error, and the types and shapes (not the values) of its "
    "variables, with secrets replaced; `%heal sent` shows it. Press “Agree & ask” to allow that in this session."
)

NO_EXTENSION = (
    "The JupyterLab extension is not here, so a button cannot change your cell. Run `%heal approve` in a new cell: that cell "
    "becomes the fix and runs. Or put `%%heal approve` on top of the failing cell, or use Copy."
)

NOT_RUN_YET = (
    "Self-heal: the fix is in the cell, not run yet: a cell that awaits cannot run inside another. Run it now."
)

SAY_EXPECTED = "Put `%%heal --expect {}` on top of the cell and run it: fixes are held against that value."


class Actions:
    """Carries out choices on heals of one session. Methods may be called on any thread unless they say otherwise."""

    def __init__(self, session: LiveSession, dispatcher: HealDispatcher) -> None:
        self._session = session
        self._dispatcher = dispatcher

    def handle_button(self, heal: LiveHeal, action: str, patch_id: str, text: str) -> None:
        """A button was pressed. Runs no user code: what must run is queued by the front end."""
        try:
            self._dispatch_button(heal, action, patch_id, text)
        except Exception as error:
            self._session.report_internal_error(f"button {action}", error)

    def _dispatch_button(self, heal: LiveHeal, action: str, patch_id: str, text: str) -> None:
        if action in _BUTTONS:
            _BUTTONS[action](self, heal, text)
        elif action in TO_CHOICE and heal.card.phase != "applied":  # another tab may have approved meanwhile
            self.send_decision(heal, action, patch_id, text)

    def _turn_page(self, heal: LiveHeal, text: str) -> None:
        heal.update_card(page=int(text))

    def _place_card(self, heal: LiveHeal, _text: str) -> None:
        # on the main thread, from a request of the page's own
        if not heal.is_placed:
            heal.is_placed = True
            heal.view.show(heal)

    def _reveal_fix(self, heal: LiveHeal, _text: str) -> None:
        heal.update_card(revealed=True)

    def _claim_automatic_approval(self, heal: LiveHeal, page: str) -> None:
        with heal.lock:
            if not heal.card.auto_by:
                heal.update_card(auto_by=page)

    def _tell_what_to_run(self, heal: LiveHeal, wanted: str) -> None:
        command = "`%heal resume`" if wanted == "resume" else "`%heal approve`"
        heal.update_card(instructions=NO_EXTENSION.replace("`%heal approve`", command))

    def _tell_how_to_expect(self, heal: LiveHeal, value: str) -> None:
        heal.update_card(instructions=SAY_EXPECTED.format(value or "VALUE"))

    def _note_undone(self, heal: LiveHeal, _text: str) -> None:
        heal.is_undone = True
        heal.update_card(status="Undone: the old source is back.", undo=())

    def _tell_how_to_undo(self, heal: LiveHeal, _text: str) -> None:
        heal.update_card(instructions="Run `%heal undo` in a new cell: that cell becomes the old source.")

    def _offer_model(self, heal: LiveHeal, _text: str) -> None:
        heal.update_card(asks_consent=not self._session.config.consent, instructions=CONSENT)
        if self._session.config.consent:
            self.ask_model(heal)

    def _agree_to_model(self, heal: LiveHeal, _text: str) -> None:
        self._session.record_consent()
        self.ask_model(heal)

    def ask_model(self, heal: LiveHeal) -> None:
        """Begin again, with the model among the healers: the user agreed to that."""
        self._dispatcher.restart_heal(heal, self._session.config.with_every_healer())

    def send_decision(self, heal: LiveHeal, action: str, patch_id: str = "", text: str = "") -> None:
        """Send a decision to the worker; a heal that has ended begins again."""
        choice = TO_CHOICE[action]
        if heal.card.is_ahead:  # nobody waits for a decision: its copies have ended
            heal.update_card(phase="closed", status="Dismissed; nothing was changed.", proposal=())
            return
        heal.settled.clear()
        if choice is Choice.REJECT:
            self._session.record_rejection(heal, heal.card.find_candidate(patch_id))
            rejected = self._session.list_rejected(heal.case.failure, heal.case.notebook)
            heal.update_card(notes=renew_rejection_notes(heal.card.notes, rejected))
        if heal.card.phase == "closed" and choice is Choice.RETRY:
            self._dispatcher.restart_heal(heal, self._session.config, hint=text)
            return
        states = self._renew_states(heal) if choice is not Choice.STOP else ()
        if states is None:
            self._keep_words(heal, choice, text)
            return
        candidate = heal.card.find_candidate(patch_id)
        decision = Decision(choice, patch_id or (candidate.patch.id if candidate else ""), text)
        shown = heal.card.proposal
        if choice is not Choice.STOP:  # before it is sent: the worker may answer at once, and its word is the newer one
            draft = text if choice is Choice.EDIT else heal.card.draft
            heal.update_card(
                phase="healing", status=f"{heal.card.headline}: healing…", proposal=(), draft=draft, expired=False,
                ran_since=0 if states else heal.card.ran_since,
            )  # fmt: skip
        if not self._session.client.send(m.Decide(heal.run, decision, states)):
            self._session.checkpoints.release(states)
            heal.update_card(phase="closed", status="The healing worker is gone; `%heal` tries again.", proposal=shown)
            heal.settled.set()

    def _renew_states(self, heal: LiveHeal) -> tuple[m.StateAddress, ...] | None:
        """New states for a heal whose own had to go: from the state as it is now. None where none can be made."""
        checkpoints = self._session.checkpoints
        if not checkpoints.has_lost_states(heal.run):
            return ()
        before = checkpoints.freeze_now(heal.run, Start.BEFORE_CELL)
        return (*before, *checkpoints.freeze_now(heal.run, Start.AFTER_FAILURE)) if before else None

    def _keep_words(self, heal: LiveHeal, choice: Choice, text: str) -> None:
        """The saved state has expired, and none can be made now: what was typed stays."""
        why = f"The saved state has expired, and no new one can be made now: {self._session.checkpoints.refusal}."
        typed = f" What you typed is kept:\n{text}" if text else ""
        draft = text if choice is Choice.EDIT else heal.card.draft
        heal.update_card(instructions=f"{why} Run the cell again.{typed}", draft=draft)
        heal.settled.set()

    def record_approval(self, heal: LiveHeal, patch_id: str, *, undo: tuple[JSON, ...] = ()) -> Candidate | None:
        """Record that a candidate was approved and put into the notebook (by the front end, or by a magic).

        ``undo`` are the edits that take it back, as the front end that made the change tells them.
        """
        candidate = heal.card.find_candidate(patch_id)
        if candidate is None:
            return None
        heal.applied, heal.applied_at = (candidate,), time.monotonic()
        heal.settled.clear()
        by = "%heal auto" if heal.card.auto and candidate.patch.applicability is Applicability.SAFE else "user"
        if not heal.card.is_ahead:
            self._session.client.send(m.Decide(heal.run, Decision(Choice.APPROVE, candidate.patch.id, by=by)))
        heal.update_card(phase="applied", status=f"{heal.card.headline}: fixed", undo=undo, instructions="")
        return candidate

    def arm_resume(self, heal: LiveHeal, patch_id: str) -> str | None:
        """The next execution of the fixed cell runs only what is left of it. Returns what is left; None: not possible."""
        candidate = heal.card.find_candidate(patch_id)
        can_resume = candidate is not None and candidate.patch.id in heal.card.resumable
        rest = resume.find_remaining_source(heal.case.failure, candidate.patch) if candidate and can_resume else None
        if rest and candidate is not None:
            whole = candidate.patch.source_of(heal.case.failure.cell_id, heal.case.failure.source)
            self._session.pending_resume[whole.strip("\n")] = rest
        return rest

    # --- main thread only: these run user code --------------------------------------------------------------------

    def run_approved(self, heal: LiveHeal, candidate: Candidate, *, what_is_left: str = "") -> Any:
        """Run what an approved candidate needs first, then the fixed cell (or what is left of it). None: it was not run."""
        session = self._session
        plan = patch_application.build_plan(candidate, heal.card.cell_id, heal.source, heal.case.notebook)
        session.is_running_fix = True
        known: frozenset[str] | None = None
        try:
            for source in plan.first:
                result = session.shell.run_cell(source, store_history=False)
                if not result.success:
                    return result
            known = frozenset(read_code_files(session.shell))
            if _has_await_in_running_loop(session.shell, what_is_left or plan.source):
                words.print_lines([NOT_RUN_YET])
                return None
            return session.shell.run_cell(what_is_left or plan.source, store_history=False)
        finally:
            session.is_running_fix = False
            # the number that its code has, for a function that fails later, and last the one that stands beside its output: IPython counts on
            # before a cell runs, or behind it, by release
            made = {
                run for name, run in read_code_files(session.shell).items() if known is not None and name not in known
            }
            for run in (*sorted(made), session.shell.displayhook.prompt_count):
                session.cells.record_run(heal.card.cell_id, plan.source, run)


_BUTTONS: dict[str, Callable[[Actions, LiveHeal, str], None]] = {
    "page": Actions._turn_page,
    "place": Actions._place_card,
    "reveal": Actions._reveal_fix,
    "auto": Actions._claim_automatic_approval,
    "instructions": Actions._tell_what_to_run,
    "expect": Actions._tell_how_to_expect,
    "undone": Actions._note_undone,
    "undo": Actions._tell_how_to_undo,
    "model": Actions._offer_model,
    "agree": Actions._agree_to_model,
}
"""What a button does that is no decision of the heal; each is given the button's text."""


def _has_await_in_running_loop(shell: Any, source: str) -> bool:
    """Whether the cell has a top-level await and the loop that would run it runs this very cell (ipykernel's does)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return bool(shell.should_run_async(source, transformed_cell=shell.transform_cell(source)))
