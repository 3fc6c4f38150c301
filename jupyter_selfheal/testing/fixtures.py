"""Notebooks as a rule's fixtures: made of sources, read, written, patched and compared."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.model import Cell, Insert, Move, Notebook, Output, Patch, Replace, RunCells

NOT_RUN = "not-run"
"""Tag of a cell that is in the notebook and was not run."""


def notebook_of(cells: Sequence[str | Cell], folder: Path | str = "") -> Notebook:
    """A notebook of code cells ``c1``, ``c2`` …; a source that begins with ``# not run`` is tagged so."""
    found = []
    for n, cell in enumerate(cells, 1):
        if isinstance(cell, str):
            cell = Cell(f"c{n}", cell, tags=(NOT_RUN,) if cell.startswith("# not run") else ())
        found.append(cell)
    return Notebook(tuple(found), folder=str(folder))


def read_notebook(path: Path) -> Notebook:
    """The notebook of a fixture."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    cells = []
    for n, c in enumerate(raw["cells"], 1):
        text = c["source"]
        cells.append(
            Cell(
                id=c.get("id") or f"c{n}",
                source=text if isinstance(text, str) else "".join(text),
                kind=c["cell_type"],
                tags=tuple(c["metadata"].get("tags", ())),
                outputs=tuple(Output.from_nbformat(o) for o in c.get("outputs", ())),
            )
        )
    return Notebook(tuple(cells), path=str(path), folder=str(path.parent))


def write_notebook(path: Path, notebook: Notebook) -> None:
    """Write a fixture: nbformat 4.5, no outputs but those that the cells hold."""
    cells = [
        {
            "cell_type": c.kind,
            "id": c.id,
            "metadata": {"tags": list(c.tags)} if c.tags else {},
            "source": c.source.splitlines(keepends=True),
            **({"execution_count": None, "outputs": [o.to_nbformat() for o in c.outputs]} if c.kind == "code" else {}),
        }
        for c in notebook.cells
    ]
    raw = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(raw, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def patched(notebook: Notebook, patch: Patch) -> Notebook:
    """The notebook after the source edits of a patch (RunCells: the cells have run; Install changes nothing)."""
    cells = list(notebook.cells)
    for edit in patch.edits:
        at = {c.id: n for n, c in enumerate(cells)}
        if isinstance(edit, Replace):
            if cells[at[edit.cell_id]].source != edit.old:
                raise AssertionError(f"the patch expects another source in cell {edit.cell_id}")
            cells[at[edit.cell_id]] = replace(cells[at[edit.cell_id]], source=edit.source)
        elif isinstance(edit, Insert):
            cells.insert(at[edit.before], Cell(edit.cell_id, edit.source))
        elif isinstance(edit, Move):
            moved = cells.pop(at[edit.cell_id])
            before = next(n for n, c in enumerate(cells) if c.id == edit.before)
            cells.insert(before, replace(moved, tags=tuple(t for t in moved.tags if t != NOT_RUN)))
        elif isinstance(edit, RunCells):
            cells = [
                replace(c, tags=tuple(t for t in c.tags if t != NOT_RUN)) if c.id in edit.cell_ids else c for c in cells
            ]
    return replace(notebook, cells=tuple(cells))


def difference(wanted: Notebook, found: Notebook) -> str:
    """A unified diff of the sources of two notebooks."""

    def text(n: Notebook) -> list[str]:
        return "\n# ---\n".join(c.source for c in n.cells).splitlines()

    return "\n".join(difflib.unified_diff(text(wanted), text(found), "healed.ipynb", "the patch", lineterm=""))
