"""What a check of a notebook says, as JSON."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jupyter_selfheal.model import Cell, Diagnosis, Failure, Frame, SkipReason
from jupyter_selfheal.surfaces.mcp.views import Texts, view_check
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status


def record(cell: str, number: int, status: Status) -> Record:
    frames = (Frame("", 1, "<module>", cell_id=cell), Frame("", 2, "area", cell_id="c0"))
    failure = Failure(cell, "area()", ename="ValueError", evalue="no", frames=frames)
    alone = Diagnosis("", skip_reason=SkipReason.DELIBERATE if status is Status.LEFT_ALONE else None)
    return Record(Cell(cell, "area()"), number, status, (failure,), alone)


def check(*statuses: Status) -> Any:
    records = tuple(record(f"c{n}", n, status) for n, status in enumerate(statuses, 1))
    notebook: Any = SimpleNamespace(path=Path("a.ipynb"))
    return view_check(notebook, NotebookReport("a.ipynb", records=records), "broken", 0, 20, Texts())


def test_the_same_fault_as_of_a_failed_cell_above_is_no_root() -> None:
    said = check(Status.NOT_HEALED, Status.NOT_HEALED)
    assert (said["root_failures"], said["consequences"]) == (["c1"], 1)


def test_a_failure_of_the_same_fault_as_one_that_is_left_alone_is_a_root() -> None:
    said = check(Status.LEFT_ALONE, Status.NOT_HEALED, Status.NOT_HEALED)
    assert (said["root_failures"], said["consequences"]) == (["c2"], 1)
    assert [c.get("same_fault_as") for c in said["cells"]] == [None, None, "c2"]
