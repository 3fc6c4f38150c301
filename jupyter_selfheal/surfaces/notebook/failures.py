"""From a trial of a cell to its failure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jupyter_selfheal.loop import progress
from jupyter_selfheal.model import (
    Case,
    Cell,
    Failure,
    FailureKind,
    Output,
    Trial,
)


def find_failure(cell: Cell, trial: Trial, missed: str | None = None) -> Failure | None:
    """How the cell failed in a trial of it, or None where it ran (and did not miss its oracle: ``missed`` says why).

    As the loop sees it, so that what is reported is what is reproduced.
    """
    return progress.find_failure(Case(Failure(cell.id, cell.source)), cell.source, trial, missed)


RAISES_EXCEPTION = "raises-exception"
"""nbclient's and nbval's tag for a cell that is meant to fail."""


def is_meant(cell: Cell, failure: Failure) -> bool:
    """Whether a cell's author meant it to fail so."""
    return RAISES_EXCEPTION in cell.tags and failure.kind is FailureKind.RAISED


_OUTSIDE = frozenset({"FileNotFoundError", "ModuleNotFoundError", "ConnectionError", "URLError", "HTTPError"})


def lies_in_notebook(failure: Failure) -> bool:
    """Whether a failure is of a kind that is mostly mended in the notebook's own code."""
    return failure.kind in (FailureKind.RAISED, FailureKind.SYNTAX) and failure.ename not in _OUTSIDE


def list_warnings(outputs: Iterable[Output]) -> tuple[str, ...]:
    """Classes of the warnings that a cell put out: ``("ChainedAssignmentError",)``."""
    texts = (o.text for o in outputs if o.name == "stderr")
    return tuple(dict.fromkeys(c for text in texts for c in re.findall(r"(?m)^\S.*:\d+: (\w+): ", text)))
