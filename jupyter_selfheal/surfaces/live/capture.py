"""A failing cell of this shell as a :class:`~jupyter_selfheal.model.Failure`."""

from __future__ import annotations

import traceback
from types import TracebackType
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Failure, FailureKind, Frame
from jupyter_selfheal.surfaces.live.cells import CellLog

TIMED = ("<timed exec>", "<timed eval>")
"""What ``%%time`` compiles a cell's body as (IPython.core.magics.execution)."""

TRACEBACK_LIMIT = 20_000
"""Characters of traceback text kept: enough for the deepest one that anybody reads."""


def failure_of(
    shell: Any, error: BaseException, cell_id: str, source: str, log: CellLog, *, before_exec: bool, seconds: float
) -> Failure:
    """Describe ``error``, raised by the cell ``cell_id`` whose text was ``source`` (``%%heal`` line blanked)."""
    magic = source.lstrip().startswith("%%")
    frames = _frames(shell, error.__traceback__, log, cell_id if magic else "")
    own = [f.line for f in frames if f.cell_id == cell_id]
    line = next((n for n in own if n > magic), own[0] if own else 0)
    syntax = isinstance(error, SyntaxError) and before_exec
    if isinstance(error, SyntaxError) and not line:
        line = error.lineno or 0
    return Failure(
        cell_id=cell_id,
        source=source,
        kind=FailureKind.SYNTAX if syntax else FailureKind.RAISED,
        ename=type(error).__name__,
        evalue=_message(error),
        line=line,
        statement=-1 if syntax else src.find_statement(source, line),
        frames=tuple(frames),
        traceback="".join(traceback.format_exception(error))[-TRACEBACK_LIMIT:],
        seconds=seconds,
    )


def is_timed(error: BaseException) -> bool:
    """Whether it was raised in code that ``%%time`` compiled."""
    return any(frame.f_code.co_filename in TIMED for frame, _ in traceback.walk_tb(error.__traceback__))


def missed(cell_id: str, source: str, seconds: float) -> Failure:
    """A cell that ran to its end, and is to be checked against what is expected of it."""
    return Failure(cell_id, source, FailureKind.MISSED, seconds=seconds)


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a user's __str__ may do anything
        return "?"


def _frames(shell: Any, tb: TracebackType | None, log: CellLog, timed: str) -> list[Frame]:
    """``timed`` is the cell whose body a magic like ``%%time`` compiled by itself, one line below the magic's own."""
    runs = getattr(shell.compile, "_filename_map", {})
    found: list[Frame] = []
    for frame, line in traceback.walk_tb(tb):
        code = frame.f_code
        run = runs.get(code.co_filename)
        cell_id = log.cell_of_run(run) if run is not None else ""
        if not found and not cell_id:
            continue
        if timed and code.co_filename in TIMED:
            cell_id, line = timed, line + 1
        text = _line(log.source_of(cell_id), line)
        found.append(Frame(code.co_filename, line, code.co_name, text, cell_id))
    return found


def _line(source: str, line: int) -> str:
    lines = source.splitlines()
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""
