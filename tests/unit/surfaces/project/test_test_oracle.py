"""What tests say against a fixed file: one that failed must pass, one that passed must still."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.probes.run_tests import list_arguments
from jupyter_selfheal.surfaces.project.test_oracle import TestRun, find_broken_test


def ran(code: int = 0, printed: str = "", **outcomes: str) -> TestRun:
    return TestRun(code, printed, {name: {"outcome": outcome} for name, outcome in outcomes.items()})


BEFORE = ran(1, a="failed", b="passed", c="skipped", d="xfailed")


@pytest.mark.parametrize(
    ("after", "says"),
    [
        (ran(a="passed", b="passed"), ""),
        (ran(a="failed", b="passed"), "the test a still fails"),
        (ran(a="skipped", b="passed"), "the test a still fails"),
        (ran(a="passed", b="failed"), "with it the test b fails"),
        (ran(a="passed"), "with it the test b fails"),
    ],
)
def test_failing_tests_must_pass_and_passing_ones_stay(after: TestRun, says: str) -> None:
    assert BEFORE.failing == ("a",)
    assert find_broken_test(BEFORE, after, BEFORE.failing, "pytest") == says


def test_another_command_counts_by_its_exit_code() -> None:
    assert find_broken_test(ran(1), ran(0), (), "make test") == ""
    assert find_broken_test(ran(1), ran(2, "one\ntwo\n"), (), "make test") == "`make test` still fails (two)"


def test_pytest_and_python_are_those_of_the_kernel() -> None:
    assert list_arguments("pytest -q 'a b'")[3:] == ["-q", "a b"]
    assert list_arguments("python -m x")[1:] == ["-m", "x"]
    assert list_arguments("make test") == ["make", "test"]
