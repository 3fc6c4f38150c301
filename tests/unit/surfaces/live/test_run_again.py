"""What the trial of a fix ran again runs again when it is approved, else the fixed cell would fail as before."""

from __future__ import annotations

from jupyter_selfheal.model import (
    Candidate,
    Cell,
    Ending,
    Isolation,
    Notebook,
    Patch,
    Replace,
    Role,
    RunCells,
    Start,
    StepResult,
    Trial,
    Verdict,
)
from jupyter_selfheal.surfaces.live.frontend_edits import to_frontend_edits
from jupyter_selfheal.surfaces.live.patch_application import build_plan

CELLS = {"def": "def f():\n    return '1'", "named": "k = f()", "use": "n = f()", "fail": "n + 1"}
NOTEBOOK = Notebook(tuple(Cell(i, source) for i, source in CELLS.items()))
PATCH = Patch((Replace("def", CELLS["def"], CELLS["def"].replace("'1'", "1")), RunCells(("named",))), "Give a number")


def candidate(*ran: str) -> Candidate:
    steps = (
        *(StepResult("ok", Role.SETUP.value, i) for i in ran),
        StepResult("ok", Role.CELL.value, "fail"),
    )
    trial = Trial(PATCH.id, steps, Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake"))
    return Candidate(PATCH, trial, Verdict(PATCH.id, 9.0, True))


def test_in_the_kernel_after_the_new_definition() -> None:
    plan = build_plan(candidate("def", "named", "use"), "fail", CELLS["fail"], NOTEBOOK)
    assert plan.first == (CELLS["def"].replace("'1'", "1"), CELLS["named"], CELLS["use"])


def test_in_the_front_end_before_the_failing_cell() -> None:
    edits = to_frontend_edits(PATCH, NOTEBOOK, again=candidate("def", "named", "use").cells_run_again)
    assert [e["kind"] for e in edits] == ["replace", "run", "run"]
    assert edits[-1]["cellIds"] == ["use"]
    assert edits[-1]["label"].endswith("cell 3")


def test_a_fix_of_the_failing_cell_runs_nothing_else() -> None:
    assert candidate().cells_run_again == ()
    assert [e["kind"] for e in to_frontend_edits(PATCH, NOTEBOOK)] == ["replace", "run"]
