"""Loops and calls that do not come to an end are left after few rounds, as each takes as long as hundreds of others."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search import endless_loops
from jupyter_selfheal.inside.search.compare_behaviour import (
    FEWER_NET,
    FEWER_STEPS,
    LATE,
    LOOPED,
    STEPS,
    TIMEOUT,
    collect_behaviours,
    find_net,
)
from jupyter_selfheal.inside.search.endless_loops import is_endless
from jupyter_selfheal.inside.search.program import read_program
from jupyter_selfheal.inside.search.run_candidate import Runner

DIGITS = "def digits(x, base):\n    out = ''\n    while {}:\n        out = str(x % base) + out\n        x -= base\n{}    return out\n"
CHECK = {"text": "assert digits(8, 3) == '22'", "role": "check"}


def build_runner(text: str, *checks: dict[str, str]) -> Runner:
    units = [{"text": text, "role": "define", "mutable": True}, *checks]
    return Runner(read_program({"units": units}), {"__name__": "__main__"})


@pytest.mark.parametrize(
    ("asked", "more", "is_so"),
    [
        ("base > 0", "", True),  # no round changes what it asks
        ("base > 0 and not x == 1.5", "", False),
        ("base > 0", "        if x < -999:\n            break\n", False),
        ("abs(x) > 0", "", True),
        ("x > 0", "", False),
    ],
)
def test_a_loop_whose_question_no_round_changes_does_not_end(
    asked: str, more: str, is_so: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endless_loops, "ROUNDS", 512)  # all else is as with 8,192, and takes a twentieth of the time
    runner = build_runner(DIGITS.format(asked, more), CHECK)
    assert is_endless(runner, {}, {}, 6_000) is is_so


@pytest.mark.parametrize(
    "text",
    [
        "left = 100\ndef take():\n    global left\n    left -= 1\nwhile left > 0:\n    take()\n",
        "def run():\n    left = 100\n    def take():\n        nonlocal left\n        left -= 1\n    while left > 0:\n        take()\nrun()\n",
    ],
)
def test_a_loop_whose_question_is_answered_by_what_it_calls_may_end(text: str) -> None:
    assert not is_endless(build_runner(text), {}, {}, 6_000)


def test_a_call_has_fewer_steps_after_some_that_did_not_end() -> None:
    runner = build_runner("def go(n):\n    while n:\n        n -= 1\n    return n\n")
    given = [(-1,), (-2,), (-3,), (FEWER_STEPS * 2,), (5,)]
    (shown,) = collect_behaviours(runner, [{}], "go", given, 10 * STEPS)
    assert shown == [TIMEOUT, TIMEOUT, TIMEOUT, TIMEOUT, "0"]
    assert runner.counter.total < LOOPED * STEPS + 3 * FEWER_STEPS
    (alone,) = collect_behaviours(runner, [{}], "go", given[3:], 10 * STEPS)
    assert alone == ["0", "0"]


def test_a_call_is_never_cut_sooner_than_the_program_is_known_to_take() -> None:
    runner = build_runner("def go(n):\n    return n\n")
    assert find_net(runner, FEWER_STEPS) == FEWER_NET
    runner.slowest = 2.0
    assert find_net(runner, FEWER_STEPS) == 2.0


def test_what_fills_the_memory_twice_is_called_no_more() -> None:
    runner = build_runner("def fill(n):\n    if n:\n        raise MemoryError\n    return n\n")
    (shown,) = collect_behaviours(runner, [{}], "fill", [(0,), (1,), (2,), (0,)], STEPS)
    assert shown == ["0", "!MemoryError", "!MemoryError", LATE]
