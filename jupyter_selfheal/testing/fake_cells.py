"""Running the cells and probes of :class:`~jupyter_selfheal.testing.fake_kernel.FakeKernel` in this process."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import functools
import importlib.util
import io
import itertools
import json
import linecache
import re
import sys
import time
import traceback
import types
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from jupyter_selfheal import source
from jupyter_selfheal.inside.locate import format_traceback
from jupyter_selfheal.model import ErrorInfo, Frame, Output, Probe, Run, StepResult

_NUMBERS = itertools.count()
_FILE = "<fake cell "
_LIBRARIES = ("<frozen ", "<selfheal ", "<probe>")

PATIENCE = 20.0
"""Seconds on the clock for each CPU second that a step may use."""


class _TimedOut(BaseException):
    """Raised inside traced code once its deadline has passed."""


@dataclass
class FakeShell:
    """The part of an InteractiveShell that probes use."""

    user_ns: dict[str, Any]

    @property
    def user_global_ns(self) -> dict[str, Any]:
        return self.user_ns

    def run_line_magic(self, name: str, line: str) -> None:
        """Does nothing, as all magics."""


@dataclass
class Last:
    """What the last cell gave."""

    result: Any = None
    error: BaseException | None = None
    stdout: str = ""


@dataclass
class State:
    """One run in progress: the namespace, the last cell, the outputs of the step at hand."""

    shell: FakeShell
    last: Last = field(default_factory=Last)
    cells: dict[str, str] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)
    loaded: set[str] = field(default_factory=set)
    """The extensions that cells have loaded."""


_EXTENSION = re.compile(r"(?m)^([ \t]*)%(?:re)?load_ext[ \t]+([\w.]+)[ \t]*$")


def _import_where_missing(match: re.Match[str]) -> str:
    """An extension that is not installed fails as its import does; what is there does nothing, as all magics."""
    top = match[2].split(".")[0]
    is_there = importlib.util.find_spec(top) or importlib.util.find_spec(f"IPython.extensions.{top}")
    return match[0] if is_there else f"{match[1]}import {match[2]}"


_WINDOWS = re.compile(r"(?m)^([ \t]*)%matplotlib[ \t]+qt\d?[ \t]*$")
_NO_WINDOWS = (
    r"\1raise ImportError('Failed to import any of the following Qt binding modules: PyQt6, PySide6, PyQt5, PySide2')"
)

_BLANK = re.compile(r"([ \t]*)%[ \t]+[A-Za-z]")
_NO_NAME = "raise __import__('IPython').core.error.UsageError('Line magic function `%` not found.')"


_OF_EXTENSION = re.compile(r"(?m)^([ \t]*)(%%?)(autoreload|cython|lprun|sql)\b.*$")
_BRINGS = {"cython": "Cython", "lprun": "line_profiler"}


def _refuse_unloaded(code: str, loaded: set[str]) -> str:
    """The code in which a command fails whose extension no cell has loaded; a cell magic does so as a whole."""
    match = _OF_EXTENSION.search(code)
    loaded |= {load[2] for load in _EXTENSION.finditer(code[: match.start()] if match else code)}
    if match is None or _BRINGS.get(match[3], match[3]) in loaded:
        return code
    kind = "Cell magic" if match[2] == "%%" else "Line magic function"
    told = f"raise __import__('IPython').core.error.UsageError('{kind} `{match[2]}{match[3]}` not found.')"
    return told if match[2] == "%%" else f"{code[: match.start()]}{match[1]}{told}{code[match.end() :]}"


_BELOW = re.compile(r"(?m)(?<=\n)(%%\w+)\b.*$|^(%capture)\b.*$")


def _refuse_below(code: str) -> str:
    """The code in which a cell magic fails that stands below the first line, or has one sign."""
    told = "raise __import__('IPython').core.error.UsageError('Line magic function `{}` not found{}.')"
    hint = " (But cell magic `%%capture` exists, did you mean that instead?)"
    if code.lstrip().startswith("%%"):
        return code
    return _BELOW.sub(lambda match: told.format(match[1] or match[2], hint if match[2] else ""), code)


def _mask_magics(code: str) -> str:
    """The code with its magics masked; one with a blank behind its sign fails, as it does in IPython."""
    lines = source.mask(code).splitlines(keepends=True)
    for number, (line, plain) in enumerate(zip(lines, code.splitlines(keepends=True), strict=False)):
        if line != plain and (blank := _BLANK.match(plain)):
            lines[number] = f"{blank[1]}{_NO_NAME}\n"
    return "".join(lines)


def run_cell(state: State, step: Run, deadline: float) -> StepResult:
    """Run a cell in this process, until the deadline."""
    state.last, state.outputs = Last(), []
    began = time.perf_counter()
    file = f"{_FILE}{next(_NUMBERS)}>"
    state.cells[file] = step.cell_id
    code = _refuse_below(_refuse_unloaded(step.code, state.loaded))
    code = _mask_magics(_WINDOWS.sub(_NO_WINDOWS, _EXTENSION.sub(_import_where_missing, code)))
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    stream = _Stream(state.outputs, "stdout")
    errors: tuple[ErrorInfo, ...] = ()
    status = "ok"
    try:
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(_Stream(state.outputs, "stderr")):
            state.last.result = _execute_cell(code, file, state.shell.user_ns, deadline)
    except _TimedOut:
        status = "timeout"
    except BaseException as error:
        if any(base.__module__ == "_pytest.outcomes" for base in type(error).__mro__):
            raise  # the test's own limit, or its own end
        status, state.last.error = "error", error.with_traceback(_strip_own_frames(error.__traceback__))
        errors = (_locate_error(error, step.code, file, state.cells),)
        state.outputs.append(
            Output("error", ename=errors[0].ename, evalue=errors[0].evalue, traceback=(errors[0].traceback,))
        )
    if state.last.result is not None:
        state.outputs.append(Output("execute_result", data={"text/plain": repr(state.last.result)}))
    state.last.stdout = "".join(o.text for o in state.outputs if o.name == "stdout")
    return StepResult(
        status,
        role=step.role.value,
        cell_id=step.cell_id,
        outputs=tuple(state.outputs),
        errors=errors,
        seconds=time.perf_counter() - began,
    )


def run_probe(state: State, step: Probe, deadline: float) -> StepResult:
    """Ask a probe of the state."""
    began = time.perf_counter()
    space: dict[str, Any] = {"__name__": "probe"}
    try:
        with contextlib.redirect_stdout(io.StringIO()), _trace_until(deadline):
            exec(_compile_probe(step.source), space)
            value = json.loads(json.dumps(space["probe"](state.shell, state.last, step.argument)))
    except _TimedOut:
        return StepResult("timeout", role="probe", name=step.name, seconds=time.perf_counter() - began)
    except Exception as error:
        info = ErrorInfo(type(error).__name__, str(error), traceback=format_traceback(error))
        return StepResult("error", role="probe", name=step.name, errors=(info,), seconds=time.perf_counter() - began)
    return StepResult("ok", role="probe", name=step.name, value=value, seconds=time.perf_counter() - began)


@functools.cache  # the same few probes are asked of thousands of failures
def _compile_probe(text: str) -> types.CodeType:
    return compile(text, "<probe>", "exec", dont_inherit=True)


def _execute_cell(code: str, file: str, space: dict[str, Any], deadline: float) -> Any:
    """Run a cell; the value of its last statement if that is an expression (no trailing semicolon), else None."""
    tree = compile(code, file, "exec", source.PARSE_FLAGS, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    del tree.body[len(tree.body) - (last is not None) :]
    with _trace_until(deadline):
        _evaluate_expression(compile(tree, file, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True), space)
        if not isinstance(last, ast.Expr):
            return None
        expression = ast.Expression(last.value)
        value = _evaluate_expression(
            compile(expression, file, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True), space
        )
    return None if code.rstrip().endswith(";") else value


def _evaluate_expression(code: types.CodeType, space: dict[str, Any]) -> Any:
    value = eval(code, space)
    return _await_in_thread(value) if code.co_flags & 0x80 else value  # CO_COROUTINE: the code awaits at the top level


def _await_in_thread(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What it returns, from a thread of its own: a loop may be running in this one (Playwright leaves its own there)."""
    trace = sys.gettrace()

    def run() -> Any:
        sys.settrace(trace)
        return asyncio.run(coroutine)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


