"""A measurement says how far it is, and does not pass a budget without asking."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench import measure_tasks, run
from jupyter_selfheal.surfaces.bench.progress import Progress
from jupyter_selfheal.surfaces.bench.rows import Row, RowFile, Setup
from jupyter_selfheal.surfaces.bench.tasks import Task


def spend(dollars: float) -> Row:
    return Row("a", True, True, dollars={"language_model": dollars})


def test_a_heal_begins_while_the_dearest_so_far_still_fits() -> None:
    asked: list[str] = []
    progress = Progress(9, budget=1.0, ask=lambda question: bool(asked.append(question)))
    assert progress.may_begin(0)
    progress.add_row(spend(0.3))
    assert progress.may_begin(1)
    assert not progress.may_begin(2)
    assert asked == ["1 of 9 heals have cost $0.3000; the next may pass the budget of $1. Go on without one?"]
    assert not progress.may_begin(0), "who said no is not asked again"


def test_who_agrees_goes_on_without_a_budget() -> None:
    progress = Progress(9, budget=0.1, ask=lambda question: True)
    progress.add_row(spend(0.2))
    assert progress.may_begin(0)
    progress.add_row(spend(5))
    assert progress.may_begin(3)


def test_what_is_left_is_told_by_the_mean_so_far() -> None:
    progress = Progress(20, began=time.monotonic() - 600)
    said = []
    for _ in range(20):
        progress.add_row(spend(0.5))
        if progress.is_worth_a_line():
            said.append(progress.describe())
    assert len(said) == 10, "after the first, and after each tenth but the last"
    assert said[5] == "10 of 20; about 10 min left, $5.00 spent, about $5.00 more"
    assert said[-1].startswith("18 of 20; about 1 min left")
    assert "2 of 3; less than a minute left" in Progress(3, done=2, began=time.monotonic() - 60).describe()


def test_no_more_heals_are_begun_than_may() -> None:
    """With a set that nobody has checked, whose rows need no kernel."""
    task = Task("t", "f", "f = 1\n", ("assert f == 2\n",), "f = 3\n", checked=False)
    begun: list[int] = []

    def may_begin(under_way: int) -> bool:
        begun.append(under_way)
        return len(begun) < 4

    rows = list(measure_tasks.measure([(task, n) for n in range(1, 9)], Setup("", "all"), may_begin=may_begin))
    assert [row.run for row in rows] == [1, 2, 3]


def test_a_run_that_reaches_its_budget_keeps_its_rows_and_says_how_to_go_on(tmp_path: Path) -> None:
    """Rows of an earlier run count; nobody sits at the terminal."""
    (tmp_path / "case.json").write_text(
        json.dumps([{"name": n, "program": "x = 1\n", "tests": ["assert x == 2"]} for n in "ab"])
    )
    words = ["own", str(tmp_path / "case.json"), "--budget", "0.1", "--rows", str(tmp_path / "rows.jsonl")]
    arguments = run.build_parser().parse_args(words)
    setup = run.build_setup("own cases", "all", arguments.seed, run.build_config(arguments))
    RowFile(tmp_path / "rows.jsonl", setup).add(spend(0.2))
    with pytest.raises(UsageError, match=r"stopped before the budget of \$0.1 is passed, 0 of 1 healed.*goes on"):
        run.command(argparse.Namespace(arguments=words))
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 2
