"""The line to the JupyterLab extension: comms, over which it tells the notebook and is told how a heal stands.

The kernel opens ``jupyter_selfheal.hello`` so that a page knows the extension is loaded (after a reload too). The page opens
two: ``jupyter_selfheal``, for what the user chose, and ``jupyter_selfheal.state``, on which it is told. They are apart because
ipykernel answers a comm on the shell that the comm last sent from: one that never sends is answered on a subshell, while a
cell runs. Handlers may run on a subshell's thread: they lock, and run no user code. ``comm`` is already loaded by ipykernel from 6.18 on
(https://github.com/ipython/comm).
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

from jupyter_selfheal.config import LIVE_SWITCHES, read_setting, read_settings
from jupyter_selfheal.errors import SelfHealError
from jupyter_selfheal.surfaces.live import LazyModule

if TYPE_CHECKING:
    from collections.abc import Callable

    from jupyter_selfheal import messages, model
    from jupyter_selfheal.surfaces import words
    from jupyter_selfheal.surfaces.live import frontend_edits
    from jupyter_selfheal.surfaces.live.components import Components
    from jupyter_selfheal.surfaces.live.live_heal import LiveHeal
    from jupyter_selfheal.surfaces.live.session import LiveSession
else:
    words, model = LazyModule("surfaces.words"), LazyModule("model")
    messages, frontend_edits = LazyModule("messages"), LazyModule("surfaces.live.frontend_edits")

TARGET = "jupyter_selfheal"


class FrontEnd:
    """Every page that shows this kernel's notebook."""

    def __init__(self, session: LiveSession, components: Components) -> None:
        self._session = session
        self._components = components
        self._comms: list[Any] = []
        self._choices: list[Any] = []
        """The comms on which pages say what the user chose: closed with us, so that a page opens new ones to who comes next."""
        self._hello: Any = None
        self._set_before: dict[str, Any] = {}
        """What the settings that a page sets were before: one that is reset in the editor gets it back."""
        self._lock = threading.Lock()
        self._telling = threading.RLock()
        """Held while a state is read and sent, so that what a page is told last is how it is."""

    def start(self) -> None:
        """Register the target, and say hello."""
        manager, open_comm = _find_comms(self._session.shell)
        for target, accept in self._list_targets():
            manager.register_target(target, accept)
        self._hello = open_comm(target_name=TARGET + ".hello")
        self._session.listeners.append(self.send_state)
        self._session.on_main = self._press_button
        self._session.on_document = self._send_document
        self._session.carry_out = self._carry_out
        self._session.has_page = lambda: bool(self._comms)

    def stop(self) -> None:
        """Close every comm."""
        manager, _ = _find_comms(self._session.shell)
        if self.send_state in self._session.listeners:
            self._session.listeners.remove(self.send_state)
        for target, accept in self._list_targets():
            manager.unregister_target(target, accept)
        for channel in [*self._comms, *self._choices, *([self._hello] if self._hello is not None else [])]:
            channel.close()
        self._comms.clear()
        self._choices.clear()

    def send_state(
        self, heal: LiveHeal | None = None, *, answered: str = "", granted: bool = True, wait: float = 0.0
    ) -> None:
        """How the last heal stands, to every page; ``answered`` is the number of a message that a page waits for, ``granted``
        the answer, and ``wait`` the seconds after which to ask again (0: that is of no use)."""
        with self._telling:
            latest = self._session.heals.latest
            if heal is None or heal.card.phase == "closed":  # one that ends hides none that goes on
                heal = latest
            state = self._build_state(heal)
            state |= {"answered": answered, "granted": granted, "wait": wait}
            for channel in list(self._comms):
                channel.send(state)

    def _build_state(self, heal: LiveHeal | None) -> dict[str, Any]:
        offered = self._session.heals.newest_offer
        return {
            "phase": heal.card.phase if heal else "idle",
            "status": heal.card.status if heal else "nothing failed yet",
            "run": heal.run if heal else "",
            "cell": heal.card.cell_id if heal else "",
            "placed": heal.is_placed if heal else True,
            "offered": offered.card.cell_id if offered else "",
            "cost": words.format_money(self._session.spent),
            "on": self._session.auto_suggest,
            "auto": self._session.auto_approve,
            "ahead": self._describe_ahead(),
            "died": self._session.died,
        }

    def _send_document(self, message: Any) -> None:
        """The heal of the whole notebook goes on, or has ended. Called on the reader's thread."""
        wanted = ("run", "at", "of", "doing", "fixes", "left", "notes", "error")
        told = {name: getattr(message, name) for name in wanted if hasattr(message, name)}
        for channel in list(self._comms):
            channel.send({"document": told})

    def _carry_out(self, heal: LiveHeal, how: str) -> bool:
        """Have the page that shows the cell put the fix in, or take it back: its own cell is changed, not the one that asks."""
        candidate = heal.card.find_candidate()
        if not self._comms or not self._session.cells.is_in_page(heal.card.cell_id):
            return False
        asked: dict[str, Any] = {"heal": heal.run, "cell": heal.card.cell_id, "how": how, "patch": ""}
        if how == "undo":
            asked["edits"] = list(heal.card.undo)
        elif candidate is not None:
            patch, notebook = candidate.patch, heal.case.notebook
            edits = frontend_edits.to_frontend_edits(
                patch, notebook, heal.card.written, candidate.cells_run_again, heal.card.cell_id
            )
            asked |= {
                "patch": patch.id,
                "edits": edits,
                "title": patch.title,
                "details": _describe_proof(heal, candidate),
            }
        for channel in list(self._comms):
            channel.send({"asked": asked})
        return True

    def _heal_document(self, content: dict[str, Any]) -> None:
        session, run = self._session, str(content["run"])
        folder, path = session.cells.folder, str(content.get("path", ""))
        message = messages.HealDocument(run, str(content["content"]), path, folder, session.config)
        if not session.client.send(message):
            self._send_document(messages.DocumentHealed(run, error=f"The worker does not run; see {session.log_path}"))

    def _send_history(self, _content: dict[str, Any]) -> None:
        """What was healed in this session, the oldest first, each with what takes it back where a page put it in."""
        session = self._session
        healed = [
            {
                "run": heal.run,
                "cell": heal.card.cell_id,
                "name": session.find_notebook_of(heal).name_cell(heal.card.cell_id),
                "headline": heal.card.headline,
                "title": heal.applied[0].patch.title,
                "details": _describe_proof(heal, heal.applied[0]),
                "is_undone": heal.is_undone,
                "undo": list(heal.card.undo),
            }
            for heal in session.heals
            if heal.applied
        ]
        for channel in list(self._comms):
            channel.send({"history": healed})

    def _describe_ahead(self) -> dict[str, Any]:
        ahead = self._session.ahead
        return (
            ahead.describe() if ahead is not None else {"on": self._session.look_ahead, "looking": False, "marks": []}
        )

    def _list_targets(self) -> tuple[tuple[str, Any], ...]:
        return (
            (TARGET, self._accept_choices_comm),
            (TARGET + ".state", self._accept_state_comm),
            (TARGET + ".agent", self._accept_agent_comm),
        )

    def _accept_agent_comm(self, channel: Any, _message: Any) -> None:
        from jupyter_selfheal.surfaces.live.agents import AgentLine

        AgentLine(self._session, self._components.dispatcher, channel).start()

    def _accept_choices_comm(self, channel: Any, _message: Any) -> None:
        with self._lock:
            self._choices.append(channel)
        channel.on_msg(lambda message: self._handle_message(message["content"]["data"]))
        channel.on_close(lambda _message: self._forget_comm(channel))

    def _accept_state_comm(self, channel: Any, _message: Any) -> None:
        with self._lock:
            self._comms.append(channel)
        channel.on_close(lambda _message: self._forget_comm(channel))
        self.send_state()

    def _forget_comm(self, channel: Any) -> None:
        with self._lock:
            for channels in (self._comms, self._choices):
                if channel in channels:
                    channels.remove(channel)

    def _handle_message(self, content: dict[str, Any]) -> None:
        try:
            self._perform_action(content)
        except Exception as error:
            self._session.report_internal_error(f"front end {content.get('action')}", error)

    def _perform_action(self, content: dict[str, Any]) -> None:
        action = str(content.get("action"))
        if action in _ACTIONS:
            _ACTIONS[action](self, content)
            return
        self._press_button(
            str(content.get("run", "")), action, str(content.get("patch", "")), str(content.get("text", ""))
        )
        if action == "undone":
            self.send_state()

    def _learn_cells(self, content: dict[str, Any]) -> None:
        self._session.cells.learn(tuple(_build_cell(raw) for raw in content["cells"]), str(content.get("path", "")))
        if content.get("number"):
            self.send_state(answered=str(content["number"]))

    def _answer_claim(self, content: dict[str, Any]) -> None:
        heal = self._session.heals.get(str(content["run"]))
        wait = heal.claim_approval(str(content["page"])) if heal is not None else math.inf
        self.send_state(answered=str(content["number"]), granted=not wait, wait=wait if wait < math.inf else 0.0)

    def _answer_application(self, content: dict[str, Any]) -> None:
        self.send_state(answered=str(content["number"]), granted=self._accept_application(content))

    def _switch_suggestions(self, content: dict[str, Any]) -> None:
        self._session.auto_suggest = content["action"] == "on"
        self._session.record_switch("suggestions", str(content["action"]))

    def _switch_approval(self, content: dict[str, Any]) -> None:
        self._session.auto_approve = content["action"] == "auto on"
        self._session.record_switch("auto-approve", str(content["action"]).removeprefix("auto "))

    def _switch_looking_ahead(self, content: dict[str, Any]) -> None:
        self._components.ahead.switch(content["action"] == "ahead on")

    def _stop_document(self, content: dict[str, Any]) -> None:
        self._session.client.send(messages.Cancel(str(content["run"])))

    def _press_button(self, run: str, action: str, patch_id: str, text: str) -> None:
        if action == "look ahead":
            self._components.ahead.look(asked=bool(text))
            return
        heal = self._session.heals.get(run)
        if heal is not None:
            self._components.actions.handle_button(heal, action, patch_id, text)

    def _accept_application(self, content: dict[str, Any]) -> bool:
        """Take down that a page has put the fix in, unless it is no longer its to do. Resume is armed before the page runs it."""
        heal, patch = self._session.heals.get(str(content["run"])), str(content["patch"])
        if heal is None or not heal.take_approval(str(content["page"])):
            return False
        if content.get("resume"):
            self._components.actions.arm_resume(heal, patch)
        return self._components.actions.record_approval(heal, patch, undo=tuple(content.get("undo") or ())) is not None

    def _apply_settings(self, content: dict[str, Any]) -> None:
        session, values = self._session, content["values"]
        reset = {name: self._set_before.pop(name) for name in [*self._set_before] if name not in values}
        for name, value in {**reset, **values}.items():
            was: Any = getattr(session if name in LIVE_SWITCHES else session.config, name, None)
            if name in values:
                self._set_before.setdefault(name, was)
            if name not in LIVE_SWITCHES:
                session.config, problems = read_settings({name: value}, session.config)
                for problem in problems:
                    session.write_log_line(f"a setting of the page cannot be read: {problem}")
                continue
            try:
                setattr(session, name, bool(read_setting(name, value)))
            except SelfHealError as error:
                session.write_log_line(f"setting {name} is ignored: {error}")
        self.send_state()


