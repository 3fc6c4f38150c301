"""Looking ahead in idle time: what will become of the cells below, before the user comes to them.

A page asks for it when nothing runs. The kernel is copied once, the worker runs the cells in copies of that copy
(:mod:`jupyter_selfheal.surfaces.worker.look_ahead`), and all of it ends when the user runs a cell. What was foretold is
compared with what then happens.
"""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_selfheal import messages as m
from jupyter_selfheal.model import JSON, Case, Notebook
from jupyter_selfheal.surfaces.live.live_heal import LiveHeal, build_new_card
from jupyter_selfheal.surfaces.words import format_proposal_status

if TYPE_CHECKING:
    from collections.abc import Callable

    from jupyter_selfheal.surfaces.live.live_heal import View
    from jupyter_selfheal.surfaces.live.session import LiveSession


@dataclass(slots=True)
class Tally:
    """How often what was foretold came true, and how many failures were known before they happened."""

    compared: int = 0
    right: int = 0
    failures: int = 0
    known: int = 0

    def count(self, outcome: str, failed: bool) -> None:
        """A cell ran: ``outcome`` was foretold of it (empty: nothing was)."""
        self.failures += failed
        if outcome in (m.WILL_RUN, m.WILL_FAIL):
            is_right = failed == (outcome == m.WILL_FAIL)
            self.compared += 1
            self.right += is_right
            self.known += failed and is_right

    def __str__(self) -> str:
        if not self.compared:
            return "nothing to compare yet"
        known = f"; {self.known} of {self.failures} failures were known before" if self.failures else ""
        return f"{self.right} of {self.compared} cells did as foretold{known}"


