"""The engine without processes and threads, as it runs in a browser; that it runs under Pyodide too is shown by tests/browser/test_pyodide.py."""

from __future__ import annotations

import json
import re

import pytest

from jupyter_selfheal.loop.threads import InlineExecutor, open_pool, start_work
from jupyter_selfheal.surfaces.in_browser import heal_sources
from tests.shown_commands import ROOT

BY_RULES = 6
"""Cells of the page that rules heal; the search heals the rest, under Pyodide (on threads, as here, it cannot set its timer)."""


def test_cells_are_healed_one_after_the_other() -> None:
    healed = heal_sources(["price = 20", "print(prise * 3)", "print('n: ' + price)"])
    assert healed["cells"] == ["price = 20", "print(price * 3)", "print('n: ' + str(price))"]
    assert [(f["cell"], f["applied"], f["score"] >= 7) for f in healed["failures"]] == [
        (2, True, True),
        (3, True, True),
    ]


def test_what_stays_broken_ends_it_and_is_as_it_was() -> None:
    healed = heal_sources(["import os", "os.environ['NO_SUCH_KEY_HERE']", "prise"])
    assert healed["cells"][1:] == ["os.environ['NO_SUCH_KEY_HERE']", "prise"]
    assert [(f["cell"], f["applied"]) for f in healed["failures"]] == [(2, False)]


def test_cells_that_run_are_left_alone() -> None:
    assert heal_sources(["x = 1", "x + 1"]) == {"cells": ["x = 1", "x + 1"], "failures": []}


def test_without_threads_work_is_done_at_once() -> None:
    done: list[int] = []
    start_work(lambda: done.append(1), "name", has_threads=False)
    pool = open_pool(2, "name", has_threads=False)
    assert isinstance(pool, InlineExecutor)
    assert pool.submit(lambda x: x + 1, 1).result() == 2
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 // 0).result()
    assert done == [1]


def test_every_cell_of_the_page_to_try_is_healed() -> None:
    script = (ROOT / "docs" / "_static" / "try.js").read_text(encoding="utf-8")
    block = re.search(r"const CELLS = \[(.*?)\n  \];", script, re.DOTALL)
    assert block
    cells = json.loads(f"[{block[1].strip().rstrip(',')}]")
    healed = heal_sources(cells[:BY_RULES])
    assert [f["cell"] for f in healed["failures"] if f["applied"]] == [2, 3, 4, 5, 6]
