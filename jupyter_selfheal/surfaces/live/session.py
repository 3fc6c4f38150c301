"""What one shell with healing switched on has: its settings, cells, frozen states, worker and heals.

Who acts on it: :mod:`.shell_hooks` for IPython, :mod:`.heal_dispatcher` for a failure, :mod:`.actions` for the user. What
only a failure or a command needs is imported then.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ConfigError, UsageError
from jupyter_selfheal.surfaces.live import LazyModule, worker_client
from jupyter_selfheal.surfaces.live.cell_log import CellLog
from jupyter_selfheal.surfaces.live.checkpoint import Checkpoints
from jupyter_selfheal.surfaces.live.heal_history import HealHistory

if TYPE_CHECKING:
    from jupyter_selfheal import keys, registry
    from jupyter_selfheal import messages as m
    from jupyter_selfheal.model import JSON, Candidate, Cell, Failure, Notebook, Patch
    from jupyter_selfheal.model.cost import Cost
    from jupyter_selfheal.surfaces.live.live_heal import LiveHeal
    from jupyter_selfheal.surfaces.live.session_file import SessionCommand
else:
    keys = LazyModule("keys")
    m = LazyModule("messages")
    registry = LazyModule("registry")


class Foreteller(Protocol):
    """Who looks at the cells below, as far as whoever runs cells, shows them or hears from the worker needs it."""

    @property
    def tally(self) -> object: ...
    def stop(self) -> None: ...
    def receive(self, message: m.Foreseen) -> None: ...
    def compare(self, cell_id: str, source: str, failed: bool) -> None: ...
    def describe(self) -> dict[str, JSON]: ...


class LiveSession:
    """One shell with healing switched on."""

    def __init__(self, shell: Any, config: HealConfig, data_dir: Path) -> None:
        self.shell = shell
        self.config = config
        self.pid = os.getpid()
        self.log_path = data_dir / "selfheal" / "live.log"
        self.cells = CellLog(os.getcwd())
        self.checkpoints = Checkpoints(shell, self.cells)
        self.checkpoints.is_working = self._is_working
        self.checkpoints.on_taken = self._mark_expired
        self.client = worker_client.WorkerClient(self.log_path, self._receive_message, self._handle_worker_end)
        self.heals = HealHistory()
        self.died: dict[str, str] = {}
        """How the kernel that was here before died: ``cell`` and ``text``; empty where it ended well."""
        self.auto_suggest = True
        self.look_ahead = False
        self.ahead: Foreteller | None = None
        """Who looks at the cells below; made when that is first asked for."""
        self.auto_approve = False
        self.teach = False
        """Whether the explanation and a hint come first, the fix on a second click."""
        self.is_running_fix = False
        """True while a fix runs inside of one of our own calls: its events are not the user's."""
        self.pending_resume: dict[str, str] = {}
        """Source of a whole fixed cell → what of it is left to run, for the one next time it is executed."""
        self.listeners: list[Callable[[LiveHeal | None], None]] = []
        """Called when a heal changed (the front end's status bar)."""
        self.on_main: Callable[[str, str, str, str], None] = lambda _run, _action, _patch, _text: None
        """What a page has the main thread do, by a request of its own in order with the cells: (run, action, patch id, text)."""
        self.on_document: Callable[[m.DocumentProgress | m.DocumentHealed], None] = lambda message: None
        """What a page is told of the whole notebook's heal."""
        self.carry_out: Callable[[LiveHeal, str], bool] = lambda _heal, _how: False
        """Has a page do it in the notebook itself: ``run``, ``resume`` or ``undo``. False where no page can."""
        self.has_page: Callable[[], bool] = lambda: False
        """Whether a page of the JupyterLab extension shows the notebook."""
        self.closers: list[Callable[[], None]] = []
        """Called when healing is switched off, before the rest goes."""
        self.command: SessionCommand | None = None
        """The last ``%heal minimize`` or ``%heal bisect``: one is at work at a time."""
        self.name = f"live-{time.strftime('%Y%m%d-%H%M%S')}-{self.pid}"
        self.switches: dict[str, str] = {}
        """What the user switched, and when, for ``%heal status``."""
        self.sent: m.Sent | None = None
        self.status: m.Status | None = None
        self.reviewed: m.Reviewed | None = None
        self.foreseen: m.Foreseen | None = None
        self._numbers = itertools.count(1)
        self._costs: dict[str, Cost] = {}
        self._reported_places: set[str] = set()
        self._rejected: dict[tuple[str, str, str], tuple[Patch, ...]] = {}

    def close_cards(self) -> None:
        """Leave the text of every card behind; a kernel that ends needs not, its pages see to it."""
        for heal in self.heals:
            heal.view.close()

    def stop(self) -> None:
        """Let go of everything; end every process of ours."""
        for close in self.closers:
            close()
        self.checkpoints.close()
        self.client.close()

    # --- heals ---------------------------------------------------------------------------------------------------

    def make_run_id(self) -> str:
        """An id that no other heal of this or another session has."""
        return f"live-{time.strftime('%Y%m%d-%H%M%S')}-{self.pid}-{next(self._numbers)}"

    def remember(self, heal: LiveHeal) -> None:
        """Keep a heal under its run; the oldest go."""
        for old in self.heals.add(heal):
            old.view.close()

    @property
    def has_open_heal(self) -> bool:
        """Whether a heal waits for its user, or works."""
        return any(heal.is_open for heal in self.heals)

    @property
    def spent(self) -> Cost:
        """By all heals together, with calls under way at their worst: also where a worker died in one."""
        from jupyter_selfheal.model.cost import Cost

        return sum(list(self._costs.values()), Cost())

    def take_first_use(self) -> bool:
        """Whether this is the first failure that is healed for this user; true once."""
        mark = self.log_path.with_name("welcomed")
        try:
            mark.touch(exist_ok=False)
        except OSError:
            return False  # it is there, or cannot be made: then nobody is told again and again
        return True

    def record_rejection(self, heal: LiveHeal, candidate: Candidate | None) -> None:
        """The same failure of the same cell is not suggested for again, and where it is healed again that fix is not offered."""
        failure = heal.case.failure
        known = self._rejected.get((failure.cell_id, failure.ename, failure.evalue), ())
        patch = (candidate.patch,) if candidate is not None and candidate.patch not in known else ()
        self._rejected[failure.cell_id, failure.ename, failure.evalue] = (*known, *patch)

    def list_rejected(self, failure: Failure, notebook: Notebook) -> tuple[Patch, ...]:
        """The fixes of that failure that the user said no to, the oldest first. One of a cell that was written anew since fits it no more."""
        from jupyter_selfheal.model import Replace

        known = self._rejected.get((failure.cell_id, failure.ename, failure.evalue), ())
        sources = {**{c.id: c.source for c in notebook.cells}, failure.cell_id: failure.source}
        return tuple(
            p for p in known if all(sources.get(e.cell_id) == e.old for e in p.edits if isinstance(e, Replace))
        )

    def take_rejection_back(self, heal: LiveHeal) -> bool:
        """Let everything be offered again that was rejected of a heal's failure. False where that is nothing."""
        failure = heal.case.failure
        key = failure.cell_id, failure.ename, failure.evalue
        return bool(self._rejected.get(key) and self._rejected.pop(key))

    def was_rejected(self, cell_id: str, ename: str, evalue: str) -> bool:
        """Whether the user said no to healing that failure."""
        return (cell_id, ename, evalue) in self._rejected

    def find_notebook_of(self, heal: LiveHeal) -> Notebook:
        """The notebook that names a heal's cell as it is named now; as it was then, where the cell is gone."""
        present = self.cells.build_present()
        return present if present.index(heal.card.cell_id) >= 0 else heal.case.notebook

    def explain_missing_model(self, config: HealConfig) -> str | None:
        """Why no model can be asked, and what would change that; None where one can."""
        if config.offline:
            return "No model was asked: c.SelfHeal.offline is True."
        spec = registry.SHIPPED_PROVIDERS.get(config.provider)  # what another package declares, the worker looks up
        try:
            key = keys.find_missing_key(spec, config.base_url, config) if spec else None
        except ConfigError as error:
            return f"No model was asked: {error}."
        if key is None:
            return None
        what = "the kernel" if hasattr(self.shell, "kernel") else "IPython"
        return f"No model was asked: start {what} with {key} set (or choose c.SelfHeal.provider), then `%heal model`."

    def explain_unchecked_words(self, config: HealConfig) -> str | None:
        """Why a specification in words cannot be checked, and what can be; None where a model may be asked."""
        if self.explain_missing_model(config) is not None:
            why = "there is none here"
        elif "language_model" not in config.healers:
            why = "language_model is not among the healers"
        elif not config.consent:
            why = "none is asked before you agree: `%heal consent`"
        else:
            return None
        return f"words cannot be checked without a language model ({why}); `--expect` and `--check` can."

    # --- what the worker says (on its reader's thread) ----------------------------------------------------------------

    def _receive_message(self, message: m.FromWorker) -> None:
        if isinstance(message, m.Sent):
            self.sent = message
        elif isinstance(message, m.Reviewed):
            self.reviewed = message
        elif isinstance(message, m.DocumentProgress | m.DocumentHealed):
            self.on_document(message)
        elif isinstance(message, m.Foreseen):
            self.foreseen = message
            if self.ahead is not None:
                self.ahead.receive(message)
        elif isinstance(message, m.Status):
            self.status = message
        elif isinstance(message, m.Spent):
            self._costs[message.run] = message.cost
        elif isinstance(message, m.Finished):
            self._costs[message.run] = message.outcome.cost
        heal = self.heals.get(getattr(message, "run", ""))
        if heal is None:
            return
        heal.fold_message(message)
        for listen in list(self.listeners):
            listen(heal)

    def _handle_worker_end(self, what_to_say: str, is_started_again: bool) -> None:
        worker_client.write_log_line(self.log_path, what_to_say)
        self.checkpoints.abandoned = True
        for heal in self.heals:
            if heal.card.phase in ("healing", "paused", "proposed"):
                then = "`%heal` tries again." if is_started_again else "It stays off in this session."
                heal.update_card(phase="closed", status="The healing worker ended; your kernel is fine.", advice=then)
            heal.proving = False
            heal.settled.set()

    def _mark_expired(self, run: str) -> None:
        heal = self.heals.get(run)
        if heal is not None and heal.card.phase in ("proposed", "paused"):
            heal.update_card(expired=True)

    def _is_working(self, run: str) -> bool:
        heal = self.heals.get(run)
        return heal is not None and (heal.card.phase == "healing" or heal.proving)

    def start_command(self, command: str, cells: Iterable[Cell], output: str = "") -> SessionCommand:
        """Begin a command that ends with the session. Raises UsageError while another one is at work: both would write the same file."""
        from jupyter_selfheal.surfaces.live.session_file import SessionCommand

        before = self.command
        if before is not None and before.is_running:
            raise UsageError(
                f"`%heal {before.name}` is still at work: wait for its result, or interrupt the kernel to stop it"
            )
        started = SessionCommand(command, cells, output)
        if before is not None:
            self.closers.remove(before.stop)
        self.command = started
        self.closers.append(started.stop)
        return started

    # --- what is written down ------------------------------------------------------------------------------------

    def record_consent(self) -> None:
        """The user agreed that failing cells are sent to the model, in this session."""
        self.config = self.config.with_(consent=True)
        self.record_switch("consent to ask the model", "given")

    def record_switch(self, switch: str, to: str) -> None:
        """Write a switch of the user's into the session's journal; ``%heal status`` shows the last of each."""
        self.switches[switch] = f"{to} since {time.strftime('%H:%M:%S')}"
        self.client.send(m.Switched(f"{self.name}-switches", switch, to))
        for listen in list(self.listeners):
            listen(None)

    def write_log_line(self, text: str) -> None:
        """Write a line to the log."""
        worker_client.write_log_line(self.log_path, text)

    def report_internal_error(self, where: str, error: Exception) -> None:
        """Log an error of ours; tell it in one line the first time."""
        from jupyter_selfheal.inside.locate import format_traceback

        worker_client.write_log_line(self.log_path, f"{where}: " + format_traceback(error))
        if where not in self._reported_places:
            self._reported_places.add(where)
            print(f"Self-heal: internal error ({type(error).__name__}); see {self.log_path}", file=sys.stderr)
