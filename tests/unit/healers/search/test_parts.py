"""Functions that are mended one after the other, and variables that are never begun: programs of our own, and near misses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import pytest

from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.combine_changes import Frontier
from jupyter_selfheal.inside.search.program import Program, Unit
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import Result
from jupyter_selfheal.inside.search.solve_parts import Part, PartSolver, _group_checks, find_parts
from tests.unit.healers.search.searching import list_texts


class Fake(Frontier):
    """What is gone on with from a state, as it was told; whatever the state is, the likeliest first."""

    def __init__(self, further: dict[str, list[Candidate]]) -> None:
        self.further = further

    def expand(self, states: Sequence[Candidate], units: Collection[int] | None = None) -> Iterator[Candidate]:
        return iter([c for state in states for c in self.further.get(state.words, ()) if c.unit in (units or ())])


def make(words: str, unit: int, mask: int, units: Sequence[int], weight: float = 0.5) -> Candidate:
    made = Candidate(dict.fromkeys(units, words), words, 1, weight, unit, 1)
    made.result = Result(2 - mask.bit_count(), mask.bit_count(), mask=mask)
    return made


def test_what_mends_the_first_function_is_gone_on_from_for_the_second_and_nothing_else_is() -> None:
    first, likelier = make("first", 1, 0b01, [1]), make("second alone", 2, 0b10, [2], 0.9)
    both = make("both", 2, 0b11, [1, 2])
    partial, seen = [likelier, first], list[str]()

    def screen(source: Iterator[Candidate], most: int) -> bool:
        found = list(source)
        seen.extend(c.words for c in found)
        partial.extend(found)
        return any(c.result.plausible for c in found)

    frontier = Fake({"first": [both], "second alone": [make("worse", 1, 0b10, [1, 2])]})
    PartSolver(frontier, Result(2, 0), partial, screen).solve([Part(0b01, frozenset({1})), Part(0b10, frozenset({2}))])
    assert seen == ["both"]


def test_checks_of_functions_that_call_no_other_come_first() -> None:
    one, two, both = frozenset({1}), frozenset({2}), frozenset({1, 2})
    assert _group_checks([both, one, one], 0) == [Part(0b110, one), Part(0b001, two)]
    assert _group_checks([two, both, one], 0) == [Part(0b100, one), Part(0b001, two), Part(0b010, both)]


def test_a_program_of_which_one_function_fails_has_no_parts() -> None:
    assert _group_checks([frozenset({1}), frozenset({2})], 0b01) == []
    assert _group_checks([frozenset({1}), frozenset({1})], 0) == []


def test_a_run_that_came_to_other_checks_than_the_one_before_has_no_parts() -> None:
    units = (
        Unit("def one():\n    return 0", "define", True),
        Unit("def two():\n    return 0", "define", True),
        Unit("assert one() == 1", "check", False),
        Unit("assert two() == 2", "check", False),
    )
    runner = Runner(Program(units), {"__name__": "__main__"})
    assert [part.checks for part in find_parts(runner, Result(2, 0), 1_000)] == [0b01, 0b10]
    assert find_parts(runner, Result(3, 0), 1_000) == []


COUNT = """\
def is_only(item, xs):
    count = 0
    for x in xs:
        if x == count:
            found = found + 1
    return count == 1
"""
LAST = """\
def place(x, xs):
    for i in range(len(xs)):
        if xs[i] == x:
            found = i
    return found
"""
TWICE = """\
def has_twice(x, xs):
    for i in range(len(xs)):
        if xs[i] == x:
            rest = xs[i + 1:]
            if x in rest:
                return False
    return True
"""


@pytest.mark.parametrize(
    ("definition", "words", "made"),
    [
        (COUNT, "never begun", "        if x == count:\n            count = count + 1\n"),
        (COUNT, "`item` is never read", "        if x == item:\n            count = count + 1\n"),
        (LAST, "where no branch sets it", "    found = len(xs)\n    for"),
        (LAST, "where no branch sets it", "    found = None\n    for"),
        (TWICE, "holds only where", "                return False\n            return True\n    return False\n"),
    ],
)
def test_what_is_never_begun_is_begun(definition: str, words: str, made: str) -> None:
    assert any(made in text for text in list_texts(definition, words))


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        (COUNT.replace("count = 0", "count = found = 0"), "never begun"),
        (COUNT.replace("found = found + 1", "count = count + 1"), "never begun"),
        (COUNT.replace("is_only(item, xs)", "is_only(item, found, xs)"), "never begun"),
        (LAST.replace("    for", "    found = -1\n    for"), "where no branch sets it"),
        (LAST.replace("return found", "return len(xs)"), "where no branch sets it"),
        (LAST.replace("place(x, xs)", "place(x, xs, found)"), "where no branch sets it"),
        (TWICE.replace("    return True", "    return xs"), "holds only where"),
        (
            TWICE.replace("                return False\n", "                return False\n            return True\n"),
            "holds only where",
        ),
    ],
)
def test_what_is_begun_is_not_begun_again(definition: str, words: str) -> None:
    assert list_texts(definition, words) == []
