"""What the records of a run tell of a cell that fails next."""

from __future__ import annotations

from jupyter_selfheal.model import Case, Cell, Failure, Frame, Notebook, Reason, Replace
from jupyter_selfheal.surfaces.notebook.record_book import RecordBook
from jupyter_selfheal.surfaces.notebook.records import Status
from jupyter_selfheal.surfaces.notebook.session import choose_healers

CELLS = tuple(Cell(f"c{n}", f"run({n})") for n in range(5))


def fail(n: int, line: int = 2, ename: str = "ValueError", below: str = "c0") -> Failure:
    """The failure of the n-th cell, in a line of the first one."""
    frames = (
        Frame("c", 1, "<module>", cell_id=f"c{n}"),
        Frame("c", line, "run", cell_id=below),
        Frame("lib.py", 9, "f"),
    )
    return Failure(f"c{n}", f"run({n})", ename=ename, frames=frames)


def record(*failures: Failure, status: Status = Status.NOT_HEALED, reason: Reason = Reason.EXHAUSTED) -> RecordBook:
    book = RecordBook(Notebook(CELLS), {c.id: n for n, c in enumerate(CELLS)})
    for failure in failures:
        book.add_cell(book.given.cell(failure.cell_id), status, failure, reason=reason.value)
    return book


def test_a_line_in_which_two_cells_failed_is_not_searched_a_third_time() -> None:
    assert not record(fail(1)).was_search_vain(fail(2))
    assert record(fail(1), fail(2)).was_search_vain(fail(3))


def test_another_line_another_error_and_a_cell_of_its_own_are_searched() -> None:
    book = record(fail(1), fail(2))
    assert not book.was_search_vain(fail(3, line=3))
    assert not book.was_search_vain(fail(3, ename="KeyError"))
    assert not book.was_search_vain(fail(3, below="c3"))
    assert not record(fail(1), fail(2), status=Status.PROPOSED).was_search_vain(fail(3))
    assert not record(fail(1), fail(2), reason=Reason.OVER_BUDGET).was_search_vain(fail(3))


def test_a_cell_that_was_changed_since_is_searched_anew() -> None:
    book = record(fail(1), fail(2))
    book.add_cell(CELLS[3], Status.HEALED, fail(3), edits=(Replace("c0", "old", "new"),))
    assert not book.was_search_vain(fail(4))


def test_where_the_search_was_vain_the_trusted_healers_are_asked_alone_and_others_where_they_are_all() -> None:
    named = ("memory", "rules", "search")
    vain = Case(fail(3), search_was_vain=True)
    assert choose_healers(named, vain, is_only_asked=False) == ("memory", "rules")
    assert choose_healers(("search",), vain, is_only_asked=False) == ("search",)
    assert choose_healers(named, Case(fail(3)), is_only_asked=False) == named
    assert choose_healers(("search",), Case(fail(3)), is_only_asked=True) == ()
