"""Which cells ran with what a fix makes otherwise: they ran after the failure, before its fix was put in."""

from __future__ import annotations

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Insert, Patch, Replace


def list_read_names(patch: Patch, at: str, before: str, ran: str, source: str) -> tuple[str, ...]:
    """The names that the cell ``ran``, which ran now, reads, and that a fix which still waits makes or changes.

    ``at`` is the cell that the fix goes to, ``before`` its source. Nothing of a cell that the fix changes itself: that one runs again.
    """
    edits = [edit for edit in patch.edits if isinstance(edit, Replace | Insert)]
    if ran in {at, *(edit.cell_id for edit in edits)}:
        return ()
    fixed = [src.find_names(text) for text in (patch.source_of(at, before), *(edit.source for edit in edits))]
    made = frozenset[str]().union(*((names.binds - names.imports) | names.changes for names in fixed))
    return tuple(sorted(made & src.find_names(source).uses))
