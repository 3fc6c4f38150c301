"""Which cells a fix heals with its own: one root, often far above the failure, may break ten cells."""

from __future__ import annotations

from jupyter_selfheal.model import Replace
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.words import list_numbers

RUNNING = (Status.RAN, Status.FOLLOWED)


def list_healed_too(report: NotebookReport, record: Record) -> list[int]:
    """Numbers of the cells below a healed one that run now, and were seen to fail without its fix.

    A cell that failed of more than one of the fixes is counted with the last of them, without which it failed when the others were made; one of
    which that is not known, with none.
    """
    if record.status is not Status.HEALED or not record.without.failed:
        return []
    below = [r for r in report.records if r.number > record.number]
    healed = [r for r in below if r.status is Status.HEALED]
    others = {cell_id for r in healed for cell_id in (*r.without.failed, *r.without.unknown)}
    own = set(record.without.failed) - others
    return [r.number for r in below if r.cell.id in own and r.status in RUNNING]


def describe_reach(report: NotebookReport, record: Record) -> str:
    """In a sentence, which cells a fix heals with its own, and where it was made if not there; empty where it heals no other."""
    numbers = list_healed_too(report, record)
    if not numbers:
        return ""
    edited = [e.cell_id for e in record.edits if isinstance(e, Replace) and e.cell_id != record.cell.id]
    roots = [n for n in dict.fromkeys(map(report.number_of, edited)) if 0 < n < record.number]
    where = f", made at its root in {list_numbers(roots)}," if roots else ""
    return (
        f"one change, {len(numbers) + 1} cells run: the fix of cell {record.number}{where} also heals {list_numbers(numbers)}, "
        "which failed only because of it"
    )
