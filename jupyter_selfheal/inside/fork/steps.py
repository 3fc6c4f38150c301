"""Running the steps of a request with the kernel's own shell, inside the trial.

Trusted private names: the shell's ``_run_cell``, for its signature alone (IPython 8.18 and 9.18), and ipykernel's ``_last_traceback``
(6.29 and 7.4) and ``_last_traceback_during_displayhook`` (asked for with a default: only some versions have it).

Standard library and IPython only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import re
import sys
import time
import traceback
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

from jupyter_selfheal.inside import asides, locate
from jupyter_selfheal.inside.fork import event_loop, guard, sandbox_errors
from jupyter_selfheal.inside.fork.capture import Capture
from jupyter_selfheal.inside.fork.memory_use import measure_own_peak_mb

_FRAMES = 60
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Last:
    """What the last cell of a state left behind; a probe's second argument.

    ``result`` is its value (None where it has none), ``error`` its exception with the live traceback from the cell
    inwards (or None), ``stdout`` what it printed.
    """

    def __init__(self, result: Any = None, error: BaseException | None = None, stdout: str = "") -> None:
        self.result = result
        self.error = error
        self.stdout = stdout


class TimedOut(BaseException):
    """Raised in a step whose limit has passed."""

    def _render_traceback_(self) -> list[str]:
        return ["TimedOut: the time for this step is up"]


def keep_line_numbers(code: str) -> str:
    """The code with a ``#`` in a first line that is blank: IPython drops such lines, and every line number would be another.

    A cell magic must come first; the one whose body is located, ``%%time``, changes places with the blank lines.
    """
    text = code.lstrip()
    blank, _, indent = code[: len(code) - len(text)].rpartition("\n")
    if not blank and not code.startswith("\n"):
        return code
    if text.startswith("%%time") and not indent:
        magic, _, body = text.partition("\n")
        return f"{magic}\n#{blank}\n{body}"
    return code if indent or text.startswith("%%") else "#" + code


def shorten_tracebacks(shell: Any) -> None:
    """Let tracebacks of thousands of frames (a missing base case) be shown by their ends: IPython takes seconds for them."""
    show = shell.showtraceback
    if getattr(show, "shortens", False):
        return

    def show_short_traceback(*args: Any, **also: Any) -> Any:
        _drop_middle(sys.exc_info()[2])
        return show(*args, **also)

    show_short_traceback.shortens = True  # type: ignore[attr-defined]
    shell.showtraceback = show_short_traceback


@contextlib.contextmanager
def keep_tracebacks_brief(shell: Any) -> Iterator[None]:
    """Have tracebacks written without sources, variables and colours: finding those takes IPython longer than most cells take.

    What a cell chooses meanwhile (``%xmode``) holds then and afterwards. ``InteractiveTB`` and its modes are those of IPython
    7.34 to 9.18; one without them draws as ever.
    """
    drawer: Any = getattr(shell, "InteractiveTB", None)
    chosen = getattr(drawer, "mode", "")
    if not chosen:
        yield
        return
    set_mode = drawer.set_mode

    def choose_mode(mode: str | None = None) -> None:
        nonlocal chosen
        if not mode:
            set_mode(chosen)  # the one after it is meant
        set_mode(mode)
        chosen = drawer.mode

    set_mode("Plain")
    drawer.set_mode = choose_mode
    try:
        yield
    finally:
        del drawer.set_mode
        set_mode(chosen)


def _drop_middle(tb: TracebackType | None) -> None:
    nodes = []
    while tb is not None:
        nodes.append(tb)
        tb = tb.tb_next
    if len(nodes) > 4 * _FRAMES:
        nodes[_FRAMES].tb_next = nodes[-_FRAMES // 2]


def _comes_of_limit(error: BaseException | None) -> bool:
    """Whether a cell ended by its limit: what a library's own clearing up raised at that is no failure of the cell."""
    seen = set[int]()
    while error is not None and id(error) not in seen:
        if isinstance(error, TimedOut):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


