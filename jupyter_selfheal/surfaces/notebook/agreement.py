"""How what the cells of a notebook give compares with what is stored for them, and with what they gave before it was healed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from jupyter_selfheal.model import JSON, Agreement, Cell, Notebook, Output
from jupyter_selfheal.scoring.comparison import Comparison
from jupyter_selfheal.scoring.repeatable import is_repeatable, is_trained
from jupyter_selfheal.scoring.stored import compare, compare_outputs
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.records import Record, Status

RUNNING = frozenset({Status.RAN, Status.HEALED, Status.FOLLOWED})
"""Cells that run, in the end."""


@dataclass
class HealthyCells:
    """The cells that ran well at first, and how each compares with what is stored for it: only those that compute what they
    put out; and of those that give another value only what is repeatable and hangs on no fitted model."""

    compared: dict[str, Comparison] = field(default_factory=dict)

    def add(self, notebook: Notebook, cell: Cell, outputs: tuple[Output, ...]) -> None:
        """Compare a cell that ran. ``notebook`` marks what is stale because a cell above was not healed."""
        compared = compare(cell, outputs)
        if not (compared.can_decide and compared.computed):
            return
        if not compared.differs or (is_repeatable(cell, notebook) and not is_trained(cell, notebook)):
            self.compared[cell.id] = compared

    def measure(self) -> Agreement:
        """How many of them still give what is stored."""
        return Agreement(len(self.compared), sum(not c.differs for c in self.compared.values()))

    def list_as_stored(self) -> tuple[str, ...]:
        """The ids of those that do."""
        return tuple(cell_id for cell_id, c in self.compared.items() if not c.differs)


def compare_records(
    records: Iterable[Record],
    notebook: Notebook,
    first: Mapping[str, CellRun],
    seen: Mapping[str, CellRun],
) -> tuple[Record, ...]:
    """The records with how the outputs of cells that run in the end compare: with what is stored, and with their first run.

    ``notebook`` is the healed one, with what is stale marked; ``seen`` is its final run, empty where none was needed.
    """
    return tuple(_compare_record(record, notebook, first, seen or first) for record in records)


def _compare_record(
    record: Record, notebook: Notebook, first: Mapping[str, CellRun], last: Mapping[str, CellRun]
) -> Record:
    cell_id = record.cell.id
    if record.status not in RUNNING or cell_id not in last or notebook.index(cell_id) < 0:
        return record
    if last[cell_id].failure:
        return record  # it is mended, but not run again since: the time was up
    healed = notebook.cell(cell_id)
    outputs = last[cell_id].result.outputs
    stored = compare(replace(record.cell, stale=healed.stale), outputs)
    changed = record.status is Status.RAN and cell_id in first and _gives_otherwise(first[cell_id], outputs, healed)
    says = (stored.differs or changed) and is_repeatable(healed, notebook)
    return replace(record, stored=stored, differs=stored.differs and says, changed=changed and says)


def _gives_otherwise(first: CellRun, outputs: tuple[Output, ...], cell: Cell) -> bool:
    """Whether a cell gives another value, or another picture, than it gave before the notebook was healed."""
    before = first.result.outputs
    return compare_outputs(before, outputs, cell.source).differs or _list_pictures(before) != _list_pictures(outputs)


def _list_pictures(outputs: Iterable[Output]) -> list[JSON]:
    return [picture for o in outputs for mime, picture in o.data.items() if mime.startswith("image/")]
