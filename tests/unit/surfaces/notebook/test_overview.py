"""What is printed of one notebook and of five hundred fits a terminal of 80 columns, and begins with what failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from jupyter_selfheal.model import (
    Candidate,
    Cell,
    Diagnosis,
    Ending,
    Failure,
    Isolation,
    Patch,
    Replace,
    Start,
    Trial,
    Verdict,
)
from jupyter_selfheal.surfaces.cli.parser import build_parser
from jupyter_selfheal.surfaces.cli.printing import ReportPrinter
from jupyter_selfheal.surfaces.notebook.overview import format_line, format_overview
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.table import format_reports
from tests.batches import batch
from tests.unit.surfaces.notebook.test_report import upper

Make = Callable[..., Document]
LONG = "the column 'temperature_in_degrees_celsius' is not in the frame, which has 'temperature', 'humidity' and 'pressure'"


def record(number: int, status: Status = Status.RAN, cause: str = "", detail: str = "") -> Record:
    failure = () if status is Status.RAN else (Failure(f"c{number}", "x", ename="KeyError", evalue=LONG),)
    return Record(Cell(f"c{number}", "x"), number, status, failure, Diagnosis(cause), detail=detail)


def course() -> list[NotebookReport]:
    """500 notebooks: 12 fail of two causes, one cannot be read, 40 were healed, the rest runs."""
    reports = [NotebookReport(f"lessons/{n:03}.ipynb", records=(record(1),)) for n in range(447)]
    reports += [
        NotebookReport(
            f"lessons/healed-{n}.ipynb",
            records=(record(1, Status.HEALED),),
            survived=True,
            fixes=("Write `trapezoid`",),
        )
        for n in range(40)
    ]
    reports += [
        NotebookReport(
            f"data/{n}.ipynb", records=(record(1), record(2, Status.LEFT_ALONE, "No key is set.", "Set API_KEY."))
        )
        for n in range(9)
    ]
    reports += [
        NotebookReport(
            f"frames/{n}.ipynb",
            records=(record(1, Status.NOT_HEALED, LONG), record(2, Status.NOT_HEALED, LONG), record(3, Status.CASCADE)),
        )
        for n in range(3)
    ]
    return [*reports, NotebookReport("lessons/bad.ipynb", error="lessons/bad.ipynb: not valid JSON (line 1)")]


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_five_hundred_notebooks_are_a_page_that_begins_with_what_failed(columns: int) -> None:
    text = format_overview(course(), columns)
    lines = text.splitlines()
    assert max(map(len, lines)) <= columns
    assert len(lines) < 70
    order = ["Could not be run: 1", "Still fails: 12 of 500", "No key is set.", "the column", "Healed: 40 cells"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert "(9 cells in 9 notebooks)" in text
    assert "(6 cells in 3 notebooks)" in " ".join(text.split())
    assert "frames/0.ipynb, cells 1, 2:" in text, "the cascade is no cause of its own"
    assert "Write `trapezoid` (40 times): lessons/healed-0.ipynb, lessons/healed-1.ipynb" in " ".join(text.split())
    assert "500 notebooks: 487 run" in text


def test_a_notebook_of_many_is_one_line() -> None:
    reports = course()
    assert format_line(reports[0], 80) == "ok     lessons/000.ipynb: the 1 code cell runs"
    assert format_line(reports[-1], 80) == "ERROR  lessons/bad.ipynb: not valid JSON (line 1)"
    assert format_line(reports[-2], 80).startswith("FAILS  frames/2.ipynb: 3 code cells: 0 ran")
    assert all(len(format_line(report, 80)) <= 80 for report in reports)


def test_a_few_notebooks_are_tables_and_many_are_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    options = build_parser().parse_args(["heal", "x"])
    few, many = ReportPrinter(options, 3), ReportPrinter(options, 500)
    few.print_report(course()[-2])
    assert "cell 2: KeyError" in capsys.readouterr().out
    many.print_report(course()[-2])
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize("columns", [60, 80, 129, 130, 200])
def test_a_table_is_never_wider_than_the_terminal(document: Make, columns: int) -> None:
    given = document("a = 'x'", "a.uper()", "missing_thing", "missing_thing + 1", f"raise ValueError({LONG!r})")
    report, _ = batch(given, upper).run()
    for verbose in (False, True):
        text = format_reports([report], verbose, columns=columns)
        assert max(map(len, text.splitlines())) <= columns, text
        said = " ".join(text.split())
        assert "Write 'upper' <b>" in said
        assert "nobody knows" in said


def test_a_narrow_table_says_what_the_wide_one_says(document: Make) -> None:
    report, _ = batch(document("a = 'x'", "a.uper()"), upper).run()
    assert format_reports([report], columns=80).splitlines()[1:4] == [
        "  cell 2: AttributeError: 'str' object has no attribute 'uper'",
        "    fix: Write 'upper' <b>",
        "    proven from before, fake; score 8.0; 0 tries, 0.1 s, $0",
    ]
    report, _ = batch(document("missing_thing"), upper).run()
    said = format_reports([report], columns=80)
    assert "    no fix: " in said, "why there is none is no fix"
    assert "    fix: " not in said


def test_notebooks_that_one_thing_kept_from_being_run_are_said_once() -> None:
    """A scheduler that is gone, a time that is up: five hundred lines would say no more."""
    gone = [NotebookReport(f"n{n}.ipynb", error=f"n{n}.ipynb: the scheduler is gone") for n in range(30)]
    other = NotebookReport("x.ipynb", error="x.ipynb: no such file")
    lines = format_overview([other, *gone], 80).splitlines()
    assert lines[0] == "Could not be run: 31"
    assert lines[1] == "  the scheduler is gone (30 notebooks)"
    assert lines[2].startswith("      n0.ipynb, n1.ipynb")
    assert lines[3].endswith("and 20 more")
    assert lines[4] == "  x.ipynb: no such file"


def test_cells_that_give_something_else_than_stored_are_named() -> None:
    report = NotebookReport("n.ipynb", records=(record(1), replace(record(2), differs=True)))
    assert "Gives something else than stored: 1 notebook\n  n.ipynb, cell 2\n" in format_overview([report], 80)


def test_cells_that_fail_of_one_cause_are_a_range() -> None:
    """Seventy cells that a time limit kept from being run were seventy numbers."""
    records = tuple(record(n, Status.NOT_REACHED, "the time is up") for n in (2, 5, 6, 7))
    assert "      n.ipynb, cells 2, 5 to 7" in format_overview([NotebookReport("n.ipynb", records=records)], 80)


def test_cells_that_only_follow_are_one_line() -> None:
    """Fourteen of them were fourteen lines, where a lesson's first cell could not load its data."""
    root = Record(Cell("c1", "1"), 1, Status.LEFT_ALONE, (Failure("c1", "1", ename="URLError", evalue="no network"),))
    lost = Failure("c", "tips", ename="NameError", evalue="name 'tips' is not defined")
    follow = [Record(Cell(f"c{n}", "tips"), n, Status.CASCADE, (lost,), cascade_of=1) for n in (2, 3, 4, 6, 9)]
    other = replace(follow[0], number=7, failure=(replace(lost, evalue="name 'day' is not defined"),))
    report = NotebookReport("plots.ipynb", records=(root, *follow, other))
    lines = format_reports([report], 80).splitlines()
    assert "  cells 2 to 4, 6, 9: follow from cell 1: NameError: name 'tips' is not defined" in lines
    assert "  cell 7: follows from cell 1: NameError: name 'day' is not defined" in lines


