"""Looking ahead in idle time: forecasts of the cells below, told to pages, compared with what then happens."""

from __future__ import annotations

import ast
import contextlib
from typing import Any

import psutil
import pytest

from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

BELOW = {"b0": "total = sum(items)", "b1": "prices = {'pear': total}\nprices['pera']", "b2": "print(total)"}
SESSION = "get_ipython()._jupyter_selfheal"
LOOK = f"{SESSION}.on_main('', 'look ahead', '', '')"


def read_marks(kernel: LiveKernel) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ast.literal_eval(kernel.value(f"{SESSION}.ahead.list_marks()"))
    return found


def look(kernel: LiveKernel) -> list[dict[str, Any]]:
    """What a page asks for when nothing runs; what it shows then."""
    kernel.run(LOOK, silent=True, store_history=False)
    kernel.wait_for(lambda: kernel.value(f"{SESSION}.ahead._run") == "''", "the end of the look")
    return read_marks(kernel)


def test_cells_below_are_foretold_shown_and_compared(loaded: LiveKernel) -> None:
    cells = [{"id": "a", "source": "items = [1, 2]"}, *({"id": name, "source": s} for name, s in BELOW.items())]
    loaded.tell({"action": "context", "cells": cells, "path": "n.ipynb"})
    loaded.run("items = [1, 2]", "a")
    loaded.run("import os; before = os.getpid()", "other")
    assert "looking ahead off" in loaded.run("%heal status")["text"]
    loaded.run("%heal ahead on")
    loaded.run(LOOK, silent=True, store_history=False)
    marks = look(loaded)
    assert [mark["outcome"] for mark in marks] == ["will run", "will fail", "will run"]
    assert "KeyError" in marks[1]["detail"]
    assert "Change" in marks[1]["fix"]
    assert loaded.value("'total' in globals()") == "False", "nothing of it happened in the user's kernel"
    loaded.run("%heal ahead show b1")
    card = loaded.card("Will fail")
    assert "prices['pear']" in card
    assert "run those first" in card
    loaded.run(
        LOOK, silent=True, store_history=False
    )  # the next look begins, and the user is quicker: what was known holds
    loaded.run(BELOW["b0"], "b0")
    assert [mark["cell"] for mark in read_marks(loaded)] == ["b1", "b2"]
    loaded.run(BELOW["b1"].replace("pera", "pear"), "b1")
    assert [mark["cell"] for mark in read_marks(loaded)] == ["b2"], "with the fix it did as expected"
    loaded.run("raise ValueError('edited')", "b2")
    assert read_marks(loaded) == []
    status = loaded.run("%heal status")["text"]
    assert "looking ahead on: 2 of 2 cells did as foretold; 0 of 1 failures were known before" in status


def test_below_a_failure_that_is_not_healed_nothing_is_known_and_that_is_said(loaded: LiveKernel) -> None:
    below = ("raise ValueError('on purpose')", "print('end')", "print('very end')")
    cells = [{"id": "a", "source": "x = 1"}, *({"id": f"b{n}", "source": s} for n, s in enumerate(below))]
    loaded.tell({"action": "context", "cells": cells, "path": "n.ipynb"})
    loaded.run("x = 1", "a")
    told = " ".join(loaded.run("%heal ahead now")["text"].split())
    assert told.count("not known a cell above it will fail") == 2
    assert [mark["outcome"] for mark in read_marks(loaded)] == ["will fail", "not known", "not known"]
    loaded.run(below[0], "b0")
    assert "1 of 1 cells did as foretold; 1 of 1 failures were known before" in loaded.run("%heal status")["text"]


def is_alive(process: psutil.Process) -> bool:
    """Whether it runs or may; one that nobody has collected yet does not."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def is_ours(process: psutil.Process) -> bool:
    """Whether it is none of a trial's: a process of ours has its name soon after it was forked, and not at once."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return bool(process.name().startswith("selfheal-"))
    return False


def test_a_cell_that_runs_ends_the_look(loaded: LiveKernel) -> None:
    """The copy is in an endless loop: it ends with the user's next cell, long before its own limit, and says nothing."""
    cells = [{"id": "a", "source": "x = 1"}, {"id": "b", "source": "while True: pass"}]
    loaded.tell({"action": "context", "cells": cells, "path": "n.ipynb"})
    loaded.run("x = 1", "a")
    loaded.run("%heal ahead on")
    loaded.run(LOOK, silent=True, store_history=False)
    loaded.wait_for(loaded.has_copies_at_work, "a trial that gives way")
    worker = next(process for process, line in loaded.commands() if "surfaces.worker.__main__" in line)
    guards = [process for process in loaded.children() if is_ours(process)]
    trials = [process for process in loaded.children() if process not in (*guards, worker)]
    try:
        for process in (worker, *guards):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.suspend()
        loaded.run("x = 2", "other")
        left = lambda: [p for p in trials if is_alive(p) and not is_ours(p)]  # noqa: E731
        loaded.wait_for(lambda: not left(), "the end of the trial, whatever ours do")
    finally:
        for process in (worker, *guards):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.resume()
    loaded.wait_for(lambda: not loaded.has_copies_at_work(), "the end of the copies")
    assert read_marks(loaded) == []
    assert loaded.value(f"{SESSION}.ahead._run") == "''"
