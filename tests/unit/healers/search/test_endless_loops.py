"""Loops of which a short run shows that they do not end, and near misses, which do."""

from typing import Any

import pytest

from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.confined_forks import MOST_MEMORY
from jupyter_selfheal.inside.search.endless_loops import NET_CAUGHT, WORTH, drop_endless, is_endless
from jupyter_selfheal.inside.search.measure_checks import find_memory
from jupyter_selfheal.inside.search.process_pool import LITTLE_MEMORY
from jupyter_selfheal.inside.search.program import Program, Unit, compile_unit
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import Result


def make_runner(definition: str, check: str, **more: Any) -> Runner:
    runner = Runner(Program((Unit(definition, "define", True),), checks=(check,), **more), {"__name__": "__main__"})
    runner.patient = True
    return runner


NOTHING_CHANGES = """
def days(month):
    while month == 2:
        if month > 5:
            return 31
    return 30
"""
LIST_GROWS = """
def grade(points):
    grades = []
    for p in points:
        grades.append(p > 3)
        points.append(p)
    return grades
"""
AWAY_FROM_ITS_END = """
def count(n):
    i = 0
    while i < n:
        i -= 1
    return i
"""
DOUBLES = """
def halve(n):
    while n != 1:
        n = n * 2
    return n
"""
HALVES_STAND_STILL = """
def find(xs):
    low, high = 0, len(xs)
    while low < high:
        middle = (low + high) // 2
        if xs[middle] < 7:
            low = middle
        else:
            high = middle
    return low
"""
CIRCLES_AND_COUNTS = """
def length(n):
    steps, seen = 1, []
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        if n % 2 == 1:
            n = 3 * n + 1
        steps += 1
        seen.append(n)
    return steps
"""
LENGTH_ENDS_IT = """
def fill(n):
    seen = []
    while len(seen) < 30:
        seen.append(n)
    return seen
"""


@pytest.mark.parametrize(
    ("definition", "check"),
    [
        (CIRCLES_AND_COUNTS, "assert length(6) == 9"),
        (NOTHING_CHANGES, "assert days(2) == 28"),
        (LIST_GROWS, "assert grade([4]) == [True]"),
        (AWAY_FROM_ITS_END, "assert count(3) == 3"),
        (DOUBLES, "assert halve(3) == 1"),
        (HALVES_STAND_STILL, "assert find([1, 2, 3]) == 3"),
    ],
)
def test_a_loop_that_does_not_end_is_seen(definition: str, check: str) -> None:
    assert is_endless(make_runner(definition, check), {}, {})


TEXTS_BEFORE = """
def count(n):
    word, end = "a", "a" * 300
    while word < end:
        word += "a"
    while n < 9:
        n -= 1
    return n
"""
OBJECT_BEFORE = """
class Limit:
    left = 300
    def __gt__(self, other):
        self.left -= 1
        return self.left > 0
def count(n):
    k, limit = 0, Limit()
    while k < limit:
        k += 1
    while n < 9:
        n -= 1
    return n
"""
ITERATOR_BEFORE = """
def count(n):
    k, items = 0, iter(range(300))
    for x in items:
        k += x
    while n < 9:
        n -= 1
    return n
"""


@pytest.mark.parametrize("definition", [TEXTS_BEFORE, OBJECT_BEFORE, ITERATOR_BEFORE])
def test_a_loop_whose_distance_is_no_number_hides_none_that_does_not_end(definition: str) -> None:
    assert is_endless(make_runner(definition, "assert count(3) == 3"), {}, {})


LONG = """
def count(n):
    i = 0
    while i < n:
        i += 1
    return i
"""
ENTERED_AGAIN = """
def last(n):
    j = 0
    for _ in [0] * n:
        j = 0
        while j < 2:
            j += 1
    return j
"""
PAIR_MADE_ANEW = """
def walk(n):
    at = (0, 0)
    while at[0] < n:
        at = (at[0] + 1, 0)
    return at
"""
READS_ON = """
def skip(n):
    it = iter(range(n))
    while next(it, None) is not None:
        pass
    return 0
"""
LIST_OF_WORK = """
def visit(n):
    queue = [0]
    for x in queue:
        if x < n:
            queue.append(x + 1)
    return queue
"""
RARE = """
def nth(n):
    found = k = 0
    while found < n:
        k += 1
        if k % 5000 == 0:
            found += 1
    return k
"""


