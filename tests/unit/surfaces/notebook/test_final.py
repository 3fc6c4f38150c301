"""Which fix is taken back, and how often the whole notebook is run to find it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from jupyter_selfheal.errors import RUN_AGAIN, KernelError
from jupyter_selfheal.model import Case, Ending, Patch, Replace, Trial, TrialRequest
from jupyter_selfheal.surfaces.notebook.final import MOST_RUNS
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import Status
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from tests.batches import batch, cell

Make = Callable[..., Document]
BROKEN = tuple(f"x{n} = {n} + undefined" for n in range(8))


def write_one(case: Case) -> Iterator[Patch]:
    source = case.failure.source
    yield Patch((Replace(case.failure.cell_id, source, source.replace("undefined", "1")),), f"Write 1 in {source}")


def write_text(case: Case) -> Iterator[Patch]:
    source = case.failure.source
    if "undefined" in source:
        by = "'1'" if "'" in source else "1"
        yield Patch((Replace(case.failure.cell_id, source, source.replace("undefined", by)),), f"Write {by}")


def counted(made: Batch, later: dict[str, object]) -> list[FakeKernel]:
    """The clean states that the batch begins from; from the second one on they hold what ``later`` says."""
    states: list[FakeKernel] = []

    def open_state() -> FakeKernel:
        states.append(FakeKernel(namespace=later if states else {"clean": False}))
        return states[-1]

    made.dependencies = replace(made.dependencies, open_state=open_state)
    return states


def test_cells_that_fail_in_every_clean_kernel_cost_two_runs_and_no_fix(document: Make) -> None:
    made = batch(document(*BROKEN, *(f"assert not clean, {n}" for n in range(5))), write_one)
    states = counted(made, {"clean": True})
    report, _ = made.run()
    assert report.count(Status.HEALED) == 8
    assert not report.survived
    assert (report.was_run, report.exit_code) == (True, 1)
    assert sum("not in the final clean run" in note for note in report.notes) == 5
    assert len(states) == 1 + 2  # the first run; with all fixes, with none of them


def test_the_fix_that_breaks_a_cell_is_found_by_halves(document: Make) -> None:
    """In a clean kernel, and only there, the sixth fix spoils what the last cell reads."""
    spoiling = "x5 = 5 + undefined\nif clean: del keep"
    made = batch(document("keep = 1", *BROKEN[:5], spoiling, *BROKEN[6:], "keep"), write_one)
    states = counted(made, {"clean": True})
    report, _ = made.run()
    assert [r.number for r in report.records if r.status is Status.REVERTED] == [7]
    assert report.count(Status.HEALED) == 7
    assert report.survived
    assert report.clean_run_words == "what is healed holds in a clean kernel; 1 cell still fails"
    assert len(states) <= 1 + 1 + 1 + 3 + 1  # first; all; none; three halves of eight; what is left


def test_a_fix_is_not_taken_back_for_what_a_cell_above_it_gives(document: Make) -> None:
    """The first cell hangs on the kernel: it gives what is stored in the chain, and something else in the clean run."""
    told = cell("print(1 if clean else 0)", outputs=[{"output_type": "stream", "name": "stdout", "text": ["0\n"]}])
    made = batch(document(told, "a = 1 + undefined", "b = 2 + undefined"), write_one)
    states = counted(made, {"clean": True})
    report, _ = made.run()
    assert report.count(Status.HEALED) == 2
    assert len(states) == 1 + 1, "no run is spent on the search for a culprit that cannot be"


def test_a_fix_above_is_taken_back_for_the_value_that_it_changes(document: Make) -> None:
    told = cell("print(keep)", outputs=[{"output_type": "stream", "name": "stdout", "text": ["1\n"]}])
    made = batch(document("keep = 1\nx = 1 + undefined\nif clean: keep = 5", told, "b = 2 + undefined"), write_one)
    counted(made, {"clean": True})
    report, _ = made.run()
    assert [r.status for r in report.records] == [Status.REVERTED, Status.RAN, Status.HEALED]


def test_the_runs_have_an_end_that_is_said_and_what_fails_by_itself_is_still_taken_back(document: Make) -> None:
    fixes = tuple(f"x{n} = {n} + undefined\nassert not clean" for n in range(2 * MOST_RUNS))
    made = batch(document("a = 1 + undefined", *fixes), write_one)
    states = counted(made, {"clean": True})
    report, _ = made.run()
    assert len(states) == 1 + MOST_RUNS
    assert report.count(Status.REVERTED) == len(fixes)
    assert report.count(Status.HEALED) == 1
    assert not report.survived
    assert f"run {MOST_RUNS} times from the top; that is the limit" in report.notes[-1]
    assert [c.source for c in report.healed.cells][:2] == ["a = 1 + 1", fixes[0]]


class Gone(FakeKernel):
    """The system ends it before it has run anything."""

    def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
        raise KernelError(f"it is gone{RUN_AGAIN}")


def test_what_a_clean_run_has_shown_holds_where_none_can_be_made_after_it(document: Make) -> None:
    made = batch(document("a = 1 + undefined", "b = 2 + undefined\nassert not clean"), write_one)
    states = iter([FakeKernel(namespace={"clean": False}), FakeKernel(namespace={"clean": True})])
    made.dependencies = replace(made.dependencies, open_state=lambda: next(states, Gone()))
    report, _ = made.run()
    assert [r.status for r in report.records] == [Status.HEALED, Status.REVERTED]
    assert [c.source for c in report.healed.cells] == ["a = 1 + 1", "b = 2 + undefined\nassert not clean"]
    assert not report.survived
    assert report.notes[-1] == (
        "A clean run could not be made: it is gone. The fixes that are kept were not run together in a clean kernel."
    )


def test_what_is_healed_and_cannot_be_run_as_a_whole_is_no_success(document: Make) -> None:
    made = batch(document("a = 1 + undefined", "a"), write_one)
    states = iter([FakeKernel()])
    made.dependencies = replace(made.dependencies, open_state=lambda: next(states, Gone()))
    report, _ = made.run()
    assert [r.status for r in report.records] == [Status.HEALED, Status.RAN]
    assert (report.was_run, report.exit_code) == (False, 2)
    assert report.clean_run_words == "the healed notebook was NOT run as a whole in a clean kernel"


def test_what_was_not_run_again_is_not_said_to_differ_from_what_is_stored(document: Make) -> None:
    told = cell("print(1 + undefined)", outputs=[{"output_type": "stream", "name": "stdout", "text": ["2\n"]}])
    made = batch(document(told, "a = 1"), write_one)
    states = iter([FakeKernel()])
    made.dependencies = replace(made.dependencies, open_state=lambda: next(states, Gone()))
    report, _ = made.run()
    assert (report.records[0].status, report.was_run) == (Status.HEALED, False)
    assert (report.reproduced_outputs, report.differing) == ((0, 0), ())
    report, _ = batch(document(told, "a = 1"), write_one).run()
    assert (report.reproduced_outputs, report.was_run) == ((1, 1), True)


class CutShort(FakeKernel):
    """A clean run that the notebook's time ends in its second cell."""

    time_is_up: Callable[[], None]

    def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
        trial, state = super().run(request)
        self.time_is_up()
        first, second, *rest = trial.steps
        steps = (first, replace(second, status="timeout"), *(replace(s, status="skipped") for s in rest))
        return replace(trial, steps=steps, ending=Ending.TIMED_OUT), state


