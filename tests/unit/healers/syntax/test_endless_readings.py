"""Readings that never come to an end cost little, and hide none that passes."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax import parser, propose
from jupyter_selfheal.healers.syntax.propose import WORK, propose_readings
from jupyter_selfheal.inside.search import try_readings
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook, Oracle
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from tests.unit.healers.syntax.readings import run


def _count_up(rounds: int, step: int = 1) -> str:
    return f"n = 0\nwhile n < {rounds}:\n    n += {step}\nprint('done')\n"


def test_readings_without_an_end_hide_none_that_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(try_readings, "FIRST_STEPS", 2000)
    monkeypatch.setattr(try_readings, "STEPS", 10**9)
    endless = [_count_up(5, step) for step in range(-6, 0)]
    reply = run([*endless, _count_up(5)], "done\n")
    assert [p["reading"] for p in reply["passing"]] == [len(endless)]


@pytest.mark.parametrize("rounds", [(1500, 2600), (2600, 3000)])
def test_what_takes_longer_than_one_that_passes_is_still_its_rival(
    monkeypatch: pytest.MonkeyPatch, rounds: tuple[int, int]
) -> None:
    monkeypatch.setattr(try_readings, "FIRST_STEPS", 2000)
    monkeypatch.setattr(try_readings, "LONGER", 1)
    reply = run([_count_up(r) for r in rounds], "done\n")
    assert [p["reading"] for p in reply["passing"]] == [0, 1]


def test_what_prints_without_an_end_is_cut_by_what_it_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(try_readings, "FIRST_STEPS", 10**9)  # nothing else would end it
    reply = run(["n = 0\nwhile n < 3:\n    print(n)\n", "for n in range(3):\n    print(n)\n"], "0\n1\n2\n")
    assert [p["reading"] for p in reply["passing"]] == [1]


def test_a_choice_that_always_holds_is_mended_where_it_did_not_run() -> None:
    reading = "m = 2\nif m == 2:\n    print(28)\nelif m == 4 or 6:\n    print(30)\nelse:\n    print(31)\n"
    found = run([reading], "28\n")["passing"][0]
    assert "elif m == 4 or m == 6:" in found["text"]
    assert found["rival"]


def test_a_reading_that_never_ends_is_named_and_what_is_changed_ends_with_its_time() -> None:
    readings = [_count_up(5, 0), "print('don')\n"]
    reply = run(readings, "done\n", cpu=0.0)
    assert reply["endless"] == [0]
    assert reply["tried"] < run(readings, "done\n", cpu=9.0)["tried"]


def test_of_readings_one_that_ends_is_offered_and_none_that_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "COMPILES", 300)
    monkeypatch.setattr(propose, "WORK", 0.0)
    given = "n = 3\nfor (n > 2):\n    print(n)\n"
    case = Case(Failure("c0", given, FailureKind.SYNTAX), Notebook((Cell("c0", given),)), Oracle(stdout="a b c\n"))
    answer = propose_readings(case, Starts((FakeKernel(),)), ())
    assert answer.patches
    assert not any("while" in p.source_of("c0", given) for p in answer.patches)


@pytest.mark.parametrize(("used", "searches"), [(0.0, True), (WORK, False)])
def test_what_the_readings_took_is_not_left_for_the_search(
    monkeypatch: pytest.MonkeyPatch, used: float, searches: bool
) -> None:
    given, asked = "n = 3\nprint('total', n))\n", list[float]()
    case = Case(Failure("c0", given, FailureKind.SYNTAX), Notebook((Cell("c0", given),)), Oracle(stdout="total 4 3\n"))
    monkeypatch.setattr(parser, "COMPILES", 100)
    monkeypatch.setattr(propose, "WORK", WORK - used)
    propose_readings(case, Starts((FakeKernel(),)), (), lambda plan, most: asked.append(most))
    assert bool(asked) is searches
    assert all(0 < most < WORK for most in asked)
