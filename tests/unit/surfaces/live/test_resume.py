"""What is left to run after a fix of later statements."""

from __future__ import annotations

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


def test_block_is_warned_about() -> None:
    source = "x = 1\nfor i in range(3):\n    print(1 / i)\n"
    assert "again" in resume.find_repeat_warning(Failure("c", source, statement=1))
    assert resume.find_repeat_warning(failure()) is None
