"""Several faults of meaning in a cell that does not parse: changes on top of each other, each of which brings more of the output."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.healers.syntax import propose
from jupyter_selfheal.inside.search import deepen_readings
from jupyter_selfheal.inside.search.deepen_readings import Deepener, measure_closeness, writes_answer
from jupyter_selfheal.inside.search.explore_reading import Node
from jupyter_selfheal.model import Attempt, Case, Cell, Failure, FailureKind, Notebook, Oracle, Patch, Replace
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel

ROOM = """w = 3
h = 4
print("Area:", w + h)
print("Walls:", w * 2 + h * 3)
"""
STDOUT = "Area: 12\nWalls: 14\n"
MEANT = ROOM.replace("w + h", "w * h").replace("h * 3", "h * 2")


def _deepen(source: str, stdout: str, given: str = "") -> Any:
    unit = {"text": source, "role": "cell", "mutable": True, "cell": "c", "start": 0, "tests": False, "query": False}
    argument = {
        "program": {"units": [unit], "stdout": stdout, "copied": []}, "unit": 0, "known": [], "cpu": 300.0, "steps": 0, "given": [given or source],
        "starts": [{"text": source, "cost": 1.0, "words": ["a slip"]}],
    }  # fmt: skip
    return deepen_readings.probe(SimpleNamespace(user_ns={}), None, argument)


def test_two_changes_are_found_of_which_each_brings_more_of_the_output() -> None:
    best = _deepen(ROOM, STDOUT)["passing"][0]
    assert ast.dump(ast.parse(best["text"])) == ast.dump(ast.parse(MEANT))
    assert (best["words"][0], len(best["words"]), bool(best["rival"])) == ("a slip", 3, True)


@pytest.mark.parametrize(
    ("source", "stdout"), [("x = [3]\nprint(x)\n", "[9]\n"), ("print('a')\n", "12\n"), ("n = 4\nprint(n)\n", "7\n")]
)
def test_no_answer_is_written_down(source: str, stdout: str) -> None:
    assert _deepen(source, stdout)["passing"] == []


def test_nothing_is_begun_with_that_holds_an_answer() -> None:
    source = "x = 'Otto'\nif x == x[::-1]:\n    print('Otto is one')\n"
    assert _deepen(source, "Otto is one.\n", given="x = 'Otto'\nx[::-1]\n")["passing"] == []


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("print(12)", True), ("print(3 * 4)", True), ("print(f'{x} 12')", True), ("x = 12", True), ("return_ = [12]", True),
        ("print(x * 12)", False), ("total = 0", False), ("for i in range(12): pass", False), ("if x > 12: pass", False), ("print(x[2:])", False),
    ],
)  # fmt: skip
def test_what_writes_an_answer_down(source: str, told: bool) -> None:
    assert writes_answer(source, set()) is told


@pytest.mark.slow
def test_several_faults_of_meaning_in_a_cell_that_does_not_parse_are_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(propose, "WORK", 900.0)  # what is found is asked here, and not how soon
    monkeypatch.setattr(propose, "DEEPER", 300.0)
    source = ROOM.replace("h)\n", "h\n", 1)
    case = Case(Failure("c0", source, FailureKind.SYNTAX), Notebook((Cell("c0", source),)), Oracle(stdout=STDOUT))
    best = propose.propose_readings(case, Starts((FakeKernel(),)), ()).patches[0]
    assert ast.dump(ast.parse(best.source_of("c0", ""))) == ast.dump(ast.parse(MEANT))
    assert best.rival


@pytest.mark.slow
@pytest.mark.parametrize(
    ("healer", "old", "found"),
    [
        ("search", ROOM.replace("h)", "h", 1), False),
        ("rules", ROOM.replace("h)", "h", 1), True),
        ("search", ROOM + "x", True),
    ],
    ids=["it was read so", "a rule read it so", "it parsed before"],
)
def test_a_reading_in_which_several_changes_were_tried_is_not_changed_once_more(
    monkeypatch: pytest.MonkeyPatch, healer: str, old: str, found: bool
) -> None:
    monkeypatch.setattr(propose, "DEEPER", 300.0)
    case = Case(Failure("c0", ROOM, FailureKind.MISSED), Notebook((Cell("c0", ROOM),)), Oracle(stdout=STDOUT))
    plan = build_plan(case)
    assert plan is not None
    history = (Attempt(Patch((Replace("c0", old, ROOM),), "Read it", healer=healer)),)
    patches = propose.propose_texts(case, Starts((FakeKernel(),)), plan, history, mutates=True)
    assert bool(patches) is found


@pytest.mark.parametrize(
    ("nearer", "farther"),
    [("1\n2\n9\n", "7\n8\n9\n"), ("Sum: 12\n", "Sum: 7\n"), ("a b\nc\n", "a b c\n")],
    ids=["two lines of three", "a digit more", "the lines"],
)
def test_what_is_nearer_counts_more(nearer: str, farther: str) -> None:
    expected = {"1\n2\n9\n": "1\n2\n3\n", "Sum: 12\n": "Sum: 123\n", "a b\nc\n": "a b\nc d\n"}[nearer]
    assert measure_closeness(farther, expected) < measure_closeness(nearer, expected) < 1
    assert measure_closeness(expected, expected) == pytest.approx(1)


def test_the_cheapest_change_of_each_reading_comes_first() -> None:
    deepener = Deepener(None, set())  # type: ignore[arg-type]  # nothing is run
    deepener.begun = [("a",), ("b",)]
    deepener.found = [Node(w, c, (w[0], w)) for w, c in (("a1", 1.0), ("a2", 1.2), ("b1", 2.0))]
    assert [n.source for n in deepener._sort_found()] == ["a1", "b1", "a2"]
