"""Files of a project: replaced by their fixes, and given back as they were."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import (
    Applicability,
    Candidate,
    Cell,
    Ending,
    Failure,
    FailureKind,
    Frame,
    Isolation,
    Patch,
    Question,
    Replace,
    Start,
    StepResult,
    Trial,
    Verdict,
)
from jupyter_selfheal.surfaces.cli import main
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.drift import refuse_slowdown
from jupyter_selfheal.surfaces.notebook.originals import list_fixed_files, note_fixed_files
from jupyter_selfheal.surfaces.notebook.read import build_document, read
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.save import save_healed
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.project.changes import describe_change
from jupyter_selfheal.surfaces.project.derive import build_cell
from jupyter_selfheal.surfaces.project.files import FileFix, read_file, write_fixes
from jupyter_selfheal.surfaces.project.found import Found
from jupyter_selfheal.surfaces.project.heal_files import FileHealing, Proof, is_only_unconfirmed
from jupyter_selfheal.surfaces.project.places import FilePlace
from tests.batches import cell
from tests.command import write

RAW = "# caf\u00e9\r\nx = 1\r\n".encode("utf-8-sig")


@pytest.fixture
def fix(tmp_path: Path) -> FileFix:
    path = tmp_path / "helper.py"
    path.write_bytes(RAW)
    path.chmod(0o754)
    file = read_file(path)
    assert file is not None
    return FileFix(file, file.text.replace("1", "2"))


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))


def test_a_file_is_reverted_byte_by_byte(fix: FileFix, tmp_path: Path) -> None:
    write_fixes((fix,), tmp_path)
    assert fix.file.path.read_bytes() == RAW.replace(b"1", b"2") == fix.raw
    assert main(["revert", str(fix.file.path)]) == 0
    assert fix.file.path.read_bytes() == RAW
    assert fix.file.path.stat().st_mode & 0o777 == 0o754


def test_two_fixes_of_a_file_are_reverted_the_last_first(fix: FileFix, tmp_path: Path) -> None:
    write_fixes((fix,), tmp_path)
    again = read_file(fix.file.path)
    assert again is not None
    write_fixes((FileFix(again, again.text.replace("x", "y")),), tmp_path)
    assert main(["revert", str(fix.file.path)]) == 0
    assert fix.file.path.read_bytes() == fix.raw
    assert main(["revert", str(fix.file.path)]) == 0
    assert fix.file.path.read_bytes() == RAW


@pytest.mark.parametrize(
    ("options", "says"), [([], "not as healing left it"), (["--cell", "1"], "leave out --cell and --fix")]
)
def test_a_file_that_was_changed_since_is_left_as_it_is(
    fix: FileFix, tmp_path: Path, options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_fixes((fix,), tmp_path)
    fix.file.path.write_text("mine")
    assert main(["revert", str(fix.file.path), *options]) == 2
    assert fix.file.path.read_text() == "mine"
    assert says in capsys.readouterr().err


def test_log_and_revert_of_a_notebook_name_the_files_that_were_fixed_with_it(
    fix: FileFix, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = write(tmp_path / "n.ipynb", "import helper")
    write_fixes((fix,), tmp_path)
    note_fixed_files(notebook, [fix.file.path])
    for command in ("log", "revert"):
        assert main([command, str(notebook)]) == 0
        assert f"revert {fix.file.path}" in " ".join(capsys.readouterr().out.split())
    assert main(["revert", str(fix.file.path)]) == 0
    assert list_fixed_files(notebook) == [], "it is no longer as healing left it"


def test_log_of_a_healed_copy_names_the_files_that_were_fixed_with_it(
    fix: FileFix, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document, copy = read(write(tmp_path / "n.ipynb", "import helper")), tmp_path / "healed.ipynb"
    write_fixes((fix,), tmp_path)
    changes = (describe_change(fix, "Change 1 to 2", "written", written=True),)
    report = NotebookReport(str(document.path), healed=document.notebook, files=changes)
    save_healed(document, report, {}, copy)
    assert main(["log", str(copy)]) == 0
    assert f"revert {fix.file.path}" in " ".join(capsys.readouterr().out.split())


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


@pytest.mark.parametrize(("most", "written"), [(10.0, True), (1.5, False)])
def test_a_file_whose_notebook_gets_too_slow_is_not_written(
    fix: FileFix, tmp_path: Path, most: float, written: bool
) -> None:
    given = cell("import helper", metadata={"papermill": {"duration": 1.0}})
    document = read(write(tmp_path / "n.ipynb", given))
    failing = document.notebook.cells[0]
    failed = Record(failing, 1, Status.NOT_HEALED, (Failure(failing.id, failing.source, FailureKind.RAISED),))
    patch = Patch((Replace(failing.id, "1", "2"),), "Change 1 to 2", applicability=Applicability.SAFE)
    candidate = Candidate(
        patch,
        Trial(patch.id, (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake")),
        Verdict(patch.id, 9.0, plausible=True),
    )
    found = Found((fix,), replace(failed, candidate=(candidate,)), candidate.patch.title)
    report = NotebookReport(str(document.path), records=(failed,), given=document.notebook, healed=document.notebook)
    ran = replace(report, records=(replace(failed, status=Status.RAN),), survived=True)
    proof = Proof(ran, {failing.id: CellRun(StepResult("ok", seconds=9.0), 1)})
    with Session(Settings(project=tmp_path, max_slowdown=most)) as session:
        settled, _ = FileHealing(session, document, None, 0)._settle(found, proof, failed, report, {})
    assert fix.file.path.read_bytes() == (fix.raw if written else RAW)
    assert [f.written for f in settled.files] == [written]
    assert [r.status for r in settled.records] == [Status.HEALED if written else Status.PROPOSED]
    assert ("refused by --max-slowdown 1.5" in settled.records[0].detail) is not written
    assert refuse_slowdown(settled, most) is settled, "what was written stays"


def test_tests_decide_only_where_nothing_speaks_against_a_fix_and_nobody_is_asked() -> None:
    patch = Patch((Replace("a", "f(1)", "g(1)"),), "Call g", applicability=Applicability.UNSAFE)
    trial = Trial(patch.id, (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake"))
    verdict = Verdict(patch.id, 6.0, plausible=True)
    offered = Record(Cell("a", "f(1)"), 1, Status.PROPOSED, candidate=(Candidate(patch, trial, verdict),))
    asks = Question("What should `f(1)` return?", {"1": (patch.id,)})
    assert is_only_unconfirmed(offered)
    assert is_only_unconfirmed(replace(offered, questions=(asks,)))
    assert not is_only_unconfirmed(replace(offered, questions=(replace(asks, blocks=True),)))
    for patch_, verdict_ in (
        (replace(patch, rival="h(1)"), verdict),
        (replace(patch, applicability=Applicability.DISPLAY_ONLY), verdict),
        (patch, replace(verdict, plausible=False)),
        (patch, replace(verdict, tampering=("it drops the assert",))),
        (patch, replace(verdict, inconclusive="it adds network access")),
    ):
        assert not is_only_unconfirmed(replace(offered, candidate=(Candidate(patch_, trial, verdict_),)))


def test_cells_that_only_follow_from_a_failure_are_evidence_for_its_fix(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def f():\n    return valeu\n")
    texts = ["import helper", "x = helper.f()", "print(x)", "print(y)"]
    raw = {
        "cells": [build_cell(f"c{n}", text) for n, text in enumerate(texts)],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    document = build_document(tmp_path / "n.ipynb", raw)
    failure = Failure(
        "c1",
        texts[1],
        FailureKind.RAISED,
        "NameError",
        "valeu",
        frames=(Frame(str(tmp_path / "helper.py"), 2, "f", ""),),
    )
    statuses = [(Status.RAN, 0), (Status.NOT_HEALED, 0), (Status.CASCADE, 2), (Status.CASCADE, 9)]
    records = tuple(
        Record(cell, n, status, (failure,) if n == 2 else (), cascade_of=root)
        for n, (cell, (status, root)) in enumerate(zip(document.notebook.cells, statuses, strict=True), start=1)
    )
    report = NotebookReport("n.ipynb", records=records, given=document.notebook, healed=document.notebook)
    healing = FileHealing(cast(Session, None), document, None, 0)
    derived = healing._derive(records[1], report, ())
    sources = [c.source for c in derived.document.notebook.cells]
    assert sources == ["def f():\n    return valeu\n", "pass", "x = f()", "print(x)"]


def test_a_place_is_named_as_seen_from_the_notebook(tmp_path: Path) -> None:
    place = FilePlace(tmp_path / "tools" / "reading.py", 10, "read")
    assert place.describe(tmp_path) == "tools/reading.py, line 10 (`read`)"
    assert place.describe(tmp_path / "notebooks") == "../tools/reading.py, line 10 (`read`)"