@pytest.mark.parametrize("columns", [80, 160])
def test_an_offer_says_what_could_go_wrong_with_it_as_its_card_does(columns: int) -> None:
    patch = Patch(
        (Replace("c1", "x", "y"),), "Write `y`", "rules", risk="changes cell 1, on which cells 4 and 5 depend"
    )
    fix = (
        Candidate(
            patch,
            Trial(patch.id, (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("forked")),
            Verdict(patch.id, 6.0, True),
        ),
    )
    offered = replace(record(1, Status.PROPOSED), candidate=fix)
    taken = replace(record(2, Status.HEALED), candidate=fix)
    said = " ".join(format_reports([NotebookReport("a.ipynb", records=(offered, taken))], columns=columns).split())
    assert "cell 1, what could go wrong with the fix that is offered: changes cell 1, on which cells 4 and 5" in said
    assert said.count("could go wrong") == 1, "what was taken was decided"


def test_a_cell_that_waits_for_a_service_is_no_cell_that_is_broken() -> None:
    waits = replace(record(1, Status.NOT_HEALED), paused=True)
    assert NotebookReport("a.ipynb", records=(waits,)).exit_code == 2
    assert NotebookReport("a.ipynb", records=(replace(waits, paused=False),)).exit_code == 1


@pytest.mark.parametrize("columns", [80, 160])
def test_a_cell_that_stands_in_the_table_is_not_told_of_below_it_again(columns: int) -> None:
    report = NotebookReport("a.ipynb", records=(record(1, Status.NOT_HEALED, LONG), record(2, Status.LEFT_ALONE, LONG)))
    lines = format_reports([report], columns=columns).splitlines()[1:]
    assert [line.split(":")[0].strip() for line in lines if "left alone" in line] == ["cell 2"]
    assert not any("not healed:" in line for line in lines)


def test_what_is_wrong_with_several_cells_is_said_once_whatever_the_line() -> None:
    """Three cells that ask for input, at three lines: one sentence. Another cause of the same notebook stands behind it."""
    asks = "fixed the first problem (Write input); next: nobody can answer (line {}). Give the answer."
    details = [asks.format(13), asks.format(15), "No key is set.", asks.format(7)]
    records = tuple(record(n, Status.NOT_HEALED, "One cause.", detail) for n, detail in enumerate(details, 1))
    said = " ".join(format_overview([NotebookReport("a.ipynb", records=records)], 200).split())
    once = "a.ipynb, cells 1 to 4: fixed the first problem (Write input); next: nobody can answer. Give the answer; No key is set. 1 notebook"
    assert once in said
    alone = " ".join(format_overview([NotebookReport("a.ipynb", records=records[:1])], 200).split())
    assert "nobody can answer (line 13). Give the answer." in alone, "of one cell the line is told"
