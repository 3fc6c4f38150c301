"""What the user saw fail is not run again where it could only fail in the same way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.loop.progress import is_reproduction
from jupyter_selfheal.loop.stability import is_conclusive
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook
from jupyter_selfheal.surfaces.worker.seen_run import build_seen_run

LOOP = "n = 0\nwhile n < 10:\n    total = n * 2"
STOPPED = Failure("c", LOOP, FailureKind.TIMED_OUT, ename="KeyboardInterrupt", line=2, statement=1, seconds=3.0)
UNREADABLE = Failure("c", "x = (1 2)", FailureKind.SYNTAX, ename="SyntaxError", evalue="invalid syntax", line=1)


@pytest.mark.parametrize("failure", [STOPPED, UNREADABLE], ids=["stopped", "unreadable"])
def test_the_run_that_was_seen_is_its_own_reproduction(failure: Failure) -> None:
    case, seen = Case(failure, Notebook((Cell("c", failure.source),))), build_seen_run(failure)
    assert seen is not None
    assert is_conclusive(case)
    assert is_reproduction(case, seen, "")
    assert seen.seconds == failure.seconds


def test_what_raised_is_run_again() -> None:
    assert build_seen_run(Failure("c", "1 / 0", ename="ZeroDivisionError")) is None


ABSENT = Failure("c", "import absent", ename="ModuleNotFoundError", evalue="No module named 'absent'")
LONG = Failure(
    "c", "table = grow(9)\ntable.append(1)", ename="AttributeError", evalue="no attribute 'append'", seconds=4.0
)


@pytest.mark.parametrize(
    ("failure", "enough"),
    [
        (ABSENT, True),
        (LONG, True),
        (replace(LONG, seconds=0.1), True),
        (replace(LONG, seconds=0.1, ename="TypeError", evalue="f() got an unexpected keyword argument 'normed'"), True),
        (
            replace(LONG, seconds=0.1, ename="TypeError", evalue="unsupported operand type(s) for /: 'str' and 'int'"),
            False,
        ),
        (replace(LONG, ename="ValueError"), True),
        (replace(LONG, ename="OSError"), False),
        (replace(LONG, seconds=0.1, ename="ValueError", evalue="x and y must have equal length"), False),
        (replace(LONG, seconds=0.1, ename="ValueError", evalue="Expected 2D array, got 1D array instead"), True),
        (replace(LONG, evalue="'NoneType' object has no attribute 'append'"), False),
        (replace(LONG, source="import random\ntable = random.random()\ntable.append(1)"), False),
    ],
    ids=[
        "no module",
        "long",
        "short",
        "arguments",
        "types",
        "of a value, long",
        "of the world",
        "of a value, short",
        "of a shape",
        "of None",
        "by chance",
    ],
)
def test_a_batch_runs_a_cell_again_only_where_that_says_more(failure: Failure, enough: bool) -> None:
    assert is_conclusive(Case(failure, Notebook((Cell("c", failure.source),)))) is enough
