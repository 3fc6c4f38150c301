"""Stored outputs as expectations, as nbval has them, and results that comments tell: a cell that runs and gives another value fails like any other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from jupyter_selfheal.model import Cell, Notebook
from jupyter_selfheal.scoring.repeatable import is_repeatable
from jupyter_selfheal.scoring.stored import compare
from jupyter_selfheal.source.commented_results import add_checks
from jupyter_selfheal.surfaces.notebook.read import Document


def expect_outputs(document: Document) -> Document:
    """The document, each cell with a stored output held to it, and a note that names those that cannot be; a cell without one is held to what its comments tell.

    What hangs on chance, the clock or the machine never comes again; nbval's markers and tags leave a cell out without a word.
    """
    notebook, numbers = document.notebook, document.number_code_cells()
    held = {cell.id: is_repeatable(cell, notebook) for cell in _list_stored(notebook)}
    cells = tuple(
        replace(c, oracle=replace(c.oracle, as_stored=True)) if held.get(c.id) else _add_told(c, notebook)
        for c in notebook.cells
    )
    free = [str(numbers[cell_id] + 1) for cell_id, can_be_held in held.items() if not can_be_held]
    notes = (f"not held to the stored output, which hangs on chance, time or place: cell {', '.join(free)}",)
    return replace(document, notebook=replace(notebook, cells=cells), notes=(*document.notes, *(notes if free else ())))


def _add_told(cell: Cell, notebook: Notebook) -> Cell:
    if cell.kind != "code" or cell.skip or "#" not in cell.source or not is_repeatable(cell, notebook):
        return cell
    return add_checks(cell, [c.source for c in notebook.list_code_before(cell.id)], told_alone=True)


def _list_stored(notebook: Notebook) -> Iterator[Cell]:
    """The cells that have an output which can be compared."""
    return (
        c
        for c in notebook.cells
        if c.kind == "code" and c.source.strip() and not c.skip and compare(c, c.outputs).can_decide
    )
