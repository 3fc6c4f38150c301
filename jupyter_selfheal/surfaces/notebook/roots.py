"""Which cells a fix far above its failure has healed with it: one silent root may break ten cells."""

from __future__ import annotations

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Replace
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status


def describe_root(report: NotebookReport, record: Record) -> str:
    """Where the root of a healed cell was, and which cells below that read what comes of it run now; empty where it was in the
    cell itself."""
    if record.status is not Status.HEALED:
        return ""
    edited = [e.cell_id for e in record.edits if isinstance(e, Replace) and e.cell_id != record.cell.id]
    roots = [n for n in dict.fromkeys(map(report.number_of, edited)) if 0 < n < record.number]
    below = _list_dependents(report, record, edited)
    if not roots or not below:
        return ""
    words = ", ".join(str(n) for n in below)
    where = ", ".join(str(n) for n in roots)
    return (
        f"cell {record.number} was healed at its root in cell {where}; what comes of it is read by {len(below)} more "
        f"cell{'s' if len(below) > 1 else ''} below, which {'run' if len(below) > 1 else 'runs'} now: {words}"
    )


def _list_dependents(report: NotebookReport, record: Record, edited: list[str]) -> list[int]:
    """Numbers of the cells below that run, and read what the edited cells or the healed one make."""
    made: set[str] = set()
    found = []
    for other in report.records:
        names = src.find_names(other.cell.source)
        used = names.uses | names.changes
        made_here = (names.binds | names.changes) - names.imports
        if other.cell.id in edited or other.cell.id == record.cell.id:
            made |= made_here
        elif made & used:
            made |= made_here
            if other.number > record.number and other.status is Status.RAN:
                found.append(other.number)
        else:
            made -= names.binds
    return found
