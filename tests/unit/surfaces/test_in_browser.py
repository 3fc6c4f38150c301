"""The engine without processes and threads, as it runs in a browser; that it runs under Pyodide too is shown by tests/browser/test_pyodide.py."""

from __future__ import annotations

import json

import pytest

from jupyter_selfheal.loop.threads import InlineExecutor, open_pool, start_work
from jupyter_selfheal.surfaces.in_browser import heal_sources
from tests.shown_commands import ROOT

BY_SEARCH, LEFT_ALONE = "A wrong result, found by search", "Left alone, rightly"
"""Examples of the page: what the search heals is tested under Pyodide (on threads, as here, it cannot set its timer)."""


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
    assert heal_sources(["x = 1", "x + 1"]) == {
        "cells": ["x = 1", "x + 1"],
        "outputs": ["", "2"],
        "failures": [],
    }


def test_without_threads_work_is_done_at_once() -> None:
    done: list[int] = []
    start_work(lambda: done.append(1), "name", has_threads=False)
    pool = open_pool(2, "name", has_threads=False)
    assert isinstance(pool, InlineExecutor)
    assert pool.submit(lambda x: x + 1, 1).result() == 2
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 // 0).result()
    assert done == [1]


def read_examples() -> dict[str, list[str]]:
    found = json.loads((ROOT / "docs" / "_static" / "try-examples.json").read_text(encoding="utf-8"))
    return {example["name"]: example["cells"] for example in found}


@pytest.mark.parametrize("name", [name for name in read_examples() if name not in (BY_SEARCH, LEFT_ALONE)])
def test_the_examples_of_the_page_to_try_are_healed_whole_by_rules(name: str) -> None:
    healed = heal_sources(read_examples()[name])
    assert healed["failures"]
    assert all(f["applied"] for f in healed["failures"])
    assert any(healed["outputs"])


def test_the_page_leaves_alone_what_nothing_in_it_can_give() -> None:
    (left,) = heal_sources(read_examples()[LEFT_ALONE])["failures"]
    assert (left["applied"], left["detail"]) == (False, "Set WEATHER_TOKEN and run the cell again.")


def test_each_failure_is_told_at_once_with_its_changes_and_the_outputs_at_the_end() -> None:
    told: list[object] = []
    healed = heal_sources(["price = 20", "print(prise * 3)", "if price\n    print('!')"], told.append)
    assert told == healed["failures"]
    assert [f["changes"] for f in healed["failures"]] == [
        [{"cell": 2, "old": "print(prise * 3)", "new": "print(price * 3)"}],
        [{"cell": 3, "old": "if price\n    print('!')", "new": "if price:\n    print('!')"}],
    ]
    assert healed["outputs"] == ["", "60\n", "!\n"]
    assert healed["failures"][1]["failure"] == "SyntaxError: expected ':'"
