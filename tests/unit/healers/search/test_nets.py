"""What ends a candidate, a comparison and a search that steps do not: counted, so that no load decides."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search import compare_behaviour, patience, run_candidate, vary_checks
from jupyter_selfheal.inside.search.count_steps import STEPS_PER_SECOND, OutOfTime, StepCounter
from jupyter_selfheal.inside.search.localise_faults import SLOWED, trace_program
from jupyter_selfheal.inside.search.measure_checks import measure_passing
from jupyter_selfheal.inside.search.program import Program, Unit
from jupyter_selfheal.inside.search.run_candidate import NET_SECONDS, SLOW, WIDE, WIDE_SECONDS, Runner
from jupyter_selfheal.inside.search.run_result import Result


def build_runner(*units: Unit) -> Runner:
    return Runner(Program(units), {"__name__": "__main__"})


@pytest.mark.parametrize("loop", ["while ROUND():\n    pass", "for x in ROUNDS(range(99)):\n    ROUND()"])
def test_steps_that_are_used_up_end_a_loop_by_an_error_where_every_call_is_traced_too(loop: str) -> None:
    """Not by StopIteration, which ends a ``for`` as if it had come to its end."""
    counter = StepCounter()
    counter.set_limit(10)
    space: dict[str, object] = {}
    counter.bind_names(space)
    code = compile(
        loop.replace("ROUNDS", "__selfheal_rounds__").replace("ROUND", "__selfheal_round__"), "<cell>", "exec"
    )
    counter.start()
    try:
        with pytest.raises(OutOfTime):
            exec(code, space)
    finally:
        counter.stop()


def test_a_candidate_of_many_steps_is_caught_long_before_twenty_times_their_worth() -> None:
    runner = build_runner(Unit("x = 1", "cell", cell="c"))
    assert runner.find_net(10) == NET_SECONDS
    assert runner.find_net(500_000) == WIDE_SECONDS
    assert runner.find_net(5 * STEPS_PER_SECOND) == WIDE * 5
    runner.slowest = 7.0
    assert runner.find_net(10) == SLOW * 7.0, "what the program itself takes is no sign of a loop"


def test_what_a_failing_check_takes_that_comes_to_its_end_widens_the_net_too() -> None:
    """A program of one check has no passing one: its right change takes as long as it does itself."""
    runner = build_runner(
        Unit("def f(n):\n    return sum(range(n))\n", "define", True), Unit("assert f(500_000) == 1", "check")
    )
    measure_passing(runner)
    assert runner.slowest > 0


def test_a_check_that_the_net_caught_leaves_the_next_one_to_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_candidate, "NET_SECONDS", 0.02)
    grow = "def grow(x):\n    while x:\n        x += sum(range(9_999))\n    return x\n"
    runner = build_runner(Unit(grow, "define", True), *(Unit(f"assert grow({n}) == 1", "check") for n in range(3, 6)))
    runner.patient = True
    result = runner.run({}, 2_000)
    assert (result.status, result.failed) == ("time", 2)


@pytest.mark.parametrize(
    ("base", "steps"),
    [
        (Result(1, 2, steps=40), patience.LEAST_STEPS),
        (Result(1, 2, steps=300), 300 * patience.WORTH),
        (Result(1, 2, steps=10_000), patience.MOST_STEPS),
        (Result(1, 2, "time", steps=40), patience.MOST_STEPS),
        (Result(1, 2, steps=40, cut=1), patience.MOST_STEPS),
        (Result(1, 0, "KeyError", steps=40), patience.MOST_STEPS),
    ],
)
def test_candidates_get_few_steps_where_the_program_takes_few_and_ends(base: Result, steps: int) -> None:
    assert patience.count_least(base) == steps


def test_calls_that_the_net_catches_use_up_the_steps_of_a_comparison() -> None:
    """Of long rounds 80,000 take seconds: a hundred such calls would take minutes."""
    grow = "def grow(x):\n    while x:\n        x += sum(range(9_999))\n    return x\n"
    runner = build_runner(Unit(grow, "define", True))
    given = [(n,) for n in range(3, 60)]
    budget = int(2 * compare_behaviour.NET * STEPS_PER_SECOND)
    (shown,) = compare_behaviour.collect_behaviours(runner, [{}], "grow", given, budget)
    assert shown[:2] == [compare_behaviour.TIMEOUT] * 2
    assert set(shown[2:]) == {compare_behaviour.LATE}


def test_a_variant_that_does_not_end_leaves_the_others_their_share_of_a_comparison() -> None:
    """What ran for ever took what the right one needed, so that nothing told them apart."""
    runner = build_runner(Unit("def count(x):\n    return x + 1\n", "define", True))
    endless = compile("def count(x):\n    while True:\n        __selfheal_round__() and x\n", "<endless>", "exec")
    budget = 2 * compare_behaviour.STEPS
    shown = compare_behaviour.collect_behaviours(runner, [{0: endless}, {}], "count", [(n,) for n in range(5)], budget)
    assert shown == [[compare_behaviour.TIMEOUT, *[compare_behaviour.LATE] * 4], ["1", "2", "3", "4", "5"]]


def test_checks_with_other_values_that_the_net_catches_use_up_the_steps_too() -> None:
    runner = build_runner(
        Unit("n = 3\nwhile n:\n    n += sum(range(9_999))\n", "cell", True, "c"), Unit("assert n == 1", "check")
    )
    same = compile("while True:\n    __selfheal_round__() and sum(range(9_999))", "<varied>", "exec")
    varied = [vary_checks.Variation(1, same, "n == 1") for _ in range(9)]
    (shown,) = vary_checks.run_variations(
        runner, [{0: same}], varied, int(1.5 * compare_behaviour.NET * STEPS_PER_SECOND)
    )
    assert shown == [compare_behaviour.TIMEOUT] * 2 + [compare_behaviour.LATE] * 7


def test_a_traced_run_is_left_to_the_steps_as_it_takes_so_much_longer() -> None:
    """Else the net catches it on a slow machine, and the calls that it did not come to are not seen."""
    runner = build_runner(
        Unit("def f(n):\n    return n\n", "define", True), *(Unit(f"assert f({n}) == 1", "check") for n in (1, 2))
    )
    nets: list[float] = []
    runner.ns["look"] = lambda: nets.append(runner.find_net(10))
    runner.before["look"] = runner.ns["look"]
    runner.codes[0] = compile("def f(n):\n    look()\n    return n\n", "<selfheal:0>", "exec")
    trace_program(runner, 10)
    assert nets == [NET_SECONDS * SLOWED] * 2
    assert runner.find_net(10) == NET_SECONDS
