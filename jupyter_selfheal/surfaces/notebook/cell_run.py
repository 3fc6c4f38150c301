"""What a cell did in a clean run."""

from __future__ import annotations

from dataclasses import dataclass

from jupyter_selfheal.model import Failure, StepResult


@dataclass(frozen=True, slots=True)
class CellRun:
    """What a cell did in the final run: its result, the count it would show, and its failure, if any."""

    result: StepResult
    count: int
    failure: tuple[Failure, ...] = ()
