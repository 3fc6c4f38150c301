"""A project is healed by its own tests: those that failed pass, those that passed still do, or nothing is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.project.heal_tests import ProjectHealing
from tests.command import heal, place

__all__ = ["place"]

pytestmark = pytest.mark.kernel

PROGRAM = "def largest(xs):\n    best = 0\n    for x in xs:\n        best = max(bset, x)\n    return best\n"
OTHER = "def cut(xs, n):\n    return xs[:n]\n"
TESTS = """import pytest
from package.program import largest
from package.other import cut


@pytest.mark.parametrize("xs,expected", [([1, 3, 2], 3), ([7, 5], 7), ([2, 9, 4, 8], 9), ([], 0)])
def test_largest(xs, expected):
    assert largest(xs) == expected
"""
AGAINST = """from package.other import cut


def test_cut(tmp_path):
    assert cut([1, 2, 3], 1) == [1, 2]


def test_cut_nothing(tmp_path):
    assert cut([1, 2], 0) == []
"""


@pytest.mark.slow
def test_a_project_is_healed_by_its_tests_and_only_as_far_as_all_of_them_allow(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (place / "package").mkdir()
    (place / "tests").mkdir()
    (place / "conftest.py").write_text("")
    program, other = place / "package" / "program.py", place / "package" / "other.py"
    program.write_text(PROGRAM)
    other.write_text(OTHER)
    (place / "tests" / "test_program.py").write_text(TESTS)
    (place / "tests" / "test_other.py").write_text(AGAINST)
    done = heal("--project", ".", "--test", "pytest -q", "--json", cwd=place, ends=1)
    said = json.loads(done.stdout)
    assert (said["tests"], said["failed_before"], said["failed_after"]) == (6, 4, 1)
    assert program.read_text() == PROGRAM.replace("bset", "best")
    assert other.read_text() == OTHER
    assert [n["file"] for n in said["not_healed"]] == ["tests/test_other.py"]
    assert sorted(p.name for p in place.rglob("*") if p.is_file() and p.suffix != ".pyc") == [
        "conftest.py", "other.py", "program.py", "test_other.py", "test_program.py",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_file_that_cannot_be_collected_is_named_and_keeps_no_other_from_being_healed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (place / "program.py").write_text(PROGRAM)
    (place / "test_program.py").write_text(TESTS.replace("package.", "").replace("from other import cut\n", ""))
    (place / "program_test.py").write_text("from .program import largest\n\nprint(largest([1]))\n")
    done = heal("--project", ".", "--test", "pytest -q -x", "--json", cwd=place, ends=1)
    said = json.loads(done.stdout)
    assert (said["tests"], said["failed_before"], said["failed_after"], said["not_healed"]) == (4, 3, 0, [])
    assert (place / "program.py").read_text() == PROGRAM.replace("bset", "best")
    (broken,) = said["not_collected"]
    assert broken["file"] == "program_test.py"
    assert "attempted relative import" in broken["why"]


@pytest.mark.slow
def test_each_of_several_faults_is_written_once_it_is_proven_and_stays_where_the_run_is_interrupted(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two functions of one file, one of which nobody can heal; then Ctrl-C while the next file of tests is looked at."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    program = place / "program.py"
    given = f"{PROGRAM}\n\ndef rest(x):\n    return frobnicate_all(x)\n"
    program.write_text(given)
    one = "\n\ndef test_rest():\n    assert rest(3) == 21\n"
    tests = TESTS.replace("package.program import largest", "program import largest, rest")
    (place / "test_a.py").write_text(tests.replace("from package.other import cut\n", "") + one)
    (place / "test_b.py").write_text(f"from program import rest\n{one}")

    def interrupt(number: int, total: int, what: str) -> None:
        if number == 2:
            assert program.read_text() == given.replace("bset", "best"), "written before the next file is begun"
            raise KeyboardInterrupt

    settings = Settings(HealConfig(offline=True), project=place, test="pytest -q")
    with Session(settings) as session:
        report = ProjectHealing(session, place, "python3", interrupt).run()
    assert (report.exit_code, report.failed_before, report.failed_after) == (2, 5, 2)
    assert [f.status for f in report.files] == ["written"]
    assert [name for name, _ in report.not_healed] == ["test_a.py, test_rest", "test_b.py"]
    assert report.not_healed[1][1] == "not done: interrupted"


CHAINED = """def mean(xs):
    return total(xs) / (len(xs) + 1)


def total(xs):
    s = 0
    for x in xs:
        s -= x
    return s
"""
CHAINED_TESTS = """from calc import mean, total


def test_mean():
    assert mean([2, 4]) == 3
    assert mean([5]) == 5


def test_total():
    assert total([1, 2]) == 3
    assert total([5]) == 5
"""


@pytest.mark.slow
def test_what_others_call_is_healed_first_and_built_upon(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the fix of `total` alone the other test still fails; a change of `mean` alone could only make up for it (it was written once)."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    program = place / "calc.py"
    program.write_text(CHAINED)
    (place / "test_calc.py").write_text(CHAINED_TESTS)
    settings = Settings(HealConfig(offline=True), project=place, test="pytest -q")
    with Session(settings) as session:
        report = ProjectHealing(session, place, "python3", lambda number, total, what: None).run()
    assert (report.exit_code, report.failed_after) == (0, 0)
    assert [f.status for f in report.files] == ["written"] * 2
    assert "s += x" in program.read_text()
    assert program.read_text().splitlines()[1].replace(" ", "") in (
        "returntotal(xs)/(len(xs))",
        "returntotal(xs)/len(xs)",
    )
