"""What tests say against a fixed file: one that failed must pass, one that passed must still."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.inside.probes.run_tests import list_arguments
from jupyter_selfheal.surfaces.project.modules import Finder
from jupyter_selfheal.surfaces.project.test_oracle import TestRun, find_broken_test, may_run


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


@pytest.fixture
def finder(tmp_path: Path) -> Finder:
    for name, text in {"stats": "import units\n", "units": "FEET = 0.3\n", "reading": "import csv\n"}.items():
        (tmp_path / f"{name}.py").write_text(text)
    return Finder(tmp_path, (tmp_path,))


STATS = {"top": ["stats", "top", "stats.py"], "math": ["math", "", ""]}


@pytest.mark.parametrize(
    ("told", "file", "concerned"),
    [
        ({"uses": ["top", "math"]}, "stats.py", True),
        ({"uses": ["top"]}, "units.py", True),  # which stats imports
        ({"uses": ["top"]}, "reading.py", False),
        ({"uses": ["math", "len"]}, "stats.py", False),  # though its file of tests imports it
        ({"uses": ["reading"]}, "reading.py", True),  # imported in the test itself
        ({"uses": ["check"], "own_names": ["check"]}, "reading.py", True),  # who knows what that calls
        ({"own_fixtures": ["course"]}, "reading.py", True),
        ({"in_class": True}, "reading.py", True),
        ({"uses": None}, "reading.py", True),
    ],
)
def test_only_tests_that_may_run_a_fixed_file_must_pass(
    told: dict[str, Any], file: str, concerned: bool, finder: Finder
) -> None:
    test = {"frames": [], "in_class": False, "own_fixtures": [], "own_names": [], "names": STATS, "uses": [], **told}
    assert may_run(test, {finder.project / file}, finder) is concerned


def test_a_test_whose_traceback_leads_through_a_file_concerns_it(finder: Finder) -> None:
    path = finder.project / "reading.py"
    assert may_run({"frames": [[str(path), 3, "f"]]}, {path}, finder)


def test_another_command_counts_by_its_exit_code() -> None:
    assert find_broken_test(ran(1), ran(0), (), "make test") == ""
    assert find_broken_test(ran(1), ran(2, "one\ntwo\n"), (), "make test") == "`make test` still fails (two)"


def test_pytest_and_python_are_those_of_the_kernel() -> None:
    assert list_arguments("pytest -q 'a b'")[3:] == ["-q", "a b"]
    assert list_arguments("python -m x")[1:] == ["-m", "x"]
    assert list_arguments("make test") == ["make", "test"]
