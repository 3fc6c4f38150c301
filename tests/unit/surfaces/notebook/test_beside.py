"""The clean run that goes on beside the healing: it spares one run, and is believed only where all of it goes well."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.model import (
    Case,
    Cell,
    Isolation,
    Notebook,
    Patch,
    Replace,
    Run,
    Sandbox,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.surfaces.notebook.beside import CellSteps, RunBeside, stays_inside
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.dependencies import Deadline
from jupyter_selfheal.surfaces.notebook.drift import Drift
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import Status
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from tests.batches import batch
from tests.waiting import wait_until

Make = Callable[..., Document]


def write_one(case: Case) -> Iterator[Patch]:
    """``undefined`` is to be 1, in the failing cell or in the one that a comment names."""
    at = 0 if "above" in case.failure.source else case.notebook.index(case.failure.cell_id)
    cell = case.notebook.cells[at]
    yield Patch((Replace(cell.id, cell.source, cell.source.replace("undefined", "1")),), f"Write 1 in {cell.source}")


class Apart(FakeKernel):
    """What it writes is thrown away."""

    @property
    def isolation(self) -> Isolation:
        return Isolation("fake", ("overlay",))


def beside(made: Batch, *later: dict[str, object], kind: type[FakeKernel] = Apart) -> list[FakeKernel]:
    """The clean states that the batch begins from, each with its run beside; from the second one on they hold what ``later`` says."""
    states: list[FakeKernel] = []

    def open_state() -> FakeKernel:
        states.append(kind(namespace=dict([{}, *later][len(states)] if len(states) <= len(later) else {})))
        return states[-1]

    made.dependencies = replace(made.dependencies, open_state=open_state, runs_beside=True)
    return states


def test_what_ran_beside_is_not_run_again(document: Make) -> None:
    made = batch(document("a = undefined", "b = a + 1", "c = undefined", "print(a + b + c)"), write_one)
    states = beside(made)
    report, seen = made.run()
    assert (report.survived, report.was_run, report.count(Status.HEALED)) == (True, True, 2)
    assert len(states) == 2
    assert report.ran_beside
    assert [run.count for run in seen.values()] == [1, 2, 3, 4]
    assert printed(seen, "c3") == "4\n"


def test_a_fix_of_a_cell_that_had_run_beside_is_proven_from_the_top(document: Make) -> None:
    """The second fix changes the first cell, in which the first fix stands behind it."""
    given = document("def f(): return undefined", "a = undefined", "print(f())  # above")
    made = batch(given, write_one)
    states = beside(made)
    report, seen = made.run()
    assert report.survived
    assert printed(seen, "c2") == "1\n"
    assert report.healed.cells[0].source == "def f(): return 1"
    assert len(states) <= 3


FORESEEN = ("a = 1", "b = a + 1", "c = undefined", "print(a + b + c)")


def note_beside(made: Batch) -> list[list[str]]:
    """The cells of each trial of clean states, as they come."""
    ran: list[list[str]] = []

    class Noted(Apart):
        def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
            ran.append([step.code for step in request.steps if isinstance(step, Run)])
            trial, after = super().run(request)
            if after is not None:
                after.__class__ = type(self)
            return trial, after

    made.dependencies = replace(made.dependencies, open_clean=Noted)
    return ran


def test_where_a_failure_is_foreseen_the_clean_run_begins_with_the_first_cell(document: Make) -> None:
    made = batch(document(*FORESEEN), write_one)
    beside(made)
    ran = note_beside(made)
    seen_at_failure: list[list[str]] = []
    heal = made.dependencies.heal

    def heal_later(*given: Any) -> Any:
        assert wait_until(lambda: ran[:1])
        seen_at_failure.extend(ran)
        return heal(*given)

    made.dependencies = replace(made.dependencies, heal=heal_later, foresees_failure=lambda: True)
    report, seen = made.run()
    assert seen_at_failure[0][0] == "a = 1"
    assert (report.survived, report.ran_beside, report.count(Status.HEALED)) == (True, True, 1)
    assert printed(seen, "c3") == "4\n"
    assert [code for codes in ran for code in codes].count("a = 1") == 1


@pytest.mark.parametrize(
    ("foresees", "runs_beside", "cells"),
    [(False, True, ("a = 1", "print(a)")), (True, False, ("a = 1", "print(a)")), (True, False, FORESEEN)],
    ids=["none is foreseen", "none may run beside", "it may not, and a cell fails"],
)
def test_no_clean_run_begins_before_a_failure_else(
    document: Make, cells: tuple[str, ...], *, foresees: bool, runs_beside: bool
) -> None:
    made = batch(document(*cells), write_one)
    beside(made)
    ran = note_beside(made)
    made.dependencies = replace(made.dependencies, foresees_failure=lambda: foresees, runs_beside=runs_beside)
    report, _ = made.run()
    assert not report.ran_beside
    assert len(ran) == report.count(Status.HEALED)


def test_a_failure_that_was_foreseen_and_does_not_come_leaves_all_as_it_is(document: Make) -> None:
    made = batch(document("a = 1", "print(a)"), write_one)
    beside(made)
    made.dependencies = replace(made.dependencies, foresees_failure=lambda: True)
    report, seen = made.run()
    assert (report.count(Status.RAN), report.survived, report.ran_beside) == (2, True, False)
    assert printed(seen, "c1") == "1\n"


def test_a_fix_above_what_had_run_beside_from_the_beginning_is_proven_from_the_top(document: Make) -> None:
    made = batch(document("def f(): return undefined", "a = 1", "print(f())  # above"), write_one)
    states = beside(made)
    made.dependencies = replace(made.dependencies, foresees_failure=lambda: True)
    report, seen = made.run()
    assert (report.survived, printed(seen, "c2")) == (True, "1\n")
    assert len(states) <= 3


def test_without_an_overlay_no_two_runs_write_at_once(document: Make) -> None:
    made = batch(document("a = undefined", "print(a)"), write_one)
    states = beside(made, kind=FakeKernel)
    report, _ = made.run()
    assert (report.survived, report.ran_beside, len(states)) == (True, False, 2)


@pytest.mark.parametrize("spoilt", ["cell", "fix"])
def test_what_goes_wrong_beside_is_run_again_alone(document: Make, spoilt: str) -> None:
    """What shares the machine with it may be at fault, so neither a fix nor a cell is blamed for it."""
    cells = {
        "cell": ("a = undefined", "assert 'busy' not in globals()"),
        "fix": ("a = undefined\nassert 'busy' not in globals()",),
    }
    made = batch(document(*cells[spoilt]), write_one)
    states = beside(made, {"busy": True}, {})
    report, _ = made.run()
    assert (report.survived, report.count(Status.HEALED), report.notes, report.ran_beside) == (True, 1, (), False)
    assert len(states) == 3


def test_a_fix_that_no_clean_kernel_bears_is_taken_back_as_ever(document: Make) -> None:
    made = batch(document("a = undefined\nassert 'clean' not in globals()"), write_one)
    beside(made, {"clean": True}, {"clean": True}, {"clean": True})
    report, _ = made.run()
    assert report.count(Status.REVERTED) == 1


def printed(seen: dict[str, CellRun], cell_id: str) -> str:
    return "".join(o.text for o in seen[cell_id].result.outputs)


class Lost(Apart):
    """Its state cannot be kept: a thread runs in it."""

    def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
        return super().run(request)[0], None


def test_a_state_that_cannot_be_kept_ends_the_run_beside(document: Make) -> None:
    made = batch(document("a = undefined", "print(a)"), write_one)
    beside(made)
    clean = iter((Lost(), Apart()))
    made.dependencies = replace(made.dependencies, open_clean=lambda: next(clean))
    report, seen = made.run()
    assert report.survived
    assert printed(seen, "c1") == "1\n"


def test_seconds_of_a_run_beside_speak_against_no_fix() -> None:
    """Something else ran on the machine: unasked nothing is said, and what is said does not take them for more than they are."""
    alone, shared = (Drift(4.0, 9.0, 3, ran_beside=ran_beside) for ran_beside in (False, True))
    assert (alone.is_noteworthy, shared.is_noteworthy) == (True, False)
    assert "at most 9.0 s after" in shared.words
    assert "at most" not in alone.words


def test_it_can_be_closed_before_it_began_and_twice() -> None:
    made = RunBeside(FakeKernel, None, None)  # type: ignore[arg-type]
    made.close()
    made.close()
    assert made.finish((), ()) is None


@pytest.mark.parametrize(
    ("source", "inside"),
    [
        ("import pandas as pd\npd.read_csv('a.csv')", True),
        ("from sklearn.svm import SVC\nSVC(", True),
        ("socket = 3\nprint(socket)", True),
        ("import http.server\nserve(", False),
        ("import os, subprocess as s", False),
        ("!python server.py &", False),
        ("from flask import Flask", False),
        ("import os\nos.system('rm lock')", False),
        ("import sqlalchemy as sa", False),
        ("pd.read_sql('t', 'postgresql://me@host/db')", False),
        ("SVC(n_jobs=-1)", False),
        ("import sys\nsys.path.append('../src')", False),
        ("from concurrent.futures import ProcessPoolExecutor", False),
    ],
)
def test_a_notebook_that_shares_more_than_its_process_is_not_run_twice_at_once(source: str, inside: bool) -> None:
    assert stays_inside(Notebook((Cell("a", "import os"), Cell("b", source)))) is inside


@pytest.mark.parametrize(
    ("cell", "helper", "inside"),
    [
        ("import helper", "import math", True),
        ("import other", "import socket", True),
        ("import helper", "import socket", False),
        ("from helper import f", "from inner import g", False),
        ("from helper import (\n  f)\nprint 3", "import subprocess", False),
        ("import helper", "def f(:", False),
    ],
)
def test_what_the_files_beside_the_notebook_share_counts_too(
    tmp_path: Path, cell: str, helper: str, inside: bool
) -> None:
    (tmp_path / "helper.py").write_text(helper)
    (tmp_path / "inner.py").write_text("import pymongo")
    assert stays_inside(Notebook((Cell("a", cell),), folder=str(tmp_path))) is inside


ONE = (CellSteps("a", (Run("x = 1", "a"),), 1.0),)


def test_its_end_is_not_waited_for_while_a_kernel_starts_and_that_one_is_closed_then() -> None:
    begun, go_on, state = threading.Event(), threading.Event(), FakeKernel()

    def open_clean() -> FakeKernel:
        begun.set()
        go_on.wait(60)
        return state

    made = RunBeside(open_clean, Sandbox(), Deadline(60), close_seconds=0.0)
    made.follow(ONE, ())
    assert begun.wait(60)
    made.close()
    go_on.set()
    assert wait_until(lambda: state.is_closed, pause=0.002)
    assert made.finish(ONE, ()) is None


def test_an_error_that_nobody_foresaw_is_a_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    def open_clean() -> FakeKernel:
        raise ValueError("odd")

    made = RunBeside(open_clean, Sandbox(), Deadline(60))
    made.follow(ONE, ())
    assert made.finish(ONE, ()) is None
    made.close()
    assert [r.getMessage() for r in caplog.records] == ["the clean run beside the healing ended: ValueError: odd"]
