"""Whether trials could say more of patches than that their checks hold, which the search knows before. Pure.

What is stored for the failing cell may be met by one of them only, and a cell below may run with one of them only: to leave the others
untried would be to leave that unsaid (docs/scoring.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Cell, Insert, Patch, Replace
from jupyter_selfheal.source.rerun import is_harmless


def can_tell_apart(case: Case, patches: Sequence[Patch]) -> bool:
    """Whether something is stored for the failing cell, or a cell below runs that reads what the patches make."""
    return _has_stored_output(case) or _has_cell_below(case, patches)


def _has_stored_output(case: Case) -> bool:
    at = case.notebook.index(case.failure.cell_id)
    if at < 0:
        return False
    cell = case.notebook.cells[at]
    return bool(cell.outputs) and not cell.stale and not _failed_as_stored(cell)


def _failed_as_stored(cell: Cell) -> bool:
    return any(o.output_type == "error" for o in cell.outputs)


def _has_cell_below(case: Case, patches: Sequence[Patch]) -> bool:
    """Whether a cell below that may be run reads, by whatever way, what a patched cell binds or changes."""
    edits = [e for p in patches for e in p.edits if isinstance(e, Replace | Insert)]
    made: set[str] = set()
    for source in {case.failure.source, *(e.source for e in edits)}:
        names = src.find_names(source)
        made |= names.binds | names.changes
    for cell in case.notebook.list_code_after(case.failure.cell_id):
        names = src.find_names(cell.source)
        if not made & (names.uses | names.changes):
            continue
        if is_harmless(cell) and not _failed_as_stored(cell):
            return True
        made |= names.binds | names.changes
    return False
