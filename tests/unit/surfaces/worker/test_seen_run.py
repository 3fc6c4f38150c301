"""What the user saw fail is not run again where it could only fail in the same way."""

from __future__ import annotations

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
