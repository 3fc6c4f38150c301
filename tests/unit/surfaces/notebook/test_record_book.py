"""What the records of a run tell of a cell that fails next."""

from __future__ import annotations

from jupyter_selfheal.model import Cell, Failure, Frame, Notebook, Replace
from jupyter_selfheal.surfaces.notebook.record_book import RecordBook
from jupyter_selfheal.surfaces.notebook.records import Status

CELLS = tuple(Cell(f"c{n}", f"run({n})") for n in range(5))


def fail(n: int, line: int = 2, ename: str = "ValueError", below: str = "c0") -> Failure:
    """The failure of the n-th cell, in a line of the first one."""
    frames = (
        Frame("c", 1, "<module>", cell_id=f"c{n}"),
        Frame("c", line, "run", cell_id=below),
        Frame("lib.py", 9, "f"),
    )
    return Failure(f"c{n}", f"run({n})", ename=ename, frames=frames)


def record(*failures: Failure, status: Status = Status.NOT_HEALED) -> RecordBook:
    book = RecordBook(Notebook(CELLS), {c.id: n for n, c in enumerate(CELLS)})
    for failure in failures:
        book.add_cell(book.given.cell(failure.cell_id), status, failure)
    return book


def test_a_line_in_which_two_cells_failed_is_not_searched_a_third_time() -> None:
    assert not record(fail(1)).is_searched(fail(2))
    assert record(fail(1), fail(2)).is_searched(fail(3))


def test_another_line_another_error_and_a_cell_of_its_own_are_searched() -> None:
    book = record(fail(1), fail(2))
    assert not book.is_searched(fail(3, line=3))
    assert not book.is_searched(fail(3, ename="KeyError"))
    assert not book.is_searched(fail(3, below="c3"))
    assert not record(fail(1), fail(2), status=Status.PROPOSED).is_searched(fail(3))


def test_a_cell_that_was_changed_since_is_searched_anew() -> None:
    book = record(fail(1), fail(2))
    book.add_cell(CELLS[3], Status.HEALED, fail(3), edits=(Replace("c0", "old", "new"),))
    assert not book.is_searched(fail(4))