def test_a_clean_run_that_the_notebooks_time_ends_says_nothing_of_the_cell_that_was_running(document: Make) -> None:
    made = batch(document("a = 1 + undefined\nassert not clean", "b = 2 + undefined", "c = 3 + undefined"), write_one)
    loop = made.dependencies.heal
    cut = CutShort(namespace={"clean": True})
    cut.time_is_up = lambda: setattr(loop.deadline, "at", 0.0)  # type: ignore[attr-defined]
    states = iter([FakeKernel(namespace={"clean": False}), cut])
    made.dependencies = replace(made.dependencies, open_state=lambda: next(states))
    report, _ = made.run()
    assert [r.status for r in report.records] == [Status.REVERTED, Status.HEALED, Status.HEALED]
    assert not report.was_run
    assert "time limit for this notebook" in report.notes[-1]


@pytest.mark.parametrize(
    ("cells", "statuses"),
    [
        (  # the fix gives `x` the text that it was to be; what is below counts on the number that it had without
            ("x = 3\nx = '4' + undefined", "y = x + 4"),
            [Status.REVERTED, Status.FOLLOWED],
        ),
        (  # of three fixes it is the second one
            ("a = 1 + undefined", "x = 3\nx = '4' + undefined", "b = 2 + undefined", "y = x + 4"),
            [Status.HEALED, Status.REVERTED, Status.HEALED, Status.FOLLOWED],
        ),
        (  # it fails without the fix too
            ("x = '3'\nx = '4' + undefined", "y = x + 4"),
            [Status.HEALED, Status.NOT_HEALED],
        ),
        (  # without the fix there is no `x` at all
            ("x = '4' + undefined", "y = x + 4"),
            [Status.HEALED, Status.NOT_HEALED],
        ),
    ],
)
def test_a_fix_that_makes_a_cell_fail_which_ran_as_given_is_taken_back(
    document: Make, cells: tuple[str, ...], statuses: list[Status]
) -> None:
    """Below the fix the cell has never been seen running: only the notebook as it was given tells that it did."""
    report, _ = batch(document(*cells), write_text).run()
    assert [r.status for r in report.records] == statuses


