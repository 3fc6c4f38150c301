"""The live session: watches the cells of one shell, and turns a failure into a heal.

Everything that IPython calls goes through :func:`guarded`, so that an error of ours becomes one line in the log and a
short notice, never a traceback over the user's, and never a broken hook.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import sys
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from jupyter_selfheal import magic_options as options
from jupyter_selfheal._version import __version__
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import SelfHealError
from jupyter_selfheal.kernels import zygote
from jupyter_selfheal.live import client, later
from jupyter_selfheal.live.cells import CellLog
from jupyter_selfheal.live.checkpoint import Checkpoints
from jupyter_selfheal.live.hook import ExceptionHook
from jupyter_selfheal.model.cost import Cost

if TYPE_CHECKING:
    from jupyter_selfheal import messages as m
    from jupyter_selfheal.live import capture, terminal
    from jupyter_selfheal.live.actions import Actions
    from jupyter_selfheal.live.heals import LiveHeal, View
    from jupyter_selfheal.live.magics import HealMagics
    from jupyter_selfheal.model import Case, Failure
else:
    m, capture, terminal = later("messages"), later("live.capture"), later("live.terminal")

F = TypeVar("F", bound=Callable[..., Any])
KEPT_HEALS = 20
"""Heals remembered for ``%heal show`` and ``undo``."""


def guarded(method: F) -> F:
    """An error of ours ends here: logged, told in one line, at most once in a session for each place."""

    @functools.wraps(method)
    def wrapper(self: LiveSession, *args: Any, **kwargs: Any) -> Any:
        if self.busy_within or os.getpid() != self.pid:
            return None
        try:
            return method(self, *args, **kwargs)
        except Exception as error:
            self.own_error(method.__name__, error)
            return None

    return wrapper  # type: ignore[return-value]


class LiveSession:
    """One shell with healing switched on. What only a failure or a command needs is imported then."""

    def __init__(self, shell: Any, config: HealConfig, data_dir: Path) -> None:
        self.shell = shell
        self.config = config
        self.pid = os.getpid()
        self.view_for: Callable[[], View] = lambda: terminal.QuietView()
        self.log_path = data_dir / "selfheal" / "live.log"
        self.cells = CellLog(os.getcwd())
        self.checkpoints = Checkpoints(shell, self.cells)
        self.checkpoints.is_working = self._is_working
        self.client = client.WorkerClient(self.log_path, self._receive, self._lost)
        self.hook = ExceptionHook(shell)
        self.heals: dict[str, LiveHeal] = {}
        self.auto_suggest = True
        self.auto_approve = False
        self.spent = Cost()
        self.busy_within = False
        """True while a fix runs inside of one of our own calls: its events are not the user's."""
        self.pending_resume: dict[str, str] = {}
        """Source of a whole fixed cell → what of it is left to run, for the one next time it is executed."""
        self.wait_default: Callable[[], bool] = lambda: False
        self.told: list[Callable[[LiveHeal], None]] = []
        """Told when a heal changed (the front end's status bar)."""
        self.closers: list[Callable[[], None]] = []
        """Called when healing is switched off."""
        self.name = f"live-{time.strftime('%Y%m%d-%H%M%S')}-{self.pid}"
        self.switches: dict[str, str] = {}
        """What the user switched, and when, for ``%heal status``."""
        self.sent: m.Sent | None = None
        self.status: m.Status | None = None
        self._numbers = itertools.count(1)
        self._started = 0.0
        self._options: options.HealOptions | None = None
        self._told: set[str] = set()
        self._rejected: set[tuple[str, str, str]] = set()

    @cached_property
    def actions(self) -> Actions:
        """What the user can choose."""
        from jupyter_selfheal.live.actions import Actions

        return Actions(self)

    @cached_property
    def magics(self) -> HealMagics:
        """What ``%heal`` and ``%%heal`` do."""
        from jupyter_selfheal.live.magics import HealMagics

        return HealMagics(self.shell, self, self.actions)

    @cached_property
    def waiting(self) -> terminal.Waiting:
        """Whoever blocks until a heal is decided."""
        return terminal.Waiting(self, self.actions)

    # --- switching on and off -----------------------------------------------------------------------------------

    def start(self) -> None:
        """Take our places in the shell and start the worker in the background."""
        self.hook.install()
        self.shell.input_transformers_cleanup.extend((options.blank_heal_line, self.blank_what_ran))
        self.shell.events.register("pre_run_cell", self.before_cell)
        self.shell.events.register("post_run_cell", self.after_cell)
        self.client.greet(__version__, self.cells.folder)

    def stop(self) -> None:
        """Leave the shell as it was found; end every process of ours."""
        self.hook.remove()
        for ours in (options.blank_heal_line, self.blank_what_ran):
            if ours in self.shell.input_transformers_cleanup:
                self.shell.input_transformers_cleanup.remove(ours)
        for event, callback in (("pre_run_cell", self.before_cell), ("post_run_cell", self.after_cell)):
            try:
                self.shell.events.unregister(event, callback)
            except ValueError:
                pass  # somebody cleared the callbacks before us
        for heal in self.heals.values():
            heal.view.close()
        for close in self.closers:
            close()
        self.checkpoints.close()
        self.client.close()

    # --- what IPython calls --------------------------------------------------------------------------------------

    def blank_what_ran(self, lines: list[str]) -> list[str]:
        """Input transformer for Resume: the approved cell, without the statements that already ran."""
        rest = self.pending_resume.get("".join(lines).strip("\n"))
        return rest.splitlines(keepends=True) if rest is not None else lines

    @guarded
    def before_cell(self, info: Any) -> None:
        """``pre_run_cell``: freeze the state before the cell where that is asked for or cheap."""
        raw = info.raw_cell
        self._options = self._read_options(raw)
        if _is_ours(raw):
            return
        self.checkpoints.before_cell(forced=self._options is not None, wanted=self.auto_suggest and not self._is_open())
        self._started = time.monotonic()

    @guarded
    def after_cell(self, result: Any) -> None:
        """``post_run_cell``: heal what failed; let go of the checkpoint of what ran."""
        info = getattr(result, "info", None)
        raw = getattr(info, "raw_cell", "") or ""
        if _is_ours(raw):
            return
        source = options.body_of(raw)
        cell_id = self.cells.identify(getattr(info, "cell_id", None), source)
        if result.execution_count:
            self.cells.ran(cell_id, raw, result.execution_count, failed=not result.success)
            self._register(result.execution_count, cell_id)
        self.pending_resume.pop(source.strip("\n"), None)
        error = result.error_before_exec or result.error_in_exec
        seconds = time.monotonic() - self._started
        chosen = self._options
        failure = self._failure(error, cell_id, source, result, seconds) if error is not None else None
        if error is None and chosen is not None and chosen.oracle:
            failure = capture.missed(cell_id, source, seconds)
        if failure is None or not self._wanted(error, failure, info, chosen):
            self.checkpoints.ran_ok()
            self._prove_open_heals()
            return
        self.begin(failure, chosen or options.HealOptions(), error=error, result=result)

    # --- healing -------------------------------------------------------------------------------------------------

    def begin(
        self, failure: Failure, chosen: options.HealOptions, *, error: BaseException | None = None, result: Any = None
    ) -> LiveHeal:
        """Hand a failure to the worker and show its card; block where waiting was asked for."""
        from jupyter_selfheal.live.heals import LiveHeal, new_card
        from jupyter_selfheal.live.resume import spares_what_ran
        from jupyter_selfheal.model import Case

        run = self._new_run()
        notebook = self.cells.notebook(failure.cell_id, failure.source, 0)
        case = Case(failure, notebook, chosen.oracle or notebook.cell(failure.cell_id).oracle)
        config = chosen.config(self.config)
        states = self.checkpoints.after_failure(run, error, alone=spares_what_ran(failure))
        card = new_card(
            run, case, model_off=self.model_off(config), auto=self.auto_approve,
            written={c.id: text for c in notebook.cells if (text := self.cells.written(c)) != c.source},
        )  # fmt: skip
        heal = LiveHeal(run, case, card, self.view_for(), run_count=self.shell.execution_count)
        self._remember(heal)
        wait = bool(chosen.wait) if chosen.wait >= 0 else self.wait_default()
        if not wait:
            heal.view.show(heal)
        message = m.Heal(run, case, states, config, unproven=self.checkpoints.refusal, session_spent=self.spent)
        if not self.client.send(message):
            self.checkpoints.release(states)
            heal.change(
                phase="closed", status="Healing is off: the worker died too often.", advice=f"See {self.log_path}"
            )
            heal.settled.set()
        for tell in list(self.told):
            tell(heal)
        if wait:
            self.waiting(heal, result)
        return heal

    def restart(self, heal: LiveHeal, config: HealConfig, *, hint: str = "") -> None:
        """Heal the same failure again, from the state as it is now, under a new run: what the old one still says is ignored.

        May be called on any thread: where that is not the main one the states of before are gone, and the kernel is not
        forked; then patches are shown, and proven when the next cell has run.
        """
        self.client.send(m.Cancel(heal.run))
        self.heals.pop(heal.run, None)
        heal.run = self._new_run()
        heal.case = dataclasses.replace(heal.case, hints=(*heal.case.hints, *([hint] if hint else [])))
        self._remember(heal)
        heal.settled.clear()
        heal.change(
            run=heal.run, phase="healing", status=f"{heal.card.headline}: healing…", attempts=(), proposal=(),
            asks_consent=False, instructions="", model_off=self.model_off(config),
        )  # fmt: skip
        states = self.checkpoints.now(heal.run)
        self.client.send(
            m.Heal(heal.run, heal.case, states, config, unproven=self.checkpoints.refusal, session_spent=self.spent)
        )

    def consent(self) -> None:
        """The user agreed that failing cells are sent to the model, in this session."""
        self.config = self.config.with_(consent=True)
        self.switched("consent to ask the model", "given")

    def _new_run(self) -> str:
        return f"live-{time.strftime('%Y%m%d-%H%M%S')}-{self.pid}-{next(self._numbers)}"

    def heal_last(self, chosen: options.HealOptions) -> LiveHeal | None:
        """``%heal``: the last failure of this shell, also one from before the extension was loaded."""
        last = self.last_heal
        error = _last_error()
        if error is None:
            return None
        if last is not None and last.case.failure.evalue == str(error) and last.card.phase == "proposed":
            return last
        failure = self.last_failure()
        return None if failure is None else self.begin(failure, chosen, error=error)

    def last_failure(self) -> Failure | None:
        """The last failure of this shell, healed or not. None where nothing failed, or nobody knows in which cell."""
        error = _last_error()
        run, raw = self._cell_that_raised(error) if error is not None else (0, "")
        if error is None or not raw or _is_ours(raw):
            return None
        source = options.body_of(raw)
        cell_id = self.cells.cell_of_run(run)
        if not cell_id:  # it ran before the extension was loaded
            cell_id = self.cells.cell_with(source) or self.cells.identify(None, source)
            self.cells.ran(cell_id, raw, run, failed=True)
        before = isinstance(error, SyntaxError)
        return capture.failure_of(self.shell, error, cell_id, source, self.cells, before_exec=before, seconds=0.0)

    def case_to_send(self, cell_id: str) -> tuple[str, Case] | None:
        """The run and the case that ``%heal sent`` is about: the last failure of that cell (empty: of the session).

        A failure that nothing was done about yet has a run of its own, with no journal. None where the kernel no longer has one.
        """
        from jupyter_selfheal.model import Case

        healed = [h for h in self.heals.values() if cell_id in ("", h.card.cell_id)]
        failure = self.last_failure()
        known = failure is not None and any(
            (h.case.failure.cell_id, h.case.failure.evalue) == (failure.cell_id, failure.evalue) for h in healed
        )
        if failure is not None and not known and cell_id in ("", failure.cell_id):
            return self._new_run(), Case(failure, self.cells.notebook(failure.cell_id, failure.source, 0))
        return (healed[-1].run, healed[-1].case) if healed else None

    @property
    def last_heal(self) -> LiveHeal | None:
        return next(reversed(self.heals.values()), None)

    def model_off(self, config: HealConfig) -> str:
        """Why no model can be asked, and what would change that; empty where one can."""
        if config.offline:
            return "No model was asked: c.SelfHeal.offline is True."
        key = {"anthropic": "ANTHROPIC_API_KEY", "openai_compatible": "OPENAI_API_KEY"}.get(config.provider, "")
        if not key or os.environ.get(key) or (config.base_url and config.provider == "openai_compatible"):
            return ""
        return (
            f"No model was asked: start the kernel with {key} set (or choose c.SelfHeal.provider), then `%heal model`."
        )

    def rejected(self, heal: LiveHeal) -> None:
        """The same failure of the same cell is not suggested for again."""
        failure = heal.case.failure
        self._rejected.add((failure.cell_id, failure.ename, failure.evalue))

    def prove_again(self, heal: LiveHeal, patch_id: str = "") -> bool:
        """Have the candidate tried from the state as it is now. False where that cannot be done."""
        found = heal.card.candidate(patch_id)
        if found is None:
            return False
        states = self.checkpoints.now(heal.run)
        if not states:
            return False
        heal.proving = True
        heal.run_count = self.shell.execution_count
        heal.settled.clear()
        return self.client.send(m.Prove(heal.run, heal.case, found.patch, states, self.config))

    # --- inside --------------------------------------------------------------------------------------------------

    def _failure(self, error: BaseException, cell_id: str, source: str, result: Any, seconds: float) -> Failure:
        before = result.error_before_exec is not None
        return capture.failure_of(
            self.shell, error, cell_id, source, self.cells, before_exec=before, seconds=0.0 if before else seconds
        )

    def _wanted(self, error: BaseException | None, failure: Failure, info: Any, chosen: object) -> bool:
        if isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
            return False
        if "raises-exception" in self._tags(info, failure.cell_id) or type(error).__name__ == "UsageError":
            return False
        if chosen is not None:
            return True
        return self.auto_suggest and (failure.cell_id, failure.ename, failure.evalue) not in self._rejected

    def _tags(self, info: Any, cell_id: str) -> tuple[str, ...]:
        """A cell's tags: what came with the request (JupyterLab sends them), and what the notebook that we were told says.

        Newer IPythons hand the metadata of the request on; with older ones the kernel has the request itself.
        """
        sent = getattr(info, "cell_meta", None)
        if sent is None and hasattr(self.shell, "get_parent"):
            sent = self.shell.get_parent().get("metadata")
        return (*((sent or {}).get("tags") or ()), *self.cells.tags_of(cell_id))

    def _register(self, run: int, cell_id: str) -> None:
        """Let trials know which cell a code file belongs to."""
        for name, number in getattr(self.shell.compile, "_filename_map", {}).items():
            if number == run:
                zygote.register_cell(name, cell_id)

    def _read_options(self, raw: str) -> options.HealOptions | None:
        line = options.heal_line(raw)
        if line is None or options.is_command(line):
            return None
        try:
            return options.parse(line, self.shell.user_ns)
        except SelfHealError:
            return None  # the line was left in place, and the magic says what is wrong with it

    def _cell_that_raised(self, error: BaseException) -> tuple[int, str]:
        runs = getattr(self.shell.compile, "_filename_map", {})
        run = 0
        tb = error.__traceback__
        while tb is not None:
            run = runs.get(tb.tb_frame.f_code.co_filename, 0)
            if run:
                break
            tb = tb.tb_next
        if not run and isinstance(error, SyntaxError):
            run = runs.get(error.filename, 0)
        history = self.shell.history_manager.input_hist_raw
        return (run, history[run]) if 0 < run < len(history) else (0, "")

    def _prove_open_heals(self) -> None:
        heal = self.last_heal
        if heal is None or heal.card.phase != "proposed" or heal.proving or not heal.card.proposal[0].proven_from:
            return
        heal.change(ran_since=heal.card.ran_since + 1)
        self.prove_again(heal)

    def _is_working(self, run: str) -> bool:
        heal = self.heals.get(run)
        return heal is not None and (heal.card.phase == "healing" or heal.proving)

    def _is_open(self) -> bool:
        return any(h.card.phase in ("healing", "proposed", "paused") for h in self.heals.values())

    def _remember(self, heal: LiveHeal) -> None:
        self.heals[heal.run] = heal
        while len(self.heals) > KEPT_HEALS:
            old = self.heals.pop(next(iter(self.heals)))
            old.view.close()

    def _receive(self, message: m.FromWorker) -> None:
        if isinstance(message, m.Sent):
            self.sent = message
        elif isinstance(message, m.Status):
            self.status = message
        heal = self.heals.get(getattr(message, "run", ""))
        if heal is None:
            return
        if isinstance(message, m.Finished):
            self.spent = self.spent + message.outcome.cost
        heal.fold(message)
        for tell in list(self.told):
            tell(heal)

    def _lost(self, what: str, again: bool) -> None:
        client.note(self.log_path, what)
        self.checkpoints.abandoned = True
        for heal in self.heals.values():
            if heal.card.phase in ("healing", "paused", "proposed"):
                then = "`%heal` tries again." if again else "It stays off in this session."
                heal.change(phase="closed", status="The healing worker ended; your kernel is fine.", advice=then)
            heal.settled.set()

    def record(self, what: str) -> None:
        """Write a line to the log."""
        client.note(self.log_path, what)

    def switched(self, what: str, to: str) -> None:
        """Write a switch of the user's into the session's journal; ``%heal status`` shows the last of each."""
        self.switches[what] = f"{to} since {time.strftime('%H:%M:%S')}"
        self.client.send(m.Switched(f"{self.name}-switches", what, to))

    def own_error(self, where: str, error: Exception) -> None:
        """Log an error of ours; tell it in one line the first time."""
        import traceback

        client.note(self.log_path, f"{where}: " + "".join(traceback.format_exception(error)))
        if where not in self._told:
            self._told.add(where)
            print(f"Self-heal: an error of ours ({type(error).__name__}); see {self.log_path}", file=sys.stderr)


def _last_error() -> BaseException | None:
    """What the interpreter keeps of the last exception that nobody caught."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    return error if isinstance(error, BaseException) else None


def _is_ours(raw: str) -> bool:
    first = raw.lstrip()
    if first.startswith("%%heal"):
        return options.is_command(options.heal_line(raw) or "")
    return first.startswith(("%heal", "%load_ext jupyter_selfheal", "%unload_ext jupyter_selfheal"))
