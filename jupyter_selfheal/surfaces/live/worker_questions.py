"""``%heal status``, ``review``, ``ahead now`` and ``sent``: the worker is asked, and what it answers is printed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from IPython.core.error import UsageError

from jupyter_selfheal import messages as m
from jupyter_selfheal.model import Case, Notebook
from jupyter_selfheal.surfaces import words
from jupyter_selfheal.surfaces.live import forecasts
from jupyter_selfheal.surfaces.live.heal_dispatcher import HealDispatcher
from jupyter_selfheal.surfaces.live.session import LiveSession

ANSWER_SECONDS = 5.0
"""How long ``status`` waits for the worker."""

RENDER_SECONDS = 60.0
"""How long ``sent`` does: a request describes live variables, and for that the cell is run once more in a copy."""

AHEAD_SECONDS = 300.0
"""How long ``ahead now`` waits: each cell below may take its time in a copy, and the first that fails is healed."""

REVIEW_SECONDS = 180.0
"""How long ``review`` waits: each question to a copy of the kernel takes a moment, a model's answer some."""

NOTHING_TO_SEND = (
    "Nothing was sent to a model for this cell, and what would be cannot be said: the kernel no longer has its failure. "
    "Run the cell again, and ask then."
)

ASKED_FOR = "This would be, if you asked one:"


def print_status(session: LiveSession) -> None:
    """``%heal status``."""
    session.status = None
    session.client.send(m.AskStatus())
    _wait_until(lambda: session.status is not None)
    words.print_lines(_list_status(session))


def _list_status(session: LiveSession) -> Iterator[str]:
    suggests, approves = ("on" if is_on else "off" for is_on in (session.auto_suggest, session.auto_approve))
    yield f"suggestions {suggests}, auto-approve {approves}"
    yield from (f"switched: {switch} {since}" for switch, since in session.switches.items())
    yield f"worker {'running, pid ' + str(session.client.pid) if session.client.alive else 'not running'}"
    yield f"copies of the kernel: {session.checkpoints.status_text}"
    tally = f": {session.ahead.tally}" if session.ahead is not None else ""
    yield f"looking ahead {'on' if session.look_ahead else 'off'}{tally}"
    yield f"spent in this session: {words.format_money(session.spent)}"
    if (heal := session.heals.latest) is not None:
        yield f"last heal: {heal.card.status}"
        if heal.journal:
            yield f"journal: {heal.journal}"
    yield f"log: {session.log_path}"


def print_review(session: LiveSession) -> None:
    """``%heal review``. Raises :class:`UsageError` where the worker does not answer."""
    notebook, run = session.cells.build_history(), session.make_run_id()
    numbers = {cell.id: f"In [{cell.runs}]" for cell in notebook.cells if cell.kind == "code" and cell.runs}
    if not numbers:
        print("Self-heal: no cell has run in this session yet.")
        return
    session.reviewed = None
    states = session.checkpoints.freeze_now(run)
    if not session.client.send(m.Review(run, notebook, states, session.config, session.spent)):
        session.checkpoints.release(states)
        raise UsageError(f"the worker does not run; see {session.log_path}")
    _wait_until(lambda: session.reviewed is not None and session.reviewed.run == run, REVIEW_SECONDS)
    answer = session.reviewed
    if answer is None or answer.run != run:
        raise UsageError("the worker does not answer; `%heal status` says how it is")
    print("Self-heal:")
    for line in words.format_doubts(answer.doubts, numbers, len(numbers)):
        print(line)
    for note in answer.notes:
        words.print_lines([f"  note: {note}"])


def print_forecasts(session: LiveSession) -> tuple[m.Foreseen, Notebook] | None:
    """``%heal ahead now``: prints what was foretold and returns it, with the notebook that it is of; None where no cell is below.

    Raises :class:`UsageError` where the worker does not answer.
    """
    cells = session.cells.list_cells_below()
    if not cells:
        untold = "no page has told which cells are below: that takes JupyterLab or Notebook 7 with the extension"
        why = "there is no cell below the one that ran last" if session.cells.is_told else untold
        words.print_lines([f"Self-heal: {why}."])
        return None
    run = session.make_run_id()
    notebook = session.cells.build_notebook(cells[0].id, cells[0].source, 0)
    states = session.checkpoints.freeze_now(run)
    session.foreseen = None
    ids = tuple(cell.id for cell in cells)
    if not session.client.send(m.LookAhead(run, notebook, ids, states, session.config)):
        session.checkpoints.release(states)
        raise UsageError(f"the worker does not run; see {session.log_path}")
    _wait_until(lambda: session.foreseen is not None and session.foreseen.run == run, AHEAD_SECONDS)
    if session.foreseen is None or session.foreseen.run != run:
        raise UsageError("the worker does not answer; `%heal status` says how it is")
    for line in forecasts.format_forecasts(session.foreseen, notebook, session.config.accept):
        print(line)
    return session.foreseen, notebook


def print_what_was_sent(session: LiveSession, dispatcher: HealDispatcher, rest: str) -> None:
    """``%heal sent [--cell ID] [--json]``. Raises :class:`UsageError` where the worker does not answer."""
    arguments = rest.split()
    cell_id = arguments[arguments.index("--cell") + 1] if "--cell" in arguments[:-1] else ""
    sendable = dispatcher.find_case_to_send(cell_id)
    if sendable is None:
        words.print_lines(
            [NOTHING_TO_SEND if cell_id else "Nothing was sent to a model: nothing failed yet in this session."]
        )
        return
    run, case = sendable
    heal = session.heals.get(run)
    reply = _ask_what_was_sent(
        session, run, case, open_=heal is not None and heal.card.phase not in ("closed", "applied")
    )
    if "--json" in arguments:
        import json

        print(json.dumps(list(reply.records), indent=2, ensure_ascii=False))
    elif reply.records:
        print(f"This was sent to a model for this failure:\n\n{reply.text}" if cell_id else reply.text)
    else:
        print(f"Nothing was sent to a model for this failure. {ASKED_FOR}\n\n{reply.would}")


def _ask_what_was_sent(session: LiveSession, run: str, case: Case, *, open_: bool) -> m.Sent:
    """What the worker says was sent in a run, or would be; ``open_``: the worker has the states of that heal."""
    session.sent = None
    states = () if open_ else session.checkpoints.freeze_now(run)
    session.client.send(m.AskSent(run, (case,), states, session.config.with_every_healer()))
    _wait_until(lambda: session.sent is not None, RENDER_SECONDS)
    if session.sent is None:
        raise UsageError("the worker does not answer; `%heal status` says how it is")
    return session.sent


def _wait_until(done: Callable[[], bool], seconds: float = ANSWER_SECONDS) -> None:
    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:
        time.sleep(0.02)
