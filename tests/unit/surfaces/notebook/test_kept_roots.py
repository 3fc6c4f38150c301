"""A root above that is mended stays mended where the cell that failed of it goes on to fail of something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from jupyter_selfheal.model import Applicability, Case, Failure, Outcome, Patch, Reason, Replace, RunCells
from jupyter_selfheal.surfaces.notebook.kept_roots import HealBehind
from jupyter_selfheal.surfaces.notebook.places import FilePlaces
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Status
from jupyter_selfheal.surfaces.notebook.roots import list_healed_too
from tests.batches import Fixer, batch, cell

Make = Callable[..., Document]
CELLS = ("values = ['4', '5']", "list(map(int, values))", "total = sum(values) + missing", "max(values) + 1", "total")
"""The second cell does nothing of what it is for; the third fails of it, and with it mended of a name that nobody knows; the fourth fails of it alone."""
KEPT = "values = list(map(int, values))"
ROOT = Patch((), "Keep the numbers", applicability=Applicability.SAFE, restores="pandas 3.0")


def mend_root(patch: Patch = ROOT, new: str = KEPT) -> Fixer:
    def propose(case: Case) -> Iterator[Patch]:
        for one in case.notebook.cells:
            if one.source == CELLS[1]:
                yield replace(patch, edits=(Replace(one.id, one.source, new), RunCells((one.id,))))

    return propose


def heal(document: Make, *cells: object, fixer: Fixer = mend_root(), allowed: bool = True) -> NotebookReport:  # noqa: B008
    return batch(document(*cells), fixer, allowed=allowed).run()[0]


def list_statuses(report: NotebookReport) -> list[str]:
    return [r.status.value for r in sorted(report.records, key=lambda r: r.number)]


def test_the_root_is_kept_and_the_cell_fails_of_what_is_left(document: Make) -> None:
    made = batch(document(*CELLS), mend_root())
    report, _ = made.run()
    assert list_statuses(report) == ["ran", "healed", "not healed", "ran", "cascade"]
    assert [c.source for c in report.healed.cells] == [CELLS[0], KEPT, *CELLS[2:]]
    root, failing = (next(r for r in report.records if r.number == n) for n in (2, 3))
    assert root.headline == "cell 3 failed of it: TypeError: unsupported operand type(s) for +: 'int' and 'str'"
    assert failing.headline == "NameError: name 'missing' is not defined"
    assert failing.detail == "what it failed of first is healed in cell 2; no healer had a fix that works"
    assert failing.cause == "", "nobody knows what is wrong with the rest"
    assert len(made.loop.cases) == 1, "it is not healed anew"  # type: ignore[attr-defined]
    assert list_healed_too(report, root) == [4]


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param(replace(ROOT, applicability=Applicability.UNSAFE), id="it may change what is meant"),
        pytest.param(replace(ROOT, restores=""), id="nothing says that it was otherwise once"),
    ],
)
def test_what_is_not_sure_is_not_kept(document: Make, patch: Patch) -> None:
    report = heal(document, *CELLS, fixer=mend_root(patch))
    assert list_statuses(report)[:3] == ["ran", "ran", "not healed"]
    assert report.healed == report.given


def test_nothing_is_kept_that_the_policy_does_not_allow(document: Make) -> None:
    assert heal(document, *CELLS, allowed=False).healed.cells[1].source == CELLS[1]


def test_nothing_is_kept_where_the_cell_fails_as_before(document: Make) -> None:
    report = heal(document, *CELLS, fixer=mend_root(new="values = list(map(str, values))"))
    assert report.healed.cells[1].source == CELLS[1]


def test_nothing_is_kept_where_the_cell_comes_less_far(document: Make) -> None:
    failing = "first = values[0]\ntotal = sum(values) + missing"
    report = heal(document, *CELLS[:2], failing, fixer=mend_root(new="values = []"))
    assert report.healed.cells[1].source == CELLS[1]


def test_a_change_of_the_failing_cell_is_no_root(document: Make) -> None:
    def fixer(case: Case) -> Iterator[Patch]:
        failing = case.notebook.cell(case.failure.cell_id)
        yield replace(ROOT, edits=(Replace(failing.id, failing.source, "total = missing"),))

    assert heal(document, *CELLS, fixer=fixer).healed.cells[2].source == CELLS[2]


def test_a_root_that_changes_what_is_stored_is_taken_back_and_its_cell_runs(document: Make) -> None:
    shown = {"output_type": "execute_result", "data": {"text/plain": "'4545'"}, "metadata": {}, "execution_count": 1}
    stored = cell("(values[0] + values[1]) * 2", outputs=[shown])
    report = heal(document, *CELLS[:2], stored, *CELLS[2:])
    assert report.healed.cells[1].source == CELLS[1]
    assert next(r for r in report.records if r.number == 2).status is Status.RAN
    assert any(note.startswith("taken back: Keep the numbers") for note in report.notes)


def test_a_cell_that_did_not_fail_itself_is_named_at_its_first_line(document: Make) -> None:
    made = document(*CELLS[:2], "x = 1\ny = 2\ntotal = sum(values) + missing")
    report = batch(made, mend_root()).run()[0]
    root = next(r for r in report.records if r.number == 2)
    assert (root.failure[0].line, root.own_failure) == (3, ())
    lines = made.path.read_text().splitlines()
    assert CELLS[1] in lines[FilePlaces().find_line(report, root) - 1]


def test_what_is_said_of_the_first_failure_is_not_said_again() -> None:
    behind = Failure("c3", "total", ename="NameError", evalue="name 'missing' is not defined", line=1)
    heal = HealBehind(Outcome(Reason.EXHAUSTED, behind), "run-1", ROOT, 2)
    said = "fixed the first problem (Keep the numbers); next: NameError: name 'missing' is not defined (line 1); no working fix found for that"
    assert heal.explain(said, behind) == "what it failed of first is healed in cell 2; no working fix found for that"