class Ahead:
    """Looks ahead for one session. Methods are for the main thread but where they say otherwise."""

    def __init__(self, session: LiveSession, make_view: Callable[[], View]) -> None:
        self._session = session
        self._make_view = make_view
        self._run = ""
        """The look that goes on; empty while none does."""
        self._note = ""
        """Why the last look could not begin; empty where it could."""
        self._states: tuple[m.StateAddress, ...] = ()
        """The copies that the last look was given."""
        self._forecasts: tuple[m.Forecast, ...] = ()
        """Of the cells below, in order: the first is of the cell that comes next."""
        self._notebook = Notebook(())
        self._lock = threading.Lock()
        self.tally = Tally()

    def switch(self, on: bool) -> None:
        """Look ahead in idle time from now on, or no longer."""
        self._session.look_ahead = on
        if not on:
            self.stop()
            self._forecasts = ()
        self._session.record_switch("looking ahead", "on" if on else "off")

    def look(self, *, asked: bool = False) -> None:
        """Begin to look at the cells below (``asked``: by the user, also where it is off), unless a heal is open: its states
        are not taken from it."""
        self.stop()
        if self._session.look_ahead or asked:
            self._note = self._begin_look()
            self._tell_pages()

    def _begin_look(self) -> str:
        """Copy the kernel and send the copy to the worker. Why not, where that cannot be; empty where it is done."""
        session = self._session
        cells = session.cells.list_cells_below()
        if not cells:
            return "There is no cell below the one that ran last."
        if session.has_open_heal:
            return "A fix waits for you: decide on it first."
        run = session.make_run_id()
        notebook = session.cells.build_notebook(cells[0].id, cells[0].source, 0)
        states = session.checkpoints.freeze_now(run)
        if not states:
            return f"The kernel cannot be copied now: {session.checkpoints.refusal}."
        with self._lock:
            known = self._find_what_holds(notebook, tuple(cell.id for cell in cells))
            self._run, self._notebook, self._forecasts = run, notebook, known
        self._states = states
        ids = tuple(cell.id for cell in cells)
        if not session.client.send(m.LookAhead(run, notebook, ids, states, session.config, is_idle=True)):
            session.checkpoints.release(states)
            self._run = ""
            return f"The worker does not run; see {session.log_path}."
        return ""

    def _find_what_holds(self, notebook: Notebook, below: tuple[str, ...]) -> tuple[m.Forecast, ...]:
        """What is known of these cells already, down to the first that is another: it stays until the new look knows more, so that
        marks do not go and come, and a cell that is run before that was foretold."""
        pairs = zip(self._forecasts, below, strict=False)
        same = itertools.takewhile(
            lambda pair: (
                pair[0].cell_id == pair[1] and self._notebook.cell(pair[1]).source == notebook.cell(pair[1]).source
            ),
            pairs,
        )
        return tuple(forecast for forecast, _ in same)

    def stop(self) -> None:
        """The user runs something: what runs in copies ends. What was known stays known.

        The copies are ended from here, and with each all that runs below it: the worker, which goes behind the user's cell, may
        come to it only after that. It is told first, so that it takes their end for what it is.
        """
        with self._lock:
            run, self._run = self._run, ""
        states, self._states = self._states, ()
        if run:
            self._session.client.send(m.Cancel(run))
            self._session.checkpoints.end_at_once(states)

    def receive(self, message: m.Foreseen) -> None:
        """More is known. Called on the reader's thread."""
        with self._lock:
            if message.run != self._run:
                return
            new, known = message.forecasts, self._forecasts
            agrees = all(a.outcome == b.outcome for a, b in zip(new, known, strict=False))
            self._forecasts = new if message.is_done or not agrees else (*new, *known[len(new) :])
            self._run = "" if message.is_done else self._run
        self._tell_pages()

    def keep(self, foreseen: m.Foreseen, notebook: Notebook) -> None:
        """What was printed for the user is shown beside the cells too, and compared with what then happens."""
        self.stop()
        with self._lock:
            self._forecasts, self._notebook = foreseen.forecasts, notebook
        self._tell_pages()

    def compare(self, cell_id: str, source: str, failed: bool) -> None:
        """A cell was run: was it foretold? What was foretold of the cells below holds only if it did as expected."""
        with self._lock:
            first = self._forecasts[0] if self._forecasts else None
            outcome = self._find_outcome(first, cell_id, source, failed)
            self.tally.count(outcome, failed)
            holds = not failed and outcome == m.WILL_RUN
            self._forecasts = self._forecasts[1:] if holds else ()
        self._tell_pages()

    def _find_outcome(self, first: m.Forecast | None, cell_id: str, source: str, failed: bool) -> str:
        """What was foretold of this cell with this source; empty where nothing was.

        With the fix that was ready it was to run; where that changes another cell, whether it was put in cannot be seen here.
        """
        if first is None or first.cell_id != cell_id:
            return ""
        old = self._notebook.cell(cell_id).source.strip()
        fixed = _find_fixed_source(first, old)
        if fixed == old and not failed:
            return ""
        return m.WILL_RUN if source.strip() == fixed != old else first.outcome if source.strip() == old else ""

    def describe(self) -> dict[str, JSON]:
        """How it stands, as a page is told. Any thread."""
        marks = self.list_marks()
        return {"on": self._session.look_ahead, "looking": bool(self._run), "note": self._note, "marks": marks}

    def list_marks(self) -> list[JSON]:
        """What a page shows beside the cells below, down to the first that was edited since. Any thread."""
        cells, notebook = self._session.cells, self._notebook
        holds = itertools.takewhile(lambda f: cells.is_as_told(notebook.cell(f.cell_id)), self._forecasts)
        return [{"cell": f.cell_id, "outcome": f.outcome, "detail": f.detail, "fix": f.fix} for f in holds]

    def show_fix(self, cell_id: str) -> bool:
        """Show the card of a cell that will fail, before it was run. False where no fix is ready."""
        forecast = next((f for f in self._forecasts if f.cell_id == cell_id and f.proposal), None)
        if forecast is None:
            return False
        proposal, session = forecast.proposal[0], self._session
        case = Case(proposal.failure, self._notebook)
        is_next = self._forecasts[0] is forecast
        status = format_proposal_status(proposal)
        note = () if is_next else ("Tested from the state that the cells above it will leave: run those first.",)
        card = build_new_card(
            session.make_run_id(), case, phase="proposed", proposal=(proposal,), is_ahead=True, can_run=is_next,
            written={c.id: text for c in case.notebook.cells if (text := session.cells.find_written_source(c)) != c.source},
        )  # fmt: skip
        heal = LiveHeal(card.run, case, card.with_(status=f"Will fail: {status}", notes=note), self._make_view())
        heal.settled.set()
        session.remember(heal)
        heal.view.show(heal)
        return True

    def _tell_pages(self) -> None:
        for listen in list(self._session.listeners):
            listen(None)


def _find_fixed_source(forecast: m.Forecast, old: str) -> str | None:
    """The cell with the fix that is ready; None where none is."""
    if not forecast.fix or not forecast.proposal:
        return None
    return forecast.proposal[0].candidates[0].patch.source_of(forecast.cell_id, old).strip()
