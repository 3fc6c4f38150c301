"""Patches on the model's notebook."""

from __future__ import annotations

from dataclasses import replace

from jupyter_selfheal.model import Cell, Edit, Insert, Install, Move, Notebook, Patch, Replace, RunCells


def persistent(patch: Patch, notebook: Notebook, failing: str) -> Patch:
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


def apply(notebook: Notebook, patch: Patch) -> Notebook:
    """The notebook after the patch. Raises ``ValueError`` where a cell no longer holds what the patch replaces."""
    cells = list(notebook.cells)
    for edit in patch.edits:
        if isinstance(edit, Replace):
            at = _index(cells, edit.cell_id)
            if cells[at].source != edit.old:
                raise ValueError(f"cell {edit.cell_id} no longer holds what the patch replaces")
            cells[at] = replace(cells[at], source=edit.source)
        elif isinstance(edit, Insert):
            cells.insert(_index(cells, edit.before), Cell(edit.cell_id, edit.source))
        elif isinstance(edit, Move):
            moved = cells.pop(_index(cells, edit.cell_id))
            cells.insert(_index(cells, edit.before), moved)
    return replace(notebook, cells=tuple(cells))


def _index(cells: list[Cell], cell_id: str) -> int:
    at = next((n for n, cell in enumerate(cells) if cell.id == cell_id), -1)
    if at < 0:
        raise ValueError(f"the patch names a cell {cell_id} that the notebook does not have")
    return at
