"""Files of a project: replaced by their fixes, and put back where the fixes are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import Cell
from jupyter_selfheal.surfaces.cli.one import _refuse_slowdown
from jupyter_selfheal.surfaces.notebook.records import CellDrift, FileChange, NotebookReport, Record, Status
from jupyter_selfheal.surfaces.project.files import FileFix, read_file, restore_files, write_fixes

RAW = "# caf\u00e9\r\nx = 1\r\n".encode("utf-8-sig")


@pytest.fixture
def fix(tmp_path: Path) -> FileFix:
    path = tmp_path / "helper.py"
    path.write_bytes(RAW)
    path.chmod(0o754)
    file = read_file(path)
    assert file is not None
    return FileFix(file, file.text.replace("1", "2"))


def test_a_file_is_put_back_byte_by_byte(fix: FileFix, tmp_path: Path) -> None:
    write_fixes((fix,), tmp_path)
    assert fix.file.path.read_bytes() == RAW.replace(b"1", b"2") == fix.raw
    assert restore_files([fix]) == {}
    assert fix.file.path.read_bytes() == RAW
    assert fix.file.path.stat().st_mode & 0o777 == 0o754


def test_two_fixes_of_a_file_are_put_back_the_last_first(fix: FileFix, tmp_path: Path) -> None:
    write_fixes((fix,), tmp_path)
    again = read_file(fix.file.path)
    assert again is not None
    second = FileFix(again, again.text.replace("x", "y"))
    write_fixes((second,), tmp_path)
    assert restore_files([fix, second]) == {}
    assert fix.file.path.read_bytes() == RAW


def test_a_file_that_was_changed_since_is_left_as_it_is(fix: FileFix, tmp_path: Path) -> None:
    write_fixes((fix,), tmp_path)
    fix.file.path.write_text("mine")
    assert list(restore_files([fix])) == [str(fix.file.path)]
    assert fix.file.path.read_text() == "mine"


def test_another_process_that_wrote_the_same_fix_is_no_conflict(fix: FileFix, tmp_path: Path) -> None:
    write_fixes((fix,), tmp_path)
    assert write_fixes((fix,), tmp_path) == (str(fix.file.path),)
    other = replace(fix, text="x = 3\n")
    with pytest.raises(NotebookError, match="changed on disk"):
        write_fixes((other,), tmp_path)


def test_a_write_protected_file_is_not_replaced(fix: FileFix, tmp_path: Path) -> None:
    fix.file.path.chmod(0o444)
    with pytest.raises(NotebookError, match="write-protected"):
        write_fixes((fix,), tmp_path)
    assert fix.file.path.read_bytes() == RAW


def session(fix: FileFix, most: float) -> Any:
    return SimpleNamespace(
        settings=SimpleNamespace(max_slowdown=most), written=[fix], forget_kernels=lambda: None
    )  # fmt: skip


def test_a_file_whose_notebook_got_too_slow_is_put_back(fix: FileFix, tmp_path: Path) -> None:
    write_fixes((fix,), tmp_path)
    change = FileChange(str(fix.file.path), "-x = 1\n+x = 2", "Change 1 to 2", "written", written=True)
    record = Record(Cell("c1", "import helper"), 1, Status.HEALED)
    report = NotebookReport("n.ipynb", records=(record,), files=(change,), drifts=(CellDrift(1, 1.0, 9.0),))
    kept = _refuse_slowdown(session(fix, 10.0), report)
    assert (kept, fix.file.path.read_bytes()) == (report, fix.raw), "not that slow"
    refused = _refuse_slowdown(session(fix, 1.5), report)
    assert fix.file.path.read_bytes() == RAW
    assert [r.status for r in refused.records] == [Status.REVERTED]
    assert [f.written for f in refused.files] == [False]
    assert refused.files[0].status.startswith("put back: refused by --max-slowdown 1.5")
    assert refused.exit_code == 1
