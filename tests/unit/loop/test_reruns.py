"""Cells between a changed function and the failing cell: those that call it, and can be, are run again in every trial."""

from __future__ import annotations

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop.plan import build_trial_steps
from jupyter_selfheal.loop.trials import build_request, run_trial
from jupyter_selfheal.model import Case, Cell, Edit, Failure, Notebook, Patch, Replace, Run, RunCells, Start, Trial
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.testing.fake_kernel import FakeKernel

DEFINE = "def size(x):\n    return str(len(x))"
MENDED = DEFINE.replace("str(len(x))", "len(x)")


def ran_again(
    *between: str | Cell, fail: str = "n + 1", define: str = DEFINE, also: tuple[Edit, ...] = ()
) -> list[str]:
    """Ids of the cells in between that the trial of a changed ``define`` runs again."""
    made = [c if isinstance(c, Cell) else Cell(f"c{n}", c) for n, c in enumerate(between)]
    case = Case(
        Failure("fail", fail, ename="TypeError", line=1), Notebook((Cell("def", define), *made, Cell("fail", fail)))
    )
    patch = Patch((Replace("def", define, define.replace("str(len(x))", "len(x)")), *also), "a patch")
    steps = build_trial_steps(case, patch, Start.BEFORE_CELL)
    return [s.cell_id for s in steps if isinstance(s, Run) and s.cell_id not in ("def", "fail")]


def test_what_a_changed_function_gave_is_made_again() -> None:
    assert ran_again("n = size('abc')", "other = 1") == ["c0"]
    assert ran_again("n = size('abc')", "m = n * 2", "k = 3", "print(m)") == ["c0", "c1", "c3"]


def test_a_function_that_calls_it_counts_as_changed_and_is_not_run_for_that() -> None:
    assert ran_again("def twice(x):\n    return 2 * size(x)", "n = twice('ab')", "print('no')") == ["c1"]


@pytest.mark.parametrize(
    "between",
    [
        "sizes.append(size('abc'))",
        "n = n + size('abc')",
        "open('sizes', 'w').write(size('abc'))",
        "import requests\nn = size(requests.get(url).text)",
        "model.fit(size('abc'))",
        "!echo {size('abc')}",
        Cell("c0", "n = size('abc')", expensive=True),
        Cell("c0", "n = size('abc')", unfinished=True),
        Cell("c0", "n = size('abc')", failed=True),  # in a lesson, as it was meant to
        Cell("c0", "n = 'abc'"),
    ],
)
def test_a_cell_with_an_effect_that_may_not_run_or_calls_nothing_changed_stays_as_it_is(between: str | Cell) -> None:
    assert ran_again(between) == []


def test_what_is_used_up_is_not_read_again() -> None:
    assert ran_again("rows = iter(['a', 'b'])", "n = [size(r) for r in rows]") == []
    assert ran_again("rows = ['a', 'b']", "n = [size(r) for r in rows]") == ["c1"]


def test_a_cell_that_never_ran_here_is_not_run() -> None:
    ran, not_run = Cell("c0", "n = size('abc')", runs=2), Cell("c1", "m = size('abcd')", runs=0)
    assert ran_again(ran, not_run) == ["c0"]


def test_a_cell_that_the_patch_runs_again_itself_runs_once() -> None:
    assert ran_again("n = size('abc')", also=(RunCells(("c0",)),)) == ["c0"]


def test_the_calls_in_the_edited_cell_itself_run_again_with_what_they_change() -> None:
    define = DEFINE + "\nload = 1\nsizes = []\nsizes.append(size('abc'))\nbig = load"
    case = Case(
        Failure("fail", "sizes[0] + 1", ename="TypeError", line=1),
        Notebook((Cell("def", define), Cell("fail", "sizes[0] + 1"))),
    )
    patch = Patch((Replace("def", define, define.replace("str(len(x))", "len(x)")),), "a patch")
    (first, _) = (s for s in build_trial_steps(case, patch, Start.BEFORE_CELL) if isinstance(s, Run))
    lines = [line for line in first.code.split("\n") if line.strip(" #")]
    assert lines == [*MENDED.split("\n"), "sizes = []", "sizes.append(size('abc'))"]


def test_a_right_patch_of_a_function_is_no_longer_told_the_same_failure() -> None:
    cells = (Cell("def", DEFINE), Cell("use", "n = size('abc')"), Cell("fail", "total = n + 1"))
    kernel = FakeKernel([c.source for c in cells[:-1]])
    case = Case(Failure("fail", cells[-1].source, ename="TypeError", line=1), Notebook(cells))
    patch = Patch((Replace("def", DEFINE, MENDED),), "Give a number")
    request = build_request(case, patch, Start.BEFORE_CELL, EvidenceScorer(), HealConfig())
    trial, _ = run_trial(patch, kernel, request, start=Start.BEFORE_CELL)
    assert trial.ran


BAG = "class Bag:\n    def __init__(self, items):\n        self.itms = list(items)\n    def size(self):\n        return len(self.items)"
WEIGHS = "bag = Bag('abc')\nload = bag.itms if hasattr(bag, 'itms') else []\n{}"


def try_with_failing(last: str, failed_with: str) -> Trial:
    """The trial of a mended class, with a cell in between whose last line failed before."""
    between = Cell("between", WEIGHS.format(last), failed=True, failed_with=failed_with)
    cells = (Cell("class", BAG), between, Cell("fail", "n = bag.size()"))
    case = Case(Failure("fail", "n = bag.size()", ename="AttributeError", line=1), Notebook(cells))
    patch = Patch((Replace("class", BAG, BAG.replace("itms", "items")),), "Change `.itms` to `.items`")
    request = build_request(case, patch, Start.BEFORE_CELL, EvidenceScorer(), HealConfig())
    kernel = FakeKernel([BAG, Run(between.source, "between", go_on=True)])
    return run_trial(patch, kernel, request, start=Start.BEFORE_CELL)[0]


def test_a_cell_in_between_that_fails_as_it_did_before_ends_no_trial() -> None:
    trial = try_with_failing("weight / bag.size()", "NameError: name 'weight' is not defined")
    assert trial.ran
    assert [s.role for s in trial.steps[:3]] == ["setup", "failed again", "cell"]
    assert try_with_failing("open('a 2.csv')", "FileNotFoundError: [Errno #] No such file or directory: 'a #.csv'").ran


@pytest.mark.parametrize(
    ("last", "failed_with"),
    [
        ("load[0]", "NameError: name 'weight' is not defined"),  # it comes to another failure with the patch
        ("bag.itms", "NameError: name 'weight' is not defined"),  # of what the patch took away
        ("weight", "AttributeError: 'Bag' object has no attribute 'items'"),  # it gets further, and fails all the same
        ("weight", ""),  # it ended in another way than by an error, or is not known to have failed
    ],
)
def test_a_cell_in_between_that_fails_otherwise_ends_the_trial(last: str, failed_with: str) -> None:
    trial = try_with_failing(last, failed_with)
    assert not trial.ran
    assert [s.role for s in trial.steps[:2]] == ["setup", "setup"]


def test_a_cell_in_between_that_runs_with_the_patch_is_one_that_ran() -> None:
    trial = try_with_failing("bag.size()", "AttributeError: 'Bag' object has no attribute 'items'")
    assert trial.ran
    assert [s.role for s in trial.steps[:3]] == ["setup", "setup", "cell"]