_ACTIONS: dict[str, Callable[[FrontEnd, dict[str, Any]], None]] = {
    "context": FrontEnd._learn_cells,
    "claim": FrontEnd._answer_claim,
    "applied": FrontEnd._answer_application,
    "on": FrontEnd._switch_suggestions,
    "off": FrontEnd._switch_suggestions,
    "auto on": FrontEnd._switch_approval,
    "auto off": FrontEnd._switch_approval,
    "heal document": FrontEnd._heal_document,
    "stop document": FrontEnd._stop_document,
    "history": FrontEnd._send_history,
    "ahead on": FrontEnd._switch_looking_ahead,
    "ahead off": FrontEnd._switch_looking_ahead,
    "settings": FrontEnd._apply_settings,
}
"""What the page asks for that is no button of a card; each is given the whole message."""


def _describe_proof(heal: LiveHeal, candidate: model.Candidate) -> str:
    """What the line below a healed cell unfolds."""
    facts = [words.format_facts(heal.card.proposal[0], candidate)] if heal.card.proposal else []
    return "\n".join([*candidate.verdict.reasons, *facts])


def _build_cell(raw: dict[str, Any]) -> model.Cell:
    marks = raw["selfheal"] if isinstance(raw.get("selfheal"), dict) else {}
    checks = marks.get("check") or ()
    return model.Cell(
        id=str(raw["id"]),
        source=str(raw["source"]),
        kind=str(raw.get("kind", "code")),
        tags=tuple(raw.get("tags") or ()),
        outputs=tuple(model.Output.from_nbformat(o) for o in raw.get("outputs") or ()),
        oracle=model.Oracle(
            expect=str(marks.get("expect", "")),
            stdout=str(marks.get("stdout", "")),
            checks=(checks,) if isinstance(checks, str) else tuple(checks),
        ),
        skip=bool(marks.get("skip")),
        expensive=bool(marks.get("expensive")),
    )


def _find_comms(shell: Any) -> tuple[Any, Callable[..., Any]]:
    """What knows the kernel's comms, and what opens one. ipykernel before 6.18, Colab's, has both itself, and does without `comm`."""
    from ipykernel import version_info  # type: ignore[attr-defined]

    if version_info < (6, 18):
        from ipykernel.comm import Comm

        return shell.kernel.comm_manager, Comm
    import comm

    return comm.get_comm_manager(), comm.create_comm