class Runner:
    """Runs steps one after another and sends what comes of each as a frame."""

    def __init__(
        self, shell: Any, capture: Capture, last: Last, plan: dict[str, Any], deadline: float, loop: Any = None
    ) -> None:
        self.shell = shell
        self.capture = capture
        self.last = last
        self.loop = loop
        """The event loop that runs while a cell is called, as it does in a kernel; None where none does."""
        self.plan = plan
        self.deadline = deadline
        self.failed = False
        self.timed_out = False
        """True once the limit of the whole trial has passed."""
        self._file = ""
        self._running = False
        self._step_deadline = float("inf")
        self._step: dict[str, Any] = {}
        self._probes: dict[str, Any] = {}
        """What probes define that were read ahead, by source."""
        shorten_tracebacks(shell)

    def run(self, steps: list[dict[str, Any]], limit: Any, stop_after: float = float("inf")) -> None:
        """Run them all, up to the first cell that fails without ``go_on``, or to where so many seconds have passed, without those in which
        others had the processor. ``limit(seconds)`` tells the guard of a step's."""
        first_begin = time.monotonic() - guard.measure_waiting(os.getpid())
        for number, step in enumerate(steps):
            if number and time.monotonic() - guard.measure_waiting(os.getpid()) - first_begin > stop_after:
                break
            self._send_steps("begin", number)
            self._step = step
            seconds = step.get("timeout") or 0.0
            self._step_deadline = time.monotonic() + seconds if seconds else float("inf")
            limit(seconds)
            began = time.perf_counter()
            try:
                self._running = True
                ended = self._run_cell_step(step) if "code" in step else self.run_probe(step)
            except TimedOut:
                ended = {"status": "timeout"}
            finally:
                self._running = False
                limit(0.0)
            self.capture.flush()
            ended["seconds"] = time.perf_counter() - began
            ended["peak_mb"] = measure_own_peak_mb() if "code" in step else 0.0
            self._send_steps("end", number, ended)
            self.failed = self.failed or ended["status"] != "ok"
            if self.timed_out or ("code" in step and ended["status"] != "ok" and not step.get("go_on")):
                break

    def stop(self, number: int, frame: FrameType | None) -> None:
        """The guard's signal: say where the step is, and raise out of it."""
        now = time.monotonic()
        if not self._running or now < min(self.deadline, self._step_deadline):
            return  # the signal was for a step that is over
        self.timed_out = now >= self.deadline
        stack = list(traceback.walk_stack(frame))[::-1]
        self._send_steps("late", self._locate_error("TimeoutError", "still running when its time was up", stack, ""))
        raise TimedOut

    def _send_steps(self, *frame: Any) -> None:
        if self.capture.frames is not None:
            self.capture.frames.send(*frame)

    # --- cells ----------------------------------------------------------------------------------------------------

    def _run_cell_step(self, step: dict[str, Any]) -> dict[str, Any]:
        self.capture.begin_step()
        self.last.result, self.last.error, self.last.stdout = None, None, ""
        self._file = ""
        cache = self.shell.compile.cache

        def remember(*args: Any, **also: Any) -> Any:
            name = cache(*args, **also)
            self._file = self._file or name
            locate.register_cell(name, step.get("cell_id", ""))
            return name

        self.shell.compile.cache = remember
        shown_before = getattr(sys, "last_value", None)
        try:
            running = 0
            if step.get("with_asides"):
                result, beside, running = self._run_with_asides(step)
            else:
                result, beside = self._run_cell(step), None
        finally:
            self.shell.compile.cache = cache
            self.capture.flush()
            self.last.stdout = self.capture.text
        error = result.error_before_exec or result.error_in_exec or self._find_display_error() or beside
        script = None if error else asides.find_error_of_script(step["code"], shown_before)
        error = error or script
        if _comes_of_limit(error):
            raise TimedOut
        if error is None:
            self.last.result = result.result
            return {"status": "ok", "value": {"threads_left": running}} if running else {"status": "ok"}
        tb = _cut_to_cell(error.__traceback__, self._file)
        self.last.error = error.with_traceback(tb)
        what = sandbox_errors.find_cause(type(error).__name__, str(error), self.plan)
        if what:
            self._send_steps("blocked", what)
        described = self._describe_error(error, step["code"], result)
        if script is not None:
            described |= self._locate_script(script, step)
        return {"status": "error", "error": described}

    def _run_cell(self, step: dict[str, Any]) -> Any:
        accepted = inspect.signature(self.shell._run_cell).parameters
        also = {"cell_id": step.get("cell_id") or None} if "cell_id" in accepted else {}
        code = keep_line_numbers(step["code"])
        is_called = self.loop is not None and not self._has_await(code)
        with event_loop.run_as_current(self.loop) if is_called else contextlib.nullcontext():
            return self.shell.run_cell(code, store_history=True, **also)

    def _run_with_asides(self, step: dict[str, Any]) -> tuple[Any, BaseException | None, int]:
        """The result, what was raised beside the cell, and how many of its threads still run."""
        watch = asides.AsideWatch()
        watch.install()
        try:
            watch.begin()
            result = self._run_cell(step)
            running = watch.wait_for_threads()
            return result, watch.take_error(), running
        finally:
            watch.remove()

    def _find_display_error(self) -> BaseException | None:
        """What the user's ``__repr__`` raised where the value was to be shown: ipykernel 7 replies that the cell failed."""
        failed = getattr(self.shell, "_last_traceback_during_displayhook", False)
        return getattr(sys, "last_value", None) if failed else None

    def _has_await(self, code: str) -> bool:
        """Whether IPython runs the cell on the loop itself, as it has an ``await`` at the top level."""
        with contextlib.suppress(Exception):  # a fault of the user's transformers, which running the cell shows
            return bool(self.shell.should_run_async(code, transformed_cell=self.shell.transform_cell(code)))
        return False

    def _describe_error(self, error: BaseException, code: str, result: Any) -> dict[str, Any]:
        before = result.error_before_exec is not None
        text = "\n".join(getattr(self.shell, "_last_traceback", None) or [locate.format_traceback(error)])
        stack = list(traceback.walk_tb(error.__traceback__))
        described = self._locate_error(type(error).__name__, str(error), stack, text)
        if isinstance(error, SyntaxError) and (before or not described["line"]):
            described["line"] = error.lineno or 0
        return {**described, "before_exec": before}

    def _locate_script(self, error: BaseException, step: dict[str, Any]) -> dict[str, Any]:
        """Where the script of a ``%run`` failed: behind the line of the cell that runs it."""
        line, text = asides.find_run(step["code"])
        outer = [[self._file, line, "<module>", text, step.get("cell_id", "")]]
        stack = [f for f in traceback.walk_tb(error.__traceback__) if "IPython" not in f[0].f_code.co_filename]
        inner = locate.list_frames(stack, lambda file: True, lambda file: locate.list_known_cells().get(file, ""), None)
        return {"line": line, "frames": locate.drop_middle_frames([*outer, *inner])}

    def _locate_error(self, name: str, message: str, stack: list[tuple[FrameType, int]], text: str) -> dict[str, Any]:
        """Where an error is, as JSON; ``stack`` is outermost first."""
        timed = locate.find_timed_cell(str(self._step.get("code", "")), self._step.get("cell_id", ""))
        frames = locate.list_frames(
            stack, lambda file: file == self._file, lambda file: locate.list_known_cells().get(file, ""), timed
        )
        line = locate.find_line(frames, lambda frame: frame[0] == self._file, timed)
        return {
            "ename": name,
            "evalue": message,
            "line": line,
            "frames": locate.drop_middle_frames(frames),
            "traceback": _COLOURS.sub("", text),
        }

    # --- probes ---------------------------------------------------------------------------------------------------

    def read_probe(self, step: dict[str, Any]) -> None:
        """Make what a probe's source defines, so that it is there for copies of this process; a fault in it comes up where it is asked."""
        source = step["source"]
        if source not in self._probes:
            with contextlib.suppress(Exception):
                self._probes[source] = _make_probe(source)

    def run_probe(self, step: dict[str, Any]) -> dict[str, Any]:
        """The answer to one question, or what it raised; nothing that it writes is kept."""
        self.capture.mute()
        try:
            probe = self._probes.get(step["source"]) or _make_probe(step["source"])
            value = probe(self.shell, self.last, step.get("argument"))
            json.dumps(value)
        except Exception as error:
            failure = {"ename": type(error).__name__, "evalue": str(error), "traceback": locate.format_traceback(error)}
            return {"status": "error", "error": failure}
        finally:
            self.capture.flush()
        return {"status": "ok", "value": value}


def _make_probe(source: str) -> Any:
    space: dict[str, Any] = {"__name__": "selfheal_probe"}
    exec(compile(source, "<probe>", "exec"), space)
    return space["probe"]


def _cut_to_cell(tb: TracebackType | None, file: str) -> TracebackType | None:
    """The traceback from the cell inwards; all of it where the cell is not in it."""
    step = tb
    while step is not None and step.tb_frame.f_code.co_filename != file:
        step = step.tb_next
    return step or tb
