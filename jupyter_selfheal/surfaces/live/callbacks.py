"""What fails when a widget is used after its cell has ended: the call of its callback, written down as a cell of its own.

The callback is a function of a cell; the call below it is what failed: ``on_press(button)``. So the fault is looked for, tried and
mended where the function stands, as for any function that a later cell calls.
"""

from __future__ import annotations

import ast
import inspect
import traceback
from collections.abc import Mapping
from types import FrameType
from typing import Any, NamedTuple

from jupyter_selfheal.model import Failure, Frame
from jupyter_selfheal.surfaces.live import failure_capture
from jupyter_selfheal.surfaces.live.cell_log import CellLog, read_code_files

PLAIN = (int, float, str, bool, type(None))
"""Values that their text says in full."""

LONGEST = 200
"""Characters of a value that is written into the call."""


class Callback(NamedTuple):
    """A callback that failed: the failing call, and the cell of its function, which is where a fix goes."""

    failure: Failure
    home: str


def describe_callback(shell: Any, error: BaseException, log: CellLog) -> Callback | None:
    """The failed call. None where the function is not a plain one of a cell that still is what it was, or its arguments cannot be written."""
    runs = read_code_files(shell)
    stack = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename in runs]
    home = log.find_cell_of_run(runs[stack[0].f_code.co_filename]) if stack else None
    source = log.find_source(home) if home else None
    call = _write_call(stack[0], shell.user_ns) if stack else ""
    if not home or source is None or not call:
        return None
    cell_id = f"{home}-{stack[0].f_code.co_name}"
    run = failure_capture.FailedRun(error, cell_id, call, called_as=Frame("", 1, "<module>", call, cell_id))
    failure = failure_capture.describe_failure(shell, run, log)
    return Callback(failure, home)


def _write_call(frame: FrameType, names: Mapping[str, Any]) -> str:
    """The call that made this frame, of names that the user has; empty where it cannot be written."""
    code = frame.f_code
    function = names.get(code.co_name)
    if getattr(function, "__code__", None) is not code or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        return ""
    arguments: list[str] = []
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        is_read = name in code.co_cellvars or any(
            step.argval == name for step in _list_steps(code) if step.opname.startswith("LOAD_FAST")
        )
        text = _write_value(frame.f_locals.get(name), names) if is_read else "None"
        if not text:
            return ""
        arguments.append(f"{name}={text}" if len(arguments) >= code.co_argcount else text)
    return f"{code.co_name}({', '.join(arguments)})"


def _list_steps(code: Any) -> list[Any]:
    import dis

    return list(dis.get_instructions(code))


def _write_value(value: Any, names: Mapping[str, Any]) -> str:
    """An expression for it: a literal, a variable that is it, what traitlets tells of a change; empty where there is none."""
    if type(value) in PLAIN or (type(value) in (list, tuple) and all(type(item) in PLAIN for item in value)):
        text = repr(value)
        return text if len(text) <= LONGEST and _is_literal(text) else ""
    if type(value).__name__ == "Bunch" and isinstance(value, dict):
        parts = {str(key): _write_value(part, names) for key, part in value.items()}
        known = [f"{key}={text}" for key, text in parts.items() if text and key.isidentifier()]
        needed = {"name", "old", "new"} & set(parts)
        return f"__import__('traitlets').Bunch({', '.join(known)})" if all(parts[key] for key in needed) else ""
    return next((name for name, there in names.items() if there is value and not name.startswith("_")), "")


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False  # `nan`, say
    return True
