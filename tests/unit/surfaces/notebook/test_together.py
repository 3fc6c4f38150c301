"""Cells that are run several in one process: what each gives is as if it had been run by itself, and what cannot be run twice goes alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.kernels.replay_plan import PastCell
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Patch, Replace, Run, Trial, TrialRequest
from jupyter_selfheal.surfaces.notebook.chain import Chain
from jupyter_selfheal.surfaces.notebook.dependencies import Deadline, Limits
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import Status
from jupyter_selfheal.surfaces.notebook.review import BatchReview
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.together import (
    MOST_TOGETHER,
    changes_memory_only,
    leaves_only_imports,
    take_cells,
)
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from tests.batches import batch

Make = Callable[..., Document]


def write_one(case: Case) -> Iterator[Patch]:
    cell = case.notebook.cell(case.failure.cell_id)
    yield Patch((Replace(cell.id, cell.source, cell.source.replace("undefined", "1")),), "Write 1")


class Watched(FakeKernel):
    """Notes which cells each trial of its lineage ran."""

    seen: list[list[str]]

    def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
        self.seen.append([s.code for s in request.steps if isinstance(s, Run)])
        trial, after = super().run(request)
        if after is not None:
            after.__class__ = type(self)
        return trial, after


def together(made: Batch, kind: type[Watched] = Watched) -> list[list[str]]:
    """The cells of each trial of the batch, which runs cells together."""
    watched = type("Watched", (kind,), {"seen": []})
    made.dependencies = replace(made.dependencies, open_state=watched, open_clean=FakeKernel, runs_together=True)
    return watched.seen  # type: ignore[attr-defined]


def test_healthy_cells_are_run_in_one_trial(document: Make) -> None:
    made = batch(document("a = 1", "print(a)", "a += 1\nprint(a)"))
    trials = together(made)
    report, seen = made.run()
    assert trials == [["a = 1", "print(a)", "a += 1\nprint(a)"]]
    assert report.count(Status.RAN) == 3
    assert [run.count for run in seen.values()] == [1, 2, 3]
    assert ["".join(o.text for o in run.result.outputs) for run in seen.values()] == ["", "1\n", "2\n"]


@pytest.mark.parametrize(
    "asked",
    ["b = a * 2", "xs = [a]\nxs.sort\nprint(xs)", "def test_a():\n    assert a == 2"],
    ids=["a computed value", "a method that is not called", "a test that nobody called"],
)
def test_a_review_lets_those_go_together_whose_values_no_check_asks_for(document: Make, asked: str) -> None:
    made = batch(document("a = 1", "print(a)", "for n in range(3):\n    print(n)", asked, "print(a)", "print(2)"))
    made.review = BatchReview()
    trials = together(made)
    report, _ = made.run()
    first = ["a = 1", "print(a)", "for n in range(3):\n    print(n)"]
    assert [t for t in trials if t] == [first, [asked], ["print(a)", "print(2)"]]
    assert report.review is not None
    assert report.review.cells == 6


def test_the_cell_that_fails_among_them_is_healed_from_the_state_before_it_and_not_run_again(document: Make) -> None:
    made = batch(document("a = [0]", "a.append(undefined)", "print(a)", "print(len(a))"), write_one)
    trials = together(made)
    report, seen = made.run()
    assert (report.count(Status.HEALED), report.count(Status.RAN)) == (1, 3)
    assert [o.text for o in seen["c2"].result.outputs] == ["[0, 1]\n"]
    assert sum("a.append(undefined)" in codes for codes in trials) == 1
    assert trials[1] == ["a = [0]"]


def test_one_that_fails_first_costs_no_further_run(document: Make) -> None:
    made = batch(document("undefined", "print(1)"))
    trials = together(made)
    report, _ = made.run()
    assert (report.count(Status.NOT_HEALED), report.count(Status.RAN)) == (1, 1)
    assert trials == [["undefined", "print(1)"], ["print(1)"]]


def test_one_that_does_not_end_leaves_the_state_before_it_as_when_it_is_run_by_itself(document: Make) -> None:
    made = batch(document("a = 1", "while True: a += 1", "print(a)"), seconds=0.2)
    trials = together(made)
    report, seen = made.run()
    assert [r.status for r in report.records] == [Status.RAN, Status.NOT_HEALED, Status.RAN]
    assert report.records[1].failure[0].kind is FailureKind.TIMED_OUT
    assert [o.text for o in seen["c2"].result.outputs] == ["1\n"]
    assert not report.notes
    assert sum("while True: a += 1" in codes for codes in trials) == 1


class OnceOnly(Watched):
    """The first cell runs once."""

    def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
        trial, after = super().run(request)
        if len(self.seen) == 2:
            raise KernelError("the state is gone")
        return trial, after


def test_where_those_above_do_not_run_again_states_are_made_from_their_beginning(document: Make) -> None:
    made = batch(document("a = 1", "b = undefined", "print(a + b)"), write_one)
    together(made, OnceOnly)
    report, seen = made.run()
    assert report.count(Status.HEALED) == 1
    assert [o.text for o in seen["c2"].result.outputs] == ["2\n"]


@pytest.mark.parametrize(
    "alone",
    [
        "open('notes.txt', 'a').write('more')",
        "import os\nos.makedirs('made')",
        "df.to_csv('out.csv')",
        "!ls",
        "%run other.py",
        "import requests\nrequests.get('http://example.org')",
        "rng = np.random.default_rng()",
        "answer = input('name? ')",
        "print 'does not parse'",
    ],
)
def test_what_cannot_be_run_twice_goes_alone(alone: str) -> None:
    cells = [Cell("c0", "a = 1"), Cell("c1", alone), Cell("c2", "b = 1")]
    assert [c.id for c in take_cells(cells)] == ["c0"]
    assert not take_cells(cells[1:])


def test_plain_cells_go_together_up_to_a_number() -> None:
    texts = ("%matplotlib inline\nimport pandas as pd", "df = pd.read_csv('a.csv')\n# what is in it?", "x.sample(3)")
    cells = [Cell(f"c{n}", texts[n % 3]) for n in range(MOST_TOGETHER + 5)]
    assert len(take_cells(cells)) == MOST_TOGETHER


@pytest.mark.parametrize(
    ("source", "is_known"),
    [
        ("import pandas as pd\nGridSearchCV(model, grid, n_jobs=-1)", True),
        ("print(fit.summary().tables[1])  # import the tables, and no logging", True),
        ("a = 1\ntables = [a]\ntables.append(2)  # as from sqlite3", True),
        ("import sqlite3", False),
        ("import os, tables as tb", False),
        ("a = 1; import sqlite3", False),
        ("from tables import open_file", False),
        ("store = importlib.import_module('shelve')", False),
        ("import subprocess", False),
        ("from multiprocessing import Pool", False),
    ],
)
def test_a_notebook_that_keeps_state_elsewhere_is_run_cell_by_cell(document: Make, source: str, is_known: bool) -> None:
    assert changes_memory_only(document(source, "a = 1").notebook) == is_known


IMPORTS = "import math\nimport warnings\nwarnings.filterwarnings('ignore')\nfrom math import undefined\nprint(math.pi)"


@pytest.mark.parametrize(
    ("source", "number", "is_so"),
    [
        (IMPORTS, 3, True),
        ("'''Imports'''\nfrom math import undefined", 1, True),
        ("%matplotlib inline\nimport math\nfrom math import undefined", 2, True),
        ("!ls\nimport math\nfrom math import undefined", 2, False),
        ("import math\nn = 1\nfrom math import undefined", 2, False),
        ("import math\nn[0] = 1\nfrom math import undefined", 2, True),
        ("import pandas as pd\npd.options.display.width = 90\nfrom math import undefined", 2, True),
        ("import pandas as pd\npd.options.display.width = choose()\nfrom math import undefined", 2, False),
        ("import math\na.count += 1\nfrom math import undefined", 2, False),
        ("import os\nprint()\nprint(os.listdir('../input'))\nfrom math import undefined", 3, True),
        ("import os\nprint('{}'.format(os.__name__))\nfrom math import undefined", 2, True),
        ("import os\nprint(rows.pop())\nfrom math import undefined", 2, False),
        ("import os\nprint(*rows)\nfrom math import undefined", 2, False),
        ("import os\nprint(next(rows))\nfrom math import undefined", 2, False),
        ("import math\nwarnings.filterwarnings(choose())\nfrom math import undefined", 2, False),
        ("import math\nmath.sqrt(undefined)", 1, False),
        ("import matplotlib.pyplot as plt\nplt.style.use('gone')", 1, True),
    ],
)
def test_a_state_behind_a_failed_import_counts_as_the_one_before_it(source: str, number: int, is_so: bool) -> None:
    failure = Failure("c0", source, ename="ImportError", statement=number)
    assert leaves_only_imports(Cell("c0", source), failure) == is_so


def test_what_a_cell_imported_before_its_failure_is_not_imported_again_to_heal_it(document: Make) -> None:
    """The state that the patch is tried from is the one behind the failure."""
    made = batch(document(IMPORTS, "print(warnings)"), lambda case: [drop_undefined(case)])
    trials = together(made)
    report, seen = made.run()
    assert report.count(Status.HEALED) == 1
    assert [o.text for o in seen["c0"].result.outputs] == ["3.141592653589793\n"]
    assert [codes[0] for codes in trials[:2]] == [IMPORTS, IMPORTS.replace("undefined", "pi")]
    assert tried_from(made) == [IMPORTS]


def test_those_above_a_failed_import_are_not_run_again_as_nobody_needs_the_state_before_it(document: Make) -> None:
    made = batch(document("a = [0]", "a.append(1)", IMPORTS, "print(a)"), lambda case: [drop_undefined(case)])
    trials = together(made)
    report, seen = made.run()
    assert (report.count(Status.HEALED), report.count(Status.RAN)) == (1, 3)
    assert [o.text for o in seen["c3"].result.outputs] == ["[0, 1]\n"]
    assert trials[0] == ["a = [0]", "a.append(1)", IMPORTS, "print(a)"]
    assert not any("a.append(1)" in codes for codes in trials[1:])


@pytest.mark.parametrize(
    "failing",
    ["a.append(2)\nfrom math import undefined", "import math\na.append(math.undefined)", "from math import *\na.append(undefined)"],
    ids=["it changed something first", "it does more than import", "what failed is no import"],
)  # fmt: skip
def test_those_above_are_run_again_where_the_failed_cell_may_have_changed_more(document: Make, failing: str) -> None:
    made = batch(document("a = [0]", failing, "print(len(a))"), lambda case: [drop_undefined(case)])
    trials = together(made)
    report, seen = made.run()
    assert report.count(Status.HEALED) == 1
    assert [o.text for o in seen["c2"].result.outputs] == [f"{1 + failing.count('append')}\n"]
    assert trials[1] == ["a = [0]"]


def test_where_the_cell_behind_is_another_by_then_the_state_is_made_from_its_beginning(document: Make) -> None:
    made = batch(document("a = 1", IMPORTS, "print(a)"))
    replayed: list[list[str]] = []

    def replay(past: Sequence[PastCell], paths: Sequence[str]) -> FakeKernel:
        replayed.append([cell.code for cell in past])
        return FakeKernel([cell.code for cell in past])

    limits = Limits(cell=10.0)
    chain = Chain(FakeKernel(), replay, made.dependencies.scorer, limits, Deadline(60.0))
    cells = made.document.notebook.cells
    assert len(chain.run_together(cells[:2])) == 1
    trial, failure, after = chain.run(replace(cells[1], source="print(a)"), made.document.notebook)
    chain.close()
    assert (failure, [o.text for o in trial.steps[0].outputs]) == (None, ["1\n"])
    assert replayed == [["a = 1"]]
    assert after is not None
    after.close()


@pytest.mark.parametrize("is_brief", [True, False])
def test_errors_are_drawn_only_where_they_are_shown(document: Make, is_brief: bool) -> None:
    """What IPython draws of an error deep in pandas takes it a second."""
    asked = set()

    class Asked(FakeKernel):
        def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
            asked.add(request.is_brief)
            return super().run(request)

    made = batch(document("a = undefined", "print(b)"), write_one)
    made.dependencies = replace(made.dependencies, open_state=Asked, open_clean=Asked, is_brief=is_brief)
    made.run()
    assert is_brief in asked
    assert asked <= {is_brief, False}


def tried_from(made: Batch) -> list[str]:
    """The cells that made the state in which the first patch was tried."""
    return [run.code for run in made.loop.starts[0].before[0]._history]  # type: ignore[attr-defined]


def drop_undefined(case: Case) -> Patch:
    cell = case.notebook.cell(case.failure.cell_id)
    return Patch((Replace(cell.id, cell.source, cell.source.replace("undefined", "pi")),), "Import pi")
