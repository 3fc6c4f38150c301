"""What holds in every environment is applied; what holds in one only is offered, and that is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from jupyter_selfheal.model import (
    Candidate,
    Cell,
    Ending,
    Failure,
    FailureKind,
    Isolation,
    Notebook,
    Output,
    Patch,
    Replace,
    Start,
    StepResult,
    Verdict,
)
from jupyter_selfheal.model import Trial as ModelTrial
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.environments import Trial, settle
from jupyter_selfheal.surfaces.notebook.fixes import Fix
from jupyter_selfheal.surfaces.notebook.overview import format_overview
from jupyter_selfheal.surfaces.notebook.records import CellWarning, NotebookReport, Record, Status

CELLS = (Cell("a", "print(1)"), Cell("b", "print(old)"), Cell("c", "print(older)"))
TRIED = ModelTrial("p", (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake"))


def runs(text: str = "") -> CellRun:
    return CellRun(StepResult("ok", outputs=(Output("stream", name="stdout", text=text),) if text else ()), 1)


def fails(cell_id: str, what: str = "gone") -> CellRun:
    return CellRun(StepResult("error"), 1, (Failure(cell_id, "", FailureKind.RAISED, "NameError", what),))


def fix(cell: Cell) -> Fix:
    patch = Patch((Replace(cell.id, cell.source, cell.source.replace("old", "new")),), f"Fix {cell.id}")
    return Fix(cell.id, patch, Candidate(patch, TRIED, Verdict(patch.id, 8.0, True)))


FIXES = tuple(fix(cell) for cell in CELLS[1:])


def healed(*proposed: str) -> NotebookReport:
    records = [Record(CELLS[0], 1, Status.RAN)]
    for number, one in enumerate(FIXES, start=2):
        status = Status.PROPOSED if one.cell_id in proposed else Status.HEALED
        failure = Failure(one.cell_id, "", FailureKind.RAISED, "NameError", "old")
        records.append(Record(CELLS[number - 1], number, status, (failure,), candidate=(one.candidate,)))
    given = notebook = Notebook(CELLS)
    for one in FIXES:
        notebook = notebook.apply(one.patch) if one.cell_id not in proposed else notebook
    titles = tuple(f.patch.title for f in FIXES if f.cell_id not in proposed)
    return NotebookReport("n.ipynb", records=tuple(records), given=given, healed=notebook, fixes=titles, survived=True)


Answer = Callable[[Sequence[Fix]], dict[str, CellRun]]


def there(answer: Answer, name: str = "oldest.txt") -> Trial:
    return Trial(name, answer, answer(()))


def all_run(fixes: Sequence[Fix]) -> dict[str, CellRun]:
    return {c.id: runs("1") for c in CELLS}


def sources(report: NotebookReport) -> list[str]:
    return [c.source for c in report.healed.cells]


def test_what_holds_in_every_environment_is_applied_and_said() -> None:
    report, _ = settle((healed(), {}), FIXES, [there(all_run)], "newest.txt", all_run)
    assert report.exit_code == 0
    assert sources(report) == ["print(1)", "print(new)", "print(newer)"]
    assert report.notes == ("healed with newest.txt; what was applied is proven with oldest.txt and newest.txt",)
    assert [e.words for e in report.elsewhere] == ["with oldest.txt every cell runs that should"]


def test_a_fix_that_holds_in_one_only_is_offered_and_the_other_stays() -> None:
    def answer(fixes: Sequence[Fix]) -> dict[str, CellRun]:
        return {**all_run(fixes), **({"b": fails("b")} if any(f.cell_id == "b" for f in fixes) else {})}

    report, _ = settle((healed(), {}), FIXES, [there(answer)], "newest.txt", all_run)
    assert sources(report) == ["print(1)", "print(old)", "print(newer)"]
    assert report.fixes == ("Fix c",)
    offered = report.records[1]
    assert offered.status is Status.PROPOSED
    assert offered.detail == "it holds with newest.txt only: with oldest.txt the cell fails (NameError: gone)"
    assert (report.exit_code, report.elsewhere[0].failing) == (1, ())


def test_a_healed_warning_that_holds_in_one_only_leaves_a_cell_that_runs() -> None:
    """The new way to say it is not there yet in the oldest release."""

    def answer(fixes: Sequence[Fix]) -> dict[str, CellRun]:
        return {**all_run(fixes), **({"b": fails("b")} if any(f.cell_id == "b" for f in fixes) else {})}

    report = healed()
    warned = tuple(replace(r, was_warned=r.cell.id == "b") for r in report.records)
    report = replace(report, records=warned, warnings=(CellWarning(2, "FutureWarning: old", "healed", "Fix b"),))
    report, _ = settle((report, {}), FIXES, [there(answer)], "newest.txt", all_run)
    assert (report.records[1].status, report.records[1].failure, report.exit_code) == (Status.RAN, (), 0)
    assert "it holds with newest.txt only" in report.records[1].detail
    assert [w.status for w in report.warnings] == ["offered"]
    assert sources(report) == ["print(1)", "print(old)", "print(newer)"]


@pytest.mark.parametrize(("without", "why"), [("1", "cell 1 gives 2, and 1 without the fixes"), (None, "")])
def test_a_fix_that_changes_what_a_cell_gives_there_is_offered(without: str | None, why: str) -> None:
    """Where the notebook runs as it was given, what it gives there is right."""

    def answer(fixes: Sequence[Fix]) -> dict[str, CellRun]:
        before = runs(without) if without else fails("a")
        return {**all_run(fixes), "a": runs("2") if fixes else before}

    report, _ = settle((healed(), {}), FIXES, [there(answer)], "newest.txt", all_run)
    assert [r.status for r in report.records[1:]] == [Status.PROPOSED if why else Status.HEALED] * 2
    assert why in report.records[1].detail
    assert sources(report)[1:] == (["print(old)", "print(older)"] if why else ["print(new)", "print(newer)"])


def test_a_cell_that_the_fixes_break_there_is_named() -> None:
    def answer(fixes: Sequence[Fix]) -> dict[str, CellRun]:
        return {**all_run(fixes), "a": fails("a") if fixes else runs("1")}

    report, _ = settle((healed(), {"a": runs()}), FIXES, [there(answer)], "newest.txt", all_run)
    assert report.fixes == ()
    assert "with oldest.txt cell 1 fails, which runs there without the fixes" in report.records[2].detail


def test_what_does_not_stand_alone_is_not_applied_either() -> None:
    def answer(fixes: Sequence[Fix]) -> dict[str, CellRun]:
        return {**all_run(fixes), **({"b": fails("b")} if any(f.cell_id == "b" for f in fixes) else {})}

    def at_home(fixes: Sequence[Fix]) -> dict[str, CellRun]:
        return {**all_run(fixes), "c": runs() if len(fixes) == 2 else fails("c")}

    report, _ = settle((healed(), {}), FIXES, [there(answer)], "newest.txt", at_home)
    assert report.fixes == ()
    assert sources(report) == [c.source for c in CELLS]
    assert "without the fixes that do not hold in every environment its cell fails" in report.records[2].detail


def test_what_is_only_offered_is_proven_there_too() -> None:
    report, _ = settle((healed("b", "c"), {}), FIXES, [there(all_run)], "newest.txt", all_run)
    assert [r.detail for r in report.records[1:]] == ["it holds with oldest.txt and newest.txt"] * 2
    assert not report.fixes


def test_what_fails_in_the_other_environment_alone_is_a_failure() -> None:
    def answer(fixes: Sequence[Fix]) -> dict[str, CellRun]:
        return {**all_run(fixes), "a": fails("a", "no trapezoid")}

    given = replace(healed(), records=(Record(CELLS[0], 1, Status.RAN),), fixes=(), healed=Notebook(CELLS))
    report, _ = settle((given, {}), (), [there(answer)], "newest.txt", all_run)
    assert report.exit_code == 1
    assert report.summary == "the 1 code cell runs; fails with oldest.txt"
    assert report.elsewhere[0].words == "with oldest.txt cell 1 fails: NameError: no trapezoid"
    said = format_overview([report], 80)
    assert "Fails with oldest.txt: 1 notebook\n  n.ipynb, cell 1: NameError: no trapezoid" in said


def test_what_is_meant_to_fail_may_fail_there() -> None:
    def answer(fixes: Sequence[Fix]) -> dict[str, CellRun]:
        return {"a": fails("a")}

    given: Any = replace(healed(), records=(Record(CELLS[0], 1, Status.MEANT_TO_FAIL),), fixes=())
    report, _ = settle((given, {}), (), [there(answer)], "newest.txt", all_run)
    assert report.exit_code == 0
