"""A cell that does not parse and is wrong, too: it is searched as it is likeliest read, and the asserts below decide."""

from __future__ import annotations

from typing import Any

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.search.healer import SearchHealer
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


def test_a_reading_that_is_right_is_not_searched() -> None:
    right = BROKEN.replace("<", ">")
    answer = _propose(right, CHECKS)
    assert answer.patches[0].source_of("d", "") == right.replace("limit)\n", "limit):\n", 1)


def test_checks_that_nothing_meets_leave_the_readings() -> None:
    answer = _propose(BROKEN, "assert late_fees([3], 'x') == {'a': 9}\n", seconds=0.05)
    assert all(p.source_of("d", "").startswith("def late_fees(loans, limit):\n") for p in answer.patches)
