"""Where an exception was raised: from its traceback to a line of the cell and the frames from the cell inwards."""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

TIMED = ("<timed exec>", "<timed eval>")
"""The files that ``%%time`` and ``%%timeit`` compile a cell's body as: one line below the magic's own."""
MOST_FRAMES = 60
"""Frames that are kept: a missing base case makes thousands, of which the two ends say everything."""

NamedFrame = list[Any]
"""File, line, function, the text of the line, and the id of the cell (empty outside of cells)."""


def list_known_cells() -> dict[str, str]:
    """Cell ids by the file names under which this process compiled the cells. Shared by every copy of this module."""
    cells: dict[str, str] | None = getattr(sys, "_selfheal_cells", None)
    if cells is None:
        cells = sys._selfheal_cells = {}  # type: ignore[attr-defined]
    return cells


def register_cell(file: str, cell_id: str) -> None:
    """Say which cell was compiled under a file name, so that frames in its functions are found to be that cell's."""
    list_known_cells()[file] = cell_id


def list_frames(
    stack: Iterable[tuple[FrameType, int]],
    is_cell: Callable[[str], bool],
    name_cell: Callable[[str], str],
    timed_cell: str | None,
    read_line: Callable[[str, int], str] = linecache.getline,
) -> list[NamedFrame]:
    """The frames from the first one in a cell inwards; ``stack`` is outermost first, as of ``traceback.walk_tb``.

    ``timed_cell`` is the id of the cell that failed if it begins with a cell magic, else None.
    """
    frames: list[NamedFrame] = []
    for frame, line in stack:
        file = frame.f_code.co_filename
        if not frames and not is_cell(file):
            continue
        cell = name_cell(file)
        if timed_cell is not None and file in TIMED:
            cell, line = timed_cell, line + 1
        frames.append([file, line, frame.f_code.co_name, read_line(file, line).strip(), cell])
    return frames


def find_line(frames: Iterable[NamedFrame], is_own: Callable[[NamedFrame], bool], timed_cell: str | None) -> int:
    """The line of the failing cell that the outermost frame in it is at, below its cell magic if it has one; 0 if there is none."""
    own = [frame[1] for frame in frames if is_own(frame) or (timed_cell is not None and frame[0] in TIMED)]
    magic = 0 if timed_cell is None else 1
    return next((line for line in own if line > magic), own[0] if own else 0)


def drop_middle_frames(frames: list[NamedFrame]) -> list[NamedFrame]:
    """At most :data:`MOST_FRAMES`, from both ends."""
    half = MOST_FRAMES // 2
    return frames if len(frames) <= MOST_FRAMES else frames[:half] + frames[-half:]


def find_timed_cell(source: str, cell_id: str) -> str | None:
    """The cell's id if its source begins with a cell magic, whose body is compiled apart."""
    return cell_id if source.lstrip().startswith("%%") else None


def format_traceback(error: BaseException) -> str:
    """The traceback as Python prints it.

    Where Python cannot (since 3.12 it lists the names of each frame to find one that is near, which fails where code ran over a mapping that
    has no list of names, as patsy's formulas do), it comes without such names and without what caused the error.
    """
    try:
        return "".join(traceback.format_exception(error))
    except Exception:
        return "".join([*traceback.format_tb(error.__traceback__), f"{type(error).__name__}: {error}\n"])
