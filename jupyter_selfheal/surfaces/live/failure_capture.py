"""A failing cell of this shell as a :class:`~jupyter_selfheal.model.Failure`."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.locate import TIMED, NamedFrame, find_line, find_timed_cell, format_traceback, list_frames
from jupyter_selfheal.model import Failure, FailureKind, Frame
from jupyter_selfheal.source import endless
from jupyter_selfheal.surfaces.live.cell_log import CellLog, read_code_files

TRACEBACK_LIMIT = 20_000
"""Characters of traceback text kept: enough for the deepest one that anybody reads."""


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run of the cell ``cell_id``, whose text was ``source`` (``%%heal`` line blanked), that ended in ``error``.

    ``before_exec``: nothing of it ran. ``is_aside``: the cell itself ran on. ``called_as`` stands for the frame of a call that was in no cell.
    """

    error: BaseException
    cell_id: str
    source: str
    before_exec: bool = False
    seconds: float = 0.0
    is_aside: bool = False
    called_as: Frame | None = None


def describe_failure(shell: Any, run: FailedRun, log: CellLog) -> Failure:
    """The failure that this run of a cell ended in."""
    error, cell_id, source, called_as = run.error, run.cell_id, run.source, run.called_as
    timed = find_timed_cell(source, cell_id)
    frames = _list_frames(shell, error.__traceback__, log, timed)
    line = called_as.line if called_as else find_line(frames, lambda frame: frame[4] == cell_id, timed)
    syntax = isinstance(error, SyntaxError) and run.before_exec
    if isinstance(error, SyntaxError) and not line:
        line = error.lineno or 0
    return Failure(
        cell_id=cell_id,
        source=source,
        kind=_find_kind(error, syntax=syntax),
        ename=type(error).__name__,
        evalue=format_message(error),
        line=line,
        statement=-1 if syntax else src.find_statement(source, line),
        frames=(*([called_as] if called_as else []), *(Frame(*frame) for frame in frames)),
        traceback=format_traceback(error)[-TRACEBACK_LIMIT:],
        seconds=run.seconds,
        is_aside=run.is_aside,
    )


def _find_kind(error: BaseException, *, syntax: bool) -> FailureKind:
    """What the user stopped took too long, as what runs into a time limit does."""
    if isinstance(error, KeyboardInterrupt):
        return FailureKind.TIMED_OUT
    return FailureKind.SYNTAX if syntax else FailureKind.RAISED


def is_timed(error: BaseException) -> bool:
    """Whether it was raised in code that ``%%time`` compiled."""
    return any(frame.f_code.co_filename in TIMED for frame, _ in traceback.walk_tb(error.__traceback__))


def is_raised_in_cells(shell: Any, error: BaseException) -> bool:
    """Whether code of a cell is on its traceback."""
    runs = read_code_files(shell)
    return any(frame.f_code.co_filename in runs for frame, _ in traceback.walk_tb(error.__traceback__))


def is_in_endless_loop(failure: Failure, log: CellLog) -> bool:
    """Whether what the user stopped was in a loop that cannot end: then it was not stopped for being slow."""
    places = [(frame.cell_id, frame.line) for frame in failure.frames if frame.cell_id]
    trees = ((src.parse(log.find_source(cell_id) or ""), line) for cell_id, line in places)
    return any(tree is not None and endless.is_in_endless_loop(tree, line) for tree, line in trees)


def describe_missed(cell_id: str, source: str, seconds: float) -> Failure:
    """A cell that ran to its end, and is to be checked against what is expected of it."""
    return Failure(cell_id, source, FailureKind.MISSED, seconds=seconds)


def format_message(error: BaseException) -> str:
    """What an error says, as failures know it."""
    try:
        return str(error)
    except Exception:  # a user's __str__ may do anything
        return "?"


def _list_frames(shell: Any, tb: TracebackType | None, log: CellLog, timed: str | None) -> list[NamedFrame]:
    runs = read_code_files(shell)

    def name_cell(file: str) -> str:
        run = runs.get(file)
        return (log.find_cell_of_run(run) if run is not None else None) or ""

    frames = list_frames(
        traceback.walk_tb(tb), lambda file: bool(name_cell(file)), name_cell, timed, lambda file, line: ""
    )
    for frame in frames:  # what the cell held when it ran
        frame[3] = _find_line_text(log.find_source(frame[4]) or "", frame[1])
    return frames


def _find_line_text(source: str, line: int) -> str:
    lines = source.splitlines()
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""
