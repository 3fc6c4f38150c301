"""A cell that does not parse, of which a way to read it runs: others are looked for only where something tells them apart."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.healers.syntax import parser
from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.healers.syntax.propose import (
    TOLD_BY_NOTHING,
    _plan_reading,
    _run_readings,
    propose_readings,
    propose_texts,
)
from jupyter_selfheal.healers.syntax.reading_patches import build_passing
from jupyter_selfheal.healers.syntax.readings import Reading
from jupyter_selfheal.model import Attempt, Case, Cell, Failure, FailureKind, Notebook, Oracle, Patch, Replace, Verdict
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from tests.unit.healers.syntax.readings import run

BROKEN, RUNS = "print(3))", "print(3)"


@pytest.mark.parametrize(
    ("oracle", "is_plausible", "is_looked_for"),
    [(Oracle(), True, False), (Oracle(), False, True), (Oracle(stdout="3\n"), True, True)],
    ids=["it runs", "it does not run", "it is told what is printed"],
)
def test_readings_beside_one_that_runs(oracle: Oracle, is_plausible: bool, is_looked_for: bool) -> None:
    case = Case(Failure("c0", BROKEN, FailureKind.SYNTAX), Notebook((Cell("c0", BROKEN),)), oracle)
    patch = Patch((Replace("c0", BROKEN, RUNS),), title="Take away the bracket", healer="rules")
    history = (Attempt(patch, verdict=Verdict(patch.id, 5.0, plausible=is_plausible)),)
    answer = propose_readings(case, Starts((FakeKernel(),)), history)
    assert (answer.note != TOLD_BY_NOTHING) is is_looked_for
    assert answer.exhausted


def test_a_builtin_that_the_notebook_has_made_its_own_may_be_called_by_a_change() -> None:
    own, reading = "input = lambda: '3'", Reading("n = float()\nprint('N', n)", 1.0, ())
    notebook = Notebook((Cell("c0", own), Cell("c1", "n = float()\nprint('N' n)")))
    case = Case(Failure("c1", notebook.cells[1].source, FailureKind.SYNTAX), notebook, Oracle(stdout="N 3.0\n"))
    plan = _plan_reading(case, reading.source)
    assert plan is not None
    reply = _run_readings(case, Starts((FakeKernel((own,)),)), plan, (reading,), frozenset({"input"}))
    assert reply is not None
    assert reply["passing"][0]["text"] == "n = float(input())\nprint('N', n)"


def test_two_slips_of_a_cell_that_fails_are_found_by_what_it_is_to_print_and_offered() -> None:
    own, source = "input = lambda: '2000'", "year = input()\nif year % 4 == 0:\n    print(yea, 'is one')\n"
    notebook = Notebook((Cell("c0", own), Cell("c1", source)))
    case = Case(Failure("c1", source, FailureKind.RAISED, "TypeError"), notebook, Oracle(stdout="2000 is one\n"))
    plan = build_plan(case)
    assert plan is not None
    best = propose_texts(case, Starts((FakeKernel((own,)),)), plan, ())[0]
    meant = source.replace("input()", "int(input())").replace("(yea,", "(year,")
    assert (best.source_of("c1", ""), bool(best.rival)) == (meant, True)


@pytest.mark.parametrize(
    ("source", "printed", "is_applied"),
    [
        ("rate, hours = 2, 2\npay = rate hours\nprint(pay)", "4", False),
        ("a, b = 3, 1.5\nc = a b\nprint(c)", "4.5", False),
        ("x = 2\nx = x 2\nprint(x)", "4", False),
        ("x = 5\nx = x 2\nprint(x)", "7", True),
        ("x = 3\nif x = 3:\n    print('yes')", "yes", True),
    ],
    ids=range(5),
)
def test_two_operators_for_one_gap_are_rivals(
    source: str, printed: str, is_applied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parser, "COMPILES", 200)
    case = Case(Failure("c0", source, FailureKind.SYNTAX), Notebook((Cell("c0", source),)))
    readings = find_readings(source)[:12]
    passing = run([r.source for r in readings], f"{printed}\n")["passing"]
    replies = sorted(({**p, "cost": readings[p["reading"]].cost} for p in passing), key=lambda p: p["cost"])
    assert (build_passing(case, readings, replies)[0].rival == "") is is_applied
