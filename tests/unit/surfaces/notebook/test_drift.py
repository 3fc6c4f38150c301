"""Run time and outputs before and after healing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from jupyter_selfheal.model import Patch, Replace, StepResult
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.drift import (
    list_warning_drifts,
    measure_drift,
    read_stored_seconds,
    refuse_slowdown,
)
from jupyter_selfheal.surfaces.notebook.exports import format_markdown
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import CellDrift, CellWarning, NotebookReport, Status
from jupyter_selfheal.surfaces.notebook.report import to_json
from jupyter_selfheal.surfaces.notebook.table import format_reports
from tests.batches import batch, cell
from tests.unit.surfaces.notebook.test_report import upper

Make = Callable[..., Document]
TIMES = {"iopub.execute_input": "2026-01-01T10:00:00.000Z", "shell.execute_reply": "2026-01-01T10:00:02.500Z"}


@pytest.fixture
def warned(healed: NotebookReport) -> NotebookReport:
    """As after ``--warnings``, where the cell that is healed had run with a warning."""
    records = tuple(replace(r, was_warned=True) if r.status is Status.HEALED else r for r in healed.records)
    return replace(healed, records=records, warnings=(CellWarning(2, "FutureWarning: uper", "healed", "upper"),))


@pytest.fixture
def healed(document: Make) -> NotebookReport:
    given = document(
        "a = 'x'",
        cell("b = a.uper()\nb", metadata={"execution": TIMES}, outputs=[result("'Y'")]),
        "missing_thing",
        cell("c = b", metadata={"papermill": {"duration": 1.25}}),
        "d = 1",
    )
    return batch(given, upper).run()[0]


def result(text: str) -> dict[str, object]:
    return {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": text}}


def test_cells_above_the_first_fix_and_those_with_a_stored_time_are_compared(healed: NotebookReport) -> None:
    assert [(d.number, d.other_value) for d in healed.drifts] == [(1, False), (2, True), (4, False)]
    assert [d.before for d in healed.drifts[1:]] == [2.5, 1.25], "no run without the fix, but a stored time"
    drift = measure_drift(healed)
    assert drift is not None
    assert (drift.cells, drift.other_values) == (3, (2,))
    assert drift.before >= 3.75
    assert "another value than before in cell 2" in format_markdown([healed])
    assert to_json([healed])["notebooks"][0]["drift"]["cells"][1]["other_value"] is True


def test_a_stored_value_that_was_stale_without_any_fix_is_no_drift_of_the_fixes(document: Make) -> None:
    """The reviewer of a pull request looked for what a fix below had done to such a cell."""
    stale = cell("1 + 1", outputs=[result("3")], metadata={"execution": TIMES})
    report = batch(document(stale, "'a'.uper()", stale), upper).run()[0]
    assert [r.differs for r in report.records] == [True, False, True]
    assert [(d.number, d.other_value) for d in report.drifts] == [(1, False), (3, True)]


def test_a_notebook_without_a_fix_has_no_drift(document: Make) -> None:
    report = batch(document("1", "2")).run()[0]
    assert (report.drifts, measure_drift(report)) == ((), None)
    assert refuse_slowdown(report, 1.0) is report


def test_fixes_that_slow_a_notebook_down_are_refused(healed: NotebookReport) -> None:
    slow = replace(healed, drifts=(CellDrift(1, 6.0, 14.0),))
    assert refuse_slowdown(slow, 3.0) is slow
    assert "6.0 s before, 14.0 s after" in format_reports([slow])
    refused = refuse_slowdown(slow, 1.5)
    assert (refused.fixes, refused.healed, refused.exit_code) == ((), slow.given, 1)
    assert refused.records[1].status is Status.REVERTED
    assert "14.0 s with the fixes, 6.0 s without (2.3 times as long)" in refused.records[1].detail
    assert measure_drift(refused) is None


def test_a_slow_fix_of_a_warning_leaves_a_cell_that_runs(warned: NotebookReport) -> None:
    refused = refuse_slowdown(replace(warned, drifts=(CellDrift(1, 6.0, 14.0),)), 1.5)
    assert refused.records[1].status is Status.RAN, "a warning never makes a notebook broken"
    assert (refused.records[1].failure, refused.records[1].candidate) == ((), ())
    assert [w.status for w in refused.warnings] == ["offered"]


def test_every_cell_is_compared_where_warnings_were_healed(warned: NotebookReport) -> None:
    def ran(seconds: float, peak_mb: float) -> CellRun:
        return CellRun(StepResult("ok", seconds=seconds, peak_mb=peak_mb), 1)

    report = replace(warned, drifts=(CellDrift(1, 0.5, 0.6),))
    before = {"c0": ran(1.0, 80.0), "c1": ran(2.0, 90.0), "c3": ran(3.0, 90.0)}
    after = {"c0": ran(1.5, 80.0), "c1": ran(9.0, 400.0), "c4": ran(1.0, 400.0)}
    drifts = list_warning_drifts(report, before, after)
    assert [(d.number, d.before, d.after) for d in drifts] == [(1, 0.5, 1.5), (2, 2.0, 9.0)]
    assert (drifts[1].before_mb, drifts[1].after_mb) == (90.0, 400.0)


def test_less_than_a_second_is_no_slowdown(healed: NotebookReport) -> None:
    quick = replace(healed, drifts=(CellDrift(1, 0.1, 0.9),))
    assert refuse_slowdown(quick, 1.0) is quick
    assert "run time" not in format_reports([quick])


def test_more_memory_is_said_unasked_and_refuses_nothing(healed: NotebookReport) -> None:
    cells = (
        CellDrift(1, 1.0, 1.0, before_mb=90.0, after_mb=95.0),
        CellDrift(2, 1.0, 1.0, before_mb=120.4, after_mb=1540.2),
    )
    report = replace(healed, drifts=(*cells, CellDrift(4, 1.0, 1.0, after_mb=2000.0)))
    assert "at most 120 MB of memory before, 1,540 MB after" in " ".join(format_reports([report]).split())
    drift = to_json([report])["notebooks"][0]["drift"]
    assert (drift["before_mb"], drift["after_mb"]) == (120.4, 1540.2), (
        "a cell without a time before has no memory before"
    )
    assert (drift["cells"][2]["before_mb"], drift["cells"][2]["after_mb"]) == (None, 2000.0)
    assert refuse_slowdown(report, 1.1) is report


@pytest.mark.parametrize(("before", "after"), [(500.0, 590.0), (90.0, 180.0), (0.0, 900.0)])
def test_little_more_memory_is_not_said(healed: NotebookReport, before: float, after: float) -> None:
    report = replace(healed, drifts=(CellDrift(1, 1.0, 1.0, before_mb=before, after_mb=after),))
    assert "memory" not in format_reports([report])


def test_a_cell_that_missed_what_it_must_give_ran_before(document: Make) -> None:
    metadata = {"selfheal": {"expect": "'X'"}, "papermill": {"duration": 1000.0}}
    given = document("a = 'x'", cell("b = a.lower()\nb", metadata=metadata))
    fix = Patch((Replace("c1", "b = a.lower()\nb", "b = a.upper()\nb"),), "upper", healer="rules")
    report = batch(given, lambda case: [fix]).run()[0]
    assert [d.number for d in report.drifts] == [1, 2]
    assert report.drifts[1].before < 900, "it ran on this machine: no stored time is needed"


@pytest.mark.parametrize(
    ("metadata", "seconds"),
    [
        ({"papermill": {"duration": 3.25}}, 3.25),
        ({"execution": TIMES}, 2.5),
        ({"execution": {"iopub.execute_input": "yesterday"}}, None),
        ({"execution": {**TIMES, "shell.execute_reply": "2026-01-01T09:00:00"}}, None),
        ({"execution": {}}, None),
        ([], None),
    ],
)
def test_stored_times_are_read_where_they_make_sense(metadata: object, seconds: float | None) -> None:
    assert read_stored_seconds({"metadata": metadata}) == seconds
