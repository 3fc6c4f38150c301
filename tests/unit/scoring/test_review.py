"""The review's page, and what the reviewer does with what its checks say."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.model import Cell, Doubt, Notebook
from jupyter_selfheal.scoring.review import _docs
from jupyter_selfheal.scoring.review.context import Check, ReviewedCell
from jupyter_selfheal.scoring.review.reviewer import Reviewer, load_checks, review_session
from jupyter_selfheal.testing.fake_kernel import FakeKernel

ROOT = Path(__file__).parents[3]


def test_the_page_is_what_the_docstrings_say() -> None:
    assert (ROOT / "docs" / "review.md").read_text(encoding="utf-8") == _docs.format_page(), (
        "run: python -m jupyter_selfheal.scoring.review._docs > docs/review.md"
    )


@pytest.mark.parametrize("check", load_checks(), ids=lambda check: check.code)
def test_a_check_has_its_page(check: Check) -> None:
    text = inspect.getdoc(type(check)) or ""
    assert text.splitlines()[0].endswith((".", ":", "`.")), "the docstring's first line is a sentence"
    for section in _docs.SECTIONS:
        assert f"**{section}**" in text
    assert check.code.startswith("REV")
    assert check.name


def test_codes_are_given_once_and_a_file_holds_one_check() -> None:
    checks = load_checks()
    assert len({c.code for c in checks}) == len({type(c).__module__ for c in checks}) == len(checks)


class Broken(Check):
    """Raises."""

    code = "REV998"
    name = "a fault"

    def review_cell(self, cell: ReviewedCell) -> Iterator[Doubt]:
        raise ValueError("a fault of ours")
        yield


class Talkative(Check):
    """Speaks about everything."""

    code = "REV999"
    name = "everything"

    def review_cell(self, cell: ReviewedCell) -> Iterator[Doubt]:
        for n in range(100):
            yield cell.build_doubt(self.code, None, f"{n}", "")


def test_a_check_that_raises_does_not_keep_the_others_from_speaking() -> None:
    cell = Cell("a", "x = 1")
    reviewer = Reviewer((Broken(), Talkative()))
    reviewer.review_cell(ReviewedCell(cell, Notebook((cell,))))
    doubts = reviewer.settle(None)
    assert {d.code for d in doubts} == {"REV999"}
    assert len(doubts) == 5, "what one check says of one cell has an end"


def test_a_cell_that_ran_again_is_looked_at_anew() -> None:
    reviewer = Reviewer()
    for source in ("s = ' '\ns.strip()\nprint(s)", "s = ' '\nprint(s.strip())"):
        cell = Cell("a", source)
        reviewer.review_cell(ReviewedCell(cell, Notebook((cell,)), after=FakeKernel((source,))))
    assert reviewer.settle(None) == ()


def test_nothing_is_asked_of_a_state_for_code_that_no_check_asks_about() -> None:
    source = "import os\nx = [1, 2]\nfor n in x:\n    x.append(n) if n > 5 else None\nprint(x, os.sep)"
    cell, kernel = Cell("a", source), FakeKernel((source,))
    reviewer = Reviewer()
    reviewer.review_cell(ReviewedCell(cell, Notebook((cell,)), after=kernel))
    reviewer.settle(kernel)
    assert kernel.requests == []


def test_without_a_state_the_code_alone_is_read() -> None:
    sources = ("n = 10\nrate = 1 / n", "for n in range(3):\n    print(n)", "print(n)")
    cells = tuple(Cell(f"c{n}", s, runs=n + 1) for n, s in enumerate(sources))
    assert [(d.cell_id, d.code) for d in review_session(Notebook(cells), None)] == [("c1", "REV103")]


def test_in_a_session_what_a_later_cell_has_bound_is_not_looked_at() -> None:
    sources = ("s = ' a '\ns.strip()\nprint(s)", "s = object()")
    cells = tuple(Cell(f"c{n}", s, runs=n + 1) for n, s in enumerate(sources))
    assert review_session(Notebook(cells), FakeKernel(sources)) == ()
    alone = Notebook(cells[:1])
    assert [d.code for d in review_session(alone, FakeKernel(sources[:1]))] == ["REV101"]


def test_cells_are_taken_in_the_order_in_which_they_ran() -> None:
    cells = (
        Cell("c0", "print(n)", runs=3),
        Cell("c1", "n = 10\nrate = 1 / n", runs=1),
        Cell("c2", "for n in range(3):\n    print(n)", runs=2),
        Cell("c3", "for rate in []: pass", runs=0),
    )
    assert [d.cell_id for d in review_session(Notebook(cells), None)] == ["c2"]


def test_a_check_is_explained_by_its_code() -> None:
    page = _docs.explain_check("rev204")
    assert page is not None
    assert "**Silent**" in page
    assert _docs.explain_check("NAM101") is None
