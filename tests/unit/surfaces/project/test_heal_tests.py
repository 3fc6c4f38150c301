"""Fixes that stand on each other are written together, or none of them is."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.model import Candidate, Ending, Isolation, Patch, Start, Trial, Verdict
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.project.files import FileFix, read_file
from jupyter_selfheal.surfaces.project.heal_tests import ProjectHealing, Step
from jupyter_selfheal.surfaces.project.test_oracle import TestRun

CANDIDATE = Candidate(
    Patch((), "Spell it", healer="rules"), Trial("p", (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("forked")), Verdict("p", 9.0, True)
)  # fmt: skip


class AllPass:
    """All tests pass with whatever is asked about, which each of them may run."""

    def compare(self, fixes: Any, needed: Any) -> str:
        return ""

    def list_reached(self, test: str) -> None:
        return None

    def list_concerned(self, fixes: Any) -> tuple[str, ...]:
        return ("t.py::test_x", "t.py::test_y")


class Broken:
    """Nothing is heard of the tests."""

    def list_reached(self, test: str) -> None:
        return None

    def list_concerned(self, fixes: Any) -> tuple[str, ...]:
        raise KernelError("the tests cannot be run")


def find_fix(path: Path, old: str, new: str, before: FileFix | None = None) -> FileFix:
    file = read_file(path)
    assert file is not None
    if before is not None:
        file = replace(file, raw=before.raw, text=before.text)
    return FileFix(file, file.text.replace(old, new))


def test_where_one_file_cannot_be_written_none_of_the_steps_is(tmp_path: Path) -> None:
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    first.write_text("x = 1\ny = 1\n")
    second.write_text("z = 1\n")
    one = find_fix(first, "x = 1", "x = 2")
    fixes = (one,), (find_fix(first, "y = 1", "y = 2", one), find_fix(second, "z = 1", "z = 2"))
    steps = [Step(f"test_{n}", of, CANDIDATE, frozenset({f"test_{n}"})) for n, of in enumerate(fixes)]
    second.chmod(0o444)
    with Session(Settings(HealConfig(offline=True), project=tmp_path, test="pytest -q")) as session:
        healing = ProjectHealing(session, tmp_path, "python3", lambda number, total, what: None)
        assert "write-protected" in healing._write_steps(steps)
        assert first.read_text() == "x = 1\ny = 1\n"
        second.chmod(0o644)
        assert healing._write_steps(steps) == ""
    assert (first.read_text(), second.read_text()) == ("x = 2\ny = 2\n", "z = 2\n")


def test_steps_of_a_file_whose_tests_cannot_be_run_are_offered_and_not_handed_on_to_the_next(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    fix = find_fix(tmp_path / "a.py", "1", "2")
    before = TestRun(1, "", {"t.py::test_x": {"file": str(tmp_path / "t.py"), "outcome": "failed"}})
    with Session(Settings(HealConfig(offline=True), project=tmp_path, test="pytest -q")) as session:
        healing = ProjectHealing(session, tmp_path, "python3", lambda number, total, what: None)
        healing._fixes, healing._steps = (fix,), [Step("t", (fix,), CANDIDATE, frozenset(), "test_y fails")]
        oracle: Any = Broken()
        assert not healing._heal_groups(oracle, before)
    assert healing._steps == []
    assert [change.status for change in healing._offered] == ["offered, not written: test_y fails"]


def test_nothing_is_built_on_a_fix_that_was_not_approved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be asked about again with each fix that stands on it, and keep that from being written."""
    (tmp_path / "a.py").write_text("x = 1\n")
    fix = find_fix(tmp_path / "a.py", "1", "2")
    monkeypatch.setattr(ProjectHealing, "_find_fixes", lambda *given: ((fix,), CANDIDATE, ""))
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    settings = Settings(HealConfig(offline=True), project=tmp_path, test="pytest -q", approve="ask")
    with Session(settings) as session:
        healing = ProjectHealing(session, tmp_path, "python3", lambda number, total, what: None)
        oracle: Any = AllPass()
        tests = ["t.py::test_x", "t.py::test_y"]
        offered, why = healing._heal_tests(oracle, TestRun(1, ""), tmp_path / "t.py", tests[:1], tests)
    assert why == "it was not approved"
    assert [change.status for change in offered] == [f"offered, not written: {why}"]
    assert (healing._steps, (tmp_path / "a.py").read_text()) == ([], "x = 1\n")