@pytest.mark.parametrize(
    ("definition", "check"),
    [
        (LONG, "assert count(20_000) == 1"),
        (ENTERED_AGAIN, "assert last(100) == 1"),
        (PAIR_MADE_ANEW, "assert walk(1_000) == 1"),
        (READS_ON, "assert skip(2_000) == 1"),
        (LIST_OF_WORK, "assert visit(3_000) == 1"),
        (RARE, "assert nth(2) == 1"),
        (LENGTH_ENDS_IT, "assert fill(1) == 1"),
    ],
)
def test_a_loop_that_ends_is_not_taken_for_one_that_does_not(definition: str, check: str) -> None:
    assert not is_endless(make_runner(definition, check), {}, {})


def test_what_a_global_counts_is_part_of_the_state() -> None:
    counted = "left = 5\ndef go():\n    global left\n    left -= 1\n    return left\n"
    loop = "def run():\n    while go():\n        pass\n    return 0\n"
    units = (Unit(counted, "cell", True), Unit(loop, "define", True))
    runner = Runner(Program(units, checks=("assert run() == 1",)), {"__name__": "__main__"})
    assert not is_endless(runner, {}, {})


def test_little_memory_is_enough_unless_the_program_needs_more() -> None:
    small = make_runner("def f(n):\n    return [0] * n\n", "assert len(f(1000)) == 1")
    large = make_runner("def f(n):\n    return bytearray(n << 20)\n", "assert len(f(90)) == 90 << 20")
    assert find_memory(small, 8_000) == LITTLE_MEMORY
    assert find_memory(large, 8_000) == MOST_MEMORY


def test_what_does_not_end_is_put_aside_only_where_many_steps_would_be_spent_on_it() -> None:
    runner = make_runner(NOTHING_CHANGES.replace("while", "if"), "assert days(2) == 28")
    texts = NOTHING_CHANGES, NOTHING_CHANGES.replace("while", "if").replace("30", "28")
    chosen = [
        Candidate({0: text}, "", 1, 1.0, 0, 1, codes={0: compile_unit(runner.program, 0, text)}) for text in texts
    ]
    late: list[Candidate] = []
    assert drop_endless(runner, chosen, WORTH - 1, late) == chosen
    assert drop_endless(runner, chosen, WORTH, late) == chosen[1:]
    assert (late, late[0].given) == (chosen[:1], WORTH)


GROWING = """\
def halve(n):
    rounds = [n]
    while n != 1 and rounds:
        n = 3 * n - 1
        rounds.append(n % 7)
    return len(rounds)
"""
GROWS_AND_ENDS = """\
def double(n):
    rounds = 0
    while n < 2 ** 6000:
        n = 2 * n
        rounds += 1
    return rounds
"""
COUNTS_FAR = """\
def count(n):
    rounds = 0
    while n != 1 and rounds < 9000:
        n = n + 1
        rounds += 1
    return rounds
"""


def test_a_number_that_grows_by_a_bit_in_each_of_thousands_of_rounds_goes_astray() -> None:
    assert is_endless(make_runner(GROWING, "assert halve(6) == 9"), {}, {})


@pytest.mark.parametrize(
    ("definition", "check"), [(GROWS_AND_ENDS, "assert double(1) == 6000"), (COUNTS_FAR, "assert count(2) == 9000")]
)
def test_a_number_that_grows_less_or_for_less_long_does_not(definition: str, check: str) -> None:
    assert not is_endless(make_runner(definition, check), {}, {})


def make_cut(runner: Runner, text: str, used: int, given: int) -> Candidate:
    """A candidate that was cut after so many of the steps that it was given; by the net where it counts more."""
    candidate = Candidate({0: text}, "", 1, 1.0, 0, 1, codes={0: compile_unit(runner.program, 0, text)})
    candidate.result, candidate.given = Result(1, 0, "time", 0, used, 1), given
    return candidate


def test_of_what_the_net_has_caught_the_likeliest_are_given_more() -> None:
    runner = make_runner(LONG, "assert count(2) == 1")
    caught = [make_cut(runner, LONG + f"# {n}\n", 400_000, 8_000) for n in range(NET_CAUGHT + 2)]
    counted = make_cut(runner, LONG, 8_000, 8_000)
    late: list[Candidate] = []
    assert drop_endless(runner, [*caught, counted], WORTH, late) == [*caught[:NET_CAUGHT], counted]
    assert late == caught[NET_CAUGHT:]


def test_nothing_is_looked_at_where_the_search_is_over() -> None:
    runner = make_runner(NOTHING_CHANGES, "assert days(2) == 28")
    chosen = [make_cut(runner, NOTHING_CHANGES, 8_000, 8_000)]
    late: list[Candidate] = []
    assert drop_endless(runner, chosen, WORTH, late, lambda: True) == chosen
    assert drop_endless(runner, chosen, WORTH, late) == []
    assert late == chosen
