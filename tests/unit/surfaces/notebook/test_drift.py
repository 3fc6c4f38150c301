"""Run time and outputs before and after healing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from jupyter_selfheal.surfaces.notebook.drift import measure_drift, read_stored_seconds, refuse_slowdown
from jupyter_selfheal.surfaces.notebook.exports import format_markdown
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import CellDrift, NotebookReport, Status
from jupyter_selfheal.surfaces.notebook.report import to_json
from jupyter_selfheal.surfaces.notebook.table import format_reports
from tests.batches import batch, cell
from tests.unit.surfaces.notebook.test_report import upper

Make = Callable[..., Document]
TIMES = {"iopub.execute_input": "2026-01-01T10:00:00.000Z", "shell.execute_reply": "2026-01-01T10:00:02.500Z"}


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


def test_less_than_a_second_is_no_slowdown(healed: NotebookReport) -> None:
    quick = replace(healed, drifts=(CellDrift(1, 0.1, 0.9),))
    assert refuse_slowdown(quick, 1.0) is quick
    assert "run time" not in format_reports([quick])


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
