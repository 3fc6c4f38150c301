"""A failure that stands as text in another one's message, as a case of its own."""

from __future__ import annotations

import re
from dataclasses import replace

from jupyter_selfheal.model import Case, Frame, Notebook

_LIBRARY = re.compile(r"[\\/](?:site|dist)-packages[\\/]|[\\/]lib[\\/]python\d")
"""In the file name of a frame that is code of a library, and of no cell."""


def view_held_failure(case: Case) -> Case | None:
    """The case of the failure that this one's message holds, with its frames in the notebook's cells; None where it holds none."""
    held = case.failure.held
    if held is None:
        return None
    source = case.failure.source
    notebook = case.notebook
    if notebook.index(held.cell_id) >= 0:
        notebook = notebook.with_source(held.cell_id, source)
    frames = (replace(f, cell_id=_find_cell_id(notebook, held.cell_id, f)) for f in held.frames)
    return replace(case, failure=replace(held, frames=(*case.failure.frames, *frames)))


def _find_cell_id(notebook: Notebook, failing: str, frame: Frame) -> str:
    """The one cell that has the frame's text in its line, the failing one and those above it; empty where none or several have."""
    if not frame.text or _LIBRARY.search(frame.file):
        return ""
    cells = [c for c in notebook.list_code_before(failing) if c.id != failing]
    cells += [c for c in notebook.cells if c.id == failing]
    found = [c.id for c in cells if _read_line(c.source, frame.line) == frame.text]
    return found[0] if len(found) == 1 else ""


def _read_line(source: str, line: int) -> str:
    lines = source.split("\n")
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""
