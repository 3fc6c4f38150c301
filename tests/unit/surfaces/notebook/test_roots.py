"""One change heals several cells: which ones is seen by running them without it, and every report says so in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from jupyter_selfheal.model import Case, Output, Patch, Replace, RunCells
from jupyter_selfheal.surfaces.notebook import without_fix
from jupyter_selfheal.surfaces.notebook.exports import format_junit, format_markdown
from jupyter_selfheal.surfaces.notebook.failures import list_warnings
from jupyter_selfheal.surfaces.notebook.html import format_page
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.report import to_json
from jupyter_selfheal.surfaces.notebook.roots import describe_reach, list_healed_too
from jupyter_selfheal.surfaces.notebook.table import format_reports
from jupyter_selfheal.surfaces.pr.texts import format_request
from tests.batches import batch, cell

Make = Callable[..., Document]
SILENT = (
    "values = ['4', '5']",
    "list(map(int, values))",
    "kept = len(values)",
    "total = sum(values)",
    "total + 1",
    "kept + 1",
    "max(values) + 1",
    "values",
)
"""The second cell does nothing of what it is for; the fourth one fails of it, and below that the fifth and the seventh."""


def heal_above(case: Case) -> Iterator[Patch]:
    """Write into ``values`` where the numbers are thrown away; and one name for another."""
    for one in case.notebook.cells:
        if one.source == SILENT[1]:
            new = "values = list(map(int, values))"
            yield Patch((Replace(one.id, one.source, new), RunCells((one.id,))), "Keep the numbers")
    failing = case.notebook.cell(case.failure.cell_id)
    yield Patch((Replace(failing.id, failing.source, failing.source.replace("valeus", "values")),), "Right a slip")


def heal(document: Make, *cells: object) -> NotebookReport:
    return batch(document(*cells), heal_above).run()[0]


def list_reach(report: NotebookReport) -> dict[int, list[int]]:
    return {r.number: found for r in report.records if (found := list_healed_too(report, r))}


def test_the_cells_that_failed_only_because_of_a_silent_root_are_counted(document: Make) -> None:
    report = heal(document, *SILENT)
    assert list_reach(report) == {4: [5, 7]}, "the sixth and the eighth ran before"
    said = "one change, 3 cells run: the fix of cell 4, made at its root in cell 2, also heals cells 5, 7, which failed only because of it"
    assert describe_reach(report, report.records[3]) == said


def test_every_form_of_a_report_says_so(document: Make) -> None:
    report = heal(document, *SILENT)
    said = "also heals cells 5, 7, which failed only because of it"
    assert said in format_page([report])
    assert said in format_markdown([report])
    assert said in format_junit([report])
    assert said in format_request([report], "0", "main")
    narrow = format_reports([report], columns=80)
    assert said in " ".join(narrow.split())
    assert max(map(len, narrow.splitlines())) <= 80
    assert [c["also_heals"] for c in to_json([report])["notebooks"][0]["cells"]][3] == [5, 7]  # type: ignore[index,call-overload]


def test_what_a_failing_cell_itself_would_have_made_is_counted_too(document: Make) -> None:
    report = heal(document, "values = [4, 5]", "total = sum(valeus)", "total + 1", "len(values)")
    assert list_reach(report) == {2: [3]}
    words = describe_reach(report, report.records[1])
    assert words == "one change, 2 cells run: the fix of cell 2 also heals cell 3, which failed only because of it"


@pytest.mark.parametrize(
    "below",
    [
        pytest.param("len(values)", id="it ran before"),
        pytest.param("total + missing", id="it still fails, of something else"),
        pytest.param("import os\nos.system('true')\ntotal + 1", id="it may not be run unasked"),
        pytest.param("total = 3\ntotal + 1", id="it makes its own"),
        pytest.param("try:\n    total + 1\nexcept NameError:\n    pass", id="it expects the failure"),
    ],
)
def test_a_cell_that_was_not_seen_to_fail_of_it_is_not_counted(document: Make, below: str) -> None:
    report = heal(document, "values = [4, 5]", "total = sum(valeus)", below)
    assert not list_reach(report)
    assert not describe_reach(report, report.records[1])


def test_a_cell_that_is_meant_to_fail_is_not_counted(document: Make) -> None:
    meant = cell("total.nothing", metadata={"tags": ["raises-exception"]})
    assert not list_reach(heal(document, "values = [4, 5]", "total = sum(valeus)", meant))


def test_a_cell_that_needs_a_second_fix_is_counted_with_the_last_one(document: Make) -> None:
    report = heal(document, *SILENT[:4], "most = max(valeus) + total", "most + total", "total + 2")
    assert list_reach(report) == {4: [7], 5: [6]}


def test_a_cell_behind_one_that_is_not_run_unasked_is_not_counted(document: Make) -> None:
    loaded = "import shutil\nloaded = [total, shutil.which('x')][0]"
    report = heal(document, "values = [4, 5]", "total = sum(valeus)", loaded, "loaded + 1", "total + 1")
    assert list_reach(report) == {2: [5]}


def test_what_there_is_no_time_for_is_not_counted(document: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(without_fix.RunsWithout.__init__, "__defaults__", (0.0,))
    report = heal(document, "values = [4, 5]", "total = sum(valeus)", "total + 1")
    assert report.exit_code == 0
    assert not list_reach(report)
    assert report.records[1].without.unknown


def test_what_runs_without_the_fix_changes_nothing_of_the_notebook(document: Make) -> None:
    cells = (
        "log = []",
        "values = [4, 5]",
        "total = sum(valeus)",
        "log.append(1)\nlog.append(total)",
        "assert len(log) == 2",
    )
    report = heal(document, *cells)
    assert report.exit_code == 0
    assert list_reach(report) == {3: [4, 5]}


def test_warnings_of_a_cell_are_told_by_their_class() -> None:
    text = "/tmp/x.py:3: ChainedAssignmentError: A value is being set on a copy\nSuch a method never works\n<stdin>:1: FutureWarning: soon\n"
    outputs = [Output("stream", "stderr", text), Output("stream", "stdout", "a.py:1: NotOne: of stdout\n")]
    assert list_warnings(outputs) == ("ChainedAssignmentError", "FutureWarning")
