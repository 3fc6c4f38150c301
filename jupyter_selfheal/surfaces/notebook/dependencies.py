"""What a batch run stands on: the seams between it and kernels, loop and scoring."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_selfheal import source as src
from jupyter_selfheal.kernels.replay_plan import PastCell
from jupyter_selfheal.model import OPEN, Case, Cell, Outcome, Proposal, Sandbox, Trial
from jupyter_selfheal.ports import Scorer, Starts, TrialKernel

if TYPE_CHECKING:
    from jupyter_selfheal.surfaces.model_review import ModelReview

Replay = Callable[[Sequence[PastCell], Sequence[str]], TrialKernel]
"""Opens a real kernel in which these cells are run again before each trial, with these folders first on ``sys.path`` (scratch
installs): where a state cannot be kept."""


MakeAnew = Callable[[Sequence[PastCell], Sequence[str], int, bool], TrialKernel]
"""Makes the state after these cells anew, the n-th of several, with these folders first on ``sys.path``; with True in a kernel
with another hash seed."""


def _ignore_progress(number: int, total: int, doing: str) -> None:
    """No progress is shown."""


class Deadline:
    """When the time for a notebook is up."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.at = time.monotonic() + seconds

    @property
    def seconds_left(self) -> float:
        """Seconds that are left; never quite none, so that it can stand for a limit."""
        return max(self.at - time.monotonic(), 0.001)

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.at

    @property
    def words(self) -> str:
        """What is said once it is over."""
        return f"The time limit for this notebook ({self.seconds:.3g} s) was reached."

    @contextlib.contextmanager
    def set_when_over(self, event: threading.Event) -> Iterator[None]:
        """Sets the event when the time is up, should that come while the block runs."""
        timer = threading.Timer(self.seconds_left, event.set)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


Heal = Callable[[Case, Starts, Trial, Deadline], tuple[Outcome, str]]
"""Runs the loop on a case whose cell was seen failing in the trial, until the deadline; the outcome, and the name of its journal."""


@dataclass(frozen=True, slots=True)
class BatchDependencies:
    """``open_state`` starts the notebook's own kernel and freezes it; ``install`` puts a
    requirement into the scratch directory that it returns. ``progress`` is told the number of the cell at hand, the number
    of all, and what is being done."""

    open_state: Callable[[], TrialKernel]
    replay: Replay
    heal: Heal
    ask_trusted: Heal
    """The same with memory and rules alone, and nothing of it applied."""
    approve: Callable[[Case, Proposal], bool]
    """Whether what is proposed may be applied, as the policy or a person decides."""
    scorer: Scorer
    install: Callable[[str], str]
    progress: Callable[[int, int, str], None] = _ignore_progress
    why_no_model: str = ""
    """Why words that say what a cell is for cannot be checked; empty where a model may be asked."""
    review: bool = False
    """Whether cells that ran are looked at for what speaks against them."""
    expect_outputs: bool = False
    """Whether what is stored is what cells must put out: one that gives another value fails."""
    model_review: ModelReview | None = None
    """The part of that which a model does; None where none may be asked."""
    open_anew: MakeAnew | None = None
    open_clean: Callable[[], TrialKernel] | None = None
    """Opens the state in which the healed notebook is run in the end; where there is none, ``open_state`` does."""
    runs_beside: bool = False
    """Whether the healed notebook's clean run may begin while its last cells are still being healed."""
    foresees_failure: Callable[[], bool] = bool
    """Whether a cell will surely fail: then that run begins with the first one."""
    is_brief: bool = False
    """Whether errors may be written as Python writes them: nobody is shown the outputs of cells that fail."""
    runs_together: bool = False
    """Whether cells that need not be alone may be run several in one process, and some of them once more where one behind them fails."""
    goes_on_behind: bool = False
    """Whether cells may run on in the state that a fix left behind in its trial: no more is kept from a trial than from a cell."""
    look_at_end: Callable[[TrialKernel], None] | None = None
    """Is shown the state after the last cell, where no cell was changed."""


IMPORT_SECONDS = 120.0
"""How long a cell may run that is cut off while it imports: a library read from a cold disk is no endless loop."""

EXPENSIVE_FACTOR = 10
"""How much longer than others a cell marked ``expensive`` may run."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that a cell may run, and what the notebook's own cells may do."""

    cell: float = 120.0
    sandbox: Sandbox = OPEN
    notebook: float = 0.0
    """Seconds for a whole notebook; 0: as many as its cells may need (see :meth:`find_seconds_for_notebook`)."""
    run_ends: float = math.inf
    """When the whole run must end, on the clock of ``time.monotonic``."""

    def find_seconds(self, cell: Cell) -> float:
        """Seconds for a cell."""
        return self.cell * EXPENSIVE_FACTOR if cell.expensive else self.cell

    def find_most_seconds(self, cell: Cell) -> float:
        """Seconds for a cell that was cut off in an import, if it was."""
        return (
            max(self.find_seconds(cell), IMPORT_SECONDS)
            if src.find_names(cell.source).imports
            else self.find_seconds(cell)
        )

    def find_seconds_for_notebook(self, cells: Sequence[Cell]) -> float:
        """Seconds for a whole notebook: ten minutes, and for each cell three times what it may run (to run it, to heal it, and to
        run it in the end), unless a limit was given; and no more than the run has left."""
        own = self.notebook or 600.0 + 3 * sum(self.find_seconds(c) for c in cells if c.kind == "code")
        return max(min(own, self.run_ends - time.monotonic()), 0.001)
