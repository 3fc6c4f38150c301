"""What stands around a failing cell: what the notebook stores for it and for the cells that read it, and the files that are there."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Cell, Frame

STORED_CHARS = 600
"""Characters of one stored output that are sent."""

READERS = 2
"""Cells below that read what the failing cell makes, and are sent beside those that assert something of it."""

FAR, TEXTS, TEXT_CHARS = 3, 3, 600
"""Cells between a failing one and the text above it that is sent; texts, and the characters of one."""

FILES, ALIKE = 10, 0.5
"""Names of files that are sent, and how alike (difflib's ratio) they are to the missing one's."""

REPEATED = 4
"""Frames of one repeating chain of calls that are shown at its beginning and at its end."""


def list_readers(case: Case, binds: frozenset[str]) -> list[Cell]:
    """The nearest cells below that use one of these names; two that assert something of it come in any case."""
    below = [c for c in case.notebook.list_code_after(case.failure.cell_id) if src.find_names(c.source).uses & binds]
    asserting = [c for c in below if "assert" in c.source][:2]
    others = [c for c in below if c not in asserting][:READERS]
    return [c for c in below if c in asserting or c in others]


def format_stored_outputs(cells: list[tuple[str, Cell]]) -> str:
    """What the notebook stores for these cells, each with its label; errors and pictures left out."""
    parts = []
    for label, cell in cells:
        texts = [o.text or str(o.data.get("text/plain", "")) for o in cell.outputs if o.output_type != "error"]
        text = "\n".join(filter(None, texts)).strip()
        if text and not cell.stale:
            cut = text if len(text) <= STORED_CHARS else text[:STORED_CHARS] + " …"
            parts.append(f"{label}:\n```\n{cut}\n```")
    return "# Outputs stored in the notebook, from before it failed\n" + "\n".join(parts) if parts else ""


def format_texts(case: Case, labels: Callable[[str], str]) -> str:
    """The nearest text above the failing cell, and those right above the cells of its traceback: what a cell is for is often said there."""
    cells = case.notebook.cells
    at = case.notebook.index(case.failure.cell_id)
    nearest = [n for n in range(at - 1, max(at - 2 - FAR, -1), -1) if cells[n].kind == "markdown"][:1]
    above = {case.notebook.index(frame.cell_id) - 1 for frame in case.failure.frames if frame.cell_id}
    places = sorted({*nearest, *(n for n in above if 0 <= n < len(cells) and cells[n].kind == "markdown")})
    texts = [(cells[n].source.strip(), labels(cells[n + 1].id)) for n in places[-TEXTS:]]
    shown = [
        f"Above {label}:\n{text if len(text) <= TEXT_CHARS else text[:TEXT_CHARS] + ' …'}"
        for text, label in texts
        if text
    ]
    return "# Text of the notebook\n" + "\n\n".join(shown) if shown else ""


def format_files(case: Case) -> str:
    """Where a file is missing, the names in its folder (of the notebook's) that are like it; no other name."""
    failure, folder = case.failure, case.notebook.folder
    quoted = failure.evalue.rpartition(": ")[2].strip("'\"")
    if failure.ename not in ("FileNotFoundError", "NotADirectoryError") or not folder or not quoted:
        return ""
    where, name = os.path.split(quoted)
    try:
        there = sorted(os.listdir(os.path.join(folder, where)))
    except (OSError, ValueError):
        return ""
    ending = os.path.splitext(name)[1].lower()
    alike = [n for n in there if not n.startswith(".") and _is_alike(n, name, ending)]
    known = ", ".join(f"`{os.path.join(where, n)}`" for n in alike[:FILES])
    return f"# Files of a like name that are there\n{known}" if known else ""


def _is_alike(name: str, wanted: str, ending: str) -> bool:
    same_kind = bool(ending) and os.path.splitext(name)[1].lower() == ending
    return same_kind or difflib.SequenceMatcher(None, name.lower(), wanted.lower()).ratio() >= ALIKE


def leave_out_comprehensions(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The frames without those of a comprehension on the line that it stands on: they say that line a second time."""
    pairs = zip((None, *frames), frames, strict=False)
    return tuple(
        frame
        for before, frame in pairs
        if before is None
        or not frame.function.endswith(("comp>", "<genexpr>"))
        or (before.cell_id, before.file, before.line) != (frame.cell_id, frame.file, frame.line)
    )


def shorten_recursion(frames: tuple[Frame, ...]) -> list[Frame | int]:
    """The frames, where a long repeating chain is cut in its middle to a number: how many were left out."""
    places = [(f.cell_id, f.file, f.function, f.line) for f in frames]
    often = {place for place in places if places.count(place) > 2 * REPEATED} if len(places) > 2 * REPEATED else set()
    at = [n for n, place in enumerate(places) if place in often]
    if len(at) <= 2 * REPEATED:
        return list(frames)
    first, last = at[REPEATED - 1] + 1, at[-REPEATED]
    return [*frames[:first], last - first, *frames[last:]]
