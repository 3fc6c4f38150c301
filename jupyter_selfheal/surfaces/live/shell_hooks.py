"""What IPython calls: before and after each cell, and to read its text.

Everything goes through :func:`report_errors`, so that an error of ours becomes one line in the log and a short notice,
never a traceback over the user's, and never a broken hook.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from jupyter_selfheal import magic_options as options
from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import SelfHealError
from jupyter_selfheal.surfaces.live import LazyModule
from jupyter_selfheal.surfaces.live.cell_log import read_code_files
from jupyter_selfheal.surfaces.live.components import Components
from jupyter_selfheal.surfaces.live.exception_hook import ExceptionHook
from jupyter_selfheal.surfaces.live.session import LiveSession

if TYPE_CHECKING:
    from jupyter_selfheal.inside import asides, locate
    from jupyter_selfheal.model import Failure
    from jupyter_selfheal.surfaces import words
    from jupyter_selfheal.surfaces.live import failure_capture, last_words
else:
    words = LazyModule("surfaces.words")
    last_words = LazyModule("surfaces.live.last_words")
    failure_capture = LazyModule("surfaces.live.failure_capture")
    locate = LazyModule("inside.locate")
    asides = LazyModule("inside.asides")

_MESSAGES = "jupyter_selfheal.messages"

_INTERRUPTED = {
    "handle_pre_run_cell": "the cell had not begun, and runs now: interrupt it again to stop it.",
    "reproduce_failure": "a fix is looked for all the same: interrupt again to stop that.",
}
"""What an interrupt did that came while something of ours was at work, where it ended no heal."""

F = TypeVar("F", bound=Callable[..., Any])


def report_errors(method: F) -> F:
    """An error of ours ends here: logged, told in one line, at most once in a session for each place."""

    @functools.wraps(method)
    def wrapper(self: ShellHooks, *args: Any, **kwargs: Any) -> Any:
        if self._session.is_running_fix or os.getpid() != self._session.pid:
            return None
        try:
            return method(self, *args, **kwargs)
        except Exception as error:
            self._session.report_internal_error(method.__name__, error)
        except KeyboardInterrupt:  # IPython would draw it with frames of ours, and let go of a handler that raises
            print(f"Self-heal: {_INTERRUPTED.get(method.__name__, 'stopped; nothing was changed.')}")
        return None

    return wrapper  # type: ignore[return-value]


class ShellHooks:
    """Our places in one shell."""

    def __init__(self, session: LiveSession, components: Components) -> None:
        self._session = session
        self._components = components
        self._shell = session.shell
        self._hook = ExceptionHook(session.shell, self.reproduce_failure)
        self._events = (
            ("pre_run_cell", self.handle_pre_run_cell),
            ("post_run_cell", self.handle_post_run_cell),
            ("pre_execute", self.handle_pre_execute),
            ("post_execute", self.handle_post_execute),
        )
        self._is_in_cell = False
        self._cell = ("", "")
        """Id, where a front end told it, and text of the cell that runs, or ran last."""
        self._info: Any = None
        """What IPython says of that cell."""
        self._transformers = (options.blank_heal_line, self.blank_statements_that_ran)
        self._began = 0.0
        self._raised = (0, 0.0)
        """What it raised last, by its identity, and after how many seconds: to draw it may take longer than the cell did."""
        self._modules_before = 0
        self._options: options.HealOptions | None = None
        self._error_before: BaseException | None = None
        self._asides: asides.AsideWatch | None = None
        """What watches threads and callbacks; made before the first cell."""
        self._words_path, self._told_path = self._find_words_paths()
        self._last_words: last_words.LastWords | None = None
        """What says which cell runs, for who asks when the kernel is dead; made before the first cell."""

    def start(self) -> None:
        """Take our places in the shell and start the worker in the background."""
        self._hook.install()
        if not hasattr(self._shell.compile, "_filename_map"):
            self._fill_code_files()
        self._shell.input_transformers_cleanup.extend(self._transformers)
        for event, callback in self._events:
            self._shell.events.register(event, callback)
        self._session.closers.append(self.stop)
        self._session.client.greet(__version__, self._session.cells.folder, self._words_path, self._told_path)
        if os.path.exists(self._told_path):
            self._tell_death()

    def _tell_death(self) -> None:
        """Say how whoever was here before died."""
        seconds = last_words.FRESH_SECONDS if self._in_terminal else float("inf")
        self._session.died = died = last_words.take_told(self._told_path, seconds)
        if died:
            words.print_lines(f"Self-heal: {died['brief' if self._in_terminal else 'text']}".splitlines())

    @property
    def _in_terminal(self) -> bool:
        return not hasattr(self._shell, "kernel")

    def _find_words_paths(self) -> tuple[str, str]:
        """What says which cell runs here, and what is left of whoever was here before; empty where nobody can say who that is.

        A kernel that is started again has the same connection file. In a terminal it is the IPython of the same profile in the same
        folder of the same terminal; of two that are there at once each has a file of its own to say what runs.
        """
        folder = self._session.log_path.parent / "running"
        if not self._in_terminal:
            app = getattr(getattr(self._shell, "kernel", None), "parent", None)
            name = os.path.splitext(os.path.basename(str(getattr(app, "connection_file", ""))))[0]
            return (str(folder / name), str(folder / f"{name}.told")) if name else ("", "")
        try:
            here = (os.ttyname(0), os.getcwd(), str(getattr(self._shell, "profile", "")))
        except OSError:
            return "", ""
        name = f"terminal-{zlib.crc32(chr(0).join(here).encode('utf-8', 'surrogateescape')):08x}"
        return str(folder / f"{name}.{os.getpid()}"), str(folder / f"{name}.told")

    def _fill_code_files(self) -> None:
        """What IPython 7, Colab's, does not have."""
        from jupyter_selfheal.surfaces.live.code_files import CodeFiles

        files = CodeFiles(self._shell)
        files.install()
        self._session.closers.append(files.remove)

    def stop(self) -> None:
        """Leave the shell as it was found."""
        self._hook.remove()
        if self._asides is not None:
            self._asides.remove()
            self._asides = None
        if self._last_words is not None:
            self._last_words.stop()
            self._last_words = None
        for ours in self._transformers:
            if ours in self._shell.input_transformers_cleanup:
                self._shell.input_transformers_cleanup.remove(ours)
        for event, callback in self._events:
            try:
                self._shell.events.unregister(event, callback)
            except ValueError:
                pass  # somebody cleared the callbacks before us

    def blank_statements_that_ran(self, lines: list[str]) -> list[str]:
        """Input transformer for Resume: the approved cell, without the statements that already ran."""
        rest = self._session.pending_resume.get("".join(lines).strip("\n"))
        return rest.splitlines(keepends=True) if rest is not None else lines

    @report_errors
    def handle_pre_run_cell(self, info: Any) -> None:
        """``pre_run_cell``: freeze the state before the cell where that is asked for or cheap."""
        raw = info.raw_cell
        self._is_in_cell = True
        self._options = self._read_options(raw)
        if self._last_words is None:
            self._last_words = last_words.LastWords(self._words_path, in_terminal=self._in_terminal)
            self._last_words.start()
        self._cell, self._info = (self._find_cell_id(info) or "", raw), info
        self._last_words.begin_cell(*self._cell)
        if options.is_ours(raw):
            return
        session = self._session
        if session.ahead is not None:
            session.ahead.stop()
        session.checkpoints.freeze_before_cell(
            forced=self._options is not None, suggesting=session.auto_suggest and not session.has_open_heal
        )
        self._error_before = getattr(sys, "last_value", None)
        if self._asides is None:
            self._asides = asides.AsideWatch()
            self._asides.install()
        self._asides.begin()
        self._modules_before = len(sys.modules)
        self._raised = (0, 0.0)
        self._began = time.monotonic()

    @report_errors
    def reproduce_failure(self, error: BaseException) -> None:
        """The cell that runs has raised, and IPython begins to draw that: meanwhile the copy from before the cell runs it once more, as
        the heal that most likely follows does first. Not for the session's first failure, which would wait for what that loads."""
        seconds, session, (cell_id, raw) = time.monotonic() - self._began, self._session, self._cell
        self._raised = id(error), seconds
        may_heal = self._is_in_cell and self._options is None and session.auto_suggest
        if not may_heal or _MESSAGES not in sys.modules:
            return
        new_modules = len(sys.modules) - self._modules_before
        source = options.to_body(raw)
        cell_id = session.cells.identify(cell_id, source)
        evalue = failure_capture.format_message(error)
        if not self._is_meant_to_fail(error, cell_id) and not session.was_rejected(
            cell_id, type(error).__name__, evalue
        ):
            self._components.dispatcher.reproduce_failure(error, cell_id, source, seconds, new_modules)

    @report_errors
    def handle_post_run_cell(self, result: Any) -> None:
        """``post_run_cell``: heal what failed; let go of the checkpoint of what ran."""
        self._is_in_cell = False
        if self._last_words is not None:
            self._last_words.end_cell()
        info = getattr(result, "info", None)
        raw = getattr(info, "raw_cell", "") or ""
        if options.is_ours(raw):
            return
        chosen, session = self._options, self._session
        session.checkpoints.allowance.earn(time.monotonic() - self._began)
        source = options.to_body(raw)
        error = result.error_before_exec or result.error_in_exec or self._find_error_shown_by_magic(source)
        beside = self._take_error_beside() if error is None else None
        cell_id = session.cells.identify(self._find_cell_id(info), source)
        self._record_run(cell_id, raw, result.execution_count, error)
        failure = None
        if beside is not None:
            error = beside
        if error is not None:
            before = result.error_before_exec is not None
            seconds = 0.0 if before else self._measure_seconds(error)
            run = failure_capture.FailedRun(error, cell_id, source, before, seconds, is_aside=beside is not None)
            failure = failure_capture.describe_failure(self._shell, run, session.cells)
        elif chosen is not None and self._can_check(chosen := self._add_told_results(chosen, cell_id, source)):
            failure = failure_capture.describe_missed(cell_id, source, self._measure_seconds(None))
        if failure is None or not self._should_heal(error, failure):
            session.checkpoints.discard_state_before_cell()
            if session.heals:
                self._components.dispatcher.prove_open_proposal(cell_id, source)
            return
        self._components.dispatcher.start_heal(
            failure,
            chosen or options.HealOptions(),
            error=error,
            result=result,
            new_modules=len(sys.modules) - self._modules_before,
        )

    def _record_run(self, cell_id: str, raw: str, count: int | None, error: BaseException | None) -> None:
        """A cell has run: who keeps account of that is told."""
        session, source = self._session, options.to_body(raw)
        if count:
            session.cells.record_run(cell_id, raw, count, failed=error is not None)
            self._register_run(count, cell_id)
        if session.ahead is not None and (error is None or isinstance(error, Exception)):
            session.ahead.compare(cell_id, source, error is not None)
        session.pending_resume.pop(source.strip("\n"), None)

    def _measure_seconds(self, error: BaseException | None) -> float:
        """How long the cell took until it raised that, or until now."""
        raised, seconds = self._raised
        return seconds if raised == id(error) else time.monotonic() - self._began

    @report_errors
    def handle_pre_execute(self) -> None:
        """``pre_execute``: something is about to run, a cell or what a widget's message asks for."""
        if self._asides is not None and self._is_beside_cells():
            self._asides.begin()

    @report_errors
    def handle_post_execute(self) -> None:
        """``post_execute``: what a widget's message asked for has run; a callback of it that failed is healed."""
        if self._asides is None or not self._is_beside_cells():
            return
        error = self._take_error_beside()
        if error is None or not self._session.auto_suggest:
            return
        from jupyter_selfheal.surfaces.live.callbacks import describe_callback

        callback = describe_callback(self._shell, error, self._session.cells)
        if callback is None or self._was_rejected(callback.failure):
            return
        self._components.dispatcher.start_heal(callback.failure, options.HealOptions(), error=error, home=callback.home)

    def _is_beside_cells(self) -> bool:
        """Whether no cell runs, and this is the thread that runs them: messages of pages may be answered on others meanwhile."""
        return not self._is_in_cell and threading.current_thread() is threading.main_thread()

    def _was_rejected(self, failure: Failure) -> bool:
        return self._session.was_rejected(failure.cell_id, failure.ename, failure.evalue)

    def _can_check(self, chosen: options.HealOptions) -> bool:
        """Whether what is expected of a cell that ran can be checked; where words cannot, that is said."""
        if not chosen.oracle.spec:
            return bool(chosen.oracle)
        why = self._session.explain_unchecked_words(chosen.apply_to(self._session.config))
        if why is not None:
            words.print_lines([f"Self-heal: {why}"])
        return why is None or bool(chosen.oracle)

    def _add_told_results(self, chosen: options.HealOptions, cell_id: str, source: str) -> options.HealOptions:
        """What is expected of a cell that ran, where nobody said it: what its comments tell of its calls."""
        if "#" not in source or chosen.oracle or chosen.oracle.spec:
            return chosen
        from jupyter_selfheal.model import Cell
        from jupyter_selfheal.source.commented_results import add_checks

        above = [
            cell.source for cell in self._session.cells.build_notebook(cell_id, source, 0).list_code_before(cell_id)
        ]
        return replace(chosen, oracle=add_checks(Cell(cell_id, source), above, told_alone=False).oracle)

    def _take_error_beside(self) -> BaseException | None:
        """What a thread or a widget's callback of the cell raised in code of the user's; the cell itself ended well."""
        error = self._asides.take_error() if self._asides is not None else None
        return error if error is not None and failure_capture.is_raised_in_cells(self._shell, error) else None

    def _find_error_shown_by_magic(self, source: str) -> BaseException | None:
        """What ``%%time`` of IPython 8 caught and showed by itself, so that the cell ended well."""
        before, self._error_before = self._error_before, None
        shown = getattr(sys, "last_value", None)
        if shown is before or not isinstance(shown, BaseException) or not source.lstrip().startswith("%%time"):
            return None
        return shown if failure_capture.is_timed(shown) else None

    def _is_meant_to_fail(self, error: BaseException | None, cell_id: str) -> bool:
        """Whether the cell that runs, or ran last, is tagged as one that fails, or says no more than how a magic is used."""
        return type(error).__name__ == "UsageError" or "raises-exception" in self._list_tags(self._info, cell_id)

    def _should_heal(self, error: BaseException | None, failure: Failure) -> bool:
        if isinstance(error, SystemExit | GeneratorExit):
            return False
        if isinstance(error, KeyboardInterrupt) and not failure_capture.is_in_endless_loop(
            failure, self._session.cells
        ):
            return False
        if self._is_meant_to_fail(error, failure.cell_id):
            return False
        if self._options is not None:
            return True
        session = self._session
        if not session.auto_suggest:
            return False
        if self._was_rejected(failure):
            print("Self-heal: you rejected the fix for this failure; `%heal` looks for another one.")
            return False
        return True

    def _list_tags(self, info: Any, cell_id: str) -> tuple[str, ...]:
        """A cell's tags: what came with the request (JupyterLab sends them), and what the notebook that we were told says.

        Newer IPythons hand the metadata of the request on; with older ones the kernel has the request itself.
        """
        sent = getattr(info, "cell_meta", None)
        if sent is None:
            sent = self._read_request_metadata()
        return (*((sent or {}).get("tags") or ()), *self._session.cells.list_tags(cell_id))

    def _read_request_metadata(self) -> dict[str, Any]:
        """What came with the request that runs now; empty in a terminal."""
        parent = self._shell.get_parent() if hasattr(self._shell, "get_parent") else {}
        return dict((parent or {}).get("metadata") or {})

    def _find_cell_id(self, info: Any) -> str | None:
        """The front end's id of the cell; IPython 7 does not hand it on."""
        if hasattr(info, "cell_id"):
            return info.cell_id or None
        return str(self._read_request_metadata().get("cellId") or "") or None

    def _register_run(self, run: int, cell_id: str) -> None:
        """Let trials know which cell a code file belongs to."""
        for name, number in read_code_files(self._shell).items():
            if number == run:
                locate.register_cell(name, cell_id)

    def _read_options(self, raw: str) -> options.HealOptions | None:
        line = options.find_heal_line(raw)
        if line is None or options.is_command(line):
            return None
        try:
            return options.parse(line, self._shell.user_ns)
        except SelfHealError:
            return None  # the line was left in place, and the magic says what is wrong with it
