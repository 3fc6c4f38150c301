"""A cell that does not parse and is wrong, too: it is searched as it is likeliest read, and the asserts below decide."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.search.healer import SearchHealer
from jupyter_selfheal.healers.syntax.propose import _find_sure
from jupyter_selfheal.healers.syntax.readings import Reading
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook
from jupyter_selfheal.ports import Answer, Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import NoFacts

BROKEN = """def late_fees(loans, limit)
    return sum(days for days in loans if days < limit)
"""
CHECKS = """assert late_fees([3, 20, 16], 14) == 36
assert late_fees([14], 14) == 0
assert late_fees([], 14) == 0
assert late_fees([15, 1, 30, 2], 10) == 45
assert late_fees([9, 8], 7) == 17
"""


def _propose(program: str, checks: str, seconds: float = 1.0) -> Answer:
    cells = (Cell("d", program), Cell("t", checks))
    case = Case(Failure("d", program, FailureKind.SYNTAX, "SyntaxError"), Notebook(cells))
    return SearchHealer(HealConfig(search_seconds=seconds)).propose(case, Starts((FakeKernel(()),)), NoFacts(), ())


def test_what_does_not_parse_and_is_wrong_is_mended_at_once() -> None:
    best = _propose(BROKEN, CHECKS).patches[0]
    space: dict[str, Any] = {}
    exec(best.source_of("d", ""), space)
    exec(f"{CHECKS}assert late_fees([10, 11, 40], 10) == 51\n", space)
    assert best.edits[0].old == BROKEN  # type: ignore[union-attr]
    assert best.rival == ""


def test_the_searchs_own_doubt_speaks_where_the_slip_of_the_pen_is_sure() -> None:
    best = _propose(BROKEN, "assert late_fees([3, 20, 16], 14) == 36\nassert late_fees([1], 4) == 0\n").patches[0]
    assert best.rival.startswith("`late_fees(")


def test_one_check_more_than_the_cell_itself_is_no_word_on_its_meaning() -> None:
    best = _propose(BROKEN, "assert late_fees([3, 20, 16], 14) == 36\n").patches[0]
    assert best.rival.endswith("the cell parses too, and gives something else")


@pytest.mark.parametrize(
    ("words", "is_sure"),
    [
        ([("`:`",), ("`:`", "indentation")], True),
        ([("`:`",), ("`)`",)], False),
        ([("`:`", "`)`")], False),
        ([("`:`",)], True),
        ([("`:`",), ("`:`",)], False),
    ],
)
def test_a_reading_is_sure_where_all_that_are_nearly_as_cheap_have_its_one_slip(
    words: list[tuple[str, ...]], is_sure: bool
) -> None:
    readings = [Reading(f"x = {n}", 0.5 + 0.7 * n, of) for n, of in enumerate(words)]
    assert (_find_sure(readings) is readings[0]) is is_sure
    assert _find_sure([*readings[:1], Reading("x", 3.0, ("far",))]) is (readings[0] if len(words[0]) == 1 else None)


def test_a_reading_that_is_right_is_not_searched() -> None:
    right = BROKEN.replace("<", ">")
    answer = _propose(right, CHECKS)
    assert answer.patches[0].source_of("d", "") == right.replace("limit)\n", "limit):\n", 1)


def test_checks_that_nothing_meets_leave_the_readings() -> None:
    answer = _propose(BROKEN, "assert late_fees([3], 'x') == {'a': 9}\n", seconds=0.05)
    assert all(p.source_of("d", "").startswith("def late_fees(loans, limit):\n") for p in answer.patches)
