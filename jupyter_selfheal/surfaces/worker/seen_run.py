"""The run that the user saw fail, as a trial: where a second one could only end in the same way, it stands for that.

A loop that cannot end would else be run once more, up to the time limit, before anybody looks for its fix.
"""

from __future__ import annotations

from jupyter_selfheal.model import (
    Ending,
    ErrorInfo,
    Failure,
    FailureKind,
    Isolation,
    Role,
    Start,
    StepResult,
    Trial,
)

OWN_KERNEL = Isolation("your kernel")


def build_seen_run(failure: Failure) -> Trial | None:
    """The cell's own run, of a cell that does not parse or that the user stopped; None of any other failure."""
    error = ErrorInfo(failure.ename, failure.evalue, failure.line, failure.statement, failure.frames)
    if failure.kind is FailureKind.TIMED_OUT:
        status, ending = "timeout", Ending.TIMED_OUT
    elif failure.kind is FailureKind.SYNTAX:
        status, ending = "error", Ending.FINISHED
        error = ErrorInfo(failure.ename, failure.evalue, failure.line, failure.statement, before_exec=True)
    else:
        return None
    step = StepResult(status, Role.CELL.value, failure.cell_id, errors=(error,), seconds=failure.seconds)
    return Trial("", (step,), ending, Start.BEFORE_CELL, OWN_KERNEL, seconds=failure.seconds)
