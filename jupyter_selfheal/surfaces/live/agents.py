"""The line to a coding agent's server (``jupyter selfheal mcp --kernel``): a comm of its own, opened by that server.

The agent reads: it is told the cells and the failures that stand, and is given a frozen copy of the state. It changes one thing,
the card: a patch of its own is tried by this session's worker and put to the user there, who approves or rejects it like any other.

Whoever can open a comm can run any code in this kernel; what an agent may not do is kept by the server that it speaks to.
Handlers run on the main thread, between cells, so that the kernel can be copied.
"""

from __future__ import annotations

from typing import Any

from jupyter_selfheal import messages as m
from jupyter_selfheal import wire
from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import SelfHealError, UsageError
from jupyter_selfheal.model import Case, Start
from jupyter_selfheal.surfaces.live.heal_dispatcher import HealDispatcher
from jupyter_selfheal.surfaces.live.live_heal import LiveHeal
from jupyter_selfheal.surfaces.live.session import LiveSession

ENDED = ("applied", "closed")
"""Phases of a card in which nothing is to be decided any more."""


class AgentLine:
    """One server of a coding agent, which asks about this session and puts patches to its user."""

    def __init__(self, session: LiveSession, dispatcher: HealDispatcher, channel: Any) -> None:
        self._session = session
        self._dispatcher = dispatcher
        self._channel = channel
        self._offered: dict[str, str] = {}
        """Cell id of each run in which a patch was put to the user, until it is decided."""

    def start(self) -> None:
        """Say hello, and listen."""
        self._channel.on_msg(lambda message: self._handle_message(message["content"]["data"]))
        self._channel.on_close(lambda _message: self.stop())
        self._session.listeners.append(self._tell_decision)
        self._session.closers.append(self.stop)
        self._channel.send({"hello": __version__})

    def stop(self) -> None:
        """Listen no more. Idempotent."""
        if self._tell_decision in self._session.listeners:
            self._session.listeners.remove(self._tell_decision)

    def _handle_message(self, content: dict[str, Any]) -> None:
        number = content.get("number", 0)
        try:
            self._channel.send({"number": number, **self._answer_question(content)})
        except SelfHealError as error:
            self._channel.send({"number": number, "error": str(error)})
        except Exception as error:
            self._session.report_internal_error("agent", error)
            self._channel.send({"number": number, "error": f"internal error: {type(error).__name__}: {error}"})

    def _answer_question(self, content: dict[str, Any]) -> dict[str, Any]:
        if content.get("ask") == "look":
            return {"view": wire.dumps(self._look_at_kernel(copies=bool(content.get("copy"))))}
        if content.get("ask") == "offer":
            return {"run": self._offer_patch(wire.loads(content["offer"]))}
        raise UsageError(f"the kernel's extension knows no question {content.get('ask')!r:.40}: update both sides")

    # --- looking ---

    def _look_at_kernel(self, *, copies: bool) -> m.AgentView:
        session = self._session
        notebook = session.cells.build_present()
        cases = tuple(self._list_cases())
        if not copies:
            return m.AgentView(notebook, cases)
        states = session.checkpoints.freeze_for_agent(Start.BEFORE_CELL)
        return m.AgentView(notebook, cases, states, session.checkpoints.refusal)

    def _list_cases(self) -> list[Case]:
        """The failures that stand, one of each cell: a cell that ran well since is not among them."""
        cells = self._session.cells
        cases = {h.case.failure.cell_id: h.case for h in self._session.heals}
        last = self._dispatcher.find_last_failure()
        if last is not None and last.cell_id not in cases:
            cases[last.cell_id] = Case(last, cells.build_notebook(last.cell_id, last.source, 0))
        return [case for cell_id, case in cases.items() if cells.is_unfinished(cell_id)]

    # --- putting a patch to the user ---

    def _offer_patch(self, offer: m.AgentOffer) -> str:
        """Have the patch tried by the worker, and shown on the card of its cell; the run of that heal."""
        heal = next((h for h in reversed(list(self._session.heals)) if h.card.cell_id == offer.cell_id), None)
        if heal is None:
            raise UsageError(
                f"cell {offer.cell_id} has no card in the notebook: ask the user to run it again (or `%heal`), then call again"
            )
        if heal.card.phase == "healing" or heal.proving:
            raise UsageError(f"cell {offer.cell_id} is being healed at this moment: call again when that has ended")
        if heal.card.phase == "applied":
            raise UsageError(f"a fix of cell {offer.cell_id} was applied already: call check_notebook")
        self._dispatcher.restart_heal(heal, self._session.config, given=(offer.patch,))
        self._offered[heal.run] = offer.cell_id
        heal.update_card(notes=(offer.note,))
        return heal.run

    def _tell_decision(self, heal: LiveHeal | None) -> None:
        """Tell the server how its patch stands. Called on the worker's reader thread, too."""
        if heal is None:
            return
        if heal.run in self._offered:
            phase, status = heal.card.phase, heal.card.status
            if phase in ENDED:
                del self._offered[heal.run]
            self._channel.send({"run": heal.run, "phase": phase, "status": status, "reason": _find_rejection(heal)})
            return
        for run in [run for run, cell_id in self._offered.items() if cell_id == heal.card.cell_id]:
            del self._offered[run]  # the user began anew: nobody decides on the patch any more
            self._channel.send({"run": run, "phase": "closed", "status": "The user began another heal of that cell."})


def _find_rejection(heal: LiveHeal) -> str:
    """Why the user rejected it, where a reason was given."""
    rejections = [a.rejection for outcome in heal.outcome for a in outcome.attempts if a.rejection]
    return rejections[-1] if rejections else ""
