"""A run that was cut off goes on behind its last healed cell, where that is cheaper; what fails there is never healed from there."""

from __future__ import annotations

import builtins
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.notebook import resume_point
from jupyter_selfheal.surfaces.notebook.records import Status
from jupyter_selfheal.surfaces.notebook.resume_point import PointFile, ResumePoint, StateNotWhole
from tests.batches import batch, cell
from tests.unit.surfaces.notebook.test_run import Make, replaced

CELLS = (
    "x = 'a'\nlog('x')",
    "table = sum(range(400_000))\nlog('table')",
    "y = x.uper()\nlog('y')",
    "z = y * 2\nlog('z')",
)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the cells say that they ran."""
    said: list[str] = []
    monkeypatch.setattr(builtins, "log", said.append, raising=False)
    monkeypatch.setattr(resume_point, "LEAST_SECONDS", 0.0001)
    return said


@pytest.fixture
def points(document: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PointFile:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    return PointFile("abc", 0, document(*CELLS))


def interrupt(points: PointFile, document: Make, cells: tuple[str, ...] = CELLS) -> ResumePoint:
    """A run that is cut off at the last cell; where it came to."""

    def stop(at: int, of: int, doing: str) -> None:
        if at == len(cells):
            raise KeyboardInterrupt

    cut = batch(document(*cells), replaced("uper", "upper"))
    cut.points, cut.dependencies = points, replace(cut.dependencies, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        cut.run()
    point = points.find()
    assert point is not None
    return point


def test_only_what_is_needed_runs_again(points: PointFile, document: Make, ran: list[str]) -> None:
    point = interrupt(points, document)
    ran.clear()
    again = batch(document(*CELLS), replaced("uper", "upper"))
    again.point = point
    report, _ = again.run()
    assert "z" in ran[: ran.index("table")], "the table is not made but in the clean run, which is a whole one"
    assert [r.status for r in report.records] == [Status.RAN, Status.RAN, Status.HEALED, Status.RAN]
    assert report.survived
    assert report.notes == (
        "gone on with behind cell 3, healed before: 2 of the 3 cells that ran until then ran again for its state",
    )


def test_a_cell_that_fails_there_says_nothing(points: PointFile, document: Make, ran: list[str]) -> None:
    cells = (*CELLS[:3], "assert log_count() == 3")
    builtins.log_count = lambda: len(ran)  # type: ignore[attr-defined]
    try:
        point = interrupt(points, document, cells)
        ran.clear()
        again = batch(document(*cells), replaced("uper", "upper"))
        again.point = point
        with pytest.raises(StateNotWhole):
            again.run()
    finally:
        del builtins.log_count  # type: ignore[attr-defined]


@pytest.mark.parametrize("last", ["w = table + len(y)", "exec('w = table')"])
def test_where_all_is_needed_it_goes_from_the_top(
    points: PointFile, document: Make, ran: list[str], last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = interrupt(points, document, (*CELLS[:3], last))
    monkeypatch.setattr(resume_point, "LEAST_SECONDS", sum(point.first[c].result.seconds for c in point.first) / 2)
    assert point.plan() is None


def test_a_notebook_that_was_changed_has_no_point(points: PointFile, document: Make, ran: list[str]) -> None:
    interrupt(points, document)
    assert PointFile("abc", 0, document(*CELLS[:2], cell("1"))).find() is None
    assert PointFile("abc", 0, document(*CELLS)).find() is not None
    points.forget()
    assert points.find() is None