def run_statuses(made: Batch) -> list[Status]:
    report, _ = made.run()
    return [r.status for r in report.records]


def test_a_fix_is_kept_though_a_cell_ran_on_the_empty_list_of_a_loop_that_failed(document: Make) -> None:
    fills = "rows = []\nfor n in [1, 2]:\n    rows.append(n + undefined)"
    made = batch(document(fills, "[{2: 'two'}[r] for r in rows]"), write_one)
    assert run_statuses(made) == [Status.HEALED, Status.NOT_HEALED]


@pytest.mark.parametrize(
    "cells",
    [
        ("keep = [1]", "for n in [1]:\n    n + undefined\nkeep.clear()", "keep[0]"),  # what the loop does not change
        ("keep, rows = [1], []", "for n in [1]:\n    rows.append(n + undefined)\nkeep.clear()", "rows = [0]\nkeep[rows[0]]"),
        ("keep = [1]", "last = 1 + undefined\nkeep.clear()", "keep[0]"),  # no loop
    ],
)  # fmt: skip
def test_one_that_takes_from_a_cell_what_it_had_is_taken_back(document: Make, cells: tuple[str, ...]) -> None:
    assert run_statuses(batch(document(*cells), write_one))[1] is Status.REVERTED


def test_a_fix_is_kept_though_a_cell_ran_on_what_a_line_behind_the_failure_replaces(document: Make) -> None:
    again = "last = 1 + undefined\nmodel = {}"
    made = batch(document("model = {'fitted': 1}", again, "model['fitted']"), write_one)
    assert run_statuses(made) == [Status.RAN, Status.HEALED, Status.NOT_HEALED]


@pytest.mark.parametrize(
    "again",
    [
        "last = 1 + undefined\nmodel = {'other': last}",  # of what was mended
        "last = 1 + undefined\nother = {'other': last}\nmodel = other",
        "model = {} if undefined else {'fitted': 2}",  # in the line that was mended
        "last = 1 + undefined\nmodel = {'other': undefined}",  # a line that was mended too
        "last = 1 + undefined\nmodel.pop('fitted')",  # it is emptied, not given another value
    ],
)
def test_it_is_taken_back_where_the_fix_has_to_do_with_the_new_value(document: Make, again: str) -> None:
    made = batch(document("model = {'fitted': 1}", again, "model['fitted']"), write_one)
    assert run_statuses(made)[1] is Status.REVERTED


def test_it_is_taken_back_where_what_ran_on_the_older_value_is_stored(document: Make) -> None:
    again = "last = 1 + undefined\nmodel = {}"
    shows = cell("model['fitted']", outputs=[{"output_type": "stream", "name": "stdout", "text": "1\n"}])
    made = batch(document("model = {'fitted': 1}", again, shows), write_one)
    assert run_statuses(made)[1] is Status.REVERTED
