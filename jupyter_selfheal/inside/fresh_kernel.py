"""What a fresh trial kernel is told first: to remember the last cell's value and error, and to answer about them.

Sent as source to the kernel, where it becomes the module ``_selfheal_inside``; nothing of it is in the user's namespace.
Standard library only.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import types
from typing import Any

from jupyter_selfheal.inside import locate


class Last:
    """The last cell that ran, as a probe sees it."""

    result: Any = None
    error: BaseException | None = None
    stdout: str = ""


last = Last()
answer = ""
"""JSON of the last answer, fetched by the other side as an expression."""

_shared = ""
"""The folder that this kernel shares with the engine: its sockets are in it."""

_before_exec = False
_cells: dict[str, str] = {}
_ran = {"code": "", "cell_id": "", "file": ""}
"""The cell that was run last."""


class Echo:
    """Keeps what is printed in a file as well, up to a size: a stream's last words are lost when a process ends at once."""

    def __init__(self, path: str, most: int = 1 << 20) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self.left = most

    def write(self, text: str) -> None:
        if self.left > 0:
            self.left -= os.write(self.file, text.encode("utf-8", "replace")[: self.left])

    def flush(self) -> None:
        """What was written is there already."""


def watch(shell: Any, folder: str) -> None:
    """Remember every cell's outcome from now on, and which file name IPython gives to which cell; keep what it prints in
    two files of ``folder``."""
    global _shared
    _shared = folder
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if getattr(stream, "echo", stream) is None:
            stream.echo = Echo(os.path.join(folder, f"echo-{name}"))

    def remember(outcome: Any) -> None:
        global _before_exec
        last.result, last.error = outcome.result, outcome.error_in_exec or outcome.error_before_exec
        _before_exec = outcome.error_before_exec is not None
        raw = getattr(outcome.info, "raw_cell", "") or ""
        name = shell.compile.get_code_name(raw, shell.transform_cell(raw), shell.execution_count - 1)
        _cells[name] = getattr(outcome.info, "cell_id", None) or ""
        _ran.update(code=raw, cell_id=_cells[name], file=name)
        if last.error is not None:
            last.error.__traceback__ = _cut_to_cell(last.error.__traceback__)

    shell.events.register("post_run_cell", remember)


def _cut_to_cell(step: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback without IPython's own frames, which come before the first one in a cell; none where there is no such."""
    while step is not None and step.tb_frame.f_code.co_filename not in _cells:
        step = step.tb_next
    return step


def locate_error() -> None:
    """Answer where the last error came from: its line in the cell and its frames from the cell inwards."""
    global answer
    error = last.error
    if error is None:
        answer = "null"
        return
    timed = locate.find_timed_cell(_ran["code"], _ran["cell_id"])
    stack = traceback.walk_tb(error.__traceback__)
    frames = locate.list_frames(stack, _cells.__contains__, lambda file: _cells.get(file, ""), timed)
    line = locate.find_line(frames, lambda frame: frame[0] == _ran["file"], timed)
    if isinstance(error, SyntaxError) and (_before_exec or not line):
        line = error.lineno or 0
    place = {"ename": type(error).__name__, "evalue": _describe_error(error), "line": line, "before_exec": _before_exec}
    answer = json.dumps({**place, "frames": locate.drop_middle_frames(frames)})


def ask(shell: Any, source: str, argument: str, stdout: str) -> None:
    """Answer ``probe(shell, last, argument)`` of a source, or which exception it raised."""
    global answer
    last.stdout = stdout
    space: dict[str, Any] = {"__name__": "_selfheal_probe"}
    try:
        exec(compile(source, "<probe>", "exec"), space)
        answer = json.dumps({"value": space["probe"](shell, last, json.loads(argument))})
    except Exception as error:
        answer = json.dumps({"ename": type(error).__name__, "evalue": _describe_error(error)})


def enter_sandbox(code: str, megabytes: int, network: bool) -> None:
    """Cut the network and set the limits by the sandbox module that ``code`` loads; answer the names of the layers."""
    global answer
    space: dict[str, Any] = {}
    exec(code, space)
    sandbox = space["load"]()
    layers = [] if network else sandbox.cut_network([_shared])
    sandbox.set_limits(megabytes, sandboxed=True)
    answer = json.dumps(layers)


def _describe_error(error: BaseException | None) -> str:
    try:
        return str(error)
    except Exception:  # a __str__ of the user's
        return f"<{type(error).__name__} without a message>"
