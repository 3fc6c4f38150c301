"""A folder of one's own cases."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.bench import run
from jupyter_selfheal.surfaces.bench.judge import judge
from jupyter_selfheal.surfaces.bench.sets import load_tasks

MEAN = {
    "program": "def mean(xs):\n    return total(xs) * len(xs)\n",
    "tests": ["assert mean([2, 4, 9]) == 5", "assert mean([2, 4]) == 3"],
    "hidden": ["assert mean([7]) == 7"],
    "reference": "def mean(xs):\n    return total(xs) / len(xs)\n",
    "ahead": "def total(xs):\n    return sum(xs)",
}


def write_notebook(path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "A mean."},
        {"cell_type": "code", "metadata": {}, "source": [MEAN["ahead"]]},
        {"cell_type": "code", "metadata": {"tags": ["program"]}, "source": [MEAN["program"]]},
        *({"cell_type": "code", "metadata": {"tags": ["test"]}, "source": [test]} for test in MEAN["tests"]),
        {"cell_type": "code", "metadata": {"tags": ["hidden"]}, "source": MEAN["hidden"]},
    ]
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))


def test_json_and_notebooks_are_read_and_judged_with_what_stands_above_them(tmp_path: Path) -> None:
    (tmp_path / "mean.json").write_text(json.dumps(MEAN))
    (tmp_path / "two.json").write_text(json.dumps([{**MEAN, "name": "first"}, MEAN]))
    write_notebook(tmp_path / "book.ipynb")
    title, tasks = load_tasks("own", tmp_path, 0)
    assert (title, [t.name for t in tasks]) == ("own cases", ["book", "mean", "first", "two-2"])
    book, mean = tasks[:2]
    assert (book.tests, book.hidden, book.ahead.strip()) == (mean.tests, mean.hidden, mean.ahead)
    assert mean.arguments == ("([2, 4, 9],)", "([2, 4],)", "([7],)")
    right, wrong = judge(mean, mean.reference, inputs=50), judge(mean, mean.definition, inputs=50)
    assert right.correct
    assert right.compared > 10
    assert wrong.failed == (0, 1)


@pytest.mark.kernel
@pytest.mark.slow
def test_a_case_of_ones_own_goes_through_the_products_own_loop_and_is_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_notebook(tmp_path / "book.ipynb")
    assert run.command(argparse.Namespace(arguments=["own", str(tmp_path), "--json"])) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["place"] == 1, "the right program is what is shown first"
