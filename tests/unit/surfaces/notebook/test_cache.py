"""When a notebook that ran without a failure is not run again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.notebook.cache import MOST_BYTES, HealthyCache, Reads, stamp_path
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from tests.batches import cell

Make = Callable[..., Document]
HERE = sys.executable


@pytest.fixture
def cache(tmp_path: Path) -> HealthyCache:
    made = HealthyCache(tmp_path / ".healthy", "settings")
    made._environments[HERE] = "environment"
    return made


def healthy(document: Document) -> NotebookReport:
    code = [c for c in document.notebook.cells if c.kind == "code"]
    records = tuple(Record(c, n, Status.RAN) for n, c in enumerate(code, start=1))
    return NotebookReport(str(document.path), records=records, survived=True)


def test_an_unchanged_notebook_is_known_and_says_so(cache: HealthyCache, document: Make) -> None:
    given = document("x = 1", "x")
    assert cache.find(given, HERE) is None
    cache.keep(given, HERE, healthy(given), Reads(()))
    known = cache.find(given, HERE)
    assert known is not None
    assert (known.exit_code, known.unchanged, known.count(Status.RAN)) == (0, True, 2)
    assert known.summary == "unchanged since it ran without a failure"


@pytest.mark.skipif(os.name != "posix", reason="about the rights of files")
def test_nobody_else_reads_which_notebooks_there_are(tmp_path: Path, document: Make) -> None:
    cache, given = HealthyCache(tmp_path / "data" / "healthy", "settings", {HERE: "environment"}), document("x = 1")
    cache.keep(given, HERE, healthy(given), Reads(()))
    assert cache.find(given, HERE) is not None
    assert cache.folder.stat().st_mode & 0o077 == 0


def test_what_the_run_hangs_on_is_what_counts(cache: HealthyCache, document: Make, tmp_path: Path) -> None:
    given = document("x = 1", "x")
    cache.keep(given, HERE, healthy(given), Reads(()))
    edited = document("x = 2", "x")
    assert cache.find(replace(given, notebook=edited.notebook), HERE) is None
    stored = document("x = 1", cell("x", outputs=[{"output_type": "stream", "name": "stdout", "text": ["1"]}]))
    assert cache.find(replace(given, notebook=stored.notebook), HERE) is None
    assert cache.find(replace(given, kernelspec="other"), HERE) is None
    assert HealthyCache(cache.folder, "other settings", {HERE: "environment"}).find(given, HERE) is None
    assert HealthyCache(cache.folder, "settings", {HERE: "a newer pandas"}).find(given, HERE) is None
    again = HealthyCache(cache.folder, "settings", {HERE: "environment"})
    assert again.find(given, HERE) is not None


@pytest.mark.parametrize("change", ["edit", "delete", "new file in a folder"])
def test_what_it_read_must_be_as_it_was(cache: HealthyCache, document: Make, tmp_path: Path, change: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.csv").write_text("1")
    given = document("x = 1")
    cache.keep(given, HERE, healthy(given), Reads((str(data), str(data / "a.csv"), str(tmp_path / "absent"))))
    os.utime(data / "a.csv", (1, 1))
    (data / "beside.ipynb").write_text("{}")
    assert cache.find(given, HERE) is not None, "a time and another notebook are no change"
    if change == "edit":
        (data / "a.csv").write_text("2")
    elif change == "delete":
        (data / "a.csv").unlink()
    else:
        (data / "b.csv").write_text("2")
    assert cache.find(given, HERE) is None


def test_where_more_may_have_been_read_the_whole_folder_counts(cache: HealthyCache, document: Make) -> None:
    given = document("!cat *.txt")
    folder = Path(given.notebook.folder)
    cache.keep(given, HERE, healthy(given), Reads((), more=True))
    assert cache.find(given, HERE) is not None
    (folder / "new.txt").write_text("x")
    assert cache.find(given, HERE) is None


def not_to_be_kept(given: Document) -> Iterator[tuple[NotebookReport, Reads | None]]:
    report, reads = healthy(given), Reads(())
    failed = replace(report.records[0], status=Status.NOT_HEALED)
    yield report, None
    yield report, Reads((), network=True)
    yield replace(report, records=(failed,)), reads
    yield replace(report, fixes=("Write `x`",)), reads
    yield replace(report, error="no kernel"), reads
    yield replace(report, records=(replace(report.records[0], differs=True),)), reads
    yield replace(report, notes=("from cell 2 on states are reconstructed",)), reads


def test_what_did_not_simply_run_is_run_again(cache: HealthyCache, document: Make) -> None:
    given = document("x = 1")
    for report, reads in not_to_be_kept(given):
        cache.keep(given, HERE, healthy(given), Reads(()))
        cache.keep(given, HERE, report, reads)
        assert cache.find(given, HERE) is None


def test_a_copy_elsewhere_must_be_as_it_was_written(cache: HealthyCache, document: Make, tmp_path: Path) -> None:
    given, target = document("x = 1"), tmp_path / "out.ipynb"
    target.write_text("as written")
    cache.keep(given, HERE, replace(healthy(given), written=str(target)), Reads(()))
    assert cache.find(given, HERE, target) is not None
    assert cache.find(given, HERE, tmp_path / "elsewhere.ipynb") is None
    target.write_text("edited")
    assert cache.find(given, HERE, target) is None


def test_a_damaged_entry_is_no_entry(cache: HealthyCache, document: Make) -> None:
    given = document("x = 1")
    cache.keep(given, HERE, healthy(given), Reads(()))
    for text in ("", "[]", '{"form": 99}'):
        next(cache.folder.iterdir()).write_text(text)
        assert cache.find(given, HERE) is None


def test_the_environment_is_read_from_the_python_that_the_kernel_runs_on(document: Make, tmp_path: Path) -> None:
    given = document("x = 1")
    HealthyCache(tmp_path / ".c", "").keep(given, HERE, healthy(given), Reads(()))
    assert HealthyCache(tmp_path / ".c", "").find(given, HERE) is not None
    assert HealthyCache(tmp_path / ".c", "").find(given, "/bin/false") is None


def test_a_large_file_is_known_by_size_and_time(tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    before = stamp_path(str(large))
    os.utime(large, (1, 1))
    assert stamp_path(str(large)) != before
