"""What is left to run after a fix of later statements."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Failure, Insert, Patch, Replace
from jupyter_selfheal.surfaces.live import resume

CELL = "slow = train()\nshape = slow.shpe\nprint(shape)\n"


def failure(statement: int = 1, source: str = CELL) -> Failure:
    return Failure("c", source, statement=statement, line=statement + 1)


def patch(source: str) -> Patch:
    return Patch((Replace("c", CELL, source),), "t")


def test_statements_that_ran_are_blanked_and_lines_hold() -> None:
    rest = resume.find_remaining_source(failure(), patch(CELL.replace("shpe", "shape")))
    assert rest.splitlines() == ["#" + " " * 13, "shape = slow.shape", "print(shape)"]


def test_not_where_the_patch_changes_what_ran() -> None:
    assert (
        resume.find_remaining_source(failure(), patch(CELL.replace("train()", "train(1)").replace("shpe", "shape")))
        is None
    )


def test_formatting_of_what_ran_may_change() -> None:
    assert resume.find_remaining_source(failure(), patch("slow  =  train() # kept\nshape = slow.shape\n"))


def test_not_where_nothing_ran_before() -> None:
    assert resume.find_remaining_source(failure(0), patch("slow = None\n")) is None


def test_not_where_other_cells_change() -> None:
    two = Patch((Replace("c", CELL, CELL + "#"), Insert("n", "import x", "c")), "t")
    assert resume.find_remaining_source(failure(), two) is None


LOOP = "for i in range(len(values)):\n    diffs.append(values[i + 1] - values[i])\n"


@pytest.mark.parametrize(
    ("block", "line"),
    [
        (LOOP, 2),
        ("for v in values:\n    total = total + 1 / v\n", 2),
        ("while queue:\n    print(1 / queue.pop())\n", 2),
        ("for row in rows:\n    print(1 / row)\n", 2),
        ("if values:\n    save(values)\n    shw(values)\n", 3),
        ("with lock:\n    seen.append(1)\n    seen.appendd(2)\n", 3),
    ],
)
def test_block_that_had_begun_something_is_not_resumed(block: str, line: int) -> None:
    failed = Failure("c", "x = 1\n" + block, statement=1, line=line + 1)
    assert resume.repeats_work(failed, {"rows": iter([2, 0]), "values": [1, 2]})


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("for i in range(3):\n    print(1 / i)\n", 2),
        ("for row in rows:\n    share = row / 0\n", 2),
        ("if values:\n    shape = values.shpe\n", 2),
        ("with lock:\n    first = values[0]\n    seen.appendd(2)\n", 3),
    ],
)
def test_block_that_only_computed_is_resumed(block: str, line: int) -> None:
    failed = Failure("c", "x = 1\n" + block, statement=1, line=line + 1)
    assert not resume.repeats_work(failed, {"rows": [2, 0], "values": [1, 2]})
    assert not resume.repeats_work(failure(), {})
