"""Patches as they can stand in a file."""

from __future__ import annotations

from dataclasses import replace

from jupyter_selfheal.model import Edit, Insert, Install, Move, Notebook, Patch, RunCells


def make_persistent(patch: Patch, notebook: Notebook, failing: str) -> Patch:
    """The patch as it can stand in a file.

    Running a cell first is no change of a notebook that is run from the top: a cell below the failing one is moved above
    it instead, and one above has run already. An installation becomes a ``%pip install`` cell.
    """
    at = notebook.index(failing)
    edits: list[Edit] = []
    for edit in patch.edits:
        if isinstance(edit, RunCells):
            edits += [Move(cell_id, before=failing) for cell_id in edit.cell_ids if notebook.index(cell_id) > at]
        elif isinstance(edit, Install):
            edits.append(Insert(f"install-{edit.module.replace('.', '-')}", edit.line, failing))
        else:
            edits.append(edit)
    return replace(patch, edits=tuple(edits))
