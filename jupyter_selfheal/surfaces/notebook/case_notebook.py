"""The notebook as the case of a failing cell has it: which cells ran, failed, were warned, and what stood in them before."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from jupyter_selfheal.model import Notebook
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.failures import list_warnings
from jupyter_selfheal.surfaces.notebook.record_book import RecordBook


def mark_cells_run(
    notebook: Notebook, given: Notebook, done: Container[str], first: Mapping[str, CellRun], book: RecordBook
) -> Notebook:
    """The notebook as it stands, each cell that was run numbered: what never ran is told from what ran and is gone, and stored outputs of what
    depends on an unhealed cell are told from those that must come again.

    ``given`` is the notebook before anything was healed, ``done`` are the ids of the cells that were run, ``first`` is what they did.
    """
    order = {cell_id: n for n, cell_id in enumerate(first, 1)}
    sources = {c.id: c.source for c in given.cells}
    cells = (
        replace(
            c,
            runs=order.get(c.id, 1) if c.id in done and not c.skip else 0,
            failed=book.is_unhealed(c.id),
            failed_with=book.find_failed_with(c.id),
            warned=list_warnings(first[c.id].result.outputs) if c.id in first else (),
            given=sources[c.id] if sources.get(c.id, c.source) != c.source else "",
        )
        for c in notebook.cells
    )
    return replace(notebook, cells=tuple(cells))
