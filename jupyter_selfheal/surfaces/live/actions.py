"""What the user chose, carried out: the same for the widget's buttons, the magics and the terminal."""

from __future__ import annotations

import asyncio
from typing import Any

from jupyter_selfheal import messages as m
from jupyter_selfheal.model import JSON, Applicability, Candidate, Choice, Decision
from jupyter_selfheal.surfaces.live import application, resume
from jupyter_selfheal.surfaces.live.healing import Healing
from jupyter_selfheal.surfaces.live.heals import LiveHeal
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
    "What goes to the model: this cell, the cells it depends on, the error, and the types and shapes (not the values) of its "
    "variables, with secrets replaced; `%heal sent` shows it. Press “Agree & ask” to allow that in this session."
)

NO_EXTENSION = (
    "The JupyterLab extension is not here, so a button cannot change your cell. Run `%heal approve` in a new cell: that cell "
    "becomes the fix and runs. Or put `%%heal approve` on top of the failing cell, or use Copy."
)


class Actions:
    """Carries out choices on heals of one session. Methods may be called on any thread unless they say otherwise."""

    def __init__(self, session: LiveSession, healing: Healing) -> None:
        self._session = session
        self._healing = healing

    def from_widget(self, heal: LiveHeal, action: str, patch_id: str, text: str) -> None:
        """A button was pressed. Runs no user code: what must run is queued by the front end."""
        try:
            self._act(heal, action, patch_id, text)
        except Exception as error:
            self._session.own_error(f"button {action}", error)

    def _act(self, heal: LiveHeal, action: str, patch_id: str, text: str) -> None:
        if action == "page":
            heal.change(page=int(text))
        elif action == "auto":
            with heal.lock:
                if not heal.card.auto_by:
                    heal.change(auto_by=text)
        elif action == "instructions":
            what = "`%heal resume`" if text == "resume" else "`%heal approve`"
            heal.change(instructions=NO_EXTENSION.replace("`%heal approve`", what))
        elif action == "undone":
            heal.change(status="Undone: the old source is back.", undo=())
        elif action == "undo":
            heal.change(instructions="Run `%heal undo` in a new cell: that cell becomes the old source.")
        elif action == "model":
            heal.change(asks_consent=not self._session.config.consent, instructions=CONSENT)
            if self._session.config.consent:
                self.ask_model(heal)
        elif action == "agree":
            self._session.consent()
            self.ask_model(heal)
        elif action in TO_CHOICE and heal.card.phase != "applied":  # another tab may have approved meanwhile
            self.decide(heal, action, patch_id, text)

    def ask_model(self, heal: LiveHeal) -> None:
        """Begin again, with the model among the healers: the user agreed to that."""
        self._healing.restart(heal, self._session.config.with_every_healer())

    def decide(self, heal: LiveHeal, action: str, patch_id: str = "", text: str = "") -> None:
        """Send a decision to the worker; a heal that has ended begins again."""
        choice = TO_CHOICE[action]
        heal.settled.clear()
        if choice is Choice.REJECT:
            self._session.rejected(heal)
        if heal.card.phase == "closed" and choice is Choice.RETRY:
            self._healing.restart(heal, self._session.config, hint=text)
            return
        found = heal.card.find_candidate(patch_id)
        decision = Decision(choice, patch_id or (found.patch.id if found else ""), text)
        if not self._session.client.send(m.Decide(heal.run, decision)):
            heal.change(phase="closed", status="The healing worker is gone; `%heal` tries again.")
            heal.settled.set()
        elif choice is not Choice.STOP:
            heal.change(phase="healing", status=f"{heal.card.headline}: healing…", proposal=())

    def approved(self, heal: LiveHeal, patch_id: str, *, undo: tuple[JSON, ...] = ()) -> Candidate | None:
        """Record that a candidate was approved and put into the notebook (by the front end, or by a magic).

        ``undo`` are the edits that take it back, as the front end that made the change tells them.
        """
        found = heal.card.find_candidate(patch_id)
        if found is None:
            return None
        heal.applied = (found,)
        heal.settled.clear()
        by = "%heal auto" if heal.card.auto and found.patch.applicability is Applicability.SAFE else "user"
        self._session.client.send(m.Decide(heal.run, Decision(Choice.APPROVE, found.patch.id, by=by)))
        heal.change(phase="applied", status=f"{heal.card.headline}: fixed", undo=undo, instructions="")
        return found

    def arm_resume(self, heal: LiveHeal, patch_id: str) -> str:
        """The next execution of the fixed cell runs only what is left of it. Returns what is left (empty: not possible)."""
        found = heal.card.find_candidate(patch_id)
        rest = resume.rest_of(heal.case.failure, found.patch) if found else ""
        if rest and found is not None:
            whole = found.patch.source_of(heal.case.failure.cell_id, heal.case.failure.source)
            self._session.pending_resume[whole.strip("\n")] = rest
        return rest

    # --- main thread only: these run user code --------------------------------------------------------------------

    def run_approved(self, heal: LiveHeal, found: Candidate, *, what_is_left: str = "") -> Any:
        """Run what an approved candidate needs first, then the fixed cell (or what is left of it). None: it was not run."""
        session = self._session
        sources = {c.id: c.source for c in heal.case.notebook.cells}
        failure = heal.case.failure
        plan = application.plan_of(found, failure.cell_id, failure.source, sources)
        session.busy_within = True
        try:
            for source in plan.first:
                result = session.shell.run_cell(source, store_history=False)
                if not result.success:
                    return result
            if _awaits_here(session.shell, what_is_left or plan.source):
                print(
                    "Self-heal: the fix awaits, and a cell that awaits cannot run inside another: run it now where it stands."
                )
                return None
            return session.shell.run_cell(what_is_left or plan.source, store_history=False)
        finally:
            session.busy_within = False
            session.cells.ran(failure.cell_id, plan.source, session.shell.execution_count)


def _awaits_here(shell: Any, source: str) -> bool:
    """Whether the cell has a top-level await and the loop that would run it runs this very cell (ipykernel's does)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return bool(shell.should_run_async(source, transformed_cell=shell.transform_cell(source)))
