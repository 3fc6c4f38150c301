"""A project is healed by its own tests: those that failed pass, those that passed still do, or nothing is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
