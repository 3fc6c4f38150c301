"""Of readings that meet not all asserts those are likelier with which some hold, and less likely those with which they raise."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.try_readings import HELD, RAISED
from tests.unit.healers.syntax.readings import run

ASSERTS = ("assert double(0) == 0", "assert double(2) == 4")


def reading(last: str) -> str:
    return f"def double(n):\n    {last}\n"


def test_the_asserts_tell_readings_apart_that_none_of_them_is_met_by() -> None:
    lines = ("ret[n]", "return n - 1", "return n")
    raising, wrong, nearer = run([reading(line) for line in lines], "", asserts=ASSERTS)["likeness"]
    assert wrong - raising == pytest.approx(RAISED)
    assert nearer - wrong == pytest.approx(HELD / 2)


def test_what_is_printed_is_told_by_the_output_alone() -> None:
    likeness = run(["print(total)\n", "print(1)\n"], "2\n", asserts=("assert 1 == 2",), total=1)["likeness"]
    assert likeness[0] == likeness[1]
