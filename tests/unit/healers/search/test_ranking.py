"""Candidates side by side: what tells two of them apart, and what is said of one by how the cell failed."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.localise_faults import trace_program
from jupyter_selfheal.inside.search.oracle_strength import Mutants
from jupyter_selfheal.inside.search.patience import RANKED, TRACED
from jupyter_selfheal.inside.search.program import Program, Unit, compile_unit
from jupyter_selfheal.inside.search.ranking import Ranking
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import Result


def rank(
    unit: Unit, checks: tuple[str, ...], *texts: str, crashed: bool = False, **space: Any
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The patches and questions of candidates with these texts in place of a unit."""
    units = (unit, *(Unit(check, "check", False) for check in checks))
    runner = Runner(Program(units, crashed=crashed), {"__name__": "__main__", **space})
    sight = trace_program(runner, TRACED)
    made = []
    for n, text in enumerate(texts, 1):
        codes = {0: compile_unit(runner.program, 0, text)}
        result = Result(0, len(checks), mask=(1 << len(checks)) - 1)
        made.append(Candidate({0: text}, "", 1, 0.5, 0, 3, codes=codes, rank=n, result=result))
    mutants = Mutants(Maker(runner.program, runner.ns, {}, sight), runner)
    return Ranking(made, sight, RANKED, mutants).rank()


FIRST = Unit("def larger(a, b):\n    return a", "define", True)
ASKED = ("assert larger(1, 5) == 5", "assert larger(2, 9) == 9")
SECOND, GREATEST = "def larger(a, b):\n    return b", "def larger(a, b):\n    return max(a, b)"


def test_two_candidates_that_differ_are_told_apart_by_a_call() -> None:
    patches, questions = rank(FIRST, ASKED, SECOND, GREATEST)
    assert len(patches) == 2
    assert patches[0]["cluster"] != patches[1]["cluster"]
    assert len(questions) == 1
    assert len(questions[0]["answers"]) == 2


def test_nothing_is_asked_about_one_candidate_or_two_that_do_the_same() -> None:
    assert not rank(FIRST, ASKED, GREATEST)[1]
    patches, questions = rank(FIRST, ASKED, GREATEST, GREATEST.replace("a, b)\n", "b, a)\n"))
    assert not questions
    assert patches[0]["cluster"] == patches[1]["cluster"]


@pytest.mark.parametrize("crashed", [False, True])
def test_a_name_that_is_no_longer_read_is_doubted_where_a_value_was_wrong(crashed: bool) -> None:
    """What raised may have been read by mistake; what gave another value was read for something."""
    unit = Unit("x = a + b", "cell", True)
    patches, _ = rank(unit, ("assert x == 3",), "x = a", crashed=crashed, a=3, b=4)
    assert ("`b` is no longer read" in patches[0]["rival"]) is not crashed


@pytest.mark.parametrize("crashed", [False, True])
def test_another_operand_is_doubted_where_one_number_was_wrong(crashed: bool) -> None:
    """Where the cell raised, what it gave is no reason to think of other operands."""
    unit = Unit("y = w * h", "cell", True)
    patches, _ = rank(unit, ("assert y == 12",), "y = w * h - w", crashed=crashed, w=3, h=5)
    assert ("is read once more" in patches[0]["rival"]) is not crashed
