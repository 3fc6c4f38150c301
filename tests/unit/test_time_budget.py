"""Healing takes time in proportion to the notebook, the cell, the traceback and the message: four times as much of one of
them takes about four times as long, never sixteen.

All of a heal that is ours is in it: triage, rules, the search's plan, redaction, the trials' plans, the verdict; the kernel is in this
process. CPU-seconds are compared with CPU-seconds of the same run, never with a clock.
"""

from __future__ import annotations

import ast
import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.inside import parsing
from jupyter_selfheal.inside.positions import LineTable
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.loop.progress import find_failure
from jupyter_selfheal.model import Case, Cell, Failure, Keep, Notebook, Reason, Run, TrialRequest
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.source import source as source_module
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import ListJournal, ScriptedApprover
from tests.work import count_seconds, grows_less, takes_less

CONFIG = HealConfig(offline=True, memory=False, healers=("rules",), parallel=1)
QUADRATIC = 16.0
"""How much longer four times as much takes where each part is looked at once for each other part."""
MARGIN = 0.55
"""Between 4, which is meant, and 16: caches and collections of garbage move the figure by some tens of percent."""

DEFINITIONS = (
    "def f{n}(x, y=2):\n    total = 0\n    for k in range(x):\n        total += k * y\n    return total + a{n}"
)


def notebook_of(cells: int) -> Notebook:
    """Cells that define, read and change names of each other, and one at the end that misspells one."""
    made = [Cell("c0", "price = 1\nitems = [1, 2]\na0 = 3")]
    for n in range(1, cells):
        made.append(
            Cell(f"c{n}", f"a{n} = {n} + price\n{DEFINITIONS.format(n=n)}\nitems.append(a{n})\nprint(a{n - 1})")
        )
    return Notebook((*made, Cell("bad", "value = prise + 1\nprint(value)")))


def long_cell(lines: int) -> Notebook:
    body = "\n".join(f"v{n} = len(str({n})) + price * (2 + {n % 7})" for n in range(lines))
    return Notebook((Cell("c0", "price = 1"), Cell("bad", f"{body}\nvalue = prise + 1\nprint(value)")))


def deep_traceback(frames: int) -> Notebook:
    deep = "def deep(n):\n    return deep(n - 1) if n else prise"
    return Notebook((Cell("c0", "price = 1"), Cell("c1", deep), Cell("bad", f"value = deep({frames})")))


def long_message(characters: int) -> Notebook:
    return Notebook((Cell("c0", "table = {'price': 1}"), Cell("bad", f"table['token_' * {characters // 6}]")))


def failing(notebook: Notebook) -> tuple[Case, Starts]:
    """The failure of the last cell, seen in a kernel that holds what the first two cells make."""
    last = notebook.cells[-1]
    state = FakeKernel([c.source for c in notebook.cells[: min(2, len(notebook.cells) - 1)]])
    trial, after = state.run(TrialRequest((Run(last.source, last.id),), keep=Keep.ALWAYS, timeout=60.0))
    failure = find_failure(Case(Failure(last.id, last.source), notebook), last.source, trial, "")
    assert failure is not None
    assert after is not None
    return Case(failure, notebook), Starts((state,), (after,))


def seconds_of(work: Callable[[], object]) -> float:
    """CPU-seconds, without collections of garbage: what is left over from before is collected first."""
    gc.collect()
    gc.disable()
    try:
        return count_seconds(work)
    finally:
        gc.enable()


MEASURED = 0.4
"""CPU-seconds below which one heal is too little to be compared: it is done again and the least counts."""


def healing_seconds(notebook: Notebook, *, heals: bool = True) -> float:
    """What a heal costs: the least of several, of a short one of more."""
    spent = [heal_once(notebook, heals=heals)]
    while len(spent) < 3 or (sum(spent) < MEASURED and len(spent) < 8):
        spent.append(heal_once(notebook, heals=heals))
    return min(spent)


def heal_once(notebook: Notebook, *, heals: bool) -> float:
    case, starts = failing(notebook)

    def work() -> None:
        journal = ListJournal()
        outcome = engine.heal(case, starts, config=CONFIG, approver=ScriptedApprover(), journal=journal)
        assert (outcome.reason is Reason.HEALED) is heals, outcome.detail
        build_plan(case)
        for text in (case.failure.evalue, case.failure.traceback, case.failure.source):
            Redactor().redact(text)

    return seconds_of(work)


@pytest.fixture(scope="module", autouse=True)
def warm() -> Iterator[None]:
    """What is imported and compiled for the first heal is not part of any; what other tests have left is not collected each time."""
    healing_seconds(notebook_of(2))
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize(
    ("make", "small", "large", "heals"),
    [
        pytest.param(notebook_of, 100, 400, True, id="cells"),
        pytest.param(long_cell, 1_000, 4_000, True, id="lines of a cell", marks=pytest.mark.slow),
        pytest.param(deep_traceback, 750, 3_000, False, id="frames of a traceback"),
        pytest.param(long_message, 100_000, 400_000, False, id="characters of a message"),
    ],
)
def test_four_times_as_much_takes_about_four_times_as_long(
    make: Callable[[int], Notebook], small: int, large: int, heals: bool
) -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 20_000))  # a call of Python's own takes nothing of the C stack
    try:
        assert grows_less(
            QUADRATIC * MARGIN,
            lambda: heal_once(make(small), heals=heals),
            lambda: heal_once(make(large), heals=heals),
        ), f"{large}: more than {QUADRATIC * MARGIN:.1f} times as much as {small}"
    finally:
        sys.setrecursionlimit(before)


@pytest.mark.parametrize("cells", [10, 100, 400])
def test_a_heal_costs_no_more_than_reading_the_notebook_some_dozens_of_times(cells: int) -> None:
    """It was 3,425 times for 200 cells. A heal has a price of its own, which a small notebook is given in advance."""
    notebook = notebook_of(cells)

    def find_limit() -> float:
        reading = seconds_of(lambda: [ast.parse(c.source) for c in notebook.cells for _ in range(10)]) / 10
        return 60 * reading + 2 * healing_seconds(notebook_of(2))

    assert takes_less(find_limit, lambda: heal_once(notebook, heals=True))


@pytest.mark.parametrize("notebook", [notebook_of(200), long_cell(300)], ids=["200 cells", "300 lines"])
def test_each_cell_is_parsed_and_cut_into_lines_once(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted. Two threads that meet may each do it once."""
    parsed: Counter[str] = Counter()
    cut: Counter[str] = Counter()

    def counted_parse(text: str, *more: Any, **named: Any) -> ast.AST:
        parsed[text] += 1
        return parse_tree(text, *more, **named)

    def counted_cut(text: str) -> LineTable:
        cut[text] += 1
        return LineTable(text)

    parse_tree = parsing.parse_tree
    monkeypatch.setattr(parsing, "parse_tree", counted_parse)
    monkeypatch.setattr(source_module, "LineTable", counted_cut)
    monkeypatch.setattr(source_module, "_recent", source_module._Recent())
    heal_once(notebook, heals=True)
    sources = {c.source for c in notebook.cells}
    assert max(parsed[text] for text in sources) <= 2
    assert max(cut[text] for text in sources) <= 2
    assert sum(parsed[text] for text in sources) <= len(sources) + 5
