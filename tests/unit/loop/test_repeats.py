"""What approving a fix does a second time, because the cell runs again from its top."""

from __future__ import annotations

import pytest

from jupyter_selfheal import source as src
from jupyter_selfheal.loop.repeats import find_repeated_effects
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook, Patch, Replace, RunCells

EARLIER = (
    Cell("a", "import math, random, numpy as np\nimport matplotlib.pyplot as plt\nseen = []\nprices = {'a': 1}\nn = 0", runs=1),
    Cell("b", "def note(what):\n    seen.append(what)", runs=2),
    Cell("c", "def grow(items):\n    local = []\n    local.append(1)\n    items.append(1)", runs=3),
    Cell("d", "def counted():\n    global n\n    n += 1\n    return n", runs=4),
    Cell("k", "class Shelf:\n    def __init__(self):\n        self.lent = 0\n    def lend(self):\n        self.lent += 1\n        return True\n    def count(self):\n        n = self.lent\n        return n\n    def find(self, title):\n        return self\nshelf = Shelf()", runs=6),
    Cell("e", "def mean(values):\n    total = 0\n    for v in values:\n        total += v\n    return total", runs=5),
)  # fmt: skip


def of(source: str, *, kind: FailureKind = FailureKind.RAISED, statement: int = -1) -> tuple[str, ...]:
    """What healing a cell, whose last statement fails unless another is named, repeats."""
    at = statement if statement >= 0 else len(src.list_statements(source)) - 1
    failure = Failure("x", source, kind, ename="NameError", line=at + 1, statement=at)
    patch = Patch((Replace("x", source, source + " "),), "mend it")
    return find_repeated_effects(Case(failure, Notebook((*EARLIER, Cell("x", source)))), patch)


@pytest.mark.parametrize(
    ("before", "what"),
    [
        ("seen.append(1)", ("changes `seen`",)),
        ("n += 1", ("changes `n`",)),
        ("n = n + 1", ("changes `n`",)),
        ("prices['a'] = prices['a'] * 2", ("changes `prices`",)),
        ("del prices['a']", ("changes `prices`",)),
        ("last = seen.pop()", ("changes `seen`",)),
        ("line = next(lines)", ("changes `lines`",)),
        ("random.shuffle(seen)", ("changes `seen`",)),
        ("frame.dropna(inplace=True)", ("changes `frame`",)),
        ("note('x')", ("changes `seen`",)),
        ("assert shelf.lend()", ("changes `shelf`",)),
        ("ok = shelf.find('Emma').lend() is True", ("changes `shelf`",)),
        ("own = Shelf()\nassert own.lend()", ()),
        ("assert shelf.count() == 0", ()),
        ("grow(seen)", ("changes `seen`",)),
        ("grow(items=seen)", ("changes `seen`",)),
        ("k = counted()", ("changes `n`",)),
        ("for s in seen: s.append(1)", ("changes `seen`",)),
        ("alias = seen; alias.append(1)", ("changes `seen`",)),
        ("import os; os.remove('x')", ("deletes files",)),
        ("!mv a b", ("starts another program",)),
        ("open('log', 'a').write('x')", ("writes files",)),
    ],
)
def test_what_ran_before_the_failing_statement_is_done_twice(before: str, what: tuple[str, ...]) -> None:
    lines = before.replace("; ", "\n") + "\nboom"
    assert of(lines) == what


@pytest.mark.parametrize(
    "before",
    [
        "x = 1",
        "items = []\nitems.append(1)",
        "n = 0\nn += 1",
        "prices['b'] = 2",
        "m = mean(seen)",
        "print(seen)",
        "head = frame.head()",
        "frame.head()",
        "clean = frame.dropna()",
        "fig, ax = plt.subplots()\nax.plot([1])\nplt.show()",
        "np.random.seed(0)",
        "import os\nfrom math import floor",
        "def f():\n    seen.append(1)",
        "copy = list(seen)\ncopy.append(1)",
        "grow([])",
        "own = []\ngrow(own)",
        "with open('log') as file:\n    text = file.read()",
    ],
)
def test_what_the_cell_makes_anew_repeats_nothing(before: str) -> None:
    assert of(before + "\nboom") == ()


def test_of_the_failing_statement_counts_what_came_before_its_fault() -> None:
    assert of("seen.append(boom)") == ()
    assert of("seen.append(note(boom))") == ("changes `seen`",)
    assert of("x = [seen.pop(), boom]") == ("changes `seen`",)
    assert of("for s in seen:\n    n += 1\n    boom", statement=0) == ("changes `n`",)


def test_of_several_statements_on_the_failing_line_each_may_have_run() -> None:
    source = "seen.append(1); boom"
    failure = Failure("x", source, ename="NameError", line=1, statement=0)
    patch = Patch((Replace("x", source, source + " "),), "mend it")
    assert find_repeated_effects(Case(failure, Notebook((*EARLIER, Cell("x", source)))), patch) == ("changes `seen`",)


def test_a_cell_that_could_not_be_read_or_was_not_reached_repeats_nothing() -> None:
    assert of("seen.append(1)\nfor x in", kind=FailureKind.SYNTAX) == ()
    assert of("boom\nseen.append(1)", statement=0) == ()
    assert of("%%bash\nmv a b\nboom") == ()


def test_a_cell_that_missed_what_was_expected_ran_whole() -> None:
    assert of("seen.append(1)\nseen", kind=FailureKind.MISSED) == ("changes `seen`",)


def test_a_cell_to_run_first_counts_where_its_last_run_failed() -> None:
    def case(unfinished: bool) -> Case:
        half = Cell("h", "seen.append(1)\nvalue = boom", unfinished=unfinished)
        failing = Failure("x", "value", ename="NameError", line=1, statement=0)
        return Case(failing, Notebook((*EARLIER, half, Cell("x", "value"))))

    patch = Patch((RunCells(("h",)),), "run it first")
    assert find_repeated_effects(case(True), patch) == ("changes `seen`",)
    assert find_repeated_effects(case(False), patch) == ()


def test_what_a_cell_that_runs_again_makes_anew_is_not_repeated() -> None:
    source = "made.append(1)\nseen.append(1)\nboom"
    failure = Failure("x", source, ename="NameError", line=3, statement=2)
    case = Case(failure, Notebook((*EARLIER, Cell("m", "made = []", runs=6), Cell("x", source))))
    patch = Patch((Replace("x", source, source + " "),), "mend it")
    assert find_repeated_effects(case, patch) == ("changes `made`", "changes `seen`")
    assert find_repeated_effects(case, patch, ("m",)) == ("changes `seen`",)
