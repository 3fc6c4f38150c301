"""What a flaky cell is told to come from, and what to do about it."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.triage.diagnoser import Triage
from jupyter_selfheal.model import Case, Cell, Failure, Notebook, Repeats, SkipReason
from jupyter_selfheal.source.chance import CLOCK, NETWORK, RANDOM, SET_ORDER, SYSTEM, THREADS
from jupyter_selfheal.testing.scripted import NoFacts


def build_case(repeats: Repeats, ename: str = "AssertionError", evalue: str = "") -> Case:
    source = "assert rate() > 0.5"
    failure = Failure("c1", source, ename=ename, evalue=evalue, line=1, statement=0)
    return Case(failure, Notebook((Cell("c1", source),)), repeats=repeats)


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        (RANDOM, "Set a seed"), (SYSTEM, "try again"), (CLOCK, "wait"), (THREADS, "join"), (NETWORK, "Try again"),
        (SET_ORDER, "sorted("),
    ],
)  # fmt: skip
def test_the_rate_what_it_depends_on_and_what_to_do(source: str, advice: str) -> None:
    diagnosis = Triage().diagnose(build_case(Repeats(11, 5, sources=(source,))), NoFacts())
    assert diagnosis.skip_reason is SkipReason.FLAKY
    assert diagnosis.cause == f"This cell is flaky: it fails in 5 of 11 runs, as it depends on {source}."
    assert advice in diagnosis.advice


def test_where_nothing_is_known_of_what_differs_that_is_to_be_found_out() -> None:
    diagnosis = Triage().diagnose(build_case(Repeats(4, 1)), NoFacts())
    assert diagnosis.cause == "This cell is flaky: it fails in 1 of 4 runs."
    assert diagnosis.advice.startswith("Find out what differs")


@pytest.mark.parametrize("repeats", [Repeats(), Repeats(1, 1), Repeats(10, 10, sources=(RANDOM,))])
def test_what_fails_every_time_is_not_flaky(repeats: Repeats) -> None:
    assert Triage().diagnose(build_case(repeats), NoFacts()).skip_reason is not SkipReason.FLAKY


def test_what_the_network_refuses_is_left_alone_for_that() -> None:
    case = build_case(Repeats(6, 3, sources=(NETWORK,)), "ConnectionError", "Network is unreachable")
    assert Triage().diagnose(case, NoFacts()).skip_reason is SkipReason.NETWORK
