"""How much the checks of a program can tell: what they notice of small changes in it."""

from __future__ import annotations

from typing import Any

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.localise_faults import trace_program
from jupyter_selfheal.inside.search.oracle_strength import Mutants, Strength, describe_doubt_of_number, measure_strength
from jupyter_selfheal.inside.search.program import read_program
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.search import Search
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook

PARCEL = """\
def price(weight, distance):
    total = 4
    if weight > 10:
        total += 2 * (weight - 10)
    if distance > 100:
        total += distance // 50
    return total
"""
EVERY_BRANCH = "\n".join(
    f"assert price({w}, {d}) == {4 + 2 * max(w - 10, 0) + (d // 50 if d > 100 else 0)}"
    for w, d in [(1, 1), (10, 100), (11, 1), (14, 30), (3, 101), (2, 150), (12, 260), (50, 499)]
)
GIVEN = [(1, 1), (10, 100), (11, 1), (14, 30), (3, 101), (2, 150), (12, 260), (50, 499), (0, 0), (9, 99)]


def measure(checks: str, given: list[tuple[Any, ...]]) -> Strength | None:
    """What is found of a program that passes its checks as it is."""
    cells = Notebook((Cell("d", PARCEL), Cell("t", checks)))
    plan = build_plan(Case(Failure("t", checks, FailureKind.RAISED, "AssertionError"), cells))
    assert plan is not None
    program = read_program(plan.to_argument(20.0, 1))
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(PARCEL, space)
    runner = Runner(program, space)
    maker = Maker(program, space, {}, trace_program(runner, 100_000))
    (unit,) = [n for n, u in enumerate(program.units) if u.text.startswith("def price")]
    patched = Candidate({unit: program.units[unit].text}, "words", 3, 0.5, unit, 1)
    maker.compile_candidate(patched)
    return measure_strength(patched, Mutants(maker, runner), "price", given)


def test_a_check_of_one_branch_misses_changes_of_the_others() -> None:
    strong, weak = measure(EVERY_BRANCH, GIVEN), measure("assert price(1, 1) == 4", GIVEN)
    assert strong is not None
    assert weak is not None
    assert strong.share_missed < 0.1 < 0.4 < weak.share_missed
    assert strong.noticed > 50


def test_nothing_is_said_where_nothing_can_be_compared() -> None:
    assert measure(EVERY_BRANCH, []) is None


def test_a_number_in_place_of_another_is_doubted_where_one_check_decides() -> None:
    old = "return x + 1\n"

    def doubt(new: str, checks: int, items: int = 0) -> str:
        changed = Candidate({0: "x"}, "words", 1, 0.9, 0, 1)
        changed.spliced = {0: ((11, 12, new),)}
        return describe_doubt_of_number(changed, {0: old}, checks, items)

    assert doubt("2", 1)
    assert doubt("(-1.5)", 1)
    assert not doubt("2", 2)
    assert not doubt("2", 1, items=4)
    assert not doubt("y", 1)
    assert not doubt("len(x)", 1)


def test_what_does_the_same_as_a_doubted_number_is_doubted_too() -> None:
    """``1`` should be ``2`` is what meets the one check; ``e + e`` does the same and is no better."""
    program = read_program(
        {
            "units": [
                {
                    "text": 'def vowels(s):\n    return sum(1 for c in s if c in "aeio")',
                    "role": "define",
                    "mutable": True,
                },
                {"text": 'assert vowels("music") == 2', "role": "check"},
            ]
        }
    )
    patches = Search(program, {"__name__": "__main__"}, 300.0, 1, {}).run()["patches"]
    assert any("should be `2`" in patch["words"] for patch in patches)
    assert all(patch["rival"] for patch in patches)


FIZZ = """\
def fizz(n):
    if n % 3 == 0:
        return "Fizz"
    if n % 15 == 0:
        return "FizzBuzz"
    return str(n)
"""


def test_a_text_of_the_function_that_is_just_the_one_answer_asked_for_is_doubted() -> None:
    units = [
        {"text": FIZZ, "role": "define", "mutable": True},
        {"text": 'assert fizz(15) == "FizzBuzz"', "role": "check"},
    ]
    program = read_program({"units": units})
    patches = Search(program, {"__name__": "__main__"}, 300.0, 1, {}).run()["patches"]
    assert "`\"Fizz\"` should be `'FizzBuzz'`" in [patch["words"] for patch in patches]
    assert all(patch["rival"] for patch in patches)


def test_functions_that_are_made_are_told_apart_by_what_they_give_and_nobody_is_asked_for_an_address() -> None:
    made = "def make_adder(n):\n    def add(x):\n        return x - n\n    return add"
    units = [
        {"text": made, "role": "define", "mutable": True},
        {"text": "assert make_adder(3)(4) == 7", "role": "check"},
    ]
    found = Search(read_program({"units": units}), {"__name__": "__main__"}, 300.0, 1, {}).run()
    same = [patch["cluster"] for patch in found["patches"][:2]]
    assert found["patches"][0]["words"] == "`-` should be `+`"
    assert same[0] == same[1]
    assert "0x" not in str(found["patches"]) + str(found["questions"])
