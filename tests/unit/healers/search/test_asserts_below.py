"""Which asserts of the cells below a search asks: those that have to do with what fails, and no others."""

from __future__ import annotations

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook

ABOVE = "import math\ndef twice(n):\n    return half(n) * 4\n", "def half(n):\n    return n / 2\n", "limit = 3\n"
BELOW = (
    "assert half(2) == 1",
    "assert twice(2) == 4",
    "assert limit == 4",
    "assert round(2.5) == 3",
    "assert math.pi == 3",
)


def test_an_assert_that_has_nothing_to_do_with_the_failing_cell_is_not_asked() -> None:
    failing = "assert twice(1) == 2"
    cells = tuple(Cell(f"c{n}", source) for n, source in enumerate((*ABOVE, failing, *BELOW)))
    failure = Failure("c3", failing, FailureKind.RAISED, "AssertionError", line=1, statement=0)
    plan = build_plan(Case(failure, Notebook(cells)))
    assert plan is not None
    asked = [piece.text for piece in plan.pieces if piece.role == "check"]
    assert [text for text in asked if text in BELOW] == ["assert half(2) == 1", "assert twice(2) == 4"]
