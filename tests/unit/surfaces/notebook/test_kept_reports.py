"""What a run has done is not done again when it is gone on with, as long as nobody has changed it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from jupyter_selfheal.errors import SelfHealError, UsageError
from jupyter_selfheal.model import Cell
from jupyter_selfheal.surfaces.cli import heal as command
from jupyter_selfheal.surfaces.cli.one import Job, heal_once
from jupyter_selfheal.surfaces.cli.parser import build_parser
from jupyter_selfheal.surfaces.cli.targets import plan_jobs
from jupyter_selfheal.surfaces.notebook.kept_reports import KeptReports
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.session import Session, find_run
from jupyter_selfheal.surfaces.notebook.settings import Settings
from tests.batches import notebook


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data" / "selfheal" / "runs"


def report(path: Path) -> NotebookReport:
    return NotebookReport(str(path), records=(Record(Cell("c", "1"), 1, Status.RAN),))


def test_a_report_holds_as_long_as_the_files_are_as_they_were(tmp_path: Path, runs: Path) -> None:
    given, healed = tmp_path / "n.ipynb", tmp_path / "n.healed.ipynb"
    given.write_text("a")
    healed.write_text("b")
    kept = KeptReports("abc")
    with kept.hold_part(1):
        kept.keep(1, report(given), given, healed)
    assert kept.find(1) == kept.find(1, given, healed) == report(given)
    assert kept.find(1, given, tmp_path / "elsewhere.ipynb") is None, "it is to be written there too"
    assert (runs / "abc-1.report").stat().st_mode & 0o077 == 0, "it holds sources"
    healed.unlink()
    assert kept.find(1) is None, "what was written is gone"
    healed.write_text("b")
    given.write_text("changed")
    assert kept.find(1) is None


def test_who_goes_on_does_not_run_what_is_done(tmp_path: Path) -> None:
    broken = tmp_path / "n.ipynb"
    broken.write_text("this is no notebook")
    kept = KeptReports("abc")
    with kept.hold_part(1):
        kept.keep(1, report(broken), broken, None)
    job = Job(broken, None, 1)
    with Session(Settings(), "abc", resuming=True) as session:
        assert heal_once(session, job) == report(broken), "it is not even looked at"
    with Session(Settings(), "abc") as session:
        assert heal_once(session, job).exit_code == 2, "a run that begins looks at all"


def test_a_data_folder_that_cannot_be_written_to_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    kept = KeptReports("abc", tmp_path / "file" / "runs")
    with kept.hold_part(1):
        kept.keep(1, report(tmp_path))
    assert kept.find(1) is None
    kept.forget()


def test_those_of_a_run_that_nobody_went_on_with_go_after_a_week(runs: Path) -> None:
    runs.mkdir(parents=True)
    for name in ("old-1.report", "new-1.report", "mine-1.report", "mine-2.lock", "mine.command", "mineral.command"):
        (runs / name).touch()
    os.utime(runs / "old-1.report", (time.time() - 8 * 86_400,) * 2)
    KeptReports("mine").forget()
    assert {p.name for p in runs.iterdir()} == {"new-1.report", "mineral.command"}


@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("cluster", ["", "dask://far:8786", "local:2"])
def test_what_is_said_after_ctrl_c_is_so(
    begun: bool, cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of healthy cells can be gone on with, one that began nothing is not named, and a cluster's workers do go on."""
    for name in "ab":
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(notebook("1")))

    def interrupted(options: object, jobs: object, run: str) -> object:
        if begun:
            KeptReports(run).hold_part(1).__enter__()
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(command, "_heal_all", interrupted)
    options = build_parser().parse_args(["check", str(tmp_path), "-q", *(["--cluster", cluster] if cluster else [])])
    with pytest.raises(SelfHealError) as caught:
        command.heal_jobs(options, *plan_jobs(options))
    said, _, hint = str(caught.value).partition("; go on with: jupyter selfheal check --resume ")
    if cluster.startswith("dask"):
        assert "nothing is left running" not in str(caught.value)
        assert "the workers of dask://far:8786 finish those that they are at" in str(caught.value)
    else:
        assert said == "interrupted: nothing more was written, and nothing is left running"
    assert bool(hint) == begun
    if begun:
        assert find_run(hint) == hint


def test_a_run_that_never_was_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no run 'abcd1234' to resume"):
        find_run("abcd1234")