_CALLED_BY_PYTHON = frozenset({"remove", "gc_callback", "gc_call", "__del__"})
"""Functions that Python calls in between: those of weak references (:mod:`weakref`), of the garbage collector (Hypothesis has one), and finalisers."""


@contextlib.contextmanager
def _trace_until(deadline: float) -> Iterator[None]:
    """Raise ``_TimedOut`` in traced code once this process has used CPU time up to ``deadline`` (as ``time.process_time`` tells it).

    A busy machine so breaks no test. What uses none, as it sleeps again and again, is cut by the clock in the end. Of the functions of
    a library, of the import system and of our own probes only the calls are looked at: to trace each instruction of an import would take
    longer than the import. A call of these is cut only once it took as long again, and never one that Python itself makes (of a weak reference,
    for the garbage collector, in a ``__del__``): what that raises is thrown away, and nothing is traced from then on.
    """
    if deadline == float("inf"):
        yield
        return
    used, began = time.process_time(), time.monotonic()
    seconds = deadline - used
    patience = PATIENCE * seconds + 1.0

    def is_over(share: float) -> bool:
        return time.process_time() - used > share * seconds or time.monotonic() - began > share * patience

    def trace(frame: types.FrameType, event: str, argument: Any) -> Any:
        file = frame.f_code.co_filename
        in_library = not file.startswith("<") or file.startswith(_LIBRARIES)
        if frame.f_code.co_name not in _CALLED_BY_PYTHON and is_over(2.0 if in_library else 1.0):
            raise _TimedOut
        if in_library:
            return None
        frame.f_trace_opcodes = True  # ``while True: pass`` is one instruction: no line event ever comes
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def _locate_error(error: BaseException, code: str, file: str, cells: Mapping[str, str]) -> ErrorInfo:
    before = isinstance(error, SyntaxError) and not any(
        f.f_code.co_filename == file for f, _ in traceback.walk_tb(error.__traceback__)
    )
    frames = tuple(
        Frame(f.filename, f.lineno or 0, f.name, f.line or "", cells.get(f.filename, ""))
        for f in traceback.extract_tb(error.__traceback__)
        if f.filename != __file__
    )
    line = next((f.line for f in frames if f.file == file), 0)
    if before and isinstance(error, SyntaxError):
        line = error.lineno or 0
    text = format_traceback(error)
    return ErrorInfo(type(error).__name__, str(error), line, source.find_statement(code, line), frames, text, before)


def _strip_own_frames(trace: types.TracebackType | None) -> types.TracebackType | None:
    """The traceback without this module's own frames on top."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace


class _Stream(io.TextIOBase):
    """Appends to the outputs, joining neighbours of one stream as nbformat does."""

    def __init__(self, outputs: list[Output], name: str) -> None:
        self._outputs, self._name = outputs, name

    def write(self, text: str) -> int:
        if self._outputs and self._outputs[-1].output_type == "stream" and self._outputs[-1].name == self._name:
            text = self._outputs.pop().text + text
        self._outputs.append(Output("stream", name=self._name, text=text))
        return len(text)


def build_display(state: State) -> Callable[..., None]:
    """IPython's ``display``, which keeps what it is given as outputs."""

    def display(*values: Any, **_: Any) -> None:
        state.outputs.extend(Output("display_data", data={"text/plain": repr(v)}) for v in values)

    return display
